// Starts the module with the API server's own code, which begins from a memory image.

import { type GoRuntime, heldIn, type Loader, resume } from "./snapshot.ts";

/** Starts the code in this thread, and gives the function that takes a call and returns its reply. */
export async function startRegistry(module: WebAssembly.Module): Promise<(call: string) => string> {
  const own = new (globalThis as unknown as { Go: new () => GoRuntime }).Go() as Loader;
  const image = heldIn(module);
  if (image === undefined) throw new Error("preadmit: registry.wasm does not begin from an image");
  const { engine } = resume(own, await WebAssembly.instantiate(module, own.importObject), image);
  return (call) => engine.call(call);
}
