// Puts the npm package together from the parts of the engine that the site has, and packs it.
//
//   node tools/npm.mjs BUILD VERSION     BUILD has the parts (scripts/module/build); writes BUILD/preadmit-VERSION.tgz

import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const web = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const [folder = "", version = ""] = process.argv.slice(2);
const out = join(resolve(folder), "npm");

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
await build({
  absWorkingDir: web,
  entryPoints: { node: "npm/node.ts", browser: "npm/browser.ts", element: "npm/element.ts" },
  bundle: true,
  format: "esm",
  target: "es2022",
  external: ["node:*"],
  outdir: out,
  logLevel: "warning",
});
for (const part of ["engine.first", "engine.more", "engine.rest", "registry"]) {
  await copyFile(join(folder, `${part}.wasm`), join(out, `${part}.wasm`));
}
await copyFile(join(web, "npm/README.md"), join(out, "README.md"));
await copyFile(join(web, "../cmd/preadmit/internal/cli/help/licenses.txt"), join(out, "licenses.txt"));
await copyFile(join(web, "../LICENSE"), join(out, "LICENSE"));
const manifest = JSON.parse(await readFile(join(web, "npm/package.json"), "utf8"));
await writeFile(join(out, "package.json"), `${JSON.stringify({ ...manifest, version }, null, 2)}\n`);

// The types import each other as the sources do, which a package may not.
execFileSync(join(web, "node_modules/.bin/tsc"), ["-p", join(web, "npm"), "--outDir", join(out, "types")], {
  stdio: "inherit",
});
for (const file of await readdir(join(out, "types"), { recursive: true })) {
  if (!file.endsWith(".d.ts")) continue;
  const path = join(out, "types", file);
  const types = (await readFile(path, "utf8")).replaceAll(/(from "\.[^"]*)\.ts"/g, '$1.js"');
  await writeFile(path, types.replaceAll(/^import "[^"]*";\n/gm, "")); // what a module does is in the bundle
}
execFileSync("npm", ["pack", "--silent", "--pack-destination", resolve(folder)], { cwd: out, stdio: "inherit" });
