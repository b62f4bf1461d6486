// Gives the page's engine one scenario, as a page does in a worker that has evaluated nothing yet,
// and writes what it took, as JSON. For scripts/hostile, which makes the scenario.
//
//   node tools/hostile.mjs WASM_EXEC.js BUILD SCENARIO.json
//
// BUILD has the parts of the engine (scripts/module/build). The clock that the engine looks at is the time
// that a processor worked for it: its deadline then comes as it would on a machine that does nothing else.

import { openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { runInThisContext } from "node:vm";

import { pagesOwn } from "./image.mjs";

const { heldIn, resume } = await pagesOwn();
const [loader = "", folder = "", file = ""] = process.argv.slice(2);

/** How long the real clock must have gone on before the processor's is looked at again, in milliseconds: a look takes some microseconds. */
const FINE = 0.5;

/** The clock of the thread that runs the engine, which is the first of the process. */
class ThreadClock {
  #file = openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
  #buffer = Buffer.alloc(64);
  #real = performance.now.bind(performance);
  #looked = -Infinity;
  #now = 0;

  /** Milliseconds of a processor since the thread began. */
  now() {
    const real = this.#real();
    if (real - this.#looked < FINE) return this.#now;
    this.#looked = real;
    const length = readSync(this.#file, this.#buffer, 0, this.#buffer.length, 0);
    return (this.#now = Number.parseInt(this.#buffer.toString("latin1", 0, length)) / 1e6);
  }
}

const real = performance.now.bind(performance);
const clock = new ThreadClock();
Object.defineProperty(globalThis, "performance", { value: { now: () => clock.now() } });

runInThisContext(readFileSync(loader, "utf8"));
const go = new /** @type {any} */ (globalThis).Go();
const modules = await Promise.all(
  ["first", "more", "rest"].map((part) => WebAssembly.compile(readFileSync(join(folder, `engine.${part}.wasm`)))),
);
const [first, ...later] = modules;
const held = first && heldIn(first);
if (first === undefined || held === undefined) throw new Error("the engine does not begin from an image");
const instance = await WebAssembly.instantiate(first, { ...go.importObject, parts: { load: () => undefined } });
for (const part of later) await WebAssembly.instantiate(part, { first: instance.exports });
const { call } = resume(go, instance, held).engine;

/** @type {{ call: string, cpu: number, clock: number, process: number }[]} */
const took = [];

/**
 * Makes a call, and notes how long it took: for the engine's thread, by the clock on the wall, and
 * for the whole process, which compiles on other threads.
 * @param {string} method
 * @param {unknown} params
 */
function answer(method, params) {
  const [cpu, wall, all] = [clock.now(), real(), process.cpuUsage()];
  const { result, error } = JSON.parse(call(JSON.stringify({ method, params })));
  while (real() - wall < FINE);
  const used = process.cpuUsage(all);
  took.push({
    call: method,
    cpu: (clock.now() - cpu) / 1e3,
    clock: (real() - wall) / 1e3,
    process: (used.user + used.system) / 1e6,
  });
  if (error !== undefined && method === "evaluate") refused(error);
  if (error !== undefined) throw new Error(`${method}: ${error}`);
  return result;
}

/**
 * Ends with an answer that is no report: the engine says why it does not evaluate this.
 * @param {string} why
 */
function refused(why) {
  console.log(JSON.stringify({ took, memory: 0, code: 0, diagnostics: [`not evaluated: ${why.slice(0, 60)}`] }));
  process.exit(0);
}

// What the page asks for: the result with its first tab and the notes of what is seen, then, when the
// reader rests, the other tabs, repairs and growth.
const scenario = JSON.parse(readFileSync(file, "utf8"));
const sights = ["policies", "request", "cluster", "expression"].map((text) => ({ text, start: 0, end: 4000 }));
const { id, report, html } = answer("evaluate", { scenario, parts: ["steps"], open: [], in: sights });
if (typeof html.parts.steps !== "string") throw new Error("there is no report");
answer("render", { id, parts: ["object", "diff", "answer"], open: [] });
answer("object", { id, print: true });
answer("notes", { id, in: sights });
answer("repairs", { id, scenario });
for (let i = 0; i < 3; i++) if (answer("limits", scenario).done) break;

const memory = /** @type {WebAssembly.Memory} */ (instance.exports["mem"]).buffer.byteLength;
const codes = [...new Set(report.diagnostics.map((/** @type {{ code: string }} */ d) => d.code))];
console.log(JSON.stringify({ took, memory, code: report.outcome.code, diagnostics: codes }));
process.exit(0); // the engine waits for calls
