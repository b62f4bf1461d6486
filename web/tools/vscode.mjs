// Bundles the extension for Visual Studio Code and packs it: a .vsix is a zip file with a manifest.
//
//   node tools/vscode.mjs BUILD VERSION     writes BUILD/vscode/ and BUILD/preadmit-VERSION.vsix

import { build } from "esbuild";
import { zipSync } from "fflate";
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const web = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const source = resolve(web, "../editors/vscode");
const [folder = "", version = ""] = process.argv.slice(2);
const out = join(resolve(folder), "vscode");

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
const { metafile } = await build({
  entryPoints: {
    extension: join(source, "src/extension.ts"),
    "language-worker-node": join(source, "src/language-worker-node.ts"),
  },
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
  nodePaths: [join(web, "node_modules")],
  minify: true,
  metafile: true,
  outdir: out,
  logLevel: "warning",
});
// Where there are no processes, the server is WebAssembly in a worker.
const { metafile: webFiles } = await build({
  entryPoints: { web: join(source, "src/web.ts"), "language-worker": join(source, "src/language-worker.ts") },
  bundle: true,
  platform: "browser",
  format: "cjs",
  target: "es2022",
  external: ["vscode"],
  nodePaths: [join(web, "node_modules")],
  minify: true,
  metafile: true,
  outdir: out,
  logLevel: "warning",
});
for (const name of ["language.wasm", "registry.wasm"]) await copyFile(join(folder, name), join(out, name));
const manifest = { ...JSON.parse(await readFile(join(source, "package.json"), "utf8")), version };
await writeFile(join(out, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
await writeFile(join(out, "README.md"), await readFile(join(source, "README.md")));
await writeFile(join(out, "LICENSE.txt"), await readFile(resolve(web, "../LICENSE")));
await writeFile(join(out, "licenses.txt"), await licences(Object.keys({ ...metafile.inputs, ...webFiles.inputs })));

/**
 * The licences of the packages that files are of.
 * @param {string[]} files
 */
async function licences(files) {
  const packages = new Set(files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]));
  let text = "";
  for (const path of [...packages].filter((path) => path !== undefined).sort()) {
    const name = (await readdir(path)).find((file) => /^licen[sc]e/i.test(file));
    if (name === undefined) throw new Error(`${path} has no licence`);
    text += `${path.replace(/^.*node_modules\//, "")}\n\n${await readFile(join(path, name), "utf8")}\n\n`;
  }
  return text;
}

/** @param {string} text */
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
const vsix = `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${escaped(manifest.name)}" Version="${escaped(version)}" Publisher="${escaped(manifest.publisher)}"/>
    <DisplayName>${escaped(manifest.displayName)}</DisplayName>
    <Description xml:space="preserve">${escaped(manifest.description)}</Description>
    <Tags>${escaped(manifest.keywords.join(","))}</Tags>
    <Categories>${escaped(manifest.categories.join(","))}</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="${escaped(manifest.engines.vscode)}"/>
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
  </Assets>
</PackageManifest>
`;
const types = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="json" ContentType="application/json"/><Default Extension="wasm" ContentType="application/wasm"/><Default Extension="js" ContentType="application/javascript"/><Default Extension="md" ContentType="text/markdown"/><Default Extension="txt" ContentType="text/plain"/><Default Extension="vsixmanifest" ContentType="text/xml"/></Types>
`;
/** @type {Record<string, Uint8Array>} */
const files = { "extension.vsixmanifest": Buffer.from(vsix), "[Content_Types].xml": Buffer.from(types) };
const names = [
  "extension.js",
  "web.js",
  "language-worker.js",
  "language-worker-node.js",
  "language.wasm",
  "registry.wasm",
  "README.md",
  "LICENSE.txt",
  "licenses.txt",
];
for (const name of ["package.json", ...names]) {
  files[`extension/${name}`] = await readFile(join(out, name));
}
// One time in all files, so that two builds are equal.
await writeFile(join(resolve(folder), `preadmit-${version}.vsix`), zipSync(files, { mtime: "2026-01-01T12:00:00" }));
