// Runs a module of Go's in Node. A first part gets the others when it asks, or a refusal
// when there are none. Says at the end which it asked for.
//
//   node run.mjs WASM_EXEC.js FIRST.wasm SECOND.wasm,THIRD.wasm|none [ARGUMENT...]

import { readFileSync } from "node:fs";
import { runInThisContext } from "node:vm";

const [loader, first, later, ...args] = process.argv.slice(2);
runInThisContext(readFileSync(loader, "utf8"));
const go = new Go();
go.argv = ["program", ...args];
const asked = [];
const load = (part) => {
  asked.push(part);
  if (later === "none") throw new Error("there is no such part");
  const file = later.split(",")[part - 1];
  new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file)), { first: instance.exports });
};
const { instance } = await WebAssembly.instantiate(readFileSync(first), { ...go.importObject, parts: { load } });
try {
  await go.run(instance);
} catch (error) {
  console.log(error.message);
}
console.log(`asked ${asked}`.trim());
process.exit(0);
