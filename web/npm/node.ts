// The package in Node: its parts are files beside this one.

import { readFile } from "node:fs/promises";

import { type Engine, type Parts, start } from "./engine.ts";

export * from "./engine.ts";

let parts: Promise<Parts> | undefined;

/** Loads the engine. What is compiled is kept, so another one starts at once. */
export async function load(): Promise<Engine> {
  const part = async (name: string): Promise<WebAssembly.Module> =>
    WebAssembly.compile(await readFile(new URL(name, import.meta.url)));
  parts ??= Promise.all([part("./engine.first.wasm"), part("./engine.more.wasm"), part("./engine.rest.wasm")]);
  return start(await parts);
}
