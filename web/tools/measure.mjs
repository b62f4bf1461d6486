// Measures in Chromium how long a reader waits, on this machine, and what a visit
// loads, from the built site: node tools/measure.mjs [ROUNDS [SITE...]]. It only
// prints; nothing fails on time. Several sites, each a folder that scripts/build
// has made (the first is this one, unless it is named), are measured in turns.
//
// Each round has a profile of its own on disk, as a reader has: the compiled
// code that the browser keeps for the second visit lies there. Between the two
// visits the browser is closed.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

import { ready } from "../e2e/browser.mjs";
import { makeServer } from "./server.mjs";

/** @typedef {import("playwright-core").Page} Page */

const ROUNDS = Number(process.argv[2] ?? 5);
const SITES = process.argv.length > 3 ? process.argv.slice(3) : [undefined];
const KEYS = 12;

/** How long the browser takes at most to write compiled code to the disk, in milliseconds. */
const WRITING = 5000;

/**
 * Opens the playground in a profile.
 * @param {string} profile
 * @param {string} origin
 */
async function visit(profile, origin) {
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
    viewport: { width: 1280, height: 800 },
  });
  const page = await context.newPage();
  await page.goto(origin);
  return page;
}

/**
 * The moments of a start, in milliseconds since the navigation.
 * @param {Page} page
 * @returns {Promise<Record<string, number>>}
 */
async function start(page) {
  await page.locator("[data-editor=policies] .cm-celLineNote").first().waitFor({ timeout: 60_000 });
  const [origin, result] = await page.evaluate(() => [performance.timeOrigin, performance.now()]);
  const marks = await page
    .workers()
    .find((w) => /worker/.test(w.url()))
    ?.evaluate(() =>
      performance
        .getEntriesByType("mark")
        .map((m) => /** @type {const} */ ([m.name, performance.timeOrigin + m.startTime])),
    );
  return Object.fromEntries([
    ...(marks ?? []).map(([name, at]) => [name, at - Number(origin)]),
    ["first result", result],
  ]);
}

/**
 * From a key to what it brings about, by the page's clock.
 * @param {Page} page
 * @param {string} key
 * @param {() => Element | null | undefined} target gives the element whose children change, or that appears
 * @param {boolean} appears
 */
async function wait(page, key, target, appears) {
  // Listening has to begin before the key is pressed, or the time is that since
  // the page was opened.
  await page.evaluate(
    ([source, appears]) => {
      const target = /** @type {() => Element | null} */ (new Function(`return (${source})()`));
      /** @type {any} */ (window).waited = new Promise((resolve) => {
        let from = 0;
        const done = () => requestAnimationFrame(() => resolve(performance.now() - from));
        const look = () => (target() ? done() : requestAnimationFrame(look));
        window.addEventListener(
          "keydown",
          () => {
            from = performance.now();
            if (appears) requestAnimationFrame(look);
          },
          { capture: true, once: true },
        );
        if (appears) return;
        const observer = new MutationObserver(() => {
          observer.disconnect();
          done();
        });
        observer.observe(/** @type {Element} */ (target()), { childList: true });
      });
    },
    /** @type {const} */ ([String(target), appears]),
  );
  await page.keyboard.press(key);
  return Number(await page.evaluate(() => /** @type {any} */ (window).waited));
}

/** @param {Page} page */
async function typing(page) {
  await page.locator("#tab-request").click();
  await page.locator("[data-editor=request] .cm-line", { hasText: "replicas: 8" }).click();
  await page.keyboard.press("End");
  const times = [];
  for (let i = 0; i < KEYS; i++) {
    times.push(await wait(page, i % 2 === 0 ? "8" : "Backspace", () => document.querySelector("#outcome"), false));
    await page.waitForTimeout(120); // as one who types fast
  }
  return times;
}

/**
 * @param {Page} page
 * @param {string} key opens the list
 */
async function completion(page, key) {
  await page.locator("#tab-expression").click();
  await page.locator("[data-editor=expression] .cm-content").click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("object.spec");
  if (key !== ".") await page.keyboard.type(".");
  const times = [];
  for (let i = 0; i < KEYS; i++) {
    await page.keyboard.press("Escape");
    await page.waitForTimeout(300);
    const list = () =>
      document.querySelector("[data-editor=expression]")?.shadowRoot?.querySelector(".cm-tooltip-autocomplete li");
    times.push(await wait(page, key, list, true));
    if (key === ".") await page.keyboard.press("Backspace");
  }
  return times.slice(2); // the first ones load the sentences about fields
}

/** What was measured, by name, for each site. @type {Map<string, number[][]>} */
const found = new Map();

/**
 * @param {number} site
 * @param {string} what
 * @param {number[]} values
 */
function add(site, what, ...values) {
  const all = found.get(what) ?? SITES.map(() => []);
  all[site]?.push(...values);
  found.set(what, all);
}

/** @param {number} site */
async function serve(site) {
  let bytes = 0;
  const server = await makeServer(SITES[site], (_, sent) => (bytes += sent));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  if (address === null || typeof address !== "object") throw new Error("the server has no address");
  const take = () => {
    const taken = bytes;
    bytes = 0;
    return taken;
  };
  return { origin: `http://127.0.0.1:${address.port}/`, take, close: () => server.close() };
}

/**
 * A first and a second visit, in a new profile.
 * @param {number} site
 * @param {Awaited<ReturnType<typeof serve>>} server
 */
async function round(site, server) {
  const profile = await mkdtemp(join(tmpdir(), "preadmit-measure-"));
  for (const name of ["first visit", "second visit"]) {
    server.take();
    const page = await visit(profile, server.origin);
    for (const [moment, at] of Object.entries(await start(page))) add(site, `${name}: ${moment}, ms`, at);
    await ready(page);
    add(site, `${name}: loaded until then, kB`, server.take() / 1000);
    const longest = await page.evaluate(LONGEST);
    add(site, `${name}: longest task of the page, ms`, longest);
    const times = await typing(page);
    add(site, `${name}: key to new result, the first three, ms`, ...times.slice(0, 3));
    add(site, `${name}: key to new result, the others, ms`, ...times.slice(3));
    add(site, `${name}: "." to the completions, ms`, ...(await completion(page, ".")));
    add(site, `${name}: Ctrl+Space to the completions, ms`, ...(await completion(page, "Control+Space")));
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.waitForTimeout(WRITING);
    await page.context().close();
  }
  await rm(profile, { recursive: true, force: true });
}

/** The longest task of the page so far; 0 when none took 50 ms, as the browser reports no shorter ones. */
const LONGEST = () =>
  new Promise((/** @type {(longest: number) => void} */ resolve) => {
    let longest = 0;
    new PerformanceObserver((list) => {
      for (const task of list.getEntries()) longest = Math.max(longest, task.duration);
    }).observe({ type: "longtask", buffered: true });
    setTimeout(() => resolve(longest), 50);
  });

/** @param {number[]} values @param {number} part */
function quantile(values, part) {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN);
}

const servers = await Promise.all(SITES.map((_, site) => serve(site)));
for (let n = 0; n < ROUNDS; n++) {
  for (const [site, server] of servers.entries()) await round(site, server);
}
for (const server of servers) server.close();

console.log(
  `median / 95th of ${ROUNDS} rounds`.padEnd(60) +
    SITES.map((s) => (s ?? "this site").slice(-24).padStart(26)).join(""),
);
for (const [what, sites] of found) {
  const cell = (/** @type {number[]} */ values) => `${quantile(values, 0.5)} / ${quantile(values, 0.95)}`.padStart(26);
  console.log(what.padEnd(60) + sites.map(cell).join(""));
}
