// Runs the browser tests, and those files in which a test failed once more, alone: on a busy
// machine a browser now and then does what it never does again. What passes only then is named.
//
//   npm run e2e                       those that concern a change
//   PREADMIT_FULL=1 npm run e2e       all of them (scripts/full)
//   npm run e2e -- e2e/paste.test.mjs those of some files

import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { run } from "node:test";
import { tap } from "node:test/reporters";
import { fileURLToPath } from "node:url";

const web = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** How many processes run at once: browsers wait more than they work. */
const TOGETHER = 4;

/** How many of them share a browser, and what it has compiled of the engine, among several files. */
const LANES = 3;

/** In this part of the files at most a failure is taken for chance, and tried again; in one it always is. */
const FEW = 1 / 4;

/** How long the tests of a process may take, in milliseconds: what hangs ends. It is no measure of anything. */
const LONGEST = 3_600_000;

/**
 * Puts files whose tests share a profile together, three processes of about the same size. Each of the
 * others stays a process of its own.
 * @param {string[]} files
 */
async function lanesOf(files) {
  const folder = join(web, "build/lanes");
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const lanes = Array.from({ length: LANES }, () => ({ size: 0, files: /** @type {string[]} */ ([]) }));
  /** @type {string[]} */
  const alone = [];
  const read = await Promise.all(files.map(async (file) => ({ file, text: await readFile(file, "utf8") })));
  for (const { file, text } of read.sort((a, b) => b.text.length - a.text.length)) {
    const smallest = lanes.reduce((a, b) => (b.size < a.size ? b : a));
    if (!text.includes("start({ shared: true })")) alone.push(file);
    else smallest.files.push(file);
    smallest.size += smallest.files.at(-1) === file ? text.length : 0;
  }
  const together = lanes.filter((lane) => lane.files.length > 0);
  const written = together.map(async (lane, i) => {
    const path = join(folder, `${i}.test.mjs`);
    await writeFile(path, lane.files.map((file) => `import ${JSON.stringify(relative(folder, file))};\n`).join(""));
    return path;
  });
  return [...(await Promise.all(written)), ...alone];
}

/**
 * Runs the tests of files, prints what comes of them, and gives why each that failed did, by file and name.
 * @param {string[]} files
 * @param {number} concurrency
 */
async function failuresOf(files, concurrency) {
  /** @type {Map<string, Map<string, string>>} */
  const failures = new Map();
  const events = run({ files, concurrency, timeout: LONGEST });
  events.on("test:fail", ({ name, file, todo, details }) => {
    if (todo !== undefined && todo !== false) return;
    // What is no test of a file (one that cannot be loaded) has the file's own name.
    const of = resolve(file ?? name);
    const { cause, message } = /** @type {Error} */ (details.error);
    const [why = ""] = String(cause instanceof Error ? cause.message : message).split("\n");
    failures.set(of, (failures.get(of) ?? new Map()).set(name, why));
  });
  const printed = events.compose(tap);
  printed.pipe(process.stdout, { end: false });
  await new Promise((done, broken) => printed.on("end", done).on("error", broken));
  return failures;
}

const named = process.argv.slice(2).map((file) => resolve(file));
const all = (await readdir(join(web, "e2e"))).filter((name) => name.endsWith(".test.mjs"));
const files = named.length > 0 ? named : all.sort().map((name) => join(web, "e2e", name));

const failed = await failuresOf(await lanesOf(files), TOGETHER);
const again = failed.size > 0 && failed.size <= Math.max(1, files.length * FEW);
let left = failed;
if (again) {
  console.log("# What failed, once more and alone:");
  left = await failuresOf([...failed.keys()], 1);
}
for (const [file, tests] of failed) {
  for (const [test, why] of tests) {
    const twice = left.get(file)?.has(test) === true ? "failed twice" : "unsteady, failed once of two";
    const how = again ? twice : "failed, not tried again";
    console.log(`# ${how}: ${relative(web, file)}: ${test}: ${why}`);
  }
}
process.exitCode = left.size > 0 ? 1 : 0;
