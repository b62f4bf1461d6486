// Starts an engine in a Node of its own, as a page's worker does, and asks for the answer to a
// scenario. Writes the milliseconds of processor time that the process took for that, with the compilation of
// the module, and the memory of the engine in bytes, as JSON. For tools/stages.mjs.
//
//   node tools/first-answer.mjs WASM_EXEC.js BUILD SCENARIO.json
//
// BUILD has the parts of the engine (scripts/module/build), from any of its stages.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runInThisContext } from "node:vm";

import { pagesOwn } from "./image.mjs";

const { heldIn, resume } = await pagesOwn();
const [loader = "", folder = "", file = ""] = process.argv.slice(2);
runInThisContext(readFileSync(loader, "utf8"));
/** @param {string} part */
const read = (part) => readFileSync(join(folder, `engine.${part}.wasm`));
const [bytes, later] = [read("first"), ["more", "rest"].map(read)];
const scenario = JSON.parse(readFileSync(file, "utf8"));

// An evaluation has a second; on a busy machine it would say that the time is up.
let now = 0;
Object.defineProperty(globalThis, "performance", { value: { now: () => (now += 0.001) } });

const before = process.cpuUsage();
const go = new /** @type {any} */ (globalThis).Go();
const first = await WebAssembly.compile(bytes);
/** @type {WebAssembly.Instance} */
const instance = await WebAssembly.instantiate(first, {
  ...go.importObject,
  parts: {
    load: (/** @type {number} */ part) =>
      void new WebAssembly.Instance(new WebAssembly.Module(later[part - 1] ?? new Uint8Array()), {
        first: instance.exports,
      }),
  },
});
const held = heldIn(first);
if (held === undefined) void go.run(instance);
const engine = held === undefined ? /** @type {any} */ (globalThis).preadmit : resume(go, instance, held).engine;
const { result, error } = JSON.parse(
  engine.call(JSON.stringify({ method: "evaluate", params: { scenario, parts: ["steps"] } })),
);
if (error !== undefined || result.report.outcome.code !== 422)
  throw new Error(error ?? "another answer than the first page's");
const { user, system } = process.cpuUsage(before);
const memory = /** @type {WebAssembly.Memory} */ (instance.exports["mem"]).buffer.byteLength;
console.log(JSON.stringify({ cpu: (user + system) / 1000, memory }));
process.exit(0);
