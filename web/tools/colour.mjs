// Colours the code in the pages of web/dist, once they are written and before
// their hashes are taken.

import { build } from "esbuild";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const web = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(web, "dist");
const bundle = join(web, "build/colour.mjs");

// The grammars are TypeScript.
await build({
  absWorkingDir: web,
  entryPoints: ["tools/colour.ts"],
  outfile: bundle,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  logLevel: "warning",
});
/** @type {typeof import("./colour.ts")} */
const { colourPage } = await import(pathToFileURL(bundle).href);

let pages = 0;
for (const entry of await readdir(dist, { recursive: true })) {
  if (!entry.endsWith(".html")) continue;
  const file = join(dist, entry);
  const html = await readFile(file, "utf8");
  const coloured = colourPage(html);
  if (coloured === html) continue;
  pages++;
  await writeFile(file, coloured);
}
if (pages === 0) throw new Error("no page has code to colour: does the site still write data-language?");
