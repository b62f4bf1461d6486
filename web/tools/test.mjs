// Runs the unit tests of app: bundles app/test/*.test.ts for Node, then runs
// them with Node's own test runner.

import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { readdir, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const web = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const out = join(web, "build/test");
const tests = (await readdir(join(web, "app/test"))).filter((f) => f.endsWith(".test.ts"));

await rm(out, { recursive: true, force: true });
await build({
  absWorkingDir: web,
  entryPoints: tests.map((f) => `app/test/${f}`),
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  outdir: out,
  outExtension: { ".js": ".mjs" },
  loader: { ".txt": "text" },
  // The kit for Docusaurus is tested without it.
  alias: {
    react: join(web, "app/test/stubs/react.ts"),
    "@docusaurus/Head": join(web, "app/test/stubs/head.ts"),
  },
  logLevel: "warning",
});
const run = spawnSync(process.execPath, ["--test", ...tests.map((f) => join(out, f.replace(/\.ts$/, ".mjs")))], {
  stdio: "inherit",
  cwd: web,
});
process.exit(run.status ?? 1);
