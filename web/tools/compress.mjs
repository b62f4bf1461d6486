// Writes a brotli-compressed file beside every text and WebAssembly file of
// web/dist, for servers that can send them (scripts/serve, nginx, Caddy).
// WebAssembly takes long at the highest quality and gains little by it.

import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";

const compress = promisify(brotliCompress);
const dist = resolve(dirname(fileURLToPath(import.meta.url)), "../dist");
const TEXT = /\.(html|css|js|json|svg|xml|txt)$/;
const WASM = /\.wasm$/;

for (const entry of await readdir(dist, { recursive: true })) {
  const file = join(dist, entry);
  if (!TEXT.test(file) && !WASM.test(file)) continue;
  if (!(await stat(file)).isFile()) continue;
  const content = await readFile(file);
  const quality = WASM.test(file) ? 9 : 11;
  const small = await compress(content, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_LGWIN]: 24,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    },
  });
  await writeFile(`${file}.br`, small);
  if (WASM.test(file)) {
    const mb = (/** @type {number} */ n) => (n / 1e6).toFixed(1);
    console.log(`engine: ${mb(content.length)} MB, ${mb(small.length)} MB compressed`);
  }
}
