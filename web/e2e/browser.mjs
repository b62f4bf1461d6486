// What the browser tests share: the built site behind the server that
// scripts/serve uses, and a Chromium whose every complaint fails the test.
//
// With BROWSER=firefox they run in Debian's firefox-esr instead (scripts/browsers): a
// few tests cannot pass there, as WebDriver BiDi neither switches JavaScript off nor
// types into frames of another origin, and the pictures are Chromium's.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import playwright, { chromium, firefox } from "playwright-core";

import { makeServer } from "../tools/server.mjs";

const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

const args = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Ten times the work before V8 optimises a function of the engine: most tests end
  // before that pays, and a sixth of their processor time went there.
  "--js-flags=--wasm-tiering-budget=130000000",
  // Pages of one profile share a process, and with it what V8 has compiled of the engine.
  "--renderer-process-limit=1",
];

/** What of a profile's options a page can have by itself. */
const OF_A_PAGE = ["viewport", "colorScheme", "reducedMotion", "forcedColors"];

/**
 * @typedef {import("playwright-core").Page} Page
 * @typedef {import("playwright-core").BrowserContextOptions} Options
 */

async function launch() {
  if (process.env["BROWSER"] === "firefox") return launchFirefox();
  assert.ok(
    existsSync(executablePath),
    `no Chromium at ${executablePath}; install the package chromium, or set CHROMIUM`,
  );
  return chromium.launch({ executablePath, args });
}

/**
 * A Firefox as Debian has it. Playwright sets the colour scheme of every page by
 * a command that this Firefox does not know; nothing else of it is missing. A page that
 * Firefox has kept has no second load, for which playwright would wait.
 */
async function launchFirefox() {
  const browser = await firefox.launch({
    channel: "moz-firefox",
    executablePath: "/usr/bin/firefox-esr",
    firefoxUserPrefs: { "browser.sessionhistory.max_total_viewers": 0 },
  });
  const session = /** @type {any} */ (playwright)._connection.toImpl(browser)._browserSession;
  const send = session.send.bind(session);
  session.send = (/** @type {string} */ method, /** @type {unknown} */ params) =>
    method === "emulation.setMediaFeaturesOverride" ? Promise.resolve({}) : send(method, params);
  return browser;
}

/**
 * How long a test waits for a state of the page, in milliseconds. It is no measure of anything: a
 * machine that does other things besides takes thirty times as long as one that does not, and a
 * test that fails has time.
 */
const PATIENCE = Number(process.env["PATIENCE"] ?? 180_000);

/**
 * Makes a profile. The service worker, which would fetch the whole site each time, is only there
 * for a test that allows it.
 * @param {import("playwright-core").Browser} browser
 * @param {Options} options
 */
async function profile(browser, options) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(PATIENCE);
  // Playwright's own "block" lets the page believe that it had registered one.
  if (options.serviceWorkers !== "allow")
    await context.addInitScript(() => void Reflect.deleteProperty(Navigator.prototype, "serviceWorker"));
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      console.error(`CSP ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`);
    });
  });
  return context;
}

/**
 * A profile for many tests, one after the other. Its first page does nothing but keep the compiled
 * engine alive, which the pages of its process share: a third of the work of opening one is to compile it.
 * @param {import("playwright-core").Browser} browser
 * @param {string} origin
 */
async function sharedProfile(browser, origin) {
  const context = await profile(browser, {});
  const keeper = await context.newPage();
  await keeper.goto(`${origin}/licenses.txt`);
  const engines = (await readdir(new URL("../dist/assets/", import.meta.url))).filter((name) => name.endsWith(".wasm"));
  await keeper.evaluate(
    async (urls) => {
      const modules = urls.map((url) => WebAssembly.compileStreaming(fetch(url)));
      Object.assign(window, { modules: await Promise.all(modules) });
    },
    engines.map((name) => `/assets/${name}`),
  );
  return {
    /** Opens an empty page in a profile that knows nothing of earlier ones. @param {Options} options */
    async newPage({ viewport, ...media }) {
      for (const page of context.pages()) if (page !== keeper) await leave(page);
      await context.clearPermissions();
      const page = await context.newPage();
      // By the page itself, before its first script: the work that an earlier page kept late would be opened.
      await page.addInitScript((origin) => {
        if (window !== top || location.origin !== origin || sessionStorage.getItem("emptied") !== null) return;
        localStorage.clear();
        sessionStorage.setItem("emptied", "");
      }, origin);
      if (viewport) await page.setViewportSize(viewport);
      await page.emulateMedia(media);
      return page;
    },
  };
}

/**
 * Closes a page of a shared profile. A page that is only closed may keep its work a moment later, when the
 * profile has been emptied for the next test; what has another document in its place cannot.
 * @param {Page} page
 */
async function leave(page) {
  for (const event of ["console", "pageerror", "request"]) page.removeAllListeners(event); // what breaks off now is no complaint
  await page.goto("about:blank").catch(() => undefined); // one that is already closed
  await page.close();
}

/**
 * Keeps a page from trying longer lists while it has nothing else to do (app/playground.ts), which takes
 * seconds of a processor on each page, and from the tests beside it. e2e/limits.test.mjs is about that.
 * @param {Page} page
 */
async function withoutSearch(page) {
  const source = await readFile(new URL("../app/playground.ts", import.meta.url), "utf8");
  const [, rest] = /^const LIMITS_REST = (\d+);$/m.exec(source) ?? [];
  assert.ok(rest !== undefined, "app/playground.ts does not say when the search begins");
  await page.addInitScript((rest) => {
    const { setTimeout } = window;
    window.setTimeout = /** @type {typeof setTimeout} */ (
      (/** @type {() => void} */ handler, ms = 0, /** @type {unknown[]} */ ...given) =>
        ms === rest ? 0 : setTimeout(handler, ms, ...given)
    );
  }, Number(rest));
}

/** Whether all tests run, before a release (scripts/full), or those that concern a change (scripts/test). */
export const FULL = process.env["PREADMIT_FULL"] === "1";

/**
 * Where a test runs that can run in several places: in all of them before a release, otherwise in the first.
 * @template T
 * @param {readonly T[]} places
 */
export const firstOf = (places) => (FULL ? places : places.slice(0, 1));

/** The site that the files of this process share, and how many of them use it. @type {{ site: ReturnType<typeof begin>, users: number } | undefined} */
let common;

/**
 * Starts server and browser; close ends both.
 * @param {{ shared?: boolean }} [options] shared gives tests that need nothing special a page in the same
 * profile, emptied, in place of a profile of their own. Files in one process have the same one (tools/e2e.mjs).
 */
export async function start({ shared = false } = {}) {
  if (!shared) return begin(false);
  common ??= { site: begin(true), users: 0 };
  const mine = common;
  mine.users++;
  const site = await mine.site;
  return {
    ...site,
    async close() {
      if (--mine.users > 0) return;
      if (common === mine) common = undefined;
      await site.close();
    },
  };
}

/** @param {boolean} shared */
async function begin(shared) {
  const browser = await launch(); // first: without one, a server would keep the process alive
  const server = await makeServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const origin = `http://127.0.0.1:${address.port}`;
  // Firefox gives its pages processes as it likes.
  const visitor = shared && process.env["BROWSER"] !== "firefox" ? await sharedProfile(browser, origin) : undefined;
  return {
    origin,
    server,

    /**
     * Opens an address in a profile without a past. The page's errors and violations
     * of the Content-Security-Policy are collected.
     * @param {string} path
     * @param {Options & { own?: boolean, search?: boolean }} [options] own asks for a profile of its own where
     * others are shared, search for the search for lengths that break a limit
     */
    async open(path, { own = false, search = false, ...options } = {}) {
      const joins = !own && Object.keys(options).every((option) => OF_A_PAGE.includes(option));
      const page = await (joins && visitor ? visitor.newPage(options) : (await profile(browser, options)).newPage());
      if (!search) await withoutSearch(page);
      const discard = () => (joins && visitor ? leave(page) : page.context().close());
      /** @type {string[]} */
      const complaints = [];
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
      });
      page.on("request", (request) => {
        const url = request.url();
        if (!url.startsWith(origin) && !/^(blob|data):/.test(url)) complaints.push(`asked another host: ${url}`);
      });
      await page.goto(origin + path);
      return {
        page,
        complaints,
        /** Closes the page, whatever it complained about. */
        discard,
        /** Closes the page; fails when it complained about anything. */
        async done() {
          await discard();
          assert.deepEqual(complaints, []);
        },
      };
    },

    async close() {
      await browser.close();
      server.closeAllConnections(); // a download that stalls on purpose would keep it open
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Waits until the engine has loaded.
 * @param {Page} page
 */
export async function ready(page) {
  await page.locator("#engine-state[data-state=ready]").waitFor({ state: "attached" });
}

/**
 * Lets the page wait twenty times as long before it ends an engine that does not answer, for tests of
 * what is dear: on a busy machine an evaluation that ends by its own limits takes longer than the page
 * waits. To be called before the page is opened.
 * @param {Page} page
 */
export async function patient(page) {
  await page.addInitScript(() => {
    const { setTimeout } = window;
    window.setTimeout = /** @type {typeof setTimeout} */ (
      (/** @type {() => void} */ handler, ms = 0) => setTimeout(handler, ms < 10_000 ? ms : 20 * ms)
    );
  });
}

/** The views of the result that are behind a tab of the first row. @type {Record<string, string>} */
const GROUPS = {
  object: "object",
  diff: "object",
  versions: "compare",
  whatif: "compare",
  table: "compare",
  tests: "compare",
};

/**
 * Brings a text into the editor by its first document, or shows a view of the result.
 * @param {Page} page
 * @param {string} name
 */
export async function tab(page, name) {
  const group = GROUPS[name];
  if (group !== undefined) await page.locator(`#group-${group}`).click();
  const row = page.locator(`#tab-${name}`);
  const text = ["policies", "request", "cluster", "expression"].indexOf(name);
  if (text < 0) return row.click();
  if (await row.isVisible()) await row.click();
  else if (name === "expression") {
    const menu = page.locator("#new-menu > summary");
    if (!(await menu.isVisible())) await page.locator("#more").click();
    await menu.click();
    await page.locator("[data-open-text=expression]").click();
  } else await page.keyboard.press(`Alt+${text + 1}`); // the empty page
  await page.locator(`#panel-${name}.is-selected`).waitFor();
}

/**
 * Opens the best example for some words.
 * @param {Page} page
 * @param {string} words
 */
export async function openExample(page, words) {
  await page.locator("#examples summary").click();
  await page.locator("#example-search").fill(words);
  await page.locator("#example-found a").first().click();
}

/**
 * Opens the list of problems.
 * @param {Page} page
 */
export async function openProblems(page) {
  await page.locator(".problems-fold:not([open]) > summary").click();
}

/**
 * Replaces the text of an editor, as a paste does.
 * @param {Page} page
 * @param {string} name
 * @param {string} text
 */
export async function paste(page, name, text) {
  await tab(page, name);
  const content = page.locator(`[data-editor=${name}] .cm-content`);
  await content.click({ position: { x: 30, y: 8 } }); // not on a note, which leads to the result
  await page.keyboard.press("ControlOrMeta+a");
  if (process.env["BROWSER"] === "firefox") {
    // Firefox lets no script say what is pasted, so it goes by way of its clipboard.
    await page.evaluate((value) => navigator.clipboard.writeText(value), text);
    await page.keyboard.press("ControlOrMeta+v");
    return;
  }
  await content.evaluate((element, value) => {
    const data = new DataTransfer();
    data.setData("text/plain", value);
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, text);
}

/**
 * Opens the Share dialog, whose script is loaded for it.
 * @param {Page} page
 */
export async function openShare(page) {
  await page.locator("#share").click();
  await page.locator("#share-dialog[open]").waitFor();
}

/**
 * The text of an editor, however long it is. CodeMirror only draws what is in
 * sight, so this asks the link that the page makes of it.
 * @param {Page} page
 */
export async function linkOf(page) {
  await openShare(page);
  const link = await page.locator("#share-link").inputValue();
  await page.keyboard.press("Escape");
  return link;
}

const require = createRequire(import.meta.url);

/**
 * Waits until nothing in the document has changed for a fifth of a second.
 * @param {Page} page
 */
export async function quiet(page) {
  await page.evaluate(
    () =>
      new Promise((/** @type {(value: void) => void} */ resolve) => {
        const still = () => {
          observer.disconnect();
          resolve();
        };
        let timer = setTimeout(still, 200);
        const observer = new MutationObserver(() => {
          clearTimeout(timer);
          timer = setTimeout(still, 200);
        });
        observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
      }),
  );
}

/** What of axe looks at colours: all that another colour scheme can change. */
const COLOURS = ["color-contrast", "link-in-text-block"];

/**
 * Fails when axe finds anything wrong with the page, with a part of it, or with its colours alone. It needs a
 * document that keeps still: an element that is replaced while axe looks has neither a selector
 * nor a background. What axe finds while the document changes is no finding: it looks once more.
 *
 * Colours are what takes axe longest, as it asks at every text what lies above and below it. On a
 * page where a thousand texts look alike it is asked about three of them: those with the same
 * computed style, in elements with the same computed styles up to the root.
 * @param {Page} page
 * @param {"all" | "colours"} [what]
 * @param {string} [part] the selector of the part that axe looks at, without the rules about whole pages
 */
export async function accessible(page, what = "all", part = "html") {
  if (!(await page.evaluate(() => "axe" in window))) {
    const source = await readFile(require.resolve("axe-core/axe.min.js"), "utf8");
    // Through the debugger, which the Content-Security-Policy does not concern.
    await page.evaluate(source);
  }
  for (let left = 5; ; left--) {
    await quiet(page);
    const { violations, changed } = await findings(page, what, part);
    if (changed && violations.length > 0 && left > 0) continue;
    assert.deepEqual(violations, []);
    return;
  }
}

/**
 * What axe finds, and whether the document changed in the meantime.
 * @param {Page} page
 * @param {"all" | "colours"} what
 * @param {string} part
 */
async function findings(page, what, part) {
  return page.evaluate(
    async ({ colours, all, part }) => {
      let changed = false;
      const observer = new MutationObserver(() => (changed = true));
      observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
      const { axe } = /** @type {any} */ (window);
      const options = { selectors: false, resultTypes: ["violations", "incomplete"] };

      /** @type {Map<string, number>} */
      const numbers = new Map();
      /** @type {Map<Element, number>} */
      const looks = new Map();
      /** A number for how an element looks. @type {(element: Element) => number} */
      const lookOf = (element) => {
        const known = looks.get(element);
        if (known !== undefined) return known;
        const s = getComputedStyle(element);
        const root = element.getRootNode();
        const parent = element.parentElement ?? (root instanceof ShadowRoot ? root.host : undefined);
        const look = [
          parent === undefined ? "" : lookOf(parent),
          element.localName,
          ...[s.color, s.backgroundColor, s.backgroundImage, s.backgroundSize, s.opacity, s.filter, s.mixBlendMode],
          ...[s.fontSize, s.fontWeight, s.textShadow, s.textDecorationLine, s.borderBottomWidth, s.borderBottomStyle],
          ...[s.display, s.visibility, s.position, s.zIndex, s.overflow, s.clipPath],
        ].join("|");
        const number = numbers.get(look) ?? numbers.size;
        numbers.set(look, number);
        looks.set(element, number);
        return number;
      };

      /** @type {Element[]} */
      const asked = [];
      /** @type {Map<number, number>} */
      const seen = new Map();
      const collect = (/** @type {Document | Element | ShadowRoot} */ tree) => {
        for (const element of tree.querySelectorAll("*")) {
          if (element.shadowRoot !== null) collect(element.shadowRoot);
          const text = [...element.childNodes].some((node) => node.nodeType === 3 && node.nodeValue?.trim());
          const one = text || element.matches("input, select, textarea, iframe");
          if (!one || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
          const look = lookOf(element);
          const before = seen.get(look) ?? 0;
          seen.set(look, before + 1);
          if (before < 3 || element.localName === "iframe") asked.push(element);
        }
      };
      const within = part === "html" ? document : document.querySelector(part);
      if (within === null) throw new Error(`there is no ${part}`);
      collect(within);

      const without = Object.fromEntries(colours.map((rule) => [rule, { enabled: false }]));
      /** @type {any[]} */
      const results = [];
      try {
        if (all) results.push(await axe.run(within, { ...options, rules: without }));
        if (asked.length > 0) results.push(await axe.run({ include: asked }, { ...options, runOnly: colours }));
      } catch (error) {
        await new Promise((resolve) => setTimeout(resolve)); // the observer's turn
        if (!changed) throw error;
        return { violations: [String(error)], changed };
      }
      observer.disconnect();
      // In the playground every contrast is measured. axe cannot say how well a text is read behind another
      // element, nor a single sign or an empty field; in forced colours the system sees to that.
      const measured = document.querySelector("#documents") !== null && !matchMedia("(forced-colors: active)").matches;
      const known = [
        "bgOverlap",
        "elmPartiallyObscured",
        "elmPartiallyObscuring",
        "emptyValue",
        "nonBmp",
        "shortTextContent",
      ];
      const matters = (/** @type {any} */ node) =>
        node.any.some((/** @type {any} */ a) => !known.includes(a.data?.messageKey));
      const unmeasured = (/** @type {any} */ { incomplete }) =>
        incomplete
          .filter((/** @type {any} */ v) => measured && v.id === "color-contrast")
          .map((/** @type {any} */ v) => ({ ...v, nodes: v.nodes.filter(matters) }))
          .filter((/** @type {any} */ v) => v.nodes.length > 0);
      const violations = results.flatMap((result) =>
        [...result.violations, ...unmeasured(result)].map(
          (/** @type {any} */ v) =>
            `${v.id}: ${v.nodes
              .slice(0, 3)
              .map(
                (/** @type {any} */ n) =>
                  `${n.html.slice(0, 120)} ${n.any.map((/** @type {any} */ a) => a.message).join("; ")}`,
              )
              .join(" | ")}`,
        ),
      );
      return { violations, changed };
    },
    { colours: COLOURS, all: what === "all", part },
  );
}
