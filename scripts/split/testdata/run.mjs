// Runs a module of Go's in Node. A first part gets its second when it asks, or a refusal
// when there is none. Says at the end how often it was asked.
//
//   node run.mjs WASM_EXEC.js FIRST.wasm SECOND.wasm|none [ARGUMENT...]

import { readFileSync } from "node:fs";
import { runInThisContext } from "node:vm";

const [loader, first, second, ...args] = process.argv.slice(2);
runInThisContext(readFileSync(loader, "utf8"));
const go = new Go();
go.argv = ["program", ...args];
let asked = 0;
const load = () => {
  asked++;
  if (second === "none") throw new Error("there is no second part");
  new WebAssembly.Instance(new WebAssembly.Module(readFileSync(second)), { first: instance.exports });
};
const { instance } = await WebAssembly.instantiate(readFileSync(first), { ...go.importObject, parts: { load } });
try {
  await go.run(instance);
} catch (error) {
  console.log(error.message);
}
console.log(`asked ${asked}`);
process.exit(0);
