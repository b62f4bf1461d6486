// What one sees in the first ten seconds: what the page is for, both texts, what
// happened, what to press; and what is there while the engine loads.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { accessible, FULL, linkOf, openProblems, paste, quiet, ready, start, tab } from "./browser.mjs";

/** @typedef {import("playwright-core").Page} Page */

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start();
});
after(() => site.close());

const verdict = "#outcome .verdict strong";

/** A definition with a rule, and an object that breaks it. */
const DEFINITION = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ranges.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Range, plural: ranges, singular: range, listKind: RangeList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          min: {type: integer}
        x-kubernetes-validations:
        - {rule: self.min <= 3, message: at most 3}
---
apiVersion: example.com/v1
kind: Range
metadata: {name: one, namespace: default}
min: 9
`;

/** An object that is denied with a long message. */
const MANY_MISTAKES = `apiVersion: v1
kind: Pod
metadata: {name: a, namespace: shop}
spec:
  containers: [{name: A_, image: ""}, {name: A_, image: ""}]
  restartPolicy: Often
  volumes: [{name: x_}, {name: x_}]
`;

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
  const tagline = "Test Kubernetes admission policies and webhooks. Nothing you paste leaves your browser.";
  assert.equal(await page.locator(".tagline").innerText(), tagline);
  const first = await page.locator(".top .controls").locator("a, button, summary").first().innerText();
  assert.equal(first, "Paste yours");
  await ready(page);
  // Notes stand behind the text of their line, also where that is wrapped.
  await page.locator(".cm-celLineNotes").first().waitFor();
  const over = await page.locator("[data-editor=policies] .cm-line:has(.cm-celLineNotes)").evaluateAll(
    (lines) =>
      lines.filter((line) => {
        const note = /** @type {Element} */ (line.querySelector(".cm-celLineNote"));
        const range = document.createRange();
        range.setStart(line, 0);
        range.setEndBefore(/** @type {Element} */ (line.querySelector(".cm-celLineNotes")));
        const text = [...range.getClientRects()];
        const { left, right, top, bottom } = note.getBoundingClientRect();
        return text.some((t) => t.left < right && left < t.right && t.top < bottom && top < t.bottom);
      }).length,
  );
  assert.equal(over, 0);
  await page.locator("#paste-yours").click();
  await page.locator(".start-head h1").waitFor();
  const focused = await page.evaluate(
    () => /** @type {HTMLElement} */ (document.activeElement?.closest("[data-editor]")).dataset["editor"],
  );
  assert.equal(focused, "policies");
  await page.locator("#notice button", { hasText: "Go back" }).click();
  await page.locator(verdict, { hasText: "Denied" }).waitFor();
  // The invitation survives a change and a reload.
  await page.locator(".guide .jump").first().click();
  await page.keyboard.type("5");
  await page.locator(verdict, { hasText: "Admitted" }).waitFor();
  await page.waitForURL(/#1\//);
  await page.route("**/*-registry.wasm", () => undefined); // never comes
  await page.reload();
  await ready(page);
  await page.locator(verdict, { hasText: "Admitted" }).waitFor();
  // What is still running is shown beside the verdict and covers none of it.
  const under = page.locator(".rests .asked", { hasText: "Still checking" });
  await under.waitFor();
  const [note, status] = [await under.boundingBox(), await page.locator("#outcome .verdict .status").boundingBox()];
  assert.ok(note !== null && status !== null);
  assert.ok(note.x >= status.x + status.width || note.y + note.height <= status.y, "it covers the verdict");
  assert.match(await page.locator(".guide").innerText(), /^Try it: set replicas to 5/);
  await done();
});

test("a phone shows what the page is for, that it is private, and the scenario's title above the verdict", async () => {
  const { page, done } = await site.open("/", { viewport: { width: 390, height: 844 } });
  await ready(page);
  const parts = [".tagline strong", "#scenario-title", verdict, ".path"];
  const boxes = await Promise.all(parts.map((part) => page.locator(part).first().boundingBox()));
  const ends = boxes.map((box) => (box?.y ?? NaN) + (box?.height ?? NaN));
  assert.deepEqual(
    ends,
    ends.toSorted((a, b) => a - b),
  );
  assert.ok((ends.at(-1) ?? NaN) < 844, ends.join());
  await done();
});

test("the first screen has at most 30 controls and 200 words, none below 14 px, and nothing moves while one types", async () => {
  const { page, done } = await site.open("/", { viewport: { width: 1440, height: 900 }, search: true });
  await ready(page);
  await page.locator("[data-editor=policies] .cm-celLineNote").first().waitFor();
  const counted = await page.evaluate(() => {
    /** @param {DOMRect} box @param {Element} of */
    const seen = (box, of) => {
      if (box.width < 2 || box.bottom <= 0 || box.top >= innerHeight || box.right <= 0) return false;
      if (!of.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
      const at = document.elementFromPoint(
        (box.left + box.right) / 2,
        Math.min((box.top + box.bottom) / 2, innerHeight - 1),
      );
      return at !== null && (of.contains(at) || at.contains(of));
    };
    const found = [...document.querySelectorAll("a[href], button, summary, input, select")].filter((element) =>
      seen(element.getBoundingClientRect(), element),
    );
    const name = (/** @type {Element} */ element) => element.id || element.textContent?.trim();
    const controls = found.map(name);
    const flat = found.filter((element) => element.getBoundingClientRect().height < 24).map(name);
    const words = [];
    const small = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const { parentElement: parent, textContent } = node;
      const text = textContent?.trim() ?? "";
      if (text === "" || parent === null || parent.closest("[data-editor], option, .visually-hidden") !== null)
        continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      if (!seen(range.getBoundingClientRect(), parent)) continue;
      words.push(...text.split(/\s+/));
      const size = parseFloat(getComputedStyle(parent).fontSize);
      if (size < 14 && parent.closest("code, pre, kbd, .value") === null) small.push(`${text}: ${size} px`);
    }
    return { controls, words, small, flat };
  });
  assert.ok(counted.controls.length <= 30, `${counted.controls.length} controls: ${counted.controls.join(" | ")}`);
  assert.ok(counted.words.length <= 200, `${counted.words.length} words: ${counted.words.join(" ")}`);
  assert.deepEqual(counted.small, []);
  assert.deepEqual(counted.flat, [], "targets are 24 px high");
  assert.match(await page.getByRole("heading", { level: 2, name: /Denied/ }).innerText(), /422/);
  // A line that is broken for a while, key by key: problems come and go.
  await page.evaluate(() => {
    Object.assign(window, { moved: [] });
    new PerformanceObserver((list) => {
      for (const entry of /** @type {any[]} */ (list.getEntries())) {
        // The text itself makes room for what is typed, and completions follow the cursor.
        const moved = entry.sources.flatMap((/** @type {any} */ { node }) =>
          node?.parentElement?.closest(".workbench") && !node.parentElement.closest(".cm-editor") ? [node] : [],
        );
        const what = moved.map((/** @type {any} */ node) => node.className || node.textContent).join(", ");
        if (moved.length > 0) /** @type {any} */ (window).moved.push([entry.value, what]);
      }
    }).observe({ type: "layout-shift" });
  });
  const height = async () => (await page.locator("#panel-policies").boundingBox())?.height;
  const before = await height();
  await page.locator("[data-editor=policies] .cm-line", { hasText: "object.spec.replicas <=" }).click();
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.type(" && object.spec.repl", { delay: 60 });
  await page.keyboard.press("Escape"); // no completions: now it counts
  await page.locator("#problems .problem-line").waitFor();
  await page.locator(verdict, { hasText: "Policy rejected" }).waitFor();
  await page.locator(".outcome .pods").waitFor(); // comes with the search
  assert.equal(await height(), before, "the editor keeps its height");
  const moved = await page.evaluate(() => /** @type {any} */ (window).moved);
  const sum = moved.reduce((/** @type {number} */ all, /** @type {[number, string]} */ [value]) => all + value, 0);
  assert.ok(sum < 0.01, `layout shift ${sum}: ${moved.join("; ")}`);
  await openProblems(page);
  assert.ok(await page.locator(".problems-body").isVisible());
  assert.equal(await height(), before, "the list opens over the result");
  await page.keyboard.press("Escape");
  await page.locator(".problems-body").waitFor({ state: "hidden" });
  await done();
});

test("documents are listed with their fate, and a click shows one", async () => {
  const { page, done } = await site.open("/", { viewport: { width: 1440, height: 900 } });
  await ready(page);
  const rows = await page
    .locator("#documents .doc")
    .evaluateAll((all) => all.map((row) => row.textContent?.replace(/\s+/g, " ").trim() ?? ""));
  assert.deepEqual(rows.slice(0, 5), [
    "Deployment web CREATE as jane",
    "replica-limit denied",
    "change-window excluded",
    "add-owner 1 change",
    "Namespace shop used",
  ]);
  assert.match((await page.locator(".doc.is-decisive").innerText()) ?? "", /replica-limit/);
  const current = page.locator("#documents [aria-current]");
  assert.match(await current.innerText(), /replica-limit/);
  await page.locator(".doc", { hasText: "add-owner" }).click();
  await page.locator("[data-editor=policies] .cm-activeLine").waitFor();
  assert.match(await current.innerText(), /add-owner/, "the cursor is in its document");
  await page.locator(".doc", { hasText: "Namespace shop" }).click();
  assert.ok(await page.locator("[data-editor=cluster]").isVisible());
  // A problem is marked at the document that has it, and its place is one click away.
  await paste(
    page,
    "request",
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: shop}\nspec: {kontainers: []}\n",
  );
  await page.locator("#tab-request .doc-problem").waitFor();
  await tab(page, "cluster");
  await openProblems(page);
  await page.locator("#problems .jump").first().click();
  assert.equal(await page.locator("#panel-request.is-selected").count(), 1);
  await accessible(page);
  await done();
});

test("of what is opened, the document that decided is in the editor", async () => {
  const { page, done } = await site.open("/#new");
  await ready(page);
  await paste(page, "policies", DEFINITION);
  await page.locator("#outcome", { hasText: "at most 3" }).waitFor();
  assert.match(await page.locator(".doc.is-decisive").innerText(), /CRD ranges\.example\.com/);
  await page.locator("#panel-cluster.is-selected").waitFor();
  const link = new URL(await linkOf(page)).hash;
  await done();
  const other = await site.open(`/${link}`);
  await other.page.locator("#panel-cluster.is-selected").waitFor();
  await other.done();
  // Of several policies in one text it is that one.
  const scaled = await site.open("/#example=scale-subresource");
  await scaled.page.locator(".doc.is-decisive[aria-current]", { hasText: "limit-scale" }).waitFor();
  await scaled.done();
});

test("selected text is seen on the line of the cursor", async () => {
  const { page, done } = await site.open("/", { reducedMotion: "reduce" });
  await ready(page);
  await page.locator(".guide .jump").nth(2).click(); // Deny
  const mark = page.locator(
    "[data-editor=policies] .cm-selectionBackground, [data-editor=request] .cm-selectionBackground",
  );
  await mark.first().waitFor();
  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    await page.emulateMedia({ colorScheme });
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
  }
  await done();
});

test("an example shows the build's result until the engine gives its own", async () => {
  const { page, complaints } = await site.open("/404.html");
  const release = await withoutEngine(page);
  await page.goto(`${site.origin}/#example=sidecar-apply`);
  await page.locator(verdict, { hasText: "Admitted, mutated" }).waitFor();
  await page.locator("#view-steps .step:visible").first().waitFor();
  assert.match(await page.locator("#engine-text").innerText(), /Loading the engine, \d+ %/);
  await page.locator("#outcome .assumed > summary").click();
  // An answer from before a change says so.
  await tab(page, "request");
  await page.locator("[data-editor=request] .cm-content").click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("# ");
  await page.locator("#stale-note", { hasText: "before your change" }).waitFor();
  release();
  await ready(page);
  await page.locator("#stale-note").waitFor({ state: "hidden" });
  await page.locator("#engine-state.is-evaluating").waitFor({ state: "detached" });
  assert.ok(await page.locator("#outcome .assumed[open]").isVisible(), "what was unfolded stays so");
  // So it does in each view of the page's own example.
  const other = await site.open("/404.html");
  const again = await withoutEngine(other.page);
  await other.page.goto(`${site.origin}/`);
  await tab(other.page, "object");
  await other.page.locator("#view-object summary", { hasText: "After defaulting" }).click();
  again();
  await ready(other.page);
  await other.page.locator("#view-object .is-outdated").waitFor({ state: "detached" });
  await quiet(other.page);
  assert.equal(await other.page.locator("[data-key=object-input][open]").count(), 1, "in every view");
  await other.discard();
  await page.context().close();
  assert.deepEqual(
    complaints.filter((c) => !/404|waiting|Service Worker/.test(c)),
    [],
  );
});

/** A policy, which nobody has the result of. */
const OWN =
  "#1/HndSO8IqykDb1nt-eV5qCjzaqTzOW2aIta0NbYxiaV8jhnZjCTUeCLUdwANYeBoPqG2H4sRKhfKMfFBwFCtkltAvF6KGP3K2g8jgy28MJM8eFqeWgFxXzAUIAAD__w";

test("an own scenario shows the shape of a result until there is one; an empty page waits for nothing", async () => {
  const { page } = await site.open("/404.html");
  const release = await withoutEngine(page);
  await page.goto(`${site.origin}/#new`);
  await page.locator(".start-head h1").waitFor();
  await page.goto(`${site.origin}/?own${OWN}`);
  await page.locator(".skeleton").waitFor();
  assert.ok(!(await page.locator("#outcome").isVisible()));
  release();
  await ready(page);
  await page.locator(verdict).waitFor();
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
  // Nobody has the result of this one, and the server's own checks make it long.
  await paste(first.page, "request", MANY_MISTAKES);
  await first.page.locator("#outcome .errors").waitFor();
  const long = new URL(await linkOf(first.page));
  await first.page.context().close();
  const links = [permalink, long].map(({ pathname, hash }) => pathname + hash);
  const embedded = "/embed/examples/first-look/?run";
  const everywhere = ["/", "/examples/first-look/", link, ...links, "/docs/embedding/", embedded];
  for (const [width, paths] of /** @type {const} */ ([
    [1280, everywhere],
    [390, FULL ? everywhere : ["/", ...links]],
  ])) {
    await page.setViewportSize({ width, height: 800 });
    for (const path of paths) {
      await page.goto("about:blank");
      await page.goto(site.origin + path, { waitUntil: "networkidle" });
      if (path.startsWith("/#") || path === "/") {
        await ready(page);
        await page.locator("#engine-state.is-evaluating").waitFor({ state: "detached" });
      }
      if (path === embedded) await page.locator(".is-answered #outcome .verdict").waitFor();
      if (path === "/" || path === embedded)
        await page.locator("[data-editor=policies] .cm-celLineNote").first().waitFor();
      const shift = await page.evaluate(() => /** @type {any} */ (window).shift);
      assert.ok(shift < 0.05, `${path} at ${width}: layout shift ${shift}`);
    }
  }
  await page.context().close();
});

/** Fails unless the bar of a phone is one row. */
async function oneRow(/** @type {Page} */ page) {
  const middles = await page
    .locator(".top .brand, #paste-yours, #kubernetes, #share, #more")
    .evaluateAll((all) => all.map((e) => e.getBoundingClientRect()).map((b) => b.top + b.height / 2));
  assert.equal(middles.length, 5);
  assert.ok(Math.max(...middles) - Math.min(...middles) < 4, `they are at ${middles.join(", ")}`);
}

test("the bar of a phone has one row while another font takes our font's place", async () => {
  const { page, discard } = await site.open("/licenses.txt", { viewport: { width: 360, height: 800 } });
  await page.route("**/*.woff2", (route) => route.abort());
  await page.goto(`${site.origin}/`);
  await ready(page);
  await oneRow(page);
  await page.locator("#more").click();
  await oneRow(page);
  // Nothing lies over anything, either.
  const ends = await page
    .locator(".top .brand, #paste-yours, .version-field, #share, #more")
    .evaluateAll((all) => all.map((e) => e.getBoundingClientRect()).flatMap(({ left, right }) => [left, right]));
  assert.deepEqual(
    ends,
    ends.toSorted((a, b) => a - b),
  );
  await discard();
});

test("the text that the reader opens stays when the first answer comes", async () => {
  const { page, discard } = await site.open("/");
  await ready(page);
  await page.waitForFunction(() => history.state !== null); // what a reload opens
  const release = await withoutEngine(page);
  await page.reload();
  await page.locator("html[data-app]:not([data-arriving])").waitFor();
  await tab(page, "expression");
  release();
  await page.locator("#engine-state[data-state=ready]:not(.is-evaluating)").waitFor({ state: "attached" });
  await quiet(page);
  assert.ok(await page.locator("#panel-expression").isVisible());
  await discard();
});

test("the bar of a phone has one row, and the rest behind a button", async () => {
  const { page, done } = await site.open("/", { viewport: { width: 360, height: 800 }, hasTouch: true });
  await ready(page);
  await oneRow(page);
  assert.equal(await page.locator(".version-short").innerText(), "K8s");
  assert.ok(!(await page.locator("#examples").isVisible()));
  await page.locator("[data-editor=policies] .cm-celLineNote").first().waitFor();
  await page.locator("#more").click();
  await oneRow(page);
  assert.ok(await page.locator("#examples").isVisible());
  assert.ok(await page.getByRole("link", { name: "Docs" }).first().isVisible());
  await accessible(page);
  await page.keyboard.press("Escape");
  assert.ok(!(await page.locator("#examples").isVisible()));
  // A mark far along the row of documents does not let the page move sideways.
  await paste(page, "cluster", "apiVersion: v1\nkind: Namespace\nmetadata: {name: Shop, labels: 5}\n");
  await page.locator("#tab-cluster .doc-problem").waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
  await done();
});

test("while a word is half written and completions are offered, there are no errors", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  await tab(page, "expression");
  await page.locator("[data-editor=expression] .cm-content").click();
  await page.keyboard.type("object.spec.replicas > 1 && obj");
  await page.locator("[data-editor=expression] .cm-tooltip-autocomplete").waitFor();
  await page.waitForTimeout(1500);
  assert.equal(await page.locator("#problems .problem.is-error").count(), 0);
  await page.keyboard.press("Escape"); // no completions: now it counts
  await page.locator("#problems .problem-line.is-error").waitFor();
  await done();
});

test("on the Expression tab the value comes first", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  const cost = page.locator("#outcome .facts", { hasText: "178" });
  await cost.waitFor();
  await paste(page, "expression", "object.spec.replicas * 2");
  await page.locator(".expression-card .becomes .value", { hasText: "16" }).waitFor();
  assert.ok(await cost.isVisible(), "the server does not run the expression");
  assert.match(await page.locator("#tab-expression").innerText(), /CEL expression\s+16/);
  const top = async (/** @type {string} */ what) => (await page.locator(what).first().boundingBox())?.y ?? 0;
  assert.ok((await top(".expression-card")) < (await top("#outcome .verdict")));
  await tab(page, "policies");
  assert.ok((await top(".expression-card")) > (await top("#outcome .verdict")));
  // Schema rules are another kind of text; the expression is there again after them.
  await tab(page, "expression");
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
  assert.match(await foot.innerText(), /\d+ of \d+ recorded API server answers match/);
  assert.match((await page.locator("#report-wrong").getAttribute("href")) ?? "", /issues\/new\?/);
  await page.goto(`${site.origin}/`);
  await ready(page);
  await page.locator("#more").click();
  await page.locator("#report-wrong").focus();
  await page.locator("#report-wrong[href*='Denied']").waitFor(); // what fills it in is loaded when it is needed
  const address = new URL((await page.locator("#report-wrong").getAttribute("href")) ?? "");
  assert.match(address.searchParams.get("title") ?? "", /^Wrong answer: Denied/);
  assert.match(address.searchParams.get("body") ?? "", /at most 5 replicas[^]*\/#1\//);
  await done();
});
