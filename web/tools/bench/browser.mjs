// A Chromium with a profile of its own, what a slower machine is, and how much memory
// a page takes.

import { readdir, readFile } from "node:fs/promises";
import { chromium } from "playwright-core";

import { makeServer } from "../server.mjs";

/** @typedef {import("playwright-core").Page} Page */

/**
 * Serves a site, and counts what is sent of it, by file.
 * @param {string} folder
 * @param {number} [bits] a second, of the line
 */
export async function serve(folder, bits) {
  /** @type {Map<string, number>} */
  let files = new Map();
  const server = await makeServer(folder, (path, sent) => files.set(path, (files.get(path) ?? 0) + sent), bits);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  if (address === null || typeof address !== "object") throw new Error("the server has no address");
  return {
    origin: `http://127.0.0.1:${address.port}`,
    /** What was sent since the last time, in bytes by path. */
    take() {
      const taken = files;
      files = new Map();
      return taken;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/**
 * Opens an empty page in a profile.
 * @param {string} profile
 */
export async function open(profile) {
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
    viewport: { width: 1280, height: 800 },
  });
  const page = context.pages()[0] ?? (await context.newPage());
  return { page, close: () => context.close() };
}

/**
 * The processes that hold the pages of a profile; none where there is no /proc.
 * @param {string} profile
 */
async function renderers(profile) {
  const all = await Promise.all(
    (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name)).map(describe),
  );
  const mine = new Set(all.filter((p) => p.command.includes(`--user-data-dir=${profile}`)).map((p) => p.pid));
  for (let more = true; more;) {
    const children = all.filter((p) => mine.has(p.parent) && !mine.has(p.pid));
    for (const child of children) mine.add(child.pid);
    more = children.length > 0;
  }
  return all.filter((p) => mine.has(p.pid) && p.command.includes("--type=renderer"));
}

/** @param {string} pid */
async function describe(pid) {
  const [command, status] = await Promise.all(
    ["cmdline", "status"].map((file) => readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "")),
  );
  const number = (/** @type {string} */ name) =>
    Number(new RegExp(`^${name}:\\s*(\\d+)`, "m").exec(status ?? "")?.[1] ?? 0);
  return {
    pid: Number(pid),
    command: command ?? "",
    parent: number("PPid"),
    kilobytes: number("VmRSS"),
    peak: number("VmHWM"),
  };
}

/**
 * What the page's process takes, in MB, with its worker: now, and at most so far.
 * @param {string} profile
 */
export async function memory(profile) {
  const all = await renderers(profile);
  return {
    now: Math.max(...all.map((p) => p.kilobytes)) / 1000,
    peak: Math.max(...all.map((p) => p.peak)) / 1000,
  };
}

/** How long the page's processes run and then stand still, as a slower machine, in milliseconds. */
const RUN = 2;

/**
 * Lets the page's processes, with all of their threads, run for one part of the time
 * only, until the function that it returns is called. What browsers offer by themselves
 * slows the page and not its workers.
 * @param {string} profile
 * @param {number} times
 */
export async function slowed(profile, times) {
  let over = false;
  let pids = (await renderers(profile)).map((p) => p.pid);
  const signal = (/** @type {NodeJS.Signals} */ name) => {
    for (const pid of pids) {
      try {
        process.kill(pid, name);
      } catch {
        pids = pids.filter((other) => other !== pid); // it has ended
      }
    }
  };
  const sleep = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const looked = setInterval(() => {
    void renderers(profile).then((all) => (pids = all.map((p) => p.pid)));
  }, 500); // a page may get another process
  const ended = (async () => {
    while (!over) {
      signal("SIGSTOP");
      const stopped = performance.now();
      await sleep(RUN * (times - 1));
      const ran = performance.now();
      signal("SIGCONT");
      // A timer may be late: the page runs for its part of what has really passed.
      await sleep((ran - stopped) / (times - 1));
    }
  })();
  return async () => {
    over = true;
    clearInterval(looked);
    await ended;
  };
}
