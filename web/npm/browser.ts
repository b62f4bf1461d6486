// The package in a browser or a worker: its parts are fetched from beside this file. Bundlers
// copy files that are named like this.

import { type Engine, type Parts, start } from "./engine.ts";

export * from "./engine.ts";

let parts: Promise<Parts> | undefined;

/** Loads the engine. What is compiled is kept, so another one starts at once. */
export async function load(): Promise<Engine> {
  parts ??= Promise.all([
    part(new URL("./engine.first.wasm", import.meta.url)),
    part(new URL("./engine.more.wasm", import.meta.url)),
    part(new URL("./engine.rest.wasm", import.meta.url)),
  ]);
  return start(
    await parts.catch((reason: unknown) => {
      parts = undefined; // the next call may try again
      throw reason;
    }),
  );
}

async function part(url: URL): Promise<WebAssembly.Module> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`preadmit: ${url.pathname} answered ${response.status}`);
  if (response.headers.get("Content-Type") === "application/wasm") return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}
