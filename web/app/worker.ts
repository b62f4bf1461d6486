// The worker that holds the engine. It loads the WebAssembly module while it
// streams in, and passes calls on. It never touches the page.
//
// The playground has a worker of its own; all embedded examples of a page share
// one, so one module serves several ports (app/embed-hub.ts).

import "./generated/wasm_exec.js";
import type { Call, FromWorker, Reply, ToWorker } from "./messages.ts";
import { PROTOCOL } from "./protocol.ts";

declare class Go {
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

/** What the module puts on the global object (wasm/main.go). */
interface Engine {
  protocol: number;
  call(request: string): string;
}

/** One page: the worker's own global object, or a port that it was given. */
interface Port {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker): void;
}

/** The global object of the worker; the DOM's types know only that of pages. */
const scope = globalThis as unknown as Port & {
  preadmit?: Engine;
};

const ports: Port[] = [];
let loading: Promise<void> | undefined;

function broadcast(message: FromWorker): void {
  for (const port of ports) port.postMessage(message);
}

/** Reads a copy of the engine to tell how much of it has come. */
async function tellProgress(body: ReadableStream<Uint8Array> | null, total: number): Promise<void> {
  let loaded = 0;
  let told = 0;
  const reader = body?.getReader();
  for (;;) {
    const chunk = await reader?.read();
    if (chunk?.value === undefined) return;
    loaded += chunk.value.byteLength;
    // One message for each hundredth is enough for a progress bar.
    if (loaded - told < total / 100) continue;
    told = loaded;
    broadcast({ type: "progress", loaded, total });
  }
}

/** Marks a moment of the start, for tools/measure.mjs. */
function mark(moment: string): void {
  performance.mark(`engine ${moment}`);
}

async function load(url: string, bytes: number): Promise<void> {
  const go = new Go();
  // A download can break off, and so can what the browser reads from its cache
  // (in private windows, when a page is reloaded while it is written). The second
  // time nothing comes from there.
  const instance = await compile(go, url, bytes, "default").catch(() => compile(go, url, bytes, "no-store"));
  mark("compiled");
  go.run(instance).then(
    () => broadcast({ type: "failed", message: "the engine stopped" }),
    (reason: unknown) => broadcast({ type: "failed", message: text(reason) }),
  );
  mark("started");
  if (scope.preadmit?.protocol !== PROTOCOL) {
    throw new Error("the page and the engine are of different versions; reload the page");
  }
}

async function compile(go: Go, url: string, bytes: number, cache: RequestCache): Promise<WebAssembly.Instance> {
  mark("asked");
  const response = await fetch(url, { cache });
  if (!response.ok || response.body === null) {
    throw new Error(`the server answered ${response.status} for the engine`);
  }
  mark("answered");
  // The browser keeps the code that it has compiled for the next visit only if
  // it gets the response itself, and not a stream of ours.
  tellProgress(response.clone().body, bytes).catch(() => undefined); // compiling fails for the same reason, and says so
  const typed = response.headers.get("Content-Type") === "application/wasm";
  const module = typed ? response : new Response(response.body, { headers: { "Content-Type": "application/wasm" } });
  return (await WebAssembly.instantiateStreaming(module, go.importObject)).instance;
}

function call(port: Port, id: number, request: Call): void {
  if (scope.preadmit === undefined) {
    port.postMessage({ type: "reply", id, error: "the engine is not loaded" });
    return;
  }
  const reply = JSON.parse(scope.preadmit.call(JSON.stringify(request))) as Reply;
  port.postMessage({ type: "reply", id, ...reply });
}

function text(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}

function serve(port: Port): void {
  ports.push(port);
  port.onmessage = (event): void => {
    const message = event.data;
    switch (message.type) {
      case "load":
        loading ??= load(message.url, message.bytes);
        loading.then(
          () => port.postMessage({ type: "ready" }),
          (reason: unknown) => {
            loading = undefined; // the next page may try again
            port.postMessage({ type: "failed", message: text(reason) });
          },
        );
        break;
      case "connect":
        for (const other of event.ports) serve(other);
        break;
      case "call":
        try {
          call(port, message.id, message.call);
        } catch (reason) {
          // A trap in the module leaves it unusable: the page starts a new worker.
          port.postMessage({ type: "failed", message: text(reason) });
        }
        break;
    }
  };
}

serve(scope);
