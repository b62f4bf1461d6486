// The engine comes in parts (scripts/module/split). The first holds what the first page's example needs,
// and starts alone; in it, functions of later parts are stubs that ask for their part when they
// are called. Behind the first result the others are fetched without being asked for, or at once
// where the page shows something else.

import { fetched } from "./fetched.ts";

/** How long a call waits for a part at most, in milliseconds. */
const PATIENCE = 55_000;

/** What the names of later parts end with: what all examples need, then the rest. All names carry the hash of all parts (tools/bundle.mjs). */
const LATER = ["more", "rest"];

/** A call needed a later part of the engine, and it did not come. */
export class PartMissing extends Error {
  /** Whether asking once more may help. */
  readonly again: boolean;

  constructor(message: string, again = false) {
    super(message);
    this.again = again;
  }
}

/** Where the later parts of an engine are. */
export function laterOf(url: string): string[] {
  return LATER.map((name) => url.replace(/\.wasm$/, `-${name}.wasm`));
}

export class EngineParts {
  readonly #later: LaterPart[];

  /**
   * kept says that the parts may have been put aside (fetched.ts); waiting is called when a call begins to wait for one,
   * and when that is over as it came.
   */
  constructor(url: string, kept: boolean, waiting: (over: boolean) => void) {
    this.#later = laterOf(url).map((part) => new LaterPart(part, kept, waiting));
  }

  /** What the first part imports from its host; parts are counted from 0. */
  readonly imports = { load: (part: number): void => this.#later[part - 1]?.load() };

  /** The first part is there: this is what the others import. */
  set first(exports: WebAssembly.Exports) {
    for (const part of this.#later) part.first = exports;
  }

  /** Fetches what all examples need, and joins it when the first part is there. */
  async fetchMore(): Promise<void> {
    await this.#later[0]?.fetch();
  }

  /** Fetches what is not there between two calls, one part after the other. What does not come is asked for again by a call that needs it. */
  async fetchAll(): Promise<void> {
    for (const part of this.#later) await part.fetch();
  }
}

class LaterPart {
  readonly #url: string;
  readonly #kept: boolean;
  readonly #waiting: (over: boolean) => void;
  #first: WebAssembly.Exports | undefined;
  #module: WebAssembly.Module | undefined;
  #there = false;
  #fetching: Promise<void> | undefined;

  constructor(url: string, kept: boolean, waiting: (over: boolean) => void) {
    this.#url = url;
    this.#kept = kept;
    this.#waiting = waiting;
  }

  set first(exports: WebAssembly.Exports) {
    this.#first = exports;
    if (this.#module !== undefined) this.#join(this.#module);
  }

  /** Fetches the part, once. */
  fetch(): Promise<void> {
    this.#fetching ??= this.#fetch();
    return this.#fetching;
  }

  async #fetch(): Promise<void> {
    if (this.#there) return;
    try {
      this.#join(await compiled(await fetched(this.#url, this.#kept)));
    } catch {
      this.#fetching = undefined;
    }
  }

  /**
   * Loads the part while the first waits, in the middle of a call. What breaks off, or is
   * broken in the browser's cache, is asked for once more, from the server.
   */
  load(): void {
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
    // While the same file is being fetched, this worker waits here and reads none of it: the browser's
    // cache would let a second request for it wait for 20 seconds. Another address does not wait.
    request.open("GET", this.#fetching === undefined ? this.#url : `${this.#url}?now`, false);
    if (again) request.setRequestHeader("Cache-Control", "no-cache");
    request.responseType = "arraybuffer";
    request.timeout = PATIENCE;
    try {
      request.send();
    } catch {
      throw new PartMissing("the network does not answer", true);
    }
    if (request.status === 404) {
      throw new PartMissing("the server no longer has it, because the site is newer than this page; reload the page");
    }
    if (request.status !== 200) throw new PartMissing(`the server answered ${request.status}`);
    try {
      return new WebAssembly.Module(request.response as ArrayBuffer);
    } catch {
      throw new PartMissing("the server sent something else", true);
    }
  }

  /** Puts the functions of the part where the stubs look for them, now or when there are stubs. */
  #join(module: WebAssembly.Module): void {
    if (this.#there) return;
    this.#module = module;
    if (this.#first === undefined) return;
    new WebAssembly.Instance(module, { first: this.#first });
    this.#there = true;
    this.#module = undefined;
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
