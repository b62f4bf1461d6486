// The package in a browser or a worker: its parts are fetched from beside this file. Bundlers
// copy files that are named like this.

import { type Engine, type LoadOptions, type Parts, start } from "./engine.ts";

export * from "./engine.ts";

const parts = new Map<string, Promise<WebAssembly.Module>>();

/** A part, fetched and compiled once. One that did not come is fetched again by the next call. */
function part(url: URL): Promise<WebAssembly.Module> {
  const kept = parts.get(url.href) ?? fetched(url);
  parts.set(url.href, kept);
  kept.catch(() => parts.delete(url.href));
  return kept;
}

async function fetched(url: URL): Promise<WebAssembly.Module> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`preadmit: ${url.pathname} answered ${response.status}`);
  if (response.headers.get("Content-Type") === "application/wasm") return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

/** Loads an engine. What is compiled is kept, so another one starts at once. */
export async function load(options: LoadOptions = {}): Promise<Engine> {
  const engine: Parts["engine"] = await Promise.all([
    part(new URL("./engine.first.wasm", import.meta.url)),
    part(new URL("./engine.more.wasm", import.meta.url)),
    part(new URL("./engine.rest.wasm", import.meta.url)),
  ]);
  const registry = options.builtInKinds ? await part(new URL("./registry.wasm", import.meta.url)) : undefined;
  return start({ engine, registry });
}
