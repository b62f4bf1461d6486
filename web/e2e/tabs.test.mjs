// The tabs of the result: each is rendered when it is opened, and never shows
// the result of an older text.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { paste, ready, start, tab } from "./browser.mjs";

/** @typedef {import("playwright-core").Page} Page */

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start({ shared: true });
});
after(() => site.close());

const verdict = "#outcome .verdict strong";

const pod = (/** @type {string} */ name) =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}, namespace: shop}\nspec: {containers: [{name: a, image: b}]}\n`;

const DENIED =
  "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec: {replicas: 77, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: web, image: 'a:1'}]}}}\n";

/** What a view shows. */
const view = (/** @type {Page} */ page, /** @type {string} */ name) => page.locator(`#view-${name} .view-body`);

/** The object of the result, if it has this name. */
const object = (/** @type {Page} */ page, /** @type {string} */ name) =>
  page.locator("#view-object [data-yaml=object]", { hasText: `name: ${name}` });

test("a tab that is opened has the newest result, and follows while it is open", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  await paste(page, "request", pod("one"));
  await page.locator(verdict, { hasText: "Admitted" }).waitFor();
  // What the tab held of the last result is never seen.
  const before = await page.evaluate(() => {
    /** @type {HTMLElement} */ (document.querySelector("#group-object")).click();
    const body = /** @type {HTMLElement} */ (document.querySelector("#view-object .view-body"));
    return getComputedStyle(body).visibility === "hidden" ? "" : body.innerText;
  });
  assert.doesNotMatch(before, /Deployment/);
  await object(page, "one").waitFor();
  await paste(page, "request", pod("two"));
  await object(page, "two").waitFor();
  await tab(page, "steps");
  await view(page, "steps").getByText("shop/two").first().waitFor();
  await tab(page, "object");
  // Nothing has changed since: it is there without a wait.
  assert.ok(await object(page, "two").isVisible());
  await done();
});

test("the keys of the tabs are as before, and the focus stays on the tab", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  await page.locator("[data-editor=policies] .cm-celLineNote").first().waitFor();
  await page.locator("#tab-steps").focus();
  for (const [name, id] of /** @type {const} */ ([
    ["object", "group-object"],
    ["answer", "tab-answer"],
  ])) {
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.evaluate(() => document.activeElement?.id), id);
    assert.equal(await page.locator(`#${id}`).getAttribute("aria-selected"), "true");
    await page.waitForFunction(
      (name) => !document.querySelector(`#view-${name} .view-body`)?.classList.contains("is-outdated"),
      name,
    );
    assert.ok(await view(page, name).isVisible());
  }
  assert.match(await view(page, "answer").innerText(), /422/);
  await done();
});

test("while a text is broken, tabs show the last result before that", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  await paste(page, "request", pod("last"));
  await page.locator(verdict, { hasText: "Admitted" }).waitFor();
  // Each is evaluated: the report on the page must outlive them.
  let place = "";
  for (let i = 0; i < 12; i++) {
    await paste(page, "request", `${"# one more line\n".repeat(i)}a: [${i}`);
    await page.waitForFunction((before) => {
      const now = document.querySelector("#problems .problem-place")?.textContent ?? "";
      return now !== "" && now !== before;
    }, place);
    place = await page.locator("#problems .problem-place").innerText();
  }
  await page.locator("#stale-note", { hasText: "has a syntax error" }).waitFor();
  await tab(page, "object");
  await object(page, "last").waitFor();
  await done();
});

test("a link to a step that the page has no room for leads to the sentence that says so", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  const names = Array.from({ length: 1100 }, (_, i) => `p${String(i).padStart(4, "0")}`);
  const never = names.map(
    (name) => `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: ${name}}
spec: {policyName: p, validationActions: [Deny], matchResources: {namespaceSelector: {matchLabels: {env: none}}}}
`,
  );
  await paste(
    page,
    "policies",
    `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [pods]}]}
  validations: [{expression: "true"}]
---
${never.join("---\n")}`,
  );
  await paste(page, "request", pod("one"));
  const left = page.locator("#view-steps [data-left-from]").first();
  await left.waitFor();
  const index = await left.getAttribute("data-left-to");
  assert.equal(await page.locator(`#step-${index}`).count(), 0, "the last step is one that is left out");
  await tab(page, "answer");
  // The outcome may name any step.
  await page.locator("#outcome").evaluate((outcome, step) => {
    const link = document.createElement("a");
    Object.assign(link, { href: `#step-${step}`, textContent: "to the step", id: "to-the-step" });
    link.dataset["step"] = step ?? "";
    outcome.append(link);
  }, index);
  await page.locator("#to-the-step").click();
  await page.locator("#view-steps [data-left-from].is-pointed-at").waitFor();
  await done();
});

test("on a phone the selected tab stays in sight with its badge", async () => {
  const { page, done } = await site.open("/", { viewport: { width: 390, height: 844 } });
  await ready(page);
  await tab(page, "tests");
  await page.getByRole("button", { name: "Save as a test" }).first().click();
  await page.locator("#tests-badge", { hasText: "1/1" }).waitFor();
  await page.waitForFunction(() => {
    const right = document.querySelector("#tests-badge")?.getBoundingClientRect().right ?? 0;
    return right > 0 && right <= innerWidth;
  });
  await done();
});

test("a step that the outcome names is shown, whatever tab is open", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  await page.locator("[data-editor=policies] .cm-celLineNote").first().waitFor();
  await tab(page, "answer");
  await paste(page, "request", DENIED.replace("77", "1"));
  await page.locator(verdict, { hasText: "Admitted" }).waitFor();
  await paste(page, "request", DENIED);
  await page.locator(verdict, { hasText: "Denied" }).waitFor();
  await page.locator("#outcome a[data-step]").first().click();
  await page.locator("#view-steps .is-pointed-at").waitFor();
  await done();
});
