// Measures what each stage of the engine's build is worth (scripts/module): builds the engine with all stages,
// without each of them, and without any, starts each in turns in Node, and prints a table.
//
//   node tools/stages.mjs [ROUNDS]      10 without it; after scripts/build, some minutes
//
// Bytes are those of brotli 9: what the first answer needs, and all parts. Milliseconds are the median
// of the processor time, of all threads, for compiling the module and giving the first answer; on a
// busy machine only the columns of bytes can be trusted. A folder that is there already is not built
// again: remove web/build/stages for that.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

const web = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const root = resolve(web, "..");
const folder = join(web, "build/stages");
const scenario = join(web, "dist/examples/first-look/scenario.json");
const rounds = Number(process.argv[2] ?? 10);

// split runs the image that snapshot makes, so that it goes with it.
const variants = {
  all: "slim jumps snapshot tables split",
  "without slim": "jumps snapshot tables split",
  "without jumps": "slim snapshot tables split",
  "without snapshot": "slim jumps tables",
  "without tables": "slim jumps snapshot split",
  "without split": "slim jumps snapshot tables",
  none: "",
};

/** @param {string} command @param {string[]} args @param {Record<string, string>} [env] */
const run = (command, args, env = {}) =>
  execFileSync(command, args, { cwd: root, env: { ...process.env, ...env }, encoding: "utf8", maxBuffer: 1 << 26 });
const loader = join(run("go", ["env", "GOROOT"]).trim(), "lib/wasm/wasm_exec.js");
/** @param {string} name */
const at = (name) => join(folder, name.replace(" ", "-"));

for (const [name, stages] of Object.entries(variants)) {
  if (existsSync(join(at(name), "engine.rest.wasm"))) continue;
  console.error(`building: ${name}`);
  run("scripts/module/build", [at(name), "engine"], { PREADMIT_STAGES: stages });
}

/** @type {Record<string, { cpu: number, memory: number }[]>} */
const answers = Object.fromEntries(Object.keys(variants).map((name) => [name, []]));
for (let round = 1; round <= rounds; round++) {
  console.error(`round ${round} of ${rounds}`);
  for (const [name, list] of Object.entries(answers)) {
    list.push(JSON.parse(run("node", [join(web, "tools/first-answer.mjs"), loader, at(name), scenario])));
  }
}

/** @param {string} name @param {string} part */
function compressed(name, part) {
  const bytes = readFileSync(join(at(name), `engine.${part}.wasm`));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  return brotliCompressSync(bytes, { params }).length;
}

/** @param {number[]} list */
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? NaN;
/** @param {number} bytes */
const mb = (bytes) => (bytes / 1e6).toFixed(2);

console.log("| stages | first, MB | all parts, MB | first answer, ms of processor | memory, MB |");
console.log("|---|---:|---:|---:|---:|");
for (const [name, list] of Object.entries(answers)) {
  const [first = 0, ...later] = ["first", "more", "rest"].map((part) => compressed(name, part));
  const all = later.reduce((sum, bytes) => sum + bytes, first);
  const cpu = median(list.map((a) => a.cpu)).toFixed(0);
  console.log(`| ${name} | ${mb(first)} | ${mb(all)} | ${cpu} | ${mb(median(list.map((a) => a.memory)))} |`);
}
