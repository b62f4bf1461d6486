// Bundles the TypeScript and the styles into web/dist/assets under hashed
// names, copies fonts and the engine there, and writes assets.json, from which
// web/cmd/site takes the names.
//
//   node tools/bundle.mjs FIRST.wasm MORE.wasm REST.wasm REGISTRY.wasm    the parts of the engine (scripts/module/split), and the API server's own code

import { build } from "esbuild";
import { createHash } from "node:crypto";
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, extname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const web = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(web, "dist");
const assets = join(dist, "assets");

/** The entries, by the name that web/site knows them by. */
const modules = {
  playground: "app/playground.ts",
  pages: "app/pages.ts",
  embedPage: "app/embed-page.ts",
  lesson: "app/lesson-page.ts",
  fromGitHub: "app/from-github.ts",
};
const classic = { boot: "app/boot.ts", worker: "app/worker.ts", embedHub: "app/embed-hub.ts" };
const styles = { style: "app/styles/main.css", pagesStyle: "app/styles/pages.css" };

const fonts = [
  "@fontsource-variable/ibm-plex-sans/files/ibm-plex-sans-latin-wght-normal.woff2",
  "@fontsource/ibm-plex-mono/files/ibm-plex-mono-latin-400-normal.woff2",
];

/**
 * lang-cel may have packages of its own beside it, from working on it alone.
 * Two copies of CodeMirror do not work together: all come from here.
 * @type {import("esbuild").Plugin}
 */
const oneCodeMirror = {
  name: "one-codemirror",
  setup(b) {
    b.onResolve({ filter: /^@(codemirror|lezer)\// }, (args) => {
      if (args.pluginData === "resolved" || !args.importer.includes(`${join(web, "lang-cel", "src")}`))
        return undefined;
      return b.resolve(args.path, { resolveDir: web, kind: args.kind, pluginData: "resolved" });
    });
  },
};

/** @type {import("esbuild").BuildOptions} */
const common = {
  absWorkingDir: web,
  bundle: true,
  minify: true,
  sourcemap: "linked",
  target: ["es2022", "chrome111", "firefox115", "safari16.4"],
  outdir: assets,
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
  metafile: true,
  logLevel: "warning",
  loader: { ".woff2": "file", ".txt": "text" },
  alias: { "@preadmit/lang-cel": join(web, "lang-cel/src/index.ts") },
  plugins: [oneCodeMirror],
};

/**
 * Bundles some entries and returns the addresses they got.
 * @param {Record<string, string>} entries
 * @param {import("esbuild").BuildOptions} options
 * @returns {Promise<Record<string, string>>}
 */
async function bundle(entries, options) {
  const all = { ...common, ...options, entryPoints: Object.values(entries) };
  const result = await build(options.splitting === true ? await withoutSplinters(all) : all);
  /** @type {Record<string, string>} */
  const found = {};
  for (const [output, info] of Object.entries(result.metafile?.outputs ?? {})) {
    const name = Object.keys(entries).find((key) => entries[key] === info.entryPoint);
    if (name === undefined) continue;
    found[name] = address(join(web, output));
    if (name === "pages" || name === "lesson") {
      for (const i of info.imports) if (!i.external) ofPages.add(address(join(web, i.path)));
    }
    if (name !== "playground") continue;
    const outputs = result.metafile?.outputs ?? {};
    const atOnce = imported([output], outputs, ["import-statement"]);
    for (const file of atOnce) preload.add(address(join(web, file)));
    const large = [...atOnce].filter((file) => mostly(EDITORS, outputs[file]?.inputs ?? {}));
    const depth = (/** @type {string} */ file) => imported([file], outputs, ["import-statement"]).size;
    for (const file of large.sort((a, b) => depth(a) - depth(b))) editors.add(address(join(web, file)));
    for (const file of imported([output], outputs, ["import-statement", "dynamic-import"]))
      if (!preload.has(address(join(web, file)))) lazy.add(address(join(web, file)));
    const reader = Object.keys(outputs).find((file) => outputs[file]?.entryPoint === "app/link.ts");
    if (reader === undefined) throw new Error("the codec of links is no module of its own");
    for (const file of [reader, ...imported([reader], outputs, ["import-statement"])])
      if (!preload.has(address(join(web, file)))) codec.add(address(join(web, file)));
  }
  return found;
}

/**
 * The options with which few files are written. What two entries share gets a file of its own, another for
 * each choice of entries: with a dozen parts that the playground loads when they are needed, most of these
 * files have some hundred bytes, and every request takes time of the processor before the first
 * result. So each of those parts imports all that the playground shares with any of them, which is
 * there by then.
 * @param {import("esbuild").BuildOptions} options
 * @returns {Promise<import("esbuild").BuildOptions>}
 */
async function withoutSplinters(options) {
  const { metafile } = await build({ ...options, write: false });
  const outputs = metafile?.outputs ?? {};
  const of = (/** @type {string} */ entry) => {
    const output = Object.keys(outputs).find((file) => outputs[file]?.entryPoint === entry);
    if (output === undefined) throw new Error(`${entry} has no file of its own`);
    return output;
  };
  const first = of(modules.playground);
  const atOnce = [...imported([first], outputs, ["import-statement"])];
  const others = Object.values(modules).filter((entry) => entry !== modules.playground);
  const elsewhere = imported(others.map(of), outputs, ["import-statement"]);
  const parts = [...imported([first], outputs, ["import-statement", "dynamic-import"])]
    .filter((file) => !elsewhere.has(file) && !atOnce.includes(file))
    .flatMap((file) => outputs[file]?.entryPoint ?? []);
  const shared = atOnce
    .filter((file) => !mostly(EDITORS, outputs[file]?.inputs ?? {}))
    .flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}));
  return { ...options, plugins: [...(options.plugins ?? []), importing(parts, shared)] };
}

/**
 * Lets some modules import others, for nothing but that they do.
 * @param {string[]} modules
 * @param {string[]} others
 * @returns {import("esbuild").Plugin}
 */
function importing(modules, others) {
  return {
    name: "importing",
    setup(b) {
      b.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (!modules.includes(relative(web, path))) return undefined;
        // Named from here: the names of the files written would otherwise depend on the folder of the project.
        const from = (/** @type {string} */ file) => `./${relative(dirname(path), join(web, file))}`;
        const list = others.toSorted().map((file) => `import ${JSON.stringify(from(file))};`);
        return { contents: [await readFile(path, "utf8"), ...list].join("\n"), loader: "ts" };
      });
    },
  };
}

/** What the modules import at once, to be fetched together with them. */
const preload = new Set();

/** What the modules of the other pages import. */
const ofPages = new Set();

/** What of it is the editors, each behind what it imports: the rest has a budget (e2e/hosting.test.mjs). */
const editors = new Set();

/** What reads links, to be fetched at once where the address is one. */
const codec = new Set();

const EDITORS = /^(node_modules\/@(codemirror|lezer)|lang-cel)\//;

/**
 * All modules that some modules import, directly or not.
 * @param {string[]} from
 * @param {import("esbuild").Metafile["outputs"]} outputs
 * @param {string[]} kinds the kinds of imports that count
 */
function imported(from, outputs, kinds) {
  /** @type {Set<string>} */
  const found = new Set();
  const left = [...from];
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    for (const i of outputs[file]?.imports ?? []) {
      if (i.external || !i.path.endsWith(".js") || !kinds.includes(i.kind) || found.has(i.path)) continue;
      found.add(i.path);
      left.push(i.path);
    }
  }
  return found;
}

/**
 * Whether most of a file comes from some sources.
 * @param {RegExp} sources
 * @param {Record<string, { bytesInOutput: number }>} inputs
 */
function mostly(sources, inputs) {
  let all = 0;
  let own = 0;
  for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
    all += bytesInOutput;
    if (sources.test(file)) own += bytesInOutput;
  }
  return own > all / 2;
}

/** What they import when it is needed, directly or not. */
const lazy = new Set();

/** @param {string} file */
function address(file) {
  return `/${relative(dist, file)}`;
}

/**
 * Copies a file under a name that carries a hash of its content.
 * @param {string} file
 */
async function hashed(file) {
  const content = await readFile(file);
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 8).toUpperCase();
  const ending = extname(file);
  const target = join(assets, `${basename(file, ending)}-${hash}${ending}`);
  await copyFile(file, target);
  return { address: address(target), bytes: content.length };
}

/**
 * Copies the parts of the engine under names with one hash, of all: the worker
 * knows the name of the first (app/engine-parts.ts), and they only fit each other.
 * @param {string[]} files
 */
async function parts(files) {
  const contents = await Promise.all(files.map((file) => readFile(file)));
  const hash = createHash("sha256");
  for (const content of contents) hash.update(createHash("sha256").update(content).digest());
  const name = `engine-${hash.digest("hex").slice(0, 8).toUpperCase()}`;
  const targets = ["", "-more", "-rest", "-registry"].map((part) => join(assets, `${name}${part}.wasm`));
  await Promise.all(targets.map((target, i) => writeFile(target, contents[i] ?? "")));
  const [engine = "", ...engineLater] = targets.slice(0, 3).map(address);
  return { engine, engineLater, engineBytes: contents[0]?.length };
}

const engineParts = process.argv.slice(2);
if (engineParts.length !== 4) throw new Error("usage: bundle.mjs FIRST.wasm MORE.wasm REST.wasm REGISTRY.wasm");

await rm(assets, { recursive: true, force: true });
await mkdir(assets, { recursive: true });
const manifest = {
  ...(await bundle(modules, { format: "esm", splitting: true })),
  ...(await bundle(classic, { format: "iife" })),
  ...(await bundle(styles, {})),
  fieldDocs: (await hashed(resolve(web, "../engine/edit/fielddocs/docs.txt"))).address,
  ...(await parts(engineParts.map((file) => resolve(file)))),
  preload: [...preload],
  editors: [...editors],
  codec: [...codec],
  lazy: [...lazy],
  ofPages: [...ofPages],
  fonts: /** @type {string[]} */ ([]),
};
// The style sheet's build has put the fonts there; preload those of the first screen.
const files = await readdir(assets);
for (const font of fonts) {
  const stem = basename(font, ".woff2");
  const found = files.find((f) => f.startsWith(`${stem}-`) && f.endsWith(".woff2"));
  if (found !== undefined) manifest.fonts.push(`/assets/${found}`);
}
// Other sites name this script in their pages: its address never changes.
await build({
  ...common,
  entryPoints: ["app/embed.ts"],
  format: "iife",
  sourcemap: false,
  outdir: dist,
  entryNames: "embed",
});
// The Share dialog offers the kits as files to save under other names.
await mkdir(join(dist, "embed-kits"), { recursive: true });
for (const [name, file] of Object.entries({
  hugo: "hugo/layouts/shortcodes/preadmit.html",
  docusaurus: "docusaurus/src/components/Preadmit.jsx",
  mkdocs: "mkdocs/preadmit.py",
})) {
  await copyFile(join(web, "embed-kits", file), join(dist, "embed-kits", `${name}.txt`));
}
await copyFile(join(web, "app/favicon.svg"), join(dist, "favicon.svg"));
await writeFile(join(dist, "assets.json"), JSON.stringify(manifest, undefined, 2));
