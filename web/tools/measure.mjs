// Measures in Chromium how long a reader waits, on this machine, from the built
// site: node tools/measure.mjs. It only prints; nothing fails on time.

import { ready, start } from "../e2e/browser.mjs";

const ROUNDS = 5;
const KEYS = 10;

/** @param {number[]} list */
function median(list) {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

/**
 * @param {string} what
 * @param {number[]} list
 */
function print(what, list) {
  const ms = (/** @type {number} */ n) => `${Math.round(n)} ms`.padStart(9);
  console.log(`${what.padEnd(62)} median ${ms(median(list))}  best ${ms(Math.min(...list))}  worst ${ms(Math.max(...list))}`);
}

/**
 * From the navigation to the first result of the engine, by the page's clock.
 * @param {import("playwright-core").Page} page
 */
async function firstResult(page) {
  await page.locator("[data-editor=policies] .cm-celLineNote").first().waitFor({ timeout: 60_000 });
  return page.evaluate(() => performance.now());
}

const site = await start();
const cold = [];
const warm = [];
for (let i = 0; i < ROUNDS; i++) {
  const { page } = await site.open("/");
  cold.push(await firstResult(page));
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForTimeout(1500); // the service worker keeps the files
  await page.reload();
  warm.push(await firstResult(page));
  await page.context().close();
}
print("navigation to first engine result, empty cache", cold);
print("navigation to first engine result, second visit", warm);

const { page } = await site.open("/");
await ready(page);
await firstResult(page);
// How long the calls take, seen from the page's side of the worker.
const total = [];
await page.locator("#tab-request").click();
await page.locator("[data-editor=request] .cm-line", { hasText: "replicas: 8" }).click();
await page.keyboard.press("End");
for (let i = 0; i < KEYS; i++) {
  // Listening has to begin before the key is pressed, or the time is that since
  // the page was opened.
  await page.evaluate(() => {
    const outcome = document.querySelector("#outcome");
    /** @type {any} */ (window).waited = new Promise((resolve) => {
      let from = 0;
      window.addEventListener("keydown", () => (from = performance.now()), { capture: true, once: true });
      const observer = new MutationObserver(() => {
        observer.disconnect();
        resolve(performance.now() - from);
      });
      if (outcome !== null) observer.observe(outcome, { childList: true });
    });
  });
  await page.keyboard.press(i % 2 === 0 ? "8" : "Backspace");
  total.push(Number(await page.evaluate(() => /** @type {any} */ (window).waited)));
  await page.waitForTimeout(200);
}
print("last key to new result on the page, debounce of 150 ms included", total);
print("the same without the debounce", total.map((t) => t - 150));

await page.locator("#tab-expression").click();
await page.locator("[data-editor=expression] .cm-content").click();
await page.keyboard.type("object.spec.");
const completion = [];
for (let i = 0; i < KEYS; i++) {
  await page.keyboard.press("Escape");
  await page.waitForTimeout(300);
  await page.evaluate(() => {
    const root = document.querySelector("[data-editor=expression]")?.shadowRoot;
    /** @type {any} */ (window).waited = new Promise((resolve) => {
      let from = 0;
      window.addEventListener("keydown", () => (from = performance.now()), { capture: true, once: true });
      const look = () => (root?.querySelector(".cm-tooltip-autocomplete li") ? resolve(performance.now() - from) : requestAnimationFrame(look));
      requestAnimationFrame(() => requestAnimationFrame(look));
    });
  });
  await page.keyboard.press("Control+Space");
  completion.push(Number(await page.evaluate(() => /** @type {any} */ (window).waited)));
}
print("Ctrl+Space to the list of completions", completion);
await site.close();
