// What one sees in the first ten seconds: what the page is for, both texts, what
// happened, what to press; and what is there while the engine loads.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { accessible, linkOf, paste, ready, start } from "./browser.mjs";

/** @typedef {import("playwright-core").Page} Page */

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start();
});
after(() => site.close());

const verdict = "#outcome .verdict strong";

/** Holds the engine back until the returned function is called. */
async function withoutEngine(/** @type {Page} */ page) {
  /** @type {() => void} */
  let release = () => undefined;
  const held = new Promise((resolve) => (release = () => resolve(undefined)));
  await page.route("**/*.wasm", async (route) => {
    await held;
    await route.continue();
  });
  return release;
}

test("the page says what it is for, and Paste yours is the first button", async () => {
  const { page, done } = await site.open("/");
  assert.equal(await page.locator(".tagline").innerText(), "What will the API server do with this request?");
  const first = await page.locator(".top .controls").locator("a, button, summary").first().innerText();
  assert.equal(first, "Paste yours");
  await ready(page);
  await page.locator("#paste-yours").click();
  await page.locator(verdict, { hasText: "No request" }).waitFor();
  const focused = await page.evaluate(
    () => /** @type {HTMLElement} */ (document.activeElement?.closest("[data-editor]")).dataset["editor"],
  );
  assert.equal(focused, "policies");
  await page.locator("#notice button", { hasText: "Go back" }).click();
  await page.locator(verdict, { hasText: "Denied" }).waitFor();
  await done();
});

test("from 1200 pixels both texts are seen; panes fold, move and stay as they are", async () => {
  const { page, done } = await site.open("/", { viewport: { width: 1200, height: 800 } });
  await ready(page);
  const seen = (/** @type {string} */ name) => page.locator(`[data-editor=${name}]`).isVisible();
  assert.ok((await seen("policies")) && (await seen("request")));
  const top = async (/** @type {string} */ name) => (await page.locator(`#panel-${name}`).boundingBox())?.y ?? 0;
  assert.ok((await top("policies")) < (await top("request")));
  // The other tabs change the upper pane only.
  await page.locator("#tab-cluster").click();
  assert.ok((await seen("cluster")) && (await seen("request")) && !(await seen("policies")));
  await page.locator("#tab-policies").click();
  await page.locator("#pane-move").click();
  assert.ok((await top("policies")) > (await top("request")));
  await page.reload();
  await ready(page);
  assert.ok((await top("policies")) > (await top("request")), "the order is kept");
  await page.locator("#pane-fold").click();
  assert.ok(!(await seen("request")));
  await page.locator("#tab-request").click();
  assert.ok(await seen("request"), "what is asked for is unfolded");
  await page.locator("#pane-enlarge").click();
  assert.ok((await seen("request")) && !(await seen("policies")));
  await page.locator("#pane-enlarge").click();
  const before = (await page.locator("#panel-request").boundingBox())?.height ?? 0;
  await page.locator("#pane-divider").focus();
  for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowDown");
  assert.ok(((await page.locator("#panel-request").boundingBox())?.height ?? 0) > before + 20);
  await accessible(page);
  await page.locator("#panes-kind").click();
  assert.ok((await seen("policies")) && !(await seen("request")), "one text at a time");
  await page.locator("#tab-request").click();
  assert.ok(!(await seen("policies")) && (await seen("request")));
  await done();
});

test("a problem in the request is found while the policies are in the other pane", async () => {
  const { page, done } = await site.open("/", { viewport: { width: 1300, height: 800 } });
  await ready(page);
  await paste(
    page,
    "request",
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: shop}\nspec: {kontainers: []}\n",
  );
  await page.locator("#problems .problem").first().waitFor();
  await page.locator("#problems .jump").first().click();
  assert.equal(await page.locator("#tab-policies").getAttribute("aria-selected"), "true");
  assert.ok(await page.locator("[data-editor=policies]").isVisible());
  await done();
});

test("selected text is seen on the line of the cursor", async () => {
  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    const { page, done } = await site.open("/", { colorScheme, reducedMotion: "reduce" });
    await ready(page);
    await page.locator(".guide .jump").nth(2).click(); // Deny
    const mark = page.locator(
      "[data-editor=policies] .cm-selectionBackground, [data-editor=request] .cm-selectionBackground",
    );
    await mark.first().waitFor();
    const box = await mark.first().boundingBox();
    assert.ok(box !== null && box.width > 10);
    // The colour between the letters: the corner of the selection, and a place
    // on the same line that is not selected.
    const colour = async (/** @type {number} */ x) => {
      const clip = { x, y: box.y + 1, width: 1, height: 1 };
      const shot = await page.screenshot({ clip, caret: "hide" });
      return shot.toString("base64");
    };
    assert.notEqual(await colour(box.x + 1), await colour(box.x + box.width + 60), `${colorScheme}: nothing is marked`);
    await done();
  }
});

test("an example shows the build's result until the engine gives its own", async () => {
  const { page, complaints } = await site.open("/404.html");
  const release = await withoutEngine(page);
  await page.goto(`${site.origin}/#example=sidecar-apply`);
  await page.locator(verdict, { hasText: "Admitted, mutated" }).waitFor();
  await page.locator("#view-steps .step").first().waitFor();
  assert.match(await page.locator("#engine-text").innerText(), /Loading the engine, \d+ %/);
  // An answer from before a change says so.
  await page.locator("[data-editor=request] .cm-content").click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("# ");
  await page.locator("#stale-note", { hasText: "before your change" }).waitFor();
  release();
  await ready(page);
  await page.locator("#stale-note").waitFor({ state: "hidden" });
  await page.locator("#engine-state.is-evaluating").waitFor({ state: "detached" });
  await page.context().close();
  assert.deepEqual(
    complaints.filter((c) => !/404|waiting|Service Worker/.test(c)),
    [],
  );
});

test("an own scenario shows the shape of a result until there is one", async () => {
  const { page } = await site.open("/404.html");
  const release = await withoutEngine(page);
  await page.goto(`${site.origin}/#new`);
  await page.locator(".skeleton").waitFor();
  assert.ok(!(await page.locator("#outcome").isVisible()));
  release();
  await ready(page);
  await page.locator(verdict, { hasText: "No request" }).waitFor();
  assert.ok(!(await page.locator(".skeleton").isVisible()));
  await page.context().close();
});

test("nothing moves, wherever one comes in", async () => {
  const { page } = await site.open("/404.html");
  await page.addInitScript(() => {
    Object.assign(window, { shift: 0 });
    new PerformanceObserver((list) => {
      for (const entry of /** @type {any[]} */ (list.getEntries())) {
        if (!entry.hadRecentInput) Object.assign(window, { shift: /** @type {any} */ (window).shift + entry.value });
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  const link = "/#example=sidecar-apply";
  const first = await site.open("/#example=webhook-denies");
  await ready(first.page);
  const permalink = new URL(await linkOf(first.page));
  await first.page.context().close();
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    for (const path of ["/", "/examples/first-look/", link, permalink.pathname + permalink.hash, "/docs/embedding/"]) {
      await page.goto("about:blank");
      await page.goto(site.origin + path, { waitUntil: "networkidle" });
      if (path.startsWith("/#") || path === "/") {
        await ready(page);
        await page.locator("#engine-state.is-evaluating").waitFor({ state: "detached" });
      }
      const shift = await page.evaluate(() => /** @type {any} */ (window).shift);
      assert.ok(shift < 0.05, `${path} at ${width}: layout shift ${shift}`);
    }
  }
  await page.context().close();
});

test("the bar of a phone has one row, and the rest behind a button", async () => {
  const { page, done } = await site.open("/", { viewport: { width: 390, height: 844 }, hasTouch: true });
  await ready(page);
  const middles = await page
    .locator(".top .brand, #paste-yours, #kubernetes, #share, #more")
    .evaluateAll((all) => all.map((e) => e.getBoundingClientRect()).map((b) => b.top + b.height / 2));
  assert.equal(middles.length, 5);
  assert.ok(Math.max(...middles) - Math.min(...middles) < 4, `they are at ${middles.join(", ")}`);
  assert.equal(await page.locator(".version-short").innerText(), "K8s");
  assert.ok(!(await page.locator("#examples").isVisible()));
  await page.locator("[data-editor=policies] .cm-celLineNote").first().waitFor();
  await page.locator("#more").click();
  assert.ok(await page.locator("#examples").isVisible());
  assert.ok(await page.getByRole("link", { name: "Docs" }).first().isVisible());
  await accessible(page);
  await page.keyboard.press("Escape");
  assert.ok(!(await page.locator("#examples").isVisible()));
  await done();
});

test("while a word is half written and completions are offered, there are no errors", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  await page.locator("#tab-expression").click();
  await page.locator("[data-editor=expression] .cm-content").click();
  await page.keyboard.type("object.spec.replicas > 1 && obj");
  await page.locator("[data-editor=expression] .cm-tooltip-autocomplete").waitFor();
  await page.waitForTimeout(1500);
  assert.equal(await page.locator("#problems .problem.is-error").count(), 0);
  await page.keyboard.press("Escape"); // no completions: now it counts
  await page.locator("#problems .problem.is-error").first().waitFor();
  await done();
});

test("on the Expression tab the value comes first", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  await paste(page, "expression", "object.spec.replicas * 2");
  await page.locator(".expression-card .becomes .value", { hasText: "16" }).waitFor();
  const top = async (/** @type {string} */ what) => (await page.locator(what).first().boundingBox())?.y ?? 0;
  assert.ok((await top(".expression-card")) < (await top("#outcome .verdict")));
  await page.locator("#tab-policies").click();
  assert.ok((await top(".expression-card")) > (await top("#outcome .verdict")));
  // Rules of a schema are another kind of text; the expression is there again after them.
  await page.locator("#tab-expression").click();
  await page.locator("#expression-context").selectOption("rule");
  const rules = page.locator(".rules-card .rules-state");
  await rules.filter({ hasText: /Invalid\s+CREATE/ }).waitFor();
  await page.locator("[data-part=oldSelf]").click();
  await rules.filter({ hasText: /Valid\s+UPDATE/ }).waitFor();
  await page.locator("#expression-context").selectOption("validation");
  await page.locator(".expression-card .becomes .value", { hasText: "16" }).waitFor();
  await done();
});

test("every page says what it runs and where to report; the playground's report has the scenario", async () => {
  const { page, done } = await site.open("/docs/");
  const foot = page.locator(".foot");
  assert.match(await foot.innerText(), /Kubernetes 1\.30 to 1\.\d\d/);
  assert.match(await foot.innerText(), /\d+ of \d+ recorded answers equal/);
  assert.match((await page.locator("#report-wrong").getAttribute("href")) ?? "", /issues\/new\?/);
  await page.goto(`${site.origin}/`);
  await ready(page);
  await page.locator("#report-wrong").focus();
  await page.locator("#report-wrong[href*='Denied']").waitFor(); // what fills it in is loaded when it is needed
  const address = new URL((await page.locator("#report-wrong").getAttribute("href")) ?? "");
  assert.match(address.searchParams.get("title") ?? "", /^Wrong answer: Denied/);
  assert.match(address.searchParams.get("body") ?? "", /at most 5 replicas[^]*\/#1\//);
  await done();
});
