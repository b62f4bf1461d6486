// Writes a brotli-compressed file beside every text and WebAssembly file of
// web/dist, for servers that can send them (scripts/serve, nginx, Caddy).
// The engine takes minutes at the highest quality, and is a tenth smaller by it: what
// it was compressed to is kept in web/build for the next build of the same engine.

import { createHash } from "node:crypto";
import { readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";

const compress = promisify(brotliCompress);
const dist = resolve(dirname(fileURLToPath(import.meta.url)), "../dist");
const TEXT = /\.(html|css|js|json|svg|xml|txt|md)$/;
const WASM = /\.wasm$/;
/** What comes behind the first result is compressed in a tenth of the time, and is a seventh larger. */
const LATE = /-registry-?.*\.wasm$/;
const HIGHEST = Number(process.env["PREADMIT_BROTLI"] ?? 11);

for (const entry of await readdir(dist, { recursive: true })) {
  const file = join(dist, entry);
  if (!TEXT.test(file) && !WASM.test(file)) continue;
  if (!(await stat(file)).isFile()) continue;
  const content = await readFile(file);
  const small = WASM.test(file)
    ? await keptOrMade(content, LATE.test(file) ? Math.min(9, HIGHEST) : HIGHEST)
    : await made(content, HIGHEST);
  await writeFile(`${file}.br`, small);
  if (WASM.test(file)) {
    const mb = (/** @type {number} */ n) => (n / 1e6).toFixed(1);
    console.log(`engine: ${mb(content.length)} MB, ${mb(small.length)} MB compressed`);
  }
}

/**
 * @param {Buffer} content
 * @param {number} quality
 */
function made(content, quality) {
  return compress(content, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_LGWIN]: 24,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      [constants.BROTLI_PARAM_NPOSTFIX]: 3, // distances within code are often the same in their last bits: 2 kB less
    },
  });
}

/**
 * The engine of the last build, if it is the same, does not have to be compressed again.
 * @param {Buffer} content
 * @param {number} quality
 */
async function keptOrMade(content, quality) {
  const build = resolve(dist, "../build");
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 16);
  const file = join(build, `engine-${hash}-${quality}.br`);
  const kept = await readFile(file).catch(() => undefined);
  if (kept !== undefined) return kept;
  const small = await made(content, quality);
  await writeFile(`${file}.new`, small);
  await rename(`${file}.new`, file); // whole, or not at all
  return small;
}
