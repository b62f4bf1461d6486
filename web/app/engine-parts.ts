// The engine comes in two parts (scripts/split). The first holds what nearly every
// evaluation needs, and starts alone; in it, functions of the second are stubs that ask
// for the second part when they are called. Behind the first result it is fetched without
// being asked for.

/** How long a call waits for the second part at most, in milliseconds. */
const PATIENCE = 55_000;

/** A call needed the second part of the engine, and it did not come. */
export class PartMissing extends Error {
  /** Whether asking once more may help. */
  readonly again: boolean;

  constructor(message: string, again = false) {
    super(message);
    this.again = again;
  }
}

/** Where the second part of an engine is. Both names carry the hash of both (tools/bundle.mjs). */
export function restOf(url: string): string {
  return url.replace(/\.wasm$/, "-rest.wasm");
}

export class EngineRest {
  readonly #url: string;
  readonly #waiting: (over: boolean) => void;
  #first: WebAssembly.Exports | undefined;
  #there = false;
  #asked = false;

  /** waiting is called when a call begins to wait for the part, and when that is over as it came. */
  constructor(url: string, waiting: (over: boolean) => void) {
    this.#url = url;
    this.#waiting = waiting;
  }

  /** What the first part imports from its host. */
  readonly imports = { load: (): void => this.#load() };

  /** The first part runs: this is what the second imports. */
  set first(exports: WebAssembly.Exports) {
    this.#first = exports;
  }

  /** Fetches the part between two calls, once. If it does not come, a call that needs it asks again. */
  async fetch(): Promise<void> {
    if (this.#asked || this.#there) return;
    this.#asked = true;
    try {
      this.#join(await compiled(await fetch(this.#url)));
    } catch {
      this.#asked = false;
    }
  }

  /**
   * Loads the part while the first waits, in the middle of a call. What breaks off, or is
   * broken in the browser's cache, is asked for once more, from the server.
   */
  #load(): void {
    let module;
    try {
      module = this.#ask(false);
    } catch (reason) {
      if (!(reason instanceof PartMissing && reason.again)) throw reason;
      module = this.#ask(true);
    }
    this.#join(module);
    this.#waiting(true);
  }

  #ask(again: boolean): WebAssembly.Module {
    this.#waiting(false);
    const request = new XMLHttpRequest();
    request.open("GET", this.#url, false);
    if (again) request.setRequestHeader("Cache-Control", "no-cache");
    request.responseType = "arraybuffer";
    request.timeout = PATIENCE;
    try {
      request.send();
    } catch {
      throw new PartMissing("there is no answer from the network", true);
    }
    if (request.status === 404) {
      throw new PartMissing(
        "the server does not have it any more, as the site is newer than this page; reload the page",
      );
    }
    if (request.status !== 200) throw new PartMissing(`the server answered ${request.status}`);
    try {
      return new WebAssembly.Module(request.response as ArrayBuffer);
    } catch {
      throw new PartMissing("something else came in its place", true);
    }
  }

  /** Puts the functions of the part where the stubs look for them. */
  #join(module: WebAssembly.Module): void {
    if (this.#there || this.#first === undefined) return;
    new WebAssembly.Instance(module, { first: this.#first });
    this.#there = true;
  }
}

/** The module of a response. The browser keeps what it has compiled only if it gets the response itself. */
function compiled(response: Response): Promise<WebAssembly.Module> {
  if (!response.ok) throw new PartMissing(`the server answered ${response.status}`);
  const typed = response.headers.get("Content-Type") === "application/wasm";
  return WebAssembly.compileStreaming(
    typed ? response : new Response(response.body, { headers: { "Content-Type": "application/wasm" } }),
  );
}
