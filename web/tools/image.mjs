// How a page lets an engine go on from its image (app/snapshot.ts), for programs that run in Node.

import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** @returns {Promise<typeof import("../app/snapshot.ts")>} */
export async function pagesOwn() {
  const { outputFiles } = await build({
    entryPoints: [resolve(dirname(fileURLToPath(import.meta.url)), "../app/snapshot.ts")],
    bundle: true,
    format: "esm",
    write: false,
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0]?.contents ?? "").toString("base64")}`);
}
