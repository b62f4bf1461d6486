// Bundles the tests with esbuild (the sources are TypeScript) and hands them to
// node's own test runner. The bundles stay inside the package so that its
// dependencies are found.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import path from "node:path";

const here = path.dirname(fileURLToPath(import.meta.url));
const out = path.join(here, ".out");
rmSync(out, { recursive: true, force: true });
await build({
  entryPoints: readdirSync(here)
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => path.join(here, name)),
  outdir: out,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  packages: "external",
  platform: "node",
  format: "esm",
  sourcemap: "inline",
  logLevel: "warning",
});
const bundles = readdirSync(out).map((name) => path.join(out, name));
const run = spawnSync(process.execPath, ["--test", "--enable-source-maps", ...process.argv.slice(2), ...bundles], {
  stdio: "inherit",
  cwd: path.dirname(here),
});
process.exit(run.status ?? 1);
