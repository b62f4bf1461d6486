// The page's side of the engine: starts the worker, queues calls, drops
// evaluations that a newer one has replaced, and starts a new worker when a
// call hangs or the module crashes.

import { takeEarly } from "./early-worker.ts";
import { newName } from "./embed-channel.ts";
import { memoryLimit, tooMuch } from "./memory.ts";
import type { Call, FromWorker, Reply, ToWorker } from "./messages.ts";
import type { Calls, Evaluated, EvaluateParams, Scenario } from "./protocol.ts";
import { replyChannel } from "./reply-channel.ts";
import { trustedScript } from "./trusted.ts";

/** How long a call may take before the worker is replaced, in milliseconds. */
const WATCHDOG = 15_000;

/** How long to wait for the first byte of the engine, in milliseconds. */
const FIRST_BYTE = 20_000;

/** How long to wait for each hundredth of the engine after that, in milliseconds. */
const NEXT_BYTES = 60_000;

export type EngineState =
  | { name: "idle" }
  | { name: "loading"; loaded: number; total: number }
  | { name: "ready" }
  | { name: "failed"; message: string };

/** The call was not made, because a newer one took its place. */
export class Superseded extends Error {}

/** The call did not come back in time, or the engine crashed in it. */
export class EngineLost extends Error {}

interface Pending {
  call: Call;
  /** Calls with the same slot replace each other while they wait. */
  slot: string | undefined;
  resolve(result: unknown): void;
  reject(reason: Error): void;
}

export interface EngineOptions {
  /** A channel to workers that others use too; without it the page starts its own. */
  port?: BroadcastChannel;
  workerURL: string;
  engineURL: string;
  engineBytes: number;
  /** How much memory the worker may take before a fresh one replaces it, in bytes. */
  memory?: number;
  onState(state: EngineState): void;
  /** The reader pays for each byte: the API server's own code is offered, and not loaded unasked. */
  metered?: boolean;
  /** The API server's own code has been loaded: what it has a say in is to be evaluated again. */
  onRegistry?(): void;
}

/** A worker, of this page alone or also of others. */
interface Transport {
  send(message: ToWorker): void;
  close(): void;
}

interface TransportEvents {
  message(message: FromWorker): void;
  error(message: string): void;
}

function ownWorker(url: string, events: TransportEvents): Transport {
  const early = takeEarly(url);
  const worker = early?.worker ?? new Worker(trustedScript(url));
  const hear = (event: MessageEvent<FromWorker>): void => events.message(event.data);
  worker.onmessage = hear;
  const name = early?.replies ?? newName();
  const replies = replyChannel(name);
  if (replies !== undefined) replies.onmessage = hear;
  worker.onerror = (event): void => events.error(event.message);
  // Not now: the client does not know its worker before this function returns.
  queueMicrotask(() => {
    for (const message of early?.heard ?? []) events.message(message);
    if (early?.failed !== undefined) events.error(early.failed);
  });
  const send = (message: ToWorker): void => {
    if (message.type !== "load") worker.postMessage(message);
    // The first script has said that to a worker of its own.
    else if (early === undefined) worker.postMessage(replies === undefined ? message : { ...message, replies: name });
  };
  const close = (): void => {
    worker.terminate();
    replies?.close();
  };
  return { send, close };
}

/** What is said before the hub is there waits for it. */
function foreignWorker(port: BroadcastChannel, events: TransportEvents, there: Map<BroadcastChannel, true>): Transport {
  let waiting: ToWorker[] = [];
  port.onmessage = (event: MessageEvent<FromWorker>): void => {
    if (event.data.type !== "here") return events.message(event.data);
    there.set(port, true);
    for (const message of waiting) port.postMessage(message);
    waiting = [];
  };
  const send = (message: ToWorker): void => {
    if (there.has(port)) port.postMessage(message);
    else if (message.type !== "leave") waiting.push(message);
  };
  return { send, close: () => send({ type: "leave" }) };
}

export class EngineClient {
  #options: EngineOptions;
  #worker: Transport | undefined;
  #state: EngineState = { name: "idle" };
  #queue: Pending[] = [];
  #running: { id: number; pending: Pending; timer: number } | undefined;
  #nextID = 1;
  #hungOnce = false;
  /** The channels at whose other end a hub has spoken. */
  readonly #there = new Map<BroadcastChannel, true>();
  #silence = 0;
  /** What the worker had taken after its first call, in bytes. */
  #atFirst: number | undefined;
  /** The worker that takes the place of one with too much memory; warm when it has made the last evaluation too. */
  #spare: { worker: Transport; warm: boolean; timer: number } | undefined;
  #spareTook: number | undefined;
  #lastEvaluation: Call | undefined;
  /** This page has asked for the API server's own code. */
  #registry = false;
  /** A result has said that it lacks that code. */
  #registryDue = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    const { port } = options;
    if (port === undefined) return;
    // The hub says so once, perhaps before anybody asks: a channel keeps nothing.
    port.onmessage = (event: MessageEvent<FromWorker>): void => {
      if (event.data.type === "here") this.#there.set(port, true);
    };
  }

  get state(): EngineState {
    return this.#state;
  }

  /** Starts loading; calls may be made before it has finished. */
  start(): void {
    this.#worker?.close();
    this.#dropSpare();
    this.#atFirst = undefined;
    const { workerURL, engineURL, engineBytes } = this.#options;
    this.#setState({ name: "loading", loaded: 0, total: engineBytes });
    const events = {
      message: (message: FromWorker): void => {
        if (worker === this.#worker) this.#receive(message);
      },
      error: (message: string): void => {
        if (worker === this.#worker) this.#fail(message || "the worker could not be started");
      },
    };
    // After one that others use hung once, this page takes one of its own.
    const { port } = this.#options;
    const shared = port !== undefined && !this.#hungOnce;
    const worker = shared ? foreignWorker(port, events, this.#there) : ownWorker(workerURL, events);
    this.#worker = worker;
    this.#listen(FIRST_BYTE, "nothing");
    worker.send({ type: "load", url: engineURL, bytes: engineBytes, more: true });
  }

  /** Evaluates a scenario, and renders what the page shows. Of several waiting evaluations only the last is made. */
  evaluate(scenario: Scenario, seen: Omit<EvaluateParams, "scenario">): Promise<Evaluated> {
    const offer = this.#options.metered === true && !this.#registry;
    return this.call("evaluate", { scenario, ...seen, ...(offer && { metered: true }) }, "evaluate");
  }

  /** Loads the API server's own code, once, unless it is there. */
  loadRegistry(): void {
    this.#registry = true;
    this.#worker?.send({ type: "registry" });
  }

  /** Tries once more what could not be loaded, where this page wants it. */
  networkIsBack(): void {
    if (this.#registry) this.loadRegistry();
  }

  /** Makes any call; slot, when given, is replaced by a later call with the same slot. */
  call<M extends keyof Calls>(method: M, params: Calls[M]["params"], slot?: string): Promise<Calls[M]["result"]> {
    return new Promise((settle, reject) => {
      // The one place where a reply gets its type: the engine keeps what protocol.ts says.
      const resolve = (result: unknown): void => settle(result as Calls[M]["result"]);
      if (slot !== undefined) {
        for (const old of this.#queue.filter((p) => p.slot === slot)) {
          old.reject(new Superseded());
        }
        this.#queue = this.#queue.filter((p) => p.slot !== slot);
      }
      const pending = { call: { method, params }, slot, resolve, reject };
      // What the reader waits for goes before background work, and notes between both.
      const background = this.#queue.findIndex((p) => p.slot === undefined);
      const last = background < 0 ? this.#queue.length : background;
      if (slot === undefined) this.#queue.push(pending);
      else this.#queue.splice(slot === "notes" ? last : 0, 0, pending);
      this.#next();
    });
  }

  #next(): void {
    if (this.#state.name !== "ready" || this.#running !== undefined) return;
    const pending = this.#queue.shift();
    if (pending === undefined) return this.#becomeIdle();
    const id = this.#nextID++;
    const timer = window.setTimeout(() => this.#hung(), WATCHDOG);
    this.#running = { id, pending, timer };
    if (pending.call.method === "evaluate") this.#lastEvaluation = pending.call;
    this.#worker?.send({ type: "call", id, call: pending.call });
  }

  /** Loads what a result waits for, after the page has asked for everything that it shows of this one. */
  #becomeIdle(): void {
    if (!this.#registryDue) return;
    window.setTimeout(() => {
      if (!this.#registryDue || this.#running !== undefined) return; // the next call that is the last comes here again
      this.#registryDue = false;
      this.loadRegistry();
    }, 0);
  }

  #receive(message: FromWorker): void {
    switch (message.type) {
      case "here":
        break;
      case "progress":
        // What follows the download may lag behind the module, as where many wait for the processor.
        if (this.#state.name !== "loading") break;
        this.#setState({ name: "loading", loaded: message.loaded, total: message.total });
        // When the last hundredth is on its way the browser compiles, which may take long.
        if (message.loaded < 0.98 * message.total) this.#listen(NEXT_BYTES, "nothing more");
        else window.clearTimeout(this.#silence);
        break;
      case "ready":
        this.#setState({ name: "ready" });
        this.#next();
        break;
      case "waiting":
        this.#wait(message.over === true);
        break;
      case "registry":
        if (this.#registry) this.#options.onRegistry?.(); // others of a hub may have asked
        break;
      case "failed":
        if (this.#running === undefined) this.#fail(message.message);
        else if (message.incomplete) this.#incomplete(this.#running, message.message);
        else this.#replace(`The engine crashed: ${message.message}`);
        break;
      case "reply":
        this.#reply(message);
        break;
    }
  }

  /** The running call begins to wait for a part of the engine, which has its own time, or goes on with it. */
  #wait(over: boolean): void {
    const running = this.#running;
    if (running === undefined) return;
    window.clearTimeout(running.timer);
    const silent = `nothing has arrived for ${NEXT_BYTES / 1000} seconds`;
    running.timer = over
      ? window.setTimeout(() => this.#hung(), WATCHDOG)
      : window.setTimeout(() => this.#incomplete(running, silent), NEXT_BYTES);
  }

  #reply(message: { id: number; memory?: number } & Reply): void {
    const running = this.#running;
    if (running?.id !== message.id) return; // it has come the other way (reply-channel.ts)
    window.clearTimeout(running.timer);
    this.#running = undefined;
    if (message.error !== undefined) running.pending.reject(new Error(message.error));
    else running.pending.resolve(message.result);
    const { slot } = running.pending;
    const loading = slot === "evaluate" && (message.result as Evaluated | undefined)?.loading === true;
    if (loading && (this.#registry || this.#options.metered !== true)) this.#registryDue = true;
    this.#weigh(message.memory);
    this.#swap();
    this.#next();
  }

  /** Starts a spare worker when this one has taken too much memory. A hub does so itself for what it shares. */
  #weigh(memory: number | undefined): void {
    if (memory === undefined || this.#spare !== undefined || (this.#options.port !== undefined && !this.#hungOnce))
      return;
    this.#atFirst ??= memory;
    if (!tooMuch(memory, this.#atFirst, this.#options.memory ?? memoryLimit())) return;
    const { workerURL, engineURL, engineBytes } = this.#options;
    const failed = (): void => {
      if (this.#spare?.worker !== worker) return;
      this.#dropSpare();
      this.#atFirst = Infinity; // without a way to a fresh one, this one goes on
    };
    const worker: Transport = ownWorker(workerURL, {
      message: (message) => {
        if (worker === this.#worker) this.#receive(message);
        else if (worker === this.#spare?.worker) this.#prepare(message, failed);
      },
      error: (message) => {
        if (worker === this.#worker) this.#fail(message || "the worker could not be started");
        else failed();
      },
    });
    this.#spare = { worker, warm: false, timer: window.setTimeout(failed, NEXT_BYTES) };
    worker.send({ type: "load", url: engineURL, bytes: engineBytes, more: true });
  }

  /** Lets the spare worker make the last evaluation, so that the next one is as quick as the reader knows it. */
  #prepare(message: FromWorker, failed: () => void): void {
    const spare = this.#spare;
    if (spare === undefined) return;
    if (message.type === "failed") return failed();
    const call = this.#lastEvaluation;
    if (message.type === "ready" && call !== undefined) {
      spare.worker.send({ type: "call", id: this.#nextID++, call });
    } else if (message.type === "ready" || message.type === "reply") {
      spare.warm = true;
      if (message.type === "reply" && message.memory !== undefined) this.#spareTook = message.memory;
      this.#swap();
      this.#next();
    }
  }

  /** Goes over to the spare worker, between two calls, or after the old one has failed meanwhile. */
  #swap(): void {
    if (this.#spare?.warm !== true || this.#running !== undefined) return;
    const { worker, timer } = this.#spare;
    window.clearTimeout(timer);
    this.#worker?.close();
    this.#worker = worker;
    this.#spare = undefined;
    this.#atFirst = this.#spareTook;
    this.#spareTook = undefined;
    if (this.#state.name !== "ready") this.#setState({ name: "ready" });
  }

  #dropSpare(): void {
    window.clearTimeout(this.#spare?.timer);
    this.#spare?.worker.close();
    this.#spare = undefined;
    this.#spareTook = undefined;
  }

  /** Fails if nothing of the engine comes for so long. */
  #listen(milliseconds: number, what: string): void {
    window.clearTimeout(this.#silence);
    this.#silence = window.setTimeout(() => {
      if (this.#state.name !== "loading") return;
      this.#hungOnce = true; // the next attempt does not ask the shared worker
      this.#fail(`${what} has arrived for ${milliseconds / 1000} seconds`);
    }, milliseconds);
  }

  #hung(): void {
    this.#replace(`The evaluation took more than ${WATCHDOG / 1000} seconds and was stopped.`);
  }

  /** A call needed another part of the engine, which did not come. What the reader looks at waits for another attempt. */
  #incomplete({ pending, timer }: { pending: Pending; timer: number }, reason: string): void {
    if (pending.slot !== "evaluate" && pending.slot !== "render") {
      this.#replace(`The engine stopped because a part that it needs could not be loaded: ${reason}.`);
      return;
    }
    window.clearTimeout(timer);
    this.#running = undefined;
    if (this.#queue.some((p) => p.slot === pending.slot)) pending.reject(new Superseded());
    else this.#queue.unshift(pending);
    this.#fail(reason);
  }

  /** Gives up the running call and goes on with a fresh worker. */
  #replace(message: string): void {
    const running = this.#running;
    if (running !== undefined) {
      window.clearTimeout(running.timer);
      running.pending.reject(new EngineLost(message));
    }
    this.#running = undefined;
    this.#hungOnce = true;
    this.start();
  }

  /** Loading failed: the calls wait for another attempt. */
  #fail(message: string): void {
    this.#worker?.close();
    this.#worker = undefined;
    this.#setState({ name: "failed", message });
  }

  #setState(state: EngineState): void {
    this.#state = state;
    this.#options.onState(state);
  }
}
