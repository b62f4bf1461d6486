// Loads the packed extension with a stand-in for the editor, which has no classes of its own.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";

const folder = new URL("../../../web/build/vscode/", import.meta.url);
const require = createRequire(folder);

test("the extension loads, and has what its manifest says", () => {
  const anything = new Proxy(class {}, { get: (target, name) => (name in target ? target[name] : anything) });
  const module = { exports: {} };
  const load = new Function("require", "module", "exports", readFileSync(new URL("extension.js", folder), "utf8"));
  load((name) => (name === "vscode" ? anything : require(name)), module, module.exports);
  assert.equal(typeof module.exports.activate, "function");
  assert.equal(typeof module.exports.deactivate, "function");
  const manifest = JSON.parse(readFileSync(new URL("package.json", folder), "utf8"));
  for (const bundle of ["extension.js", "web.js"]) {
    const source = readFileSync(new URL(bundle, folder), "utf8");
    for (const { command } of manifest.contributes.commands)
      assert.ok(source.includes(`"${command}"`), `${bundle} ${command}`);
  }
});
