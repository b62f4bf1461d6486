// Answers calls to the API server's own code (wasm/registry) line by line, for wasm/registry/registry_test.go.
//
//   node tools/registry.mjs REGISTRY.wasm WASM_EXEC.js

import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { runInThisContext } from "node:vm";

import { pagesOwn } from "./image.mjs";

const [moduleFile, loaderFile] = process.argv.slice(2);
if (!moduleFile || !loaderFile) throw new Error("usage: registry.mjs REGISTRY.wasm WASM_EXEC.js");
runInThisContext(await readFile(loaderFile, "utf8"), { filename: "wasm_exec.js" });
const { heldIn, resume } = await pagesOwn();
const began = performance.now();
const { Go } = /** @type {any} */ (globalThis);
const go = new Go();
const module = await WebAssembly.compile(await readFile(moduleFile));
const compiled = performance.now();
const held = heldIn(module);
if (held === undefined) throw new Error("the module has no image (scripts/module/snapshot)");
const { engine } = resume(go, await WebAssembly.instantiate(module, go.importObject), held);
const { mem } = go._inst.exports;
console.error(
  `compiled in ${Math.round(compiled - began)} ms, there after ${Math.round(performance.now() - began)} ms, ${(mem.buffer.byteLength / 1e6).toFixed(1)} MB of memory`,
);
for await (const line of createInterface({ input: process.stdin })) console.log(engine.call(line));
