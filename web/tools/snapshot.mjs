// Runs the engine until it waits for calls, warms it up, and writes what it then
// consists of: its memory, its globals, and what Go's loader holds for it. Of that
// scripts/module/snapshot, which calls this, makes the module that pages get.
//
//   node tools/snapshot.mjs ENGINE.wasm WASM_EXEC.js CALLS.json MEMORY STATE.json
//
// ENGINE.wasm exports its globals as "global 0" and so on; CALLS.json is a list of calls.
// The world that the engine sees is the same each time, and so are the files.

import { readFile, writeFile } from "node:fs/promises";
import { createContext, runInContext } from "node:vm";

/** When the engine starts, in ms: long before it is restored, as time must not go backwards. */
const BEGINNING = Date.UTC(2000, 0, 1);

/** What the collector writes over the objects that it frees while clobberfree is set. */
const FREED = 0xdeadbeef_deadbeefn;

/** What the engine sees of JavaScript: a clock that each look moves on by a microsecond, and numbers that only seem random. */
class World {
  #now = BEGINNING;
  #seed = 0x9e3779b9;
  /** @type {{ at: number, run: () => void }[]} */
  #timers = [];
  /** @type {Buffer[]} */
  drawn = [];
  global;

  /** @param {string} loader */
  constructor(loader) {
    const world = this;
    class FixedDate extends Date {
      constructor() {
        super(world.#now);
      }
      /** @override */
      static now() {
        return world.#now;
      }
      /**
       * @override
       * @returns {number}
       */
      getTimezoneOffset() {
        throw new Error("the engine asked for the time zone, which would be the same for all readers");
      }
    }
    this.global = createContext({
      console,
      TextEncoder,
      TextDecoder,
      Date: FixedDate,
      performance: { now: () => (this.#now += 0.001) - BEGINNING },
      crypto: { getRandomValues: (/** @type {Uint8Array} */ bytes) => this.#draw(bytes) },
      setTimeout: (/** @type {() => void} */ run, /** @type {number} */ after) =>
        this.#timers.push({ at: this.#now + after, run }),
      clearTimeout: (/** @type {number} */ id) => {
        const timer = this.#timers[id - 1];
        if (timer !== undefined) timer.at = Infinity;
      },
    });
    runInContext(loader, this.global, { filename: "wasm_exec.js" });
  }

  /** @param {Uint8Array} bytes */
  #draw(bytes) {
    for (let i = 0; i < bytes.length; i++) {
      this.#seed ^= this.#seed << 13;
      this.#seed ^= this.#seed >>> 17;
      this.#seed ^= this.#seed << 5;
      bytes[i] = this.#seed;
    }
    this.drawn.push(Buffer.from(bytes));
    return bytes;
  }

  /** Lets the time pass that timers wait for, until none is left. */
  rest() {
    for (let rounds = 0; ; rounds++) {
      const next = this.#timers.reduce((a, b) => (b.at < a.at ? b : a), { at: Infinity, run: () => {} });
      if (next.at === Infinity) return;
      if (rounds === 1000) throw new Error("the engine does not come to rest: it always sets another timer");
      this.#now = Math.max(this.#now, next.at);
      next.at = Infinity;
      next.run();
    }
  }

  /**
   * Starts the engine, with a function that sets up its memory before.
   * @param {Uint8Array<ArrayBuffer>} module
   * @param {Record<string, string>} env
   * @param {(memory: Buffer) => void} before
   */
  async start(module, env, before = () => {}) {
    const { Go } = this.global;
    const go = new Go();
    go.env = env;
    go.exit = (/** @type {number} */ code) => {
      throw new Error(`the engine ended with ${code}`);
    };
    /** @type {Map<unknown, number>} */
    const functions = new Map();
    const makeWrapper = go._makeFuncWrapper.bind(go);
    go._makeFuncWrapper = (/** @type {number} */ id) => {
      const made = makeWrapper(id);
      functions.set(made, id);
      return made;
    };
    /** @type {typeof WebAssembly} */
    const wasm = runInContext("WebAssembly", this.global);
    const instance = await wasm.instantiate(await wasm.compile(module), go.importObject);
    const mem = /** @type {WebAssembly.Memory} */ (instance.exports["mem"]);
    before(Buffer.from(mem.buffer));
    void go.run(instance);
    return { go, instance, functions, memory: () => Buffer.from(mem.buffer) };
  }

  /**
   * What a value is called, as names from the global object on.
   * @param {unknown} value
   */
  name(value) {
    const global = this.global;
    for (const name of runInContext("Object.getOwnPropertyNames(globalThis)", global)) {
      const found = global[name] ?? runInContext(name, global);
      if (found === value) return name;
      if (found === null || typeof found !== "object" || found === global) continue;
      for (const inner of Object.getOwnPropertyNames(found)) if (found[inner] === value) return `${name}.${inner}`;
    }
    return undefined;
  }
}

/**
 * Where the runtime keeps whether freed objects are overwritten (debug.clobberfree): the one word in
 * which an engine that was started with it differs from one without.
 * @param {Uint8Array<ArrayBuffer>} module
 * @param {string} loader
 */
async function clobberfree(module, loader) {
  const [off, on] = await Promise.all(
    ["0", "1"].map(async (value) => {
      const { memory } = await new World(loader).start(module, { GODEBUG: `clobberfree=${value}` });
      return memory();
    }),
  );
  const found = [];
  for (let at = 0; off !== undefined && on !== undefined && at < Math.min(off.length, on.length); at += 4) {
    if (off.readInt32LE(at) === 0 && on.readInt32LE(at) === 1) found.push(at);
  }
  const [at] = found;
  if (at === undefined || found.length > 1) throw new Error(`${found.length} words may be debug.clobberfree`);
  return at;
}

/**
 * What the loader holds for the engine, for app/snapshot.ts.
 * @param {World} world
 * @param {Awaited<ReturnType<World["start"]>>} engine
 */
function held(world, { go, functions }) {
  const values = [];
  for (let id = 7; id < go._values.length; id++) {
    if (go._idPool.includes(id)) continue;
    const own = functions.get(go._values[id]);
    const name = own === undefined ? world.name(go._values[id]) : `function ${own}`;
    if (name === undefined) {
      throw new Error(`the engine holds a value that has no name: ${id}, ${String(go._values[id]).slice(0, 200)}`);
    }
    values.push([id, name, go._goRefCounts[id]]);
  }
  const { protocol, call } = world.global["preadmit"];
  return {
    protocol,
    call: functions.get(call),
    values,
    free: go._idPool,
    nextTimeout: go._nextCallbackTimeoutID,
  };
}

/**
 * Makes zeros of freed objects, and returns how many bytes.
 * @param {Buffer} memory
 */
function forget(memory) {
  const words = new BigUint64Array(memory.buffer, memory.byteOffset, memory.length / 8);
  let bytes = 0;
  for (let i = 0; i < words.length; i++) {
    if (words[i] !== FREED) continue;
    words[i] = 0n;
    bytes += 8;
  }
  return bytes;
}

const [engineFile, loaderFile, callsFile, memoryFile, stateFile] = process.argv.slice(2);
if (!engineFile || !loaderFile || !callsFile || !memoryFile || !stateFile) {
  throw new Error("usage: snapshot.mjs ENGINE.wasm WASM_EXEC.js CALLS.json MEMORY STATE.json");
}
const module = await readFile(engineFile);
const loader = await readFile(loaderFile, "utf8");
const flag = await clobberfree(module, loader);

const world = new World(loader);
const engine = await world.start(module, {}, (memory) => memory.writeInt32LE(1, flag));
const preadmit = world.global["preadmit"];
world.drawn = []; // seeds of the runtime, which may be the same for all
preadmit.warm();
for (const call of JSON.parse(await readFile(callsFile, "utf8"))) {
  const reply = JSON.parse(preadmit.call(JSON.stringify(call)));
  if (reply.error !== undefined) throw new Error(`warming up: ${reply.error}`);
}
preadmit.settle();
world.rest();

const memory = Buffer.from(engine.memory()); // a copy
memory.writeInt32LE(0, flag);
const freed = forget(memory);
for (const random of world.drawn) {
  if (memory.includes(random.subarray(0, 8)) || memory.includes(random.subarray(0, 4).toString("hex"))) {
    throw new Error("a random number of the calls is still in memory: it would be the same for all readers");
  }
}
const globals = [];
for (let i = 0; ; i++) {
  const global = engine.instance.exports[`global ${i}`];
  if (global === undefined) break;
  globals.push(Number(/** @type {WebAssembly.Global} */ (global).value));
}
await writeFile(memoryFile, memory);
await writeFile(stateFile, JSON.stringify({ globals, held: held(world, engine) }));
console.log(`${(memory.length / 1e6).toFixed(1)} MB of memory, ${(freed / 1e6).toFixed(1)} MB of it freed`);
