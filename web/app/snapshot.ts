// The engine as it was at the end of its build (scripts/module/snapshot): its module begins with the memory
// of an engine that has started and waits for calls. What Go's loader (generated/wasm_exec.js)
// held for it then is written in a section of the module, and made again here.

/** Go's own loader (generated/wasm_exec.js). */
export interface GoRuntime {
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

/** What a loader holds while an engine runs: fields that it keeps to itself. It is always that of the Go version that compiled the engine. */
export interface Loader extends GoRuntime {
  _inst: WebAssembly.Instance;
  mem: DataView;
  /** What the engine refers to, by number. */
  _values: unknown[];
  /** How often it does. */
  _goRefCounts: number[];
  /** The numbers of these values. */
  _ids: Map<unknown, number>;
  /** Numbers that are free again. */
  _idPool: number[];
  _nextCallbackTimeoutID: number;
  exited: boolean;
  readonly _exitPromise: Promise<void>;
  /** A function of the engine, by its number there. */
  _makeFuncWrapper(id: number): (...args: unknown[]) => unknown;
}

/** What web/tools/snapshot.mjs has written of a loader. */
export interface Held {
  protocol: number;
  /** The number of preadmit.call. */
  call: number;
  /** Values, by number: what they are called, or which function of the engine they are, and how often it refers to them. */
  values: [id: number, name: string, count: number][];
  free: number[];
  nextTimeout: number;
}

/** What is offered on the global object: wasm/main.go does that when it starts. */
export interface Engine {
  protocol: number;
  /** Long texts of the call may come beside it: their names and they themselves in turns. */
  call(request: string, ...texts: string[]): string;
}

/** The name of the section. */
const SECTION = "preadmit.snapshot";

/** What the loader held for the engine of a module, if it was written there. */
export function heldIn(module: WebAssembly.Module): Held | undefined {
  const [section] = WebAssembly.Module.customSections(module, SECTION);
  return section && (JSON.parse(new TextDecoder().decode(section)) as Held);
}

/** Lets a fresh instance go on where its engine waited. The promise is for its end, as that of run. */
export function resume(
  loader: Loader,
  instance: WebAssembly.Instance,
  held: Held,
): { engine: Engine; ended: Promise<void> } {
  loader._inst = instance;
  loader.mem = new DataView((instance.exports["mem"] as WebAssembly.Memory).buffer);
  // Those that each engine has, in the order of run. They are never given back.
  loader._values = [NaN, 0, null, true, false, globalThis, loader];
  loader._goRefCounts = loader._values.map(() => Infinity);
  for (const [id, name, count] of held.values) {
    loader._values[id] = name.startsWith("function ") ? loader._makeFuncWrapper(Number(name.slice(9))) : named(name);
    loader._goRefCounts[id] = count;
  }
  loader._ids = new Map();
  loader._values.forEach((value, id) => {
    if (id > 0) loader._ids.set(value, id); // NaN is never looked for
  });
  loader._idPool = held.free;
  for (const id of held.free) {
    loader._values[id] = null;
    loader._goRefCounts[id] = 0;
  }
  loader._nextCallbackTimeoutID = held.nextTimeout;
  loader.exited = false;
  const call = loader._makeFuncWrapper(held.call);
  return {
    engine: { protocol: held.protocol, call: (...request) => call(...request) as string },
    ended: loader._exitPromise,
  };
}

/** A value by its names from the global object on. */
function named(name: string): unknown {
  let value: unknown = globalThis;
  for (const part of name.split(".")) value = (value as Record<string, unknown> | undefined)?.[part];
  if (value === undefined) throw new Error(`this browser has no ${name}`);
  return value;
}
