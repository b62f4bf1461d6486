// The engine inside a worker: loads the WebAssembly module while it streams in,
// and passes calls on. One module may serve several examples (app/hub.ts).

import { EngineParts, PartMissing } from "./engine-parts.ts";
import { fetched } from "./fetched.ts";
import type { Call, FromWorker, Load, Reply, ToWorker } from "./messages.ts";
import { type EvaluateParams, PROTOCOL } from "./protocol.ts";
import { reasonOf } from "./reason.ts";
import { RegistryPart } from "./registry-part.ts";
import { replyChannel, SHORT_REPLY } from "./reply-channel.ts";
import { type Engine, type GoRuntime, heldIn, type Loader, resume } from "./snapshot.ts";

/** What the worker hears and answers: its own global object. */
export interface Port {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker): void;
}

/** How long nothing is said of a download after a message about it, in milliseconds. */
const PAUSE = 50;

/**
 * How quickly the first quarter of the engine comes where nothing more is said of the download, in
 * milliseconds: it soon ends, and reading a copy of it takes time of the processor.
 */
const SWIFT = 150;

/** How long nothing is called before the other parts are fetched, in milliseconds: the page draws its result. */
const QUIET = 100;

export class EngineHost {
  readonly #newRuntime: () => GoRuntime;
  readonly #ports: Port[] = [];
  #loading: Promise<void> | undefined;
  #memory: WebAssembly.Memory | undefined;
  #parts: EngineParts | undefined;
  #registry: RegistryPart | undefined;
  #quiet: ReturnType<typeof setTimeout> | undefined;
  #replies: BroadcastChannel | undefined;

  constructor(newRuntime: () => GoRuntime) {
    this.#newRuntime = newRuntime;
  }

  /** Answers the messages of a page. */
  serve(port: Port): void {
    this.#ports.push(port);
    port.onmessage = (event): void => {
      const message = event.data;
      switch (message.type) {
        case "load":
          this.load(port, message);
          break;
        case "registry":
          void this.#registry?.load().then(() => this.#broadcast({ type: "registry" }));
          break;
        case "call":
          try {
            this.#answer(port, message.id, message.call);
          } catch (reason) {
            // A trap in the module leaves it unusable: the page starts a new worker.
            const incomplete = reason instanceof PartMissing;
            port.postMessage({ type: "failed", message: reasonOf(reason), ...(incomplete && { incomplete }) });
            break;
          }
          clearTimeout(this.#quiet);
          this.#quiet = setTimeout(() => void this.#parts?.fetchAll(), QUIET);
          break;
      }
    };
  }

  /** Loads the engine, once, and says to a port when it is there. */
  load(port: Port, message: Load): void {
    if (message.replies !== undefined) this.#replies ??= replyChannel(message.replies);
    this.#loading ??= this.#start(message);
    this.#loading.then(
      () => port.postMessage({ type: "ready" }),
      (reason: unknown) => {
        this.#loading = undefined; // the next page may try again
        port.postMessage({ type: "failed", message: reasonOf(reason) });
      },
    );
  }

  #answer(port: Port, id: number, request: Call): void {
    const json = call(request);
    const reply: FromWorker = { type: "reply", id, ...(JSON.parse(json) as Reply), ...this.#taken() };
    if (json.length <= SHORT_REPLY) this.#replies?.postMessage(reply);
    port.postMessage(reply);
  }

  #taken(): { memory?: number } {
    return this.#memory === undefined ? {} : { memory: this.#memory.buffer.byteLength };
  }

  async #start({ url, bytes, more, kept = false }: Load): Promise<void> {
    const go = this.#newRuntime();
    this.#registry = new RegistryPart(url, this.#newRuntime);
    const parts = new EngineParts(url, kept, (over) => this.#broadcast({ type: "waiting", ...(over && { over }) }));
    const imports = { ...go.importObject, parts: parts.imports };
    const rest = more && parts.fetchMore();
    // A download can break off, and so can what the browser reads from its cache
    // (in private windows, when a page is reloaded while it is written). The second
    // time nothing comes from there.
    const { module, instance } = await this.#compile(imports, bytes, fetched(url, kept)).catch(() =>
      this.#compile(imports, bytes, fetch(url, { cache: "no-store" })),
    );
    mark("compiled");
    parts.first = instance.exports;
    this.#parts = parts;
    await rest;
    const { mem } = instance.exports;
    if (mem instanceof WebAssembly.Memory) this.#memory = mem;
    begin(go, module, instance).then(
      () => this.#broadcast({ type: "failed", message: "the engine stopped" }),
      (reason: unknown) => this.#broadcast({ type: "failed", message: reasonOf(reason) }),
    );
    mark("started");
    if (engine()?.protocol !== PROTOCOL) {
      throw new Error("the page and the engine are of different versions; reload the page");
    }
  }

  async #compile(
    imports: WebAssembly.Imports,
    bytes: number,
    asked: Promise<Response>,
  ): Promise<WebAssembly.WebAssemblyInstantiatedSource> {
    mark("asked");
    const response = await asked;
    refuse(response);
    mark("answered");
    // The browser keeps the code that it has compiled for the next visit only if
    // it gets the response itself, and not a stream of ours.
    this.#follow(response.clone().body, bytes).catch(() => undefined); // compiling fails for the same reason, and says so
    const typed = response.headers.get("Content-Type") === "application/wasm";
    const module = typed ? response : new Response(response.body, { headers: { "Content-Type": "application/wasm" } });
    return WebAssembly.instantiateStreaming(module, imports);
  }

  /** Reads a copy of the engine to report how much of it has come. */
  async #follow(body: ReadableStream<Uint8Array> | null, total: number): Promise<void> {
    let loaded = 0;
    let reported = 0;
    let last = -Infinity;
    const began = performance.now();
    const reader = body?.getReader();
    for (;;) {
      const chunk = await reader?.read();
      if (chunk?.value === undefined) return;
      loaded += chunk.value.byteLength;
      const now = performance.now();
      if (loaded >= total / 4 && loaded < total && now - began < SWIFT) {
        void reader?.cancel(); // it never ends: the module reads on
        return;
      }
      // One message for each hundredth is enough for a progress bar, and where they come
      // fast, a few for each second: the page draws each of them.
      if (loaded - reported < total / 100 || (loaded < total && now - last < PAUSE)) continue;
      [reported, last] = [loaded, now];
      this.#broadcast({ type: "progress", loaded, total });
    }
  }

  #broadcast(message: FromWorker): void {
    for (const port of this.#ports) port.postMessage(message);
  }
}

/** Throws, in words for the reader, when a response is not the engine. */
function refuse(response: Response): void {
  // Each build has an engine of its own name: after a deploy an open page asks for one that is gone.
  if (response.status === 404) {
    throw new Error("the server no longer has it, because the site is newer than this page; reload the page");
  }
  if (!response.ok || response.body === null) {
    throw new Error(`the server answered ${response.status} for the engine`);
  }
  if (response.headers.get("Content-Type")?.startsWith("text/html") === true) {
    throw new Error("the server sent a web page instead, perhaps from a proxy or a network sign-in");
  }
}

/** Lets the module go on from its image, or run from its start if it has none. The promise is for its end. */
function begin(go: GoRuntime, module: WebAssembly.Module, instance: WebAssembly.Instance): Promise<void> {
  const held = heldIn(module);
  if (held === undefined) return go.run(instance);
  const { engine, ended } = resume(go as Loader, instance, held);
  (globalThis as { preadmit?: Engine }).preadmit = engine;
  return ended;
}

/** The module, once it runs. */
function engine(): Engine | undefined {
  return (globalThis as { preadmit?: Engine }).preadmit;
}

/** The reply to a call, as JSON. */
function call(request: Call): string {
  const [short, ...texts] = beside(request);
  return engine()?.call(JSON.stringify(short), ...texts) ?? `{"error": "the engine is not loaded"}`;
}

/** From how many characters on a text is not written into the JSON of a call. */
const LONG = 32_768;

/** A call without the long texts of its scenario, and these, with their names. */
function beside(request: Call): [Call, ...string[]] {
  if (request.method !== "evaluate") return [request];
  const params = request.params as EvaluateParams;
  const scenario = { ...params.scenario };
  const texts: string[] = [];
  for (const name of ["policies", "request", "cluster"] as const) {
    const text = scenario[name];
    if (text === undefined || text.length < LONG) continue;
    texts.push(name, text);
    delete scenario[name];
  }
  return [{ ...request, params: { ...params, scenario } }, ...texts];
}

/** Marks a moment of the start, for tools/measure.mjs. */
function mark(moment: string): void {
  performance.mark(`engine ${moment}`);
}
