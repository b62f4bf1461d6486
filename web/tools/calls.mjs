// Writes which functions of an engine are called when it goes on from its image and evaluates
// scenarios, for scripts/module/split: a list of true and false. The engine says so by its globals.
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

/** When each function was first called: 0 for the first scenario, 1 for another, 2 for none. @type {number[]} */
const needed = [];

/** @param {number} stage */
function note(stage) {
  for (let i = 0; ; i++) {
    const global = instance.exports[`f${i}`];
    if (!(global instanceof WebAssembly.Global)) return;
    if ((needed[i] ?? 2) > stage) needed[i] = global.value === 1 ? stage : 2;
  }
}

const texts = ["policies", "request", "cluster", "expression"];

/**
 * A result with the notes of the editors, and its first tab, as the page asks for them.
 * @param {any} given
 */
function show(given) {
  const scenario = { ...Object.fromEntries(texts.map((text) => [text, ""])), ...given };
  const sights = texts.map((text) => ({ text, start: 0, end: Buffer.byteLength(scenario[text]) }));
  const { id } = answer("evaluate", { scenario, parts: ["steps"], first: true, open: [], in: sights });
  const { parts } = answer("render", { id, parts: ["steps"], open: [] });
  return { scenario, sights, id, steps: parts.steps };
}

const [firstPage, ...others] = JSON.parse(await readFile(scenarios, "utf8"));
// What the page calls at once: the other tabs and the fingerprint of the object come behind the
// result; and a result of the next key.
const { scenario: shown, sights: seen, id: firstID } = show(firstPage);
answer("render", { id: firstID, parts: ["object", "diff", "answer"], open: [] });
answer("object", { id: firstID, print: true });
answer("notes", { id: firstID, in: seen });
show(firstPage);
answer("evaluate", { scenario: shown, parts: ["steps"], open: [], shown: firstID, in: seen });
for (const request of [shown.request, `${shown.request}# another text, which nothing is kept of\n`])
  for (let i = 0; i < 2; i++)
    answer("evaluate", { scenario: { ...shown, request }, parts: ["steps", "object", "diff", "answer"] });
note(0);
// What it calls before anybody asks for more: what is folded away, growth, and a result of the next key.
for (const given of [firstPage, ...others]) {
  const { scenario, sights, id, steps } = show(given);
  answer("notes", { id, in: sights });
  const open = [...steps.matchAll(/ data-key="([^"]+)"/g)].map(([, key]) => key);
  answer("render", { id, parts: ["steps", "object", "diff", "answer"], open });
  answer("object", { id, print: true });
  answer("limits", scenario);
  answer("evaluate", { scenario, parts: ["steps"], open, shown: id, in: sights });
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve))); // what the engine does between calls
}
note(1);
await writeFile(called, JSON.stringify(needed));
process.exit(0); // the engine waits for calls
