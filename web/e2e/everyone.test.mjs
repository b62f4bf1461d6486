// The pages for everyone: accessible in both themes, usable on narrow screens.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { accessible, firstOf, FULL, openProblems, openShare, ready, start, tab } from "./browser.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start({ shared: true });
});
after(() => site.close());

/** The playground with another verdict than that of the first page, and without one. */
const WITH_PROBLEMS = "/#example=condition-error-denies";
const states = ["/#example=default-requests", WITH_PROBLEMS, "/#new"];

/** What fills a view, and what it shows then. @type {Record<string, [string | undefined, string]>} */
const FILLED = {
  table: ["From the request", ".many-word"],
  tests: ["Save as a test", ".case"],
  whatif: [undefined, ".verdict"],
  versions: [undefined, ".version-strip"],
};

const pages = [
  "/",
  "/examples/",
  "/examples/first-look/",
  "/docs/",
  "/docs/scenario/",
  "/about/",
  "/no-such-page",
  ...(FULL ? ["/docs/diagnostics/", "/docs/embedding/"] : []), // as the other documents, and long
];

/**
 * What is pointed at and less than 24 px wide or high, but for links within a sentence.
 * @param {import("playwright-core").Page} page
 */
function smallTargets(page) {
  return page.evaluate(() =>
    [...document.querySelectorAll("a[href], button, summary, select, [role=tab], input[type=text], input[type=search]")]
      .filter((e) => e.checkVisibility({ visibilityProperty: true }) && getComputedStyle(e).display !== "inline")
      .map((e) => ({ name: e.textContent?.trim().slice(0, 30) || e.id, box: e.getBoundingClientRect() }))
      .filter(({ box }) => box.height > 1 && Math.min(box.height, box.width) < 23.9)
      .map(({ name, box }) => `${name}: ${box.width} x ${box.height}`),
  );
}

/** What has been looked at: every second time in dark colours. */
let turns = 0;

for (const path of [...pages, ...states]) {
  test(`axe finds nothing on ${path}${FULL ? ", light, dark and in forced colours" : ""}`, async () => {
    const { page, complaints, discard } = await site.open(path, { reducedMotion: "reduce" });
    if (path === "/" || path.startsWith("/#")) {
      await ready(page);
      await page.locator("#engine-state.is-evaluating, .outcome.is-loading").waitFor({ state: "detached" });
    }
    if (path === "/") await page.locator("[data-editor=policies] .cm-celLineNote").first().waitFor();
    /** Looks at the page; for a change that concerns a part, only at that. */
    const inEveryScheme = async (/** @type {string | undefined} */ part = undefined) => {
      await page.emulateMedia({ colorScheme: turns++ % 2 === 0 ? "light" : "dark" });
      await accessible(page, "all", FULL ? undefined : part);
      if (FULL) {
        await page.emulateMedia({ colorScheme: turns % 2 === 0 ? "light" : "dark" });
        await accessible(page, "colours");
        await page.emulateMedia({ colorScheme: "light", forcedColors: "active" });
        await accessible(page, "colours");
        await page.emulateMedia({ forcedColors: "none" });
      }
      assert.deepEqual(await smallTargets(page), []);
    };
    await inEveryScheme();
    if (path === "/") {
      for (const view of ["object", "diff", "answer", "table", "tests", "whatif", "versions"]) {
        await tab(page, view);
        const [button, filled] = FILLED[view] ?? [];
        if (button !== undefined) await page.locator(`#view-${view}`).getByRole("button", { name: button }).click();
        if (filled !== undefined) await page.locator(`#view-${view} ${filled}`).first().waitFor();
        await inEveryScheme(`#view-${view}`);
      }
      await openShare(page);
      await inEveryScheme("#share-dialog");
      await page.locator("#tab-share-embed").click();
      await page.locator("#embed-code").waitFor();
      await inEveryScheme("#share-dialog");
      await page.locator("#tab-share-picture").click();
      await page.locator("#share-picture img[alt*='Validating: denied here']").waitFor();
      await inEveryScheme("#share-dialog");
    }
    if (path === WITH_PROBLEMS) {
      await openProblems(page);
      await inEveryScheme("#problems");
    }
    await discard();
    // The missing page answers 404, which the browser reports.
    assert.deepEqual(
      complaints.filter((c) => !c.includes("404")),
      [],
    );
  });
}

// Those with the longest names in their outcomes.
const wide = ["/examples/reinvocation/", "/examples/webhook-timeouts/"];

for (const path of [...pages, ...wide]) {
  test(`${path} does not scroll sideways on narrow screens`, async () => {
    const { page, discard } = await site.open(path, { viewport: { width: 320, height: 800 }, hasTouch: true });
    for (const width of firstOf([320, 390, 768])) {
      await page.setViewportSize({ width, height: 800 });
      // The page as it is when it was opened at that width, not only resized.
      if (width !== 320) await page.reload();
      if (path === "/") await ready(page);
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      assert.equal(overflow, 0, `${overflow} pixels too wide at ${width}`);
    }
    await discard();
  });
}

/**
 * All pages that links lead to from the first one, by address, as HTML.
 * @param {import("playwright-core").Page} page
 */
async function everyPage(page) {
  const html = new Map();
  const seen = new Set(["/", "/404.html"]);
  for (const path of seen) {
    const response = await page.request.get(site.origin + path);
    assert.equal(response.status(), 200, path);
    if (!(response.headers()["content-type"] ?? "").includes("html")) continue;
    const text = await response.text();
    html.set(path, text);
    for (const [, href] of text.matchAll(/(?:href|src)="(\/[^"#?]*)/g)) if (href !== undefined) seen.add(href);
  }
  assert.ok(html.size > 60, `only ${html.size} pages were found`);
  return html;
}

test("every link of the site leads to a page, and every anchor to a place in it", async () => {
  const { page, discard } = await site.open("/404.html");
  const html = await everyPage(page);
  const ids = new Map(
    [...html].map(([path, text]) => [path, new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
  );
  let anchors = 0;
  for (const [path, text] of html) {
    for (const [, to, anchor] of text.matchAll(/href="(\/[^"#?]*)?#([^"]*)"/g)) {
      // What follows the # of the playground is a scenario.
      if (to === "/") {
        assert.match(anchor ?? "", /^(new$|1\/|example=)/, `${path} links to /#${anchor}`);
        const slug = /^example=(.*)/.exec(anchor ?? "")?.[1];
        assert.ok(slug === undefined || html.has(`/examples/${slug}/`), `${path} links to the example ${slug}`);
        continue;
      }
      anchors++;
      assert.ok(
        ids.get(to ?? path)?.has(decodeURIComponent(anchor ?? "")),
        `${path} links to ${to ?? ""}#${anchor}, which is not there`,
      );
    }
  }
  assert.ok(anchors > 500, `only ${anchors} anchors were found`);
  await discard();
});

test("axe finds nothing on the other pages, and none complains", { skip: !FULL }, async () => {
  const { page, done } = await site.open("/404.html", { reducedMotion: "reduce" });
  // The pages of examples are alike: every fifteenth of them.
  let examples = 0;
  const paths = [...(await everyPage(page)).keys()].filter(
    (path) => !pages.includes(path) && (!path.startsWith("/examples/") || examples++ % 15 === 0),
  );
  /** @type {string[]} */
  const violations = [];
  for (const [i, path] of paths.entries()) {
    // Half of the pages of each kind in light, half in dark.
    await page.emulateMedia({ colorScheme: i % 2 === 0 ? "light" : "dark" });
    await page.goto(site.origin + path);
    await accessible(page).catch((error) => violations.push(`${path}: ${error.message}`));
  }
  assert.deepEqual(violations, []);
  await done();
});

test("axe looks once more when the page changes meanwhile", async () => {
  const { page, done } = await site.open("/404.html");
  await accessible(page);
  const unreadable = () =>
    page.evaluate(() => {
      const text = document.createElement("p");
      Object.assign(text, { id: "unreadable", textContent: "This text can hardly be read" });
      Object.assign(text.style, { color: "#ddd", background: "#fff" });
      document.querySelector("main")?.append(text);
    });
  await unreadable();
  await assert.rejects(accessible(page), /color-contrast/);
  await page.evaluate(() => {
    const { axe } = /** @type {any} */ (window);
    const run = axe.run.bind(axe);
    axe.run = async (/** @type {unknown[]} */ ...of) => {
      const found = await run(...of);
      if (found.violations.length > 0) document.querySelector("#unreadable")?.remove();
      return found;
    };
  });
  await accessible(page);
  await done();
});

test("with the keyboard alone one comes through the whole page, and sees where one is", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  await page.locator("[data-editor=policies] .cm-celLineNote").first().waitFor();
  /** @type {string[]} */
  const visited = [];
  for (let i = 0; i < 150; i++) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      let element = document.activeElement;
      while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
      if (element === null || element === document.body) return { name: "", editor: false, visible: true };
      const editor = element.classList.contains("cm-content");
      // An editor shows its cursor and marks its line.
      const style = getComputedStyle(element);
      const box = element.getBoundingClientRect();
      const visible =
        editor ||
        (style.outlineStyle !== "none" &&
          parseFloat(style.outlineWidth) > 0 &&
          box.width > 0 &&
          box.bottom > 0 &&
          box.top < innerHeight);
      return { name: element.id || element.textContent?.trim().slice(0, 40) || element.tagName, editor, visible };
    });
    if (at.name === "") break;
    assert.ok(at.visible, `the focus cannot be seen on ${at.name}`);
    visited.push(at.name);
    if (at.editor) await page.keyboard.press("Escape"); // the next Tab leaves the editor
  }
  for (const name of ["kubernetes", "share", "more", "tab-request", "tab-policies", "divider", "tab-steps"]) {
    assert.ok(visited.includes(name), `${name} is not reached: ${visited.join(", ")}`);
  }
  assert.ok(visited.length < 150, "Tab does not come to an end");
  await done();
});

test("on a phone what takes the focus is not behind the verdict, also on the way back", async () => {
  const { page, done } = await site.open("/", { viewport: { width: 390, height: 844 } });
  await ready(page);
  await page.locator("[data-editor=policies] .cm-celLineNote").first().waitFor();
  await page.locator("#view-steps summary:visible, #view-steps button:visible").last().focus();
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press("Shift+Tab");
    const hidden = await page.evaluate(() => {
      const element = document.activeElement;
      const verdict = document.querySelector("#outcome .verdict");
      if (element === null || verdict === null || element.closest("#view-steps") === null) return "";
      const below = element.getBoundingClientRect().bottom > verdict.getBoundingClientRect().bottom;
      return below ? "" : `${element.textContent?.trim().slice(0, 40)} is behind the verdict`;
    });
    assert.equal(hidden, "");
  }
  await done();
});

test("in forced colours the chosen tab differs", async () => {
  const { page, done } = await site.open("/", { forcedColors: "active", reducedMotion: "reduce" });
  await ready(page);
  const border = (/** @type {string} */ id) =>
    page.locator(id).evaluate((tab) => getComputedStyle(tab).borderBottomColor);
  assert.notEqual(await border("#tab-steps"), await border("#tab-answer"));
  await done();
});
