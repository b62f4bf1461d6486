// The package in Node: its parts are files beside this one.

import { readFile } from "node:fs/promises";

import { type Engine, type LoadOptions, type Parts, start } from "./engine.ts";

export * from "./engine.ts";

const parts = new Map<string, Promise<WebAssembly.Module>>();

/** A part, compiled once. */
function part(name: string): Promise<WebAssembly.Module> {
  const kept = parts.get(name) ?? readFile(new URL(name, import.meta.url)).then((bytes) => WebAssembly.compile(bytes));
  parts.set(name, kept);
  return kept;
}

/** Loads an engine. What is compiled is kept, so another one starts at once. */
export async function load(options: LoadOptions = {}): Promise<Engine> {
  const engine: Parts["engine"] = await Promise.all([
    part("./engine.first.wasm"),
    part("./engine.more.wasm"),
    part("./engine.rest.wasm"),
  ]);
  return start({ engine, registry: options.builtInKinds ? await part("./registry.wasm") : undefined });
}
