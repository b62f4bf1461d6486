// The looks of the pages, compared with kept pictures. After a change that is
// meant: UPDATE_LOOKS=1 npm run e2e -- e2e/looks.test.mjs, look at them, commit.
//
// Pictures of text differ a little between machines, so a page may differ in a
// small share of its pixels. On a busy machine a page is finished late: a
// picture that differs from the kept one is taken again, until one is equal to the
// one before it, before the test fails.

import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { FULL, quiet, ready, start, tab } from "./browser.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const folder = join(here, "looks");
/** Where a picture that differs is put, to be looked at. */
const differing = join(here, "../build/looks");
const update = process.env["UPDATE_LOOKS"] === "1";
/** The share of pixels that may differ. */
const TOLERANCE = 0.02;
/** How often a picture is taken before the test gives up. */
const ATTEMPTS = 6;

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
/** Where pictures are compared. @type {Page} */
let blank;
before(async () => {
  site = await start({ shared: true });
  blank = await (await site.open("/404.html", { own: true })).page.context().newPage();
  await mkdir(folder, { recursive: true });
});
after(() => site.close());

const widths = FULL || update ? [360, 768, 1280, 1920] : [360, 1280];
const schemes = /** @type {const} */ (["light", "dark"]);

/** Of what is at two widths, one is light and one dark; before a release each is both. */
const schemesOf = (/** @type {number} */ at) => (FULL || update ? schemes : [schemes[at % 2] ?? "light"]);

/**
 * Kinds of pages. A view is that of the playground's result; it is compared at
 * two widths only, as are pages that differ little from another one.
 * @type {{ name: string, path: string, view?: string, widths?: number[] }[]}
 */
const pages = [
  { name: "playground", path: "/" },
  { name: "example", path: "/examples/first-look/" },
  { name: "docs", path: "/docs/" },
  { name: "gallery", path: "/examples/", widths: [360, 1280] },
  { name: "doc", path: "/docs/scenario/", widths: [360, 1280] },
  { name: "diff", path: "/#example=sidecar-apply", view: "diff", widths: [1280] },
];

/** @typedef {import("playwright-core").Page} Page */

for (const [at, width] of widths.entries()) {
  for (const { name, path, view, widths: own } of pages) {
    if (own !== undefined && !own.includes(width)) continue;
    test(`${name} at ${width}, ${schemesOf(at).join(" and ")}`, async () => {
      const { page, discard } = await site.open("/404.html", {
        viewport: { width, height: 900 },
        colorScheme: "light",
        reducedMotion: "reduce",
      });
      await waitForFonts(page);
      await page.goto(site.origin + path, { waitUntil: "networkidle" });
      if (path === "/" || view !== undefined) {
        await ready(page);
        await page.locator("[data-editor=policies] .cm-celLineNote").first().waitFor();
        await page.locator("#outcome .is-loading").waitFor({ state: "detached" });
      }
      if (view !== undefined) await tab(page, view);
      await page.evaluate(() => document.fonts.ready);
      for (const colorScheme of schemesOf(at)) {
        await page.emulateMedia({ colorScheme });
        await compare(page, `${name}-${width}-${colorScheme}.png`);
      }
      await discard();
    });
  }
}

/**
 * The site's fonts are optional: one that arrives late is left out until the
 * next page. Pictures need it, so that they are the same on a busy machine.
 * @param {Page} page
 */
async function waitForFonts(page) {
  await page.route("**/assets/main-*.css", async (route) => {
    const response = await route.fetch();
    const styles = await response.text();
    assert.match(styles, /font-display:\s*optional/);
    await route.fulfill({ response, body: styles.replace(/font-display:\s*optional/g, "font-display:block") });
  });
}

/**
 * Compares the page with a kept picture, or keeps a new one.
 * @param {Page} page
 * @param {string} name
 */
async function compare(page, name) {
  const file = join(folder, name);
  if (update) {
    await writeFile(file, await settled(page));
    return;
  }
  const kept = await readFile(file);
  await quiet(page);
  let now = await take(page);
  let share = await difference(kept, now);
  for (let i = 1; share > TOLERANCE && i < ATTEMPTS; i++) {
    now = await settled(page);
    share = await difference(kept, now);
  }
  if (share <= TOLERANCE) return;
  await mkdir(differing, { recursive: true });
  await writeFile(join(differing, name), now);
  assert.fail(
    `${(share * 100).toFixed(1)} % of the pixels differ from ${file}; the page as it is now: ${join(differing, name)}`,
  );
}

/** @param {Page} page */
const take = (page) => page.screenshot({ animations: "disabled", caret: "hide" });

/**
 * A picture of the page that is equal to the one before it.
 * @param {Page} page
 */
async function settled(page) {
  let before = await take(page);
  for (let i = 1; i < ATTEMPTS; i++) {
    await quiet(page);
    const now = await take(page);
    if (now.equals(before)) return now;
    before = now;
  }
  throw new Error(`${page.url()} did not come to rest`);
}

/**
 * The share of pixels that differ visibly between two pictures. The browser
 * decodes them, on a page without a Content-Security-Policy.
 * @param {Buffer} a
 * @param {Buffer} b
 */
function difference(a, b) {
  return blank.evaluate(
    async (pictures) => {
      const [first, second] = await Promise.all(
        pictures.map(async (base64) => {
          const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
          const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
          if (context === null) throw new Error("no canvas");
          context.drawImage(bitmap, 0, 0);
          return context.getImageData(0, 0, bitmap.width, bitmap.height);
        }),
      );
      if (first === undefined || second === undefined || first.width !== second.width || first.height !== second.height)
        return 1;
      let different = 0;
      for (let i = 0; i < first.data.length; i += 4) {
        const distance = [0, 1, 2].reduce(
          (sum, c) => sum + Math.abs((first.data[i + c] ?? 0) - (second.data[i + c] ?? 0)),
          0,
        );
        if (distance > 60) different++;
      }
      return different / (first.data.length / 4);
    },
    [a.toString("base64"), b.toString("base64")],
  );
}
