// Measures in Chromium how long a reader waits, on this machine, and what a visit
// loads, from built sites, and prints one table: scripts/bench says how it is called.
// Nothing fails on time.
//
// Sites are measured in turns. Each round has a profile of its own on disk, as a reader
// has: the compiled code that the browser keeps for the second visit lies there.
// Between the two visits the browser is closed.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { memory, open, serve, slowed } from "./bench/browser.mjs";
import { paste, type } from "./bench/keys.mjs";
import { native } from "./bench/native.mjs";
import { build, REFERENCES, WHEN } from "./bench/references.mjs";
import { SCENARIOS } from "./bench/scenarios.mjs";
import { Table } from "./bench/table.mjs";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {{name: string, folder: string, when?: string}} Site a site; when is an expression that is true once its result is there, for a site that is no build of this one */

const PARTS = ["visits", "line", "slow", "keys", "edits", "files", "references", "native"];
/** How long the browser takes at most to write compiled code to the disk, in milliseconds. */
const WRITING = 5000;
/** How long keys are typed in one scenario, in milliseconds. */
const LONG = 10_000;
/** How long a browser starts, in milliseconds: readers have one that runs. */
const STARTING = 1500;
/** Whether a page of ours has its first result: beside the editor's lines are what their expressions gave. */
const NOTED = `document.querySelector("[data-editor=policies]")?.shadowRoot?.querySelector(".cm-celLineNote")`;
const LINE = 20_000_000;
const SLOWER = 4;
const EDITS = 1000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string" },
    against: { type: "string", multiple: true },
    when: { type: "string", multiple: true },
  },
});
const rounds = Number(positionals[0] ?? 3);
const parts = new Set(values.only?.split(",") ?? PARTS);
for (const part of parts) if (!PARTS.includes(part)) throw new Error(`--only takes ${PARTS.join(", ")}, not ${part}`);

/** @type {Site[]} */
const sites = [{ name: "this site", folder: resolve("web/dist") }];
for (const [i, folder] of (values.against ?? []).entries()) {
  const when = values.when?.[i];
  const site = { name: basename(folder.replace(/\/web\/dist\/?$/, "")), folder };
  sites.push(when === undefined ? site : { ...site, when: (await readFile(when, "utf8")).trim() });
}
/** Our own builds: in those of others nobody knows where to type. */
const ours = sites.filter((site) => site.when === undefined);
if (parts.has("references")) {
  for (const [name, title] of Object.entries(REFERENCES))
    sites.push({ name: title, folder: await build(name), when: WHEN });
}
const table = new Table(sites.map((site) => site.name));

/**
 * Runs something with a server and a new profile.
 * @param {Site} site
 * @param {(origin: string, profile: string, take: () => Map<string, number>) => Promise<void>} use
 * @param {number} [bits] of the line
 */
async function fresh(site, use, bits) {
  const server = await serve(site.folder, bits);
  const profile = await mkdtemp(join(tmpdir(), "preadmit-measure-"));
  try {
    await use(server.origin, profile, server.take);
  } finally {
    server.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * Has the page itself look in each of its frames whether the first result of the engine is there: what asks
 * from outside does so at growing intervals, up to half a second.
 * @param {Page} page
 * @param {Site} site
 */
async function watch(page, site) {
  await page.addInitScript(`{
    const there = () => ${site.when ?? NOTED};
    const look = () => {
      try {
        if (there()) return void (globalThis.preadmitMeasured = performance.now());
      } catch {} // what the expression names is not on the page yet
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }`);
}

/**
 * Waits for the first result of the engine, and returns when it was there, in
 * milliseconds since the navigation.
 * @param {Page} page
 */
async function firstResult(page) {
  // Not a text: our pages evaluate none.
  const found = await page.waitForFunction(() => /** @type {any} */ (globalThis).preadmitMeasured, undefined, {
    timeout: 60_000,
  });
  return /** @type {Promise<number>} */ (found.jsonValue());
}

/**
 * The moments of a start that browser and worker have marked, in milliseconds since the navigation.
 * @param {Page} page
 * @returns {Promise<[string, number][]>}
 */
async function moments(page) {
  const [origin, paint, longest] = await page.evaluate(
    () =>
      new Promise((/** @type {(found: [number, number, number]) => void} */ resolve) => {
        let longest = 0; // browsers report those from 50 ms
        new PerformanceObserver((list) => {
          for (const task of list.getEntries()) longest = Math.max(longest, task.duration);
        }).observe({ type: "longtask", buffered: true });
        const paint = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN;
        setTimeout(() => resolve([performance.timeOrigin, paint, longest]), 50);
      }),
  );
  const worker = page.workers().find((w) => /worker/.test(w.url()));
  const marks = await worker?.evaluate(() =>
    performance
      .getEntriesByType("mark")
      .map((m) => /** @type {[string, number]} */ ([m.name, performance.timeOrigin + m.startTime])),
  );
  return [
    ["first paint, ms", paint],
    ...(marks ?? []).map(([name, at]) => /** @type {[string, number]} */ ([`${name}, ms`, at - origin])),
    ["longest task of the page, ms (0: none of 50)", longest],
  ];
}

/**
 * A first and a second visit.
 * @param {number} column
 * @param {string} condition
 * @param {number} [bits]
 * @param {number} [times] slower
 */
async function visits(column, condition, bits, times) {
  const site = /** @type {Site} */ (sites[column]);
  await fresh(
    site,
    async (origin, profile, take) => {
      for (const name of ["first visit", "second visit"]) {
        const group = `${name}${condition}`;
        const { page, close } = await open(profile);
        if (times !== undefined) await page.goto(`${origin}/robots.txt`); // the process of the site's pages is there
        const free = times === undefined ? undefined : await slowed(profile, times);
        await watch(page, site);
        await page.waitForTimeout(STARTING);
        take();
        await page.goto(`${origin}/`, { waitUntil: "commit" });
        const result = await firstResult(page);
        await free?.();
        for (const [moment, at] of await moments(page)) if (Number.isFinite(at)) table.add(column, group, moment, at);
        table.add(column, group, "first result, ms", result);
        table.add(column, group, "loaded until then, kB", sum(take()) / 1000);
        table.add(column, group, "memory of the page at most, MB", (await memory(profile)).peak);
        await page.evaluate(() =>
          navigator.serviceWorker?.getRegistration().then((r) => r && navigator.serviceWorker.ready),
        );
        await page.waitForTimeout(WRITING);
        await close();
      }
    },
    bits,
  );
}

/** @param {Map<string, number>} files */
function sum(files) {
  return [...files.values()].reduce((a, b) => a + b, 0);
}

/**
 * Keys in every scenario.
 * @param {number} column
 * @param {string} condition
 * @param {number} [times] slower
 */
async function keys(column, condition, times) {
  const site = /** @type {Site} */ (sites[column]);
  for (const [name, texts] of Object.entries(SCENARIOS)) {
    await fresh(site, async (origin, profile) => {
      const { page, close } = await open(profile);
      await watch(page, site);
      await page.goto(`${origin}/`);
      await firstResult(page);
      if (texts !== undefined) await paste(page, texts);
      await page.waitForTimeout(WRITING); // what is hot has been compiled for good
      await type(page, 6, 100, LONG);
      const free = times === undefined ? undefined : await slowed(profile, times);
      const found = await type(page, 30, 60, LONG);
      await free?.();
      table.add(column, `key to new result${condition}, ms`, name, ...found);
      await close();
    });
  }
}

/**
 * Memory after many edits.
 * @param {number} column
 */
async function edits(column) {
  const site = /** @type {Site} */ (sites[column]);
  await fresh(site, async (origin, profile) => {
    const { page, close } = await open(profile);
    await watch(page, site);
    await page.goto(`${origin}/`);
    await firstResult(page);
    await page.waitForTimeout(WRITING);
    table.add(column, "memory of page and worker, MB", "after the first result", (await memory(profile)).now);
    await type(page, EDITS, 0);
    table.add(column, "memory of page and worker, MB", `after ${EDITS} edits`, (await memory(profile)).now);
    await close();
  });
}

/** Where each kind of visit goes. @type {Record<string, string>} */
const PLACES = { "first page": "/", "embed, opened": "/embed/?example=first-look&run=1", "gallery page": "/examples/" };

/**
 * What each kind of visit loads, by file.
 * @param {number} column
 */
async function files(column) {
  const site = /** @type {Site} */ (sites[column]);
  for (const [name, path] of Object.entries(PLACES)) {
    await fresh(site, async (origin, profile, take) => {
      for (const visit of name === "first page" ? ["first visit", "second visit"] : ["first visit"]) {
        const { page, close } = await open(profile);
        take();
        await page.goto(`${origin}${path}`);
        await page.waitForTimeout(WRITING); // the service worker may load, too
        for (const [file, bytes] of Object.entries(byName(take()))) {
          table.add(column, `bytes: ${name}, ${visit}`, file, bytes);
        }
        await close();
      }
    });
  }
}

/**
 * Files without the hashes of their contents, in the order of their names; pieces of
 * scripts have no other name, and are one.
 * @param {Map<string, number>} files
 */
function byName(files) {
  /** @type {Record<string, number>} */
  const found = { "all files": sum(files) };
  for (const [path, bytes] of [...files].toSorted(([a], [b]) => a.localeCompare(b))) {
    const name = path.replace(/-[A-Z0-9]{8}(?=\.)/, "").replace(/[-.][0-9a-f]{8,}(?=\.)/, "");
    found[name] = (found[name] ?? 0) + bytes;
  }
  return found;
}

for (let n = 0; n < rounds; n++) {
  for (const column of sites.keys()) {
    if (parts.has("visits") || (parts.has("references") && column >= sites.length - Object.keys(REFERENCES).length))
      await visits(column, "");
    if (parts.has("line")) await visits(column, ", 20 Mbit/s", LINE);
    if (parts.has("slow")) await visits(column, `, ${SLOWER} times slower`, undefined, SLOWER);
  }
  for (const site of ours) {
    const column = sites.indexOf(site);
    if (parts.has("keys")) await keys(column, "");
    if (parts.has("keys") && parts.has("slow")) await keys(column, `, ${SLOWER} times slower`, SLOWER);
  }
}
for (const site of ours) {
  const column = sites.indexOf(site);
  if (parts.has("edits")) await edits(column);
  if (parts.has("files")) await files(column);
}
if (parts.has("native")) {
  for (const { name, figures } of await native(rounds)) {
    for (const [unit, value] of Object.entries(figures)) table.add(0, `native: ${name}`, unit, value);
  }
}
console.log(`${rounds} rounds: median / 95th\n${table}`);
