// How a new result takes the place of the last one (app/result.ts, replace), in
// a real document: no page of the site, only that function.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { build } from "esbuild";
import { chromium } from "playwright-core";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {{ replace(element: Element, html: string): void }} Module */

/** @type {import("playwright-core").Browser} */
let browser;
/** @type {string} */
let script;

before(async () => {
  browser = await chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu"],
  });
  const bundle = await build({
    stdin: { contents: 'export { replace } from "./app/result.ts"', resolveDir: process.cwd() },
    bundle: true,
    write: false,
    format: "iife",
    globalName: "result",
    logLevel: "warning",
  });
  script = bundle.outputFiles[0]?.text ?? "";
});
after(() => browser.close());

/** A page with a part whose content is html. */
async function part(/** @type {string} */ html) {
  const page = await browser.newPage();
  await page.setContent('<button id="outside">outside</button><div id="part"></div>');
  await page.addScriptTag({ content: script });
  await put(page, html);
  return page;
}

/** Puts a result in its place, and says whether the elements are still the same. */
function put(/** @type {Page} */ page, /** @type {string} */ html) {
  return page.evaluate((html) => {
    const element = /** @type {Element} */ (document.querySelector("#part"));
    const first = element.firstElementChild;
    /** @type {{ result: Module }} */ (/** @type {unknown} */ (window)).result.replace(element, html);
    return first === element.firstElementChild;
  }, html);
}

const focused = (/** @type {Page} */ page) => page.evaluate(() => document.activeElement?.textContent);

const fold = (/** @type {string} */ key, /** @type {string} */ text, open = false) =>
  `<details data-key="${key}"${open ? " open" : ""}><summary>${text}</summary>inside</details>`;

/** The keys of the folds that are open. */
const openFolds = (/** @type {Page} */ page) =>
  page.$$eval("details[open]", (all) => all.map((d) => /** @type {HTMLElement} */ (d).dataset["key"]));

test("only what differs changes", async () => {
  const page = await part('<p class="x" title="t">a</p>');
  for (const [html, kept] of /** @type {const} */ ([
    ['<p class="x" title="t">a</p>', true],
    ['<p class="x" title="t">b</p>', true],
    ['<p class="y">b<b>c</b>d</p>', true],
    ['<p class="y">b<i>c</i></p><p>new</p>', true],
    ['<p>before</p><p class="y">b<i>c</i></p><p>new</p>', false],
    ["<p>new</p>", false],
    ['<p data-key="other">new</p>', false],
    ["<div>new</div>text", false],
    ["", false],
    ["text<p>1</p><p>2</p><p>3</p>", false],
    ["text<p>1</p><p>3</p>", true],
  ])) {
    assert.equal(await put(page, html), kept, html);
    assert.equal(await page.$eval("#part", (e) => e.innerHTML), html);
  }
});

test("what was changed inside is put right again", async () => {
  const page = await part('<div><p id="inner"></p></div>');
  await page.evaluate(() => {
    const { replace } = /** @type {{ result: Module }} */ (/** @type {unknown} */ (window)).result;
    const inner = /** @type {HTMLElement} */ (document.querySelector("#inner"));
    replace(inner, "shown");
    replace(/** @type {HTMLElement} */ (document.querySelector("#part")), '<div><p id="inner"></p><p>more</p></div>');
    replace(inner, "shown");
  });
  assert.equal(await page.textContent("#inner"), "shown");
});

test("what the reader opened or closed stays so, by its key; the rest is as it comes", async () => {
  const page = await part(fold("a", "A") + fold("b", "B", true) + fold("c", "C"));
  await page.click("text=A");
  await page.click("text=B");
  await put(page, fold("b", "B2", true) + fold("c", "C2", true) + fold("a", "A2"));
  assert.deepEqual(await openFolds(page), ["c", "a"]);
  // And still so one result later, when nothing was touched in between.
  await put(page, fold("a", "A3") + fold("b", "B3", true) + fold("c", "C3"));
  assert.deepEqual(await openFolds(page), ["a"]);
});

test("a fold that was gone for a result begins as it comes", async () => {
  const page = await part(fold("a", "A"));
  await page.click("text=A");
  await put(page, "<p>nothing</p>");
  await put(page, fold("a", "A"));
  assert.deepEqual(await openFolds(page), []);
});

test("the focus stays at its place in the result", async () => {
  const page = await part("<p><button>one</button><button>two</button></p>");
  await page.focus("text=two");
  await put(page, "<p><button>one</button><button>zwei</button></p>");
  assert.equal(await focused(page), "zwei");
  await put(page, "<p>shorter</p>");
  assert.equal(await page.evaluate(() => document.activeElement === document.body), true);
});

test("a result takes no focus that is elsewhere", async () => {
  const page = await part("<button>one</button>");
  await page.focus("#outside");
  await put(page, "<button>eins</button>");
  assert.equal(await focused(page), "outside");
});

test("a list that is scrolled stays where it is", async () => {
  const list = (/** @type {string} */ word) => Array.from({ length: 100 }, (_, i) => `<p>${word} ${i}</p>`).join("");
  const page = await part(list("a"));
  await page.evaluate(() => {
    const part = /** @type {HTMLElement} */ (document.querySelector("#part"));
    Object.assign(part.style, { height: "100px", overflow: "auto" });
    part.scrollTop = 500;
  });
  await put(page, list("b"));
  assert.equal(await page.$eval("#part", (e) => e.scrollTop), 500);
});
