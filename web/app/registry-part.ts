// The API server's own code for built-in kinds (wasm/registry): a module of its own beside the engine,
// which asks it in the middle of a call. It is fetched behind the first result, where that depends on it.

import { fetched } from "./fetched.ts";
import { reasonOf } from "./reason.ts";
import { type GoRuntime, heldIn, type Loader, resume } from "./snapshot.ts";

/** Where it is put aside, for the next visit and for one without a network. */
const CACHE = "preadmit-registry";

/** What the engine finds on the global object (wasm/main.go): a function to ask, or why there is none. */
interface Asked {
  preadmitRegistry: ((call: string) => string) | string;
}

/** The address of the module that belongs to an engine. */
export function registryOf(url: string): string {
  return url.replace(/\.wasm$/, "-registry.wasm");
}

export class RegistryPart {
  readonly #url: string;
  readonly #newRuntime: () => GoRuntime;
  #loading: Promise<void> | undefined;

  constructor(engine: string, newRuntime: () => GoRuntime) {
    this.#url = registryOf(engine);
    this.#newRuntime = newRuntime;
  }

  /** Puts the function on the global object, or why it could not be loaded; a later call tries again then. */
  load(): Promise<void> {
    this.#loading ??= this.#load().catch((reason: unknown) => {
      this.#loading = undefined;
      put(`the API server's code could not be loaded: ${reasonOf(reason)}`);
    });
    return this.#loading;
  }

  async #load(): Promise<void> {
    const go = this.#newRuntime();
    const response = await fetched(this.#url, true);
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    const typed = response.headers.get("Content-Type") === "application/wasm";
    const { module, instance } = await WebAssembly.instantiateStreaming(
      typed ? response : new Response(response.body, { headers: { "Content-Type": "application/wasm" } }),
      go.importObject,
    );
    put(resumed(go, module, instance));
    void keep(this.#url);
  }
}

function put(asked: Asked["preadmitRegistry"]): void {
  (globalThis as unknown as Asked).preadmitRegistry = asked;
}

/** Starts the code in this thread, and gives the function that takes a call and returns its reply. */
export async function startRegistry(module: WebAssembly.Module): Promise<(call: string) => string> {
  const go = new (globalThis as unknown as { Go: new () => GoRuntime }).Go();
  return resumed(go, module, await WebAssembly.instantiate(module, go.importObject));
}

/** Lets the code go on from the memory image with which its module begins. */
function resumed(go: GoRuntime, module: WebAssembly.Module, instance: WebAssembly.Instance): (call: string) => string {
  const image = heldIn(module);
  if (image === undefined) throw new Error("the module of the API server's code does not begin from an image");
  const { engine } = resume(go as Loader, instance, image);
  return (call) => engine.call(call);
}

/** Puts the module aside, and what an older page has put there away. */
async function keep(url: string): Promise<void> {
  try {
    const cache = await caches.open(CACHE);
    for (const old of await cache.keys()) if (new URL(old.url).pathname !== url) await cache.delete(old);
    if ((await cache.match(url)) === undefined) await cache.add(url);
  } catch {
    // A private window, or no room: the browser's own cache has it, as long as it likes.
  }
}
