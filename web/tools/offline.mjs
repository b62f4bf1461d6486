// Builds the service worker after everything else: it names the files that the
// playground needs, and changes its own text when any of them changes.

import { build } from "esbuild";
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const web = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(web, "dist");
const assets = JSON.parse(await readFile(join(dist, "assets.json"), "utf8"));

const lessons = (await readdir(join(dist, "tour"), { withFileTypes: true }))
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
  .sort();

const files = [
  "/",
  "/favicon.svg",
  "/offline/",
  "/examples/scenarios.json",
  "/docs/search.json",
  "/tour/",
  ...lessons.flatMap((slug) => [`/tour/${slug}/`, `/tour/${slug}/lesson.json`]),
  ...new Set([
    assets.boot,
    assets.style,
    assets.pagesStyle,
    assets.playground,
    assets.pages,
    assets.lesson,
    assets.worker,
    assets.engine,
    ...assets.engineLater,
    assets.fieldDocs,
    ...assets.preload,
    ...assets.fonts,
    ...assets.lazy,
    ...assets.ofPages,
  ]),
];
const hash = createHash("sha256");
for (const file of files) hash.update(await readFile(join(dist, file.endsWith("/") ? `${file}index.html` : file)));

await build({
  absWorkingDir: web,
  entryPoints: ["app/sw/sw.ts"],
  outfile: join(dist, "sw.js"),
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  define: { FILES: JSON.stringify(files), VERSION: JSON.stringify(hash.digest("hex").slice(0, 12)) },
  logLevel: "warning",
});
