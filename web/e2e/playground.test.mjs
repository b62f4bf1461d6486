// The main job in a real browser: see, change, share, open.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { linkOf, openExample, paste, ready, start, tab } from "./browser.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start({ shared: true });
});
after(() => site.close());

const verdict = "#outcome .verdict strong";

test("the first outcome is in the HTML, without any script", async () => {
  const { page, done } = await site.open("/", { javaScriptEnabled: false });
  assert.equal(await page.locator(verdict).textContent(), "Denied");
  assert.match(await page.locator("#outcome .by").innerText(), /replica-limit/);
  assert.match(await page.locator("#panel-policies pre").innerText(), /kind: ValidatingAdmissionPolicy/);
  assert.ok(await page.getByRole("heading", { name: "Answer" }).isVisible(), "all views are shown");
  await done();
});

test("the engine gives the result that the build gave", async () => {
  const { page, done } = await site.open("/");
  // What is folded away comes from the engine when it is opened; the page has it from the build.
  const steps = () =>
    page.locator("#view-steps .view-body").evaluate((body) => {
      const copy = /** @type {HTMLElement} */ (body.cloneNode(true));
      for (const hidden of copy.querySelectorAll("details:not([open]) > :not(summary)")) hidden.remove();
      return copy.textContent?.replace(/\s+/g, " ");
    });
  const before = await steps();
  await ready(page);
  await page.locator("[data-editor=policies] .cm-celLineNote").first().waitFor();
  assert.equal(await page.locator(verdict).textContent(), "Denied");
  assert.equal(await steps(), before);
  await done();
});

test("typing changes the verdict, and only changes are announced", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  await tab(page, "request");
  const line = page.locator("[data-editor=request] .cm-line", { hasText: "replicas: 8" });
  await line.click();
  await page.keyboard.press("End");
  await page.keyboard.press("Backspace");
  await page.keyboard.type("4");
  await page.locator(verdict, { hasText: "Admitted, mutated" }).waitFor();
  await page.locator("#announce", { hasText: /^Admitted/ }).waitFor({ state: "attached" });
  await page.keyboard.press("Backspace");
  await page.keyboard.type("3");
  await page.locator("#view-steps", { hasText: "The object is stored." }).waitFor();
  assert.match((await page.locator("#announce").textContent()) ?? "", /^Admitted/);
  // A refusal is read out with its message, and so is another message under the same verdict.
  for (const replicas of ["7", "9"]) {
    await page.keyboard.press("Backspace");
    await page.keyboard.type(replicas);
    await page
      .locator("#announce", { hasText: new RegExp(`^Denied.*replica-limit.*not ${replicas}`) })
      .waitFor({ state: "attached" });
  }
  await done();
});

test("a link opens in a fresh profile and shows the same", async () => {
  const first = await site.open("/");
  await ready(first.page);
  await paste(
    first.page,
    "request",
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop, annotations: {note: größe}}\nspec: {replicas: 77, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: web, image: 'a:1'}]}}}\n",
  );
  await first.page.locator("#outcome .message", { hasText: "not 77" }).waitFor();
  const message = await first.page.locator("#outcome .message").textContent();
  const link = await linkOf(first.page);
  await first.done();

  const second = await site.open(new URL(link).pathname + new URL(link).hash);
  await ready(second.page);
  await second.page.locator("#outcome .message", { hasText: "not 77" }).waitFor();
  assert.equal(await second.page.locator("#outcome .message").textContent(), message);
  await tab(second.page, "request");
  assert.match(await second.page.locator("[data-editor=request] .cm-content").innerText(), /größe/);
  assert.equal(await linkOf(second.page), link);
  await second.done();
});

test("a damaged link is explained and not replaced by an example", async () => {
  const { page, done } = await site.open("/#1/OumhasKqlIG2rfcCBWWFRPB0OqSVBB9UAY");
  await page.locator("#link-damaged", { hasText: "This link is damaged" }).waitFor();
  assert.doesNotMatch(
    await page.locator("[data-editor=policies] .cm-content").innerText(),
    /apiVersion: admissionregistration/,
  );
  await done();
});

test("broken YAML gives a placed message; the last result stays, dimmed", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  await page.locator("[data-editor=policies] .cm-celLineNote").first().waitFor();
  await tab(page, "request");
  const line = page.locator("[data-editor=request] .cm-line", { hasText: "name: web" }).first();
  await line.click();
  await page.keyboard.press("End");
  await page.keyboard.type(": : [");
  await page.locator("#results.is-stale").waitFor();
  assert.match(await page.locator("#problems .problem-line").innerText(), /Request, line \d+/);
  assert.equal(await page.locator(verdict).textContent(), "Denied");
  for (let i = 0; i < 5; i++) await page.keyboard.press("Backspace");
  await page.locator("#results:not(.is-stale)").waitFor();
  await done();
});

test("texts are escaped wherever they appear", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  const evil = "<img src=x onerror=alert(1)><script>alert(2)</script>";
  await paste(
    page,
    "request",
    `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop, annotations: {a: "${evil}"}}\nspec: {replicas: 1, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: web, image: 'a:1'}]}}}\n`,
  );
  await page.locator(verdict, { hasText: "Admitted" }).waitFor();
  for (const view of ["object", "diff", "answer"]) {
    await tab(page, view);
    await page.locator(`#view-${view} .view-body:not(.is-outdated)`).waitFor();
    assert.equal(await page.locator(`#view-${view} img, #view-${view} script`).count(), 0);
  }
  await tab(page, "object");
  await page.locator("#view-object .view-body:not(.is-outdated)").waitFor();
  assert.match(await page.locator("#view-object").innerText(), /<img src=x/);
  await done();
});

test("unsaved work survives a reload; back and forward work", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  await paste(page, "expression", "1 + 1");
  await page.locator(".expression-card .becomes .value", { hasText: "2" }).waitFor();
  // The address bar carries it, unless a text looks like a secret.
  await page.waitForFunction(() => location.hash.startsWith("#1/"));
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.locator(".expression-card .becomes .value", { hasText: "2" }).waitFor();
  assert.ok(!(await other.locator("#shared-label").isVisible()), "it was made here");
  await other.close();
  const cluster = "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {password: hunter2hunter2}\n";
  await paste(page, "cluster", cluster);
  await page.waitForFunction(() => location.hash === "");
  await page.reload();
  await ready(page);
  await page.locator(".expression-card .becomes .value", { hasText: "2" }).waitFor();

  await openExample(page, "deny a label");
  await page.locator(".expression-card").first().waitFor({ state: "detached" });
  await page.goBack();
  await page.locator(".expression-card .becomes .value", { hasText: "2" }).waitFor();
  await page.goForward();
  await page.locator(".expression-card").first().waitFor({ state: "detached" });

  // A reload before the page has got what its address names takes nothing away.
  await page.goto(`${site.origin}/?again#example=set-a-label`, { waitUntil: "commit" });
  await page.evaluate(() => void setTimeout(() => location.reload()));
  await page.locator("#scenario-title", { hasText: "Set a label" }).waitFor();
  await done();
});

test("the keys of the page", async () => {
  const { page, done } = await site.open("/", { permissions: ["clipboard-read", "clipboard-write"] });
  await ready(page);
  await page.locator("body").press("?");
  assert.ok(await page.getByRole("dialog", { name: "Keyboard" }).isVisible());
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+s");
  await page.locator("#notice", { hasText: "Link copied" }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /#1\//);
  for (const view of ["versions", "whatif", "table", "tests", "versions"]) {
    await page.keyboard.press("Alt+8"); // again goes to the next view
    await page.locator(`#tab-${view}[aria-selected=true]`).waitFor();
  }
  await page.keyboard.press("Alt+3");
  assert.equal(await page.locator("#panel-cluster.is-selected").count(), 1);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  assert.equal(await page.locator("#panel-policies.is-selected").count(), 1);
  await page.keyboard.press("Alt+2");
  assert.equal(await page.locator("#panel-request.is-selected").count(), 1);
  await page.locator("[data-editor=request] .cm-content").click();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement?.closest("[data-editor=request]") !== null), false);
  await done();
});

test("on a Mac, Option and a digit type their character, and Control chooses the tab", async (t) => {
  if (process.env["BROWSER"] === "firefox") return t.skip("only Chromium takes keys with their characters");
  const { page, done } = await site.open("/404.html");
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, "platform", { get: () => "MacIntel" }));
  await page.goto(`${site.origin}/#new`);
  await ready(page);
  await tab(page, "expression");
  await page.locator("[data-editor=expression] .cm-content").click();
  const session = await page.context().newCDPSession(page);
  // As a Mac sends Option+3 of a keyboard that has # there.
  const key = { modifiers: 1, key: "#", code: "Digit3", windowsVirtualKeyCode: 51 };
  await session.send("Input.dispatchKeyEvent", { ...key, type: "keyDown", text: "#" });
  await session.send("Input.dispatchKeyEvent", { ...key, type: "keyUp" });
  await page.locator("[data-editor=expression] .cm-line", { hasText: /^#$/ }).waitFor();
  assert.equal(await page.locator("#panel-expression.is-selected").count(), 1);
  await page.keyboard.press("Control+3");
  await page.locator("#panel-cluster.is-selected").waitFor();
  await done();
});

test("a confirmation goes away by itself, but not from under the pointer", async () => {
  const { page, done } = await site.open("/", { permissions: ["clipboard-read", "clipboard-write"] });
  await page.clock.install();
  await page.reload();
  await ready(page);
  await page.keyboard.press("Control+s");
  const notice = page.locator("#notice", { hasText: "Link copied" });
  await notice.hover();
  await page.clock.fastForward(7000);
  assert.ok(await notice.isVisible());
  await page.mouse.move(0, 0);
  await page.clock.fastForward(7000);
  await notice.waitFor({ state: "hidden" });
  await done();
});

test("completion offers the fields of the object", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  await tab(page, "expression");
  await page.locator("[data-editor=expression] .cm-content").click();
  await page.keyboard.type("object.spec.repl");
  // By pointer: for a moment after it opens, the list ignores the Enter key.
  await page.locator(".cm-tooltip-autocomplete li", { hasText: "replicas" }).first().click();
  await page.locator(".expression-card .becomes .value", { hasText: "8" }).waitFor();
  await done();
});

test("the Kubernetes versions side by side", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  await page.evaluate(() => {
    const body = /** @type {HTMLElement} */ (document.querySelector("#view-versions"));
    new MutationObserver(() => {
      const cells = body.querySelectorAll(".version-wait").length;
      if (cells > 0) Object.assign(window, { cells });
    }).observe(body, { childList: true, subtree: true });
  });
  await tab(page, "versions");
  await page.locator(".versions > li .verdict").nth(7).waitFor();
  assert.equal(await page.evaluate(() => /** @type {any} */ (window).cells), 8, "the strip is there from the start");
  assert.equal(await page.locator(".versions > li").count(), 8);
  await page.locator(".version-strip .hint", { hasText: "A diamond marks" }).waitFor();
  await done();
});

test("an engine that cannot be loaded is reported, with a way on", async () => {
  const { page, discard } = await site.open("/404.html", { own: true });
  await page.route("**/*.wasm", (route) => route.abort());
  await page.goto(`${site.origin}/`);
  await page.locator("#engine-text", { hasText: "could not be loaded" }).waitFor();
  assert.equal(await page.locator(verdict).textContent(), "Denied");
  await page.unroute("**/*.wasm");
  // A worker whose clock runs fast has no time: the build's verdict stays, and that of another text is missing.
  await page.route("**/worker*.js", async (route) => {
    const response = await route.fetch();
    const fast =
      "const now = performance.now.bind(performance); let ahead = 0, step = 2000;" +
      "new BroadcastChannel('clock').onmessage = () => (step = 0);" +
      "performance.now = () => now() + (ahead += step);";
    await route.fulfill({ response, body: `{${fast}}${await response.text()}` });
  });
  await page.locator("#engine-retry").click();
  await ready(page);
  await page.locator("#stale-note", { hasText: "takes too long in this browser" }).waitFor();
  assert.equal(await page.locator(verdict).textContent(), "Denied");
  await paste(page, "request", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: shop}\n");
  await page.locator(verdict, { hasText: "Undecided" }).waitFor();
  await page.evaluate(() => new BroadcastChannel("clock").postMessage(""));
  await page.locator("[data-again]").click();
  await page.locator(verdict, { hasText: "Admitted" }).waitFor();
  await page.locator("#view-steps .request", { hasText: "shop/c" }).waitFor();
  assert.doesNotMatch(await page.locator("#documents").innerText(), /Not read|undecided|rejected/);
  await discard();
});

test("another scenario is never shown beside the result of the first example", async () => {
  const { page, done } = await site.open("/404.html", { own: true });
  /** @type {() => void} */
  let go = () => undefined;
  const gate = new Promise((resolve) => (go = () => resolve(undefined)));
  await page.route("**/*.wasm", async (route) => {
    await gate;
    await route.continue();
  });
  await page.goto(`${site.origin}/#example=sidecar-apply`);
  await page.locator("[data-editor=policies] .cm-content", { hasText: "MutatingAdmissionPolicy" }).waitFor();
  // Its own outcome was written when the site was built, and is carried over.
  await page.locator(verdict, { hasText: "mutated" }).waitFor();
  go();
  await ready(page);
  await page.locator(verdict, { hasText: "mutated" }).waitFor();
  await done();
});

test("a text that is broken when the page opens has the result of the rest, and says so", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  await paste(page, "request", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: shop}\n");
  await page.locator("#view-steps .request", { hasText: "shop/c" }).waitFor();
  await paste(page, "policies", "a:\n\tb: 1\n");
  await page.locator("#stale-note", { hasText: "the last valid result" }).waitFor();
  await page.reload();
  await ready(page);
  await page.locator("#stale-note", { hasText: "leaves the broken document out" }).waitFor();
  assert.equal(await page.locator(verdict).textContent(), "Undecided");
  await done();
});

test("a policy that the server rejects is reported beside the verdict", async () => {
  const { page, done } = await site.open("/#new");
  await ready(page);
  await paste(page, "request", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: shop}\n");
  await paste(
    page,
    "policies",
    "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: half}\nspec:\n  matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*']}]}\n  validations:\n  - expression: object.spec.\n",
  );
  await page.locator("#outcome .warning", { hasText: "The server rejects ValidatingAdmissionPolicy half" }).waitFor();
  await tab(page, "request");
  await page.locator("#outcome .warning .jump").click();
  await page.locator("#panel-policies.is-selected").waitFor();
  assert.match(await page.locator("#view-steps .empty").innerText(), /rejects the policies/);
  await done();
});

/** A policy whose variable is long, and whose validation has a guard. */
const LONG = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: long}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: ['*'], resources: [deployments]}]}
  variables:
  - name: containers
    expression: object.spec.template.spec.containers + object.spec.template.spec.containers
  validations:
  - expression: |
      !has(object.spec.replicas)
      || variables.containers.size() > 0 && object.spec.replicas == 0
    message: none
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: long}
spec: {policyName: long, validationActions: [Deny]}
`;

/** The boxes of a row and its parts, measured at once: the steps are written anew when the search for limits is done. */
const boxes = (/** @type {import("playwright-core").Page} */ page, /** @type {string} */ row) =>
  page.evaluate((row) => {
    const box = (/** @type {string} */ part) => {
      const element = document.querySelector(`${row} ${part}`);
      if (element === null) throw new Error(`${row} ${part} is not there`);
      const { x, y, width, height } = element.getBoundingClientRect();
      return { x, y, width, height };
    };
    return { expression: box(".cel"), value: box(".row-result"), all: box("") };
  }, row);

test("a long value is shown below its expression, whatever the width; the part behind the guard is marked", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  const request = (await page.locator("[data-editor=request] pre").textContent()) ?? "";
  await paste(page, "policies", LONG);
  await page.locator("#notice", { hasText: "Replaced the example" }).waitFor();
  await paste(page, "request", request);
  const row = page.locator("#view-steps .row-variable").first();
  await row.waitFor();
  assert.equal(await page.locator("#outcome .cel mark").innerText(), "object.spec.replicas == 0");
  assert.equal(
    await page
      .locator("#view-steps .row-validation .cel")
      .first()
      .evaluate((e) => e.textContent),
    "!has(object.spec.replicas)\n|| variables.containers.size() > 0 && object.spec.replicas == 0\n",
    "the mark adds no blanks",
  );
  for (const width of [360, 768, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    const { expression, value, all } = await boxes(page, "#view-steps .row-variable");
    assert.ok(expression.width > all.width / 2, `${width}: the expression has ${expression.width} of ${all.width}`);
    assert.ok(value.y >= expression.y + expression.height, `${width}: the value is below the expression`);
  }
  await page.setViewportSize({ width: 768, height: 900 });
  const { expression, value } = await boxes(page, "#view-steps .row-validation");
  assert.ok(
    expression.width > 0 && value.x >= expression.x + expression.width,
    "a short value is shown beside it, also on a tablet",
  );
  await done();
});

test("the notice covers nothing of the panes", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  await paste(page, "expression", "1 + 1");
  await page.locator(".expression-card .becomes .value", { hasText: "2" }).waitFor();
  await page.goto("about:blank");
  await page.goto(`${site.origin}/#example=sidecar-apply`);
  await page.locator("#notice", { hasText: "Your earlier text is kept" }).waitFor();
  const [notice, panes] = await Promise.all(
    [page.locator("#notice"), page.locator("#workbench")].map((e) => e.boundingBox()),
  );
  // Browsers round differently, by much less than a pixel.
  assert.ok(notice && panes && panes.y + panes.height < notice.y + 0.1 && notice.y + notice.height <= 800);
  await done();
});
