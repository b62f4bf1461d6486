// What Go alone and cel-go alone cost in this browser: small modules that are built for
// the bench, each on a page that loads it and nothing else.

import { execFile } from "node:child_process";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
const run = promisify(execFile);

const PAGE = `<!doctype html><html lang="en"><title>reference</title>
<script src="wasm_exec.js"></script>
<script>
const go = new Go();
WebAssembly.instantiateStreaming(fetch("module.wasm"), go.importObject).then(({ instance }) => go.run(instance));
</script></html>
`;

/** The references, by the name of their folder below wasm/references. */
export const REFERENCES = { empty: "an empty Go module", celgo: "cel-go alone" };

/** Says when the result of a reference is there: an expression in its page. */
export const WHEN = "window.result === true";

/**
 * Builds a reference and returns the folder of its site.
 * @param {string} name
 */
export async function build(name) {
  const folder = join(root, "web/build/bench", name);
  const module = join(folder, "module.wasm");
  await mkdir(folder, { recursive: true });
  const before = await readFile(module).catch(() => undefined);
  await run("go", ["build", "-trimpath", "-ldflags=-s -w", "-o", module, `./wasm/references/${name}`], {
    cwd: root,
    env: { ...process.env, GOOS: "js", GOARCH: "wasm" },
  });
  const bytes = await readFile(module);
  const known = before?.equals(bytes) && (await stat(`${module}.br`).catch(() => undefined)) !== undefined;
  if (!known) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 };
    await writeFile(`${module}.br`, await promisify(brotliCompress)(bytes, { params }));
  }
  const { stdout } = await run("go", ["env", "GOROOT"]);
  await writeFile(join(folder, "wasm_exec.js"), await readFile(join(stdout.trim(), "lib/wasm/wasm_exec.js")));
  await writeFile(join(folder, "index.html"), PAGE);
  return folder;
}
