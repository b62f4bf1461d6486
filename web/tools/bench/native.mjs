// The engine as a program, beside the server's own evaluator.

import { execFile } from "node:child_process";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const conformance = resolve(dirname(fileURLToPath(import.meta.url)), "../../../conformance");

/**
 * The lines of Go's benchmarks: their names, and their figures by unit.
 * @param {number} count how often each is run
 */
export async function native(count) {
  const flags = ["test", "./speed", "-run", "^$", "-bench", ".", "-benchtime", "1s", "-count", String(count)];
  const env = { ...process.env, GOGC: process.env["GOGC"] ?? "400" }; // as in the program preadmit
  const { stdout } = await promisify(execFile)("go", flags, { cwd: conformance, env });
  /** @type {{name: string, figures: Record<string, number>}[]} */
  const found = [];
  for (const line of stdout.split("\n")) {
    const match = /^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+(.*)$/.exec(line);
    if (match === null) continue;
    const parts = (match[2] ?? "").trim().split(/\s+/);
    /** @type {Record<string, number>} */
    const figures = {};
    for (let i = 0; i + 1 < parts.length; i += 2) figures[parts[i + 1] ?? ""] = Number(parts[i]);
    found.push({ name: (match[1] ?? "").replaceAll("_", " ").replace("/", ": "), figures });
  }
  return found;
}
