// The looks of the pages, compared with kept pictures. After a change that is
// meant: UPDATE_LOOKS=1 npm run e2e -- e2e/looks.test.mjs, look at them, commit.
//
// Pictures of text differ a little between machines, so a page may differ in a
// small share of its pixels.

import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { ready, start } from "./browser.mjs";

const folder = join(dirname(fileURLToPath(import.meta.url)), "looks");
const update = process.env["UPDATE_LOOKS"] === "1";
/** The share of pixels that may differ. */
const TOLERANCE = 0.02;

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start();
  await mkdir(folder, { recursive: true });
});
after(() => site.close());

const widths = [360, 768, 1280, 1920];
const schemes = /** @type {const} */ (["light", "dark"]);
const pages = [["playground", "/"], ["example", "/examples/first-look/"], ["docs", "/docs/"]];

for (const width of widths) {
  for (const colorScheme of schemes) {
    for (const [name, path] of pages) {
      test(`${name} at ${width}, ${colorScheme}`, async () => {
        const { page } = await site.open(path ?? "/", { viewport: { width, height: 900 }, colorScheme, reducedMotion: "reduce" });
        if (path === "/") {
          await ready(page);
          await page.locator("[data-editor=policies] .cm-celLineNote").first().waitFor();
        }
        await page.evaluate(() => document.fonts.ready);
        const now = await page.screenshot({ animations: "disabled", caret: "hide" });
        const file = join(folder, `${name}-${width}-${colorScheme}.png`);
        if (update) await writeFile(file, now);
        const share = await difference(page, await readFile(file), now);
        assert.ok(share <= TOLERANCE, `${(share * 100).toFixed(1)} % of the pixels differ from ${file}`);
        await page.context().close();
      });
    }
  }
}

/**
 * The share of pixels that differ visibly between two pictures. The browser
 * decodes them, on a page without a Content-Security-Policy.
 * @param {import("playwright-core").Page} page
 * @param {Buffer} a
 * @param {Buffer} b
 */
async function difference(page, a, b) {
  const blank = await page.context().newPage();
  const share = await blank.evaluate(async (pictures) => {
    const [first, second] = await Promise.all(
      pictures.map(async (base64) => {
        const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
        const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
        if (context === null) throw new Error("no canvas");
        context.drawImage(bitmap, 0, 0);
        return context.getImageData(0, 0, bitmap.width, bitmap.height);
      }),
    );
    if (first === undefined || second === undefined || first.width !== second.width || first.height !== second.height) return 1;
    let different = 0;
    for (let i = 0; i < first.data.length; i += 4) {
      const distance = [0, 1, 2].reduce((sum, c) => sum + Math.abs((first.data[i + c] ?? 0) - (second.data[i + c] ?? 0)), 0);
      if (distance > 60) different++;
    }
    return different / (first.data.length / 4);
  }, [a.toString("base64"), b.toString("base64")]);
  await blank.close();
  return share;
}
