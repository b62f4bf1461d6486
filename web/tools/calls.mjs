// Writes which functions of an engine are called when it goes on from its image and evaluates
// scenarios, for scripts/split: a list of true and false. The engine says so by its globals.
//
//   node tools/calls.mjs WASM_EXEC.js ENGINE.wasm SCENARIOS.json CALLED.json
//
// What the engine sees of the world is the same each time, so two builds are equal: a
// clock that each look moves on by a microsecond, and numbers that only seem random.

import { readFile, writeFile } from "node:fs/promises";
import { runInThisContext } from "node:vm";

import { pagesOwn } from "./image.mjs";

// Before the world is another: the bundler needs the real one.
const { heldIn, resume } = await pagesOwn();
const [loader = "", module = "", scenarios = "", called = ""] = process.argv.slice(2);

/** What time it is, in milliseconds: after that of the image (snapshot.mjs). */
let now = Date.UTC(2001, 0, 1);
const began = now;
let seed = 0x9e3779b9;

class FixedDate extends Date {
  constructor() {
    super(now);
  }
}

/** @type {Map<number, () => void>} */
const timers = new Map();

/** @type {Record<string, unknown>} */
const world = {
  Date: FixedDate,
  performance: { now: () => (now += 0.001) - began },
  crypto: {
    getRandomValues(/** @type {Uint8Array} */ bytes) {
      for (let i = 0; i < bytes.length; i++) {
        seed ^= seed << 13;
        seed ^= seed >>> 17;
        seed ^= seed << 5;
        bytes[i] = seed;
      }
      return bytes;
    },
  },
  // What waits for a time gets it at once.
  setTimeout(/** @type {() => void} */ run, /** @type {number} */ after) {
    const id = timers.size + 1;
    timers.set(id, () => {
      now += after;
      run();
    });
    setImmediate(() => timers.get(id)?.());
    return id;
  },
  clearTimeout: (/** @type {number} */ id) => timers.set(id, () => undefined),
};
for (const [name, value] of Object.entries(world)) Object.defineProperty(globalThis, name, { value });

runInThisContext(await readFile(loader, "utf8"));
const go = new /** @type {any} */ (globalThis).Go();
const compiled = await WebAssembly.compile(await readFile(module));
const instance = await WebAssembly.instantiate(compiled, go.importObject);
const held = heldIn(compiled);
if (held === undefined) throw new Error("the engine does not begin from an image");
const { call } = resume(go, instance, held).engine;

/**
 * @param {string} method
 * @param {unknown} params
 */
function answer(method, params) {
  const { result, error } = JSON.parse(call(JSON.stringify({ method, params })));
  if (error !== undefined) throw new Error(`${method}: ${error}`);
  return result;
}
// What the page calls before anybody asks for more: a result with its first tab, the notes of
// the editors, the other tabs and what is folded away, the fingerprint of the object, growth,
// and a result of the next key.
for (const scenario of Object.values(JSON.parse(await readFile(scenarios, "utf8")))) {
  const { id, html } = answer("evaluate", { scenario, parts: ["steps"] });
  const texts = ["policies", "request", "cluster", "expression"];
  answer("notes", { id, in: texts.map((text) => ({ text, start: 0, end: (scenario[text] ?? "").length })) });
  const open = [...html.parts.steps.matchAll(/ data-key="([^"]+)"/g)].map(([, key]) => key);
  answer("render", { id, parts: ["steps", "object", "diff", "answer"], open });
  answer("object", { id, print: true });
  answer("limits", scenario);
  answer("evaluate", { scenario, parts: ["steps"], shown: id });
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve))); // what the engine does between calls
}
/** @type {boolean[]} */
const functions = [];
for (let i = 0; ; i++) {
  const global = instance.exports[`f${i}`];
  if (!(global instanceof WebAssembly.Global)) break;
  functions.push(global.value === 1);
}
await writeFile(called, JSON.stringify(functions));
process.exit(0); // the engine waits for calls
