// The pictures of the result: each has a text that says the same, and leads to
// what it shows.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { accessible, paste, ready, start, tab } from "./browser.mjs";

/** @typedef {import("playwright-core").Page} Page */

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start({ shared: true });
});
after(() => site.close());

/** What a screen reader says of the items of a list. */
const items = (/** @type {Page} */ page, /** @type {string} */ list) =>
  page
    .locator(`${list} > li`)
    .evaluateAll((all) => all.map((li) => (li.textContent ?? "").replace(/\s+/g, " ").replace(/ :/g, ":").trim()));

test("the path of the request is a list that ends where the request does", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  const gates = await items(page, "#outcome .path ol");
  assert.equal(gates.length, 6, "gates without effect are left out");
  assert.match(gates[0] ?? "", /^Request: CREATE deployments web$/);
  assert.match(gates[4] ?? "", /^Validating: denied here, 1 of 2 ran$/);
  assert.match(gates[5] ?? "", /^Answer: denied, 422$/);
  assert.equal(await page.getByRole("navigation", { name: "The path of the request" }).count(), 1);
  await page.locator("#outcome .by a").click();
  await page.locator(".step.is-denied.is-pointed-at").waitFor();
  await done();
});

test("a request that passes reaches every gate; one that is refused reaches none behind it", async () => {
  const { page, done } = await site.open("/#example=set-a-label");
  await ready(page);
  await page.locator("[data-gate=answer].is-changed").waitFor();
  assert.equal(await page.locator(".gate.is-stopped").count(), 0);
  await paste(page, "request", "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\nspec: {finalizers: 5}\n");
  await page.locator("[data-gate=request].is-stopped").waitFor();
  assert.equal(await page.locator(".gate").count(), 2, "the others are not reached");
  await done();
});

test("the path is on the pages of examples, and the policy that decided leads to its step", async () => {
  const { page, done } = await site.open("/examples/first-look/", { javaScriptEnabled: false });
  assert.ok(await page.locator("[data-gate=validating]").isVisible());
  const target = await page.locator(".outcome .by a").getAttribute("href");
  assert.match(await page.locator(`${target}`).innerText(), /replica-limit/);
  await done();
});

test("why a policy matched or not is a row of questions, each with its place", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  await paste(
    page,
    "policies",
    `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: only-prod}
spec:
  matchConstraints:
    namespaceSelector:
      matchLabels: {env: prod}
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}
  validations: [{expression: "false"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: only-prod}
spec: {policyName: only-prod, validationActions: [Deny]}
`,
  );
  // The policy has taken the place of the example with its request.
  await paste(
    page,
    "request",
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: a}]}}}\n",
  );
  const checks = ".step .checks";
  await page.locator(`${checks} .check-detail`, { hasText: "env=prod" }).waitFor();
  assert.deepEqual(await items(page, checks), [
    "namespace does not match env=prod",
    "object not asked",
    "rule not asked",
    "binding not asked",
  ]);
  await page.locator(`${checks} .jump`).first().click();
  const selected = await page.evaluate(() => {
    const host = document.querySelector("[data-editor=policies]");
    return host?.shadowRoot?.querySelector(".cm-activeLine")?.textContent ?? "";
  });
  assert.match(selected, /env: prod/);
  await accessible(page);
  await done();
});

test("the object on its way is a film strip; two frames that are chosen are compared", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  await page.locator("[data-editor=policies] .cm-celLineNote").first().waitFor();
  // The evaluation with the API server's own code would show the strip anew.
  await page.locator("#outcome .is-loading").waitFor({ state: "detached" });
  await tab(page, "object");
  await page.locator(".film").waitFor();
  assert.deepEqual(await items(page, ".film > ol"), [
    "sent",
    "defaulted 13 fields , 13 fields changed",
    "add-owner 1 field , 1 field changed",
    "when denied 3 fields , 3 fields changed",
  ]);
  await page.locator("[data-frame='2']").click();
  await page.locator("[data-frame='0']").click();
  await page.locator(".film-diff h3", { hasText: "sent → add-owner" }).waitFor();
  assert.match(await page.locator(".film-diff .diff").innerText(), /\+ +owner: jane/);
  // A third takes the place of the first.
  await page.locator("[data-frame='1']").click();
  await page.locator(".film-diff h3", { hasText: "sent → defaulted" }).waitFor();
  await page.locator(".setters summary").click();
  assert.match(await page.locator(".setters tr", { hasText: "metadata.labels" }).innerText(), /add-owner/);
  await accessible(page);
  await done();
});

test("what if: two runs side by side, with what differs and nothing else", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  const says = (/** @type {string} */ text) => page.locator(".what-if-says", { hasText: text }).waitFor();
  await tab(page, "whatif");
  await says("No difference: both are denied.");
  await page.locator(".what-if .diff, .differences").first().waitFor({ state: "detached" }); // nothing differs
  await page.locator("#what-if-base").selectOption({ label: "Without replica-limit" });
  await says("Without replica-limit: Admitted, mutated. Now: Denied.");
  const cells = await page.locator(".differences tbody").locator("th, td").allInnerTexts();
  assert.deepEqual(
    cells.map((cell) => cell.trim()),
    ["policy replica-limit", "not there", "denied"],
  );
  const gates = await items(page, ".side:last-child .path ol");
  assert.equal(gates.length, 6, "gates that did nothing are not drawn");
  assert.match(gates[4] ?? "", /^Validating: denied here, 1 of 2 ran$/);
  const cut = (/** @type {Element[]} */ names) =>
    names.filter((name) => name.scrollWidth > name.clientWidth + 1).length;
  assert.equal(await page.locator(".side .gate-name:visible").count(), 11);
  assert.equal(await page.locator(".side .gate-name").evaluateAll(cut), 0, "names are whole");
  // Gates at which something differs lead to it; the others lead nowhere.
  assert.equal(await page.locator(".side:last-child .path button").count(), 2);
  await page
    .locator(".side:last-child .path")
    .getByRole("button", { name: /^Validating/ })
    .click();
  await page.locator(".differences tr.is-pointed-at:focus", { hasText: "replica-limit" }).waitFor();
  // Another request, beside the one that was pinned.
  await page.locator("#view-whatif button", { hasText: "Pin the current state" }).click();
  await says("No difference: both are denied.");
  await page.locator(".guide .jump", { hasText: "replicas" }).click();
  await page.keyboard.press("4");
  await says("Now: Admitted, mutated.");
  assert.match(await page.locator(".what-if .diff").first().innerText(), /- +replicas: 8\s+\+ +replicas: 4/);
  await accessible(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await accessible(page);
  await page.emulateMedia({ colorScheme: "light", forcedColors: "active" });
  await accessible(page);
  await done();
});

test("versions are a strip, which says where the outcome changes and leads to each", async () => {
  // A profile of its own: in one that is shared an earlier page may have kept that code.
  const { page, done } = await site.open("/404.html", { own: true });
  // The API server's own code loads while a version is pointed at. All versions are evaluated again, and nothing moves.
  /** @type {(value?: unknown) => void} */
  let load = () => undefined;
  const pointed = new Promise((resolve) => (load = resolve));
  await page.route("**/*-registry.wasm", async (route) => {
    await pointed;
    await route.continue();
  });
  await page.goto(`${site.origin}/#example=library-too-new`);
  await ready(page);
  await tab(page, "versions");
  await page.locator(".version-strip").waitFor();
  const cells = await items(page, ".version-strip > ol");
  assert.equal(cells.length, 8);
  assert.match(cells[0] ?? "", /1\.30 .*the server rejects a policy/);
  assert.match(cells[5] ?? "", /1\.35 admitted\. From 1\.35: "distinct" is available .*Changed: .*accepted policies/);
  // In one step: the strip may be drawn again, and what is no longer in the page has no style.
  await page.waitForFunction(() => {
    const size = (/** @type {string} */ what) => {
      const element = document.querySelector(`.versions ${what}`);
      return element === null ? NaN : parseFloat(getComputedStyle(element).fontSize);
    };
    return size(".verdict strong") > size(".verdict .status"); // the verdict is larger than its code
  });
  assert.equal(await page.locator(".version-cell.is-changed.is-admitted .version-mark").count(), 1);
  await page.locator("[data-version='1.35']").click();
  const row = page.locator(".versions li.is-pointed-at", { hasText: "1.35" });
  await row.waitFor();
  await row
    .locator(".version-outcome > *")
    .evaluateAll((all) => all.forEach((e) => e.classList.add("of-the-first-run")));
  load();
  await page.locator(".versions li.is-pointed-at:not(:has(.of-the-first-run))").waitFor();
  assert.equal(await page.locator(".version-strip .version-cell").count(), 8);
  await accessible(page);
  await done();
});

test("an expression is a tree: what decided is strong, what was not reached hollow, and the cursor marks its part", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  await paste(page, "expression", "has(object.spec.paused) && object.spec.paused || object.spec.replicas < 5");
  await page.locator(".expression-card .parts > summary").click();
  const tree = page.locator(".expression-card .tree");
  await tree.locator(".is-unreached", { hasText: "object.spec.paused" }).first().waitFor();
  assert.match(
    (await tree.locator(".is-deciding").first().textContent()) ?? "",
    /false.*cost \d+.*on the way to the deciding part/,
  );
  // From the text to the tree, and back.
  await page.locator("[data-editor=expression] .cm-content").click();
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await tree.locator(".part.is-at-cursor", { hasText: "object.spec.replicas" }).waitFor();
  await tree.locator(".jump", { hasText: /^object\.spec\.replicas$/ }).click();
  await page.locator("[data-editor=expression] .cm-focused").waitFor();
  await accessible(page);
  await done();
});

test("budgets that are hardly used are one line; each bar says its figures", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  await paste(
    page,
    "policies",
    `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: cheap}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}
  validations: [{expression: object.spec.replicas > 0}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: cheap}
spec: {policyName: cheap, validationActions: [Deny]}
`,
  );
  await paste(
    page,
    "request",
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec: {replicas: 2, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: web, image: a}]}}}\n",
  );
  const far = page.locator(".budgets-far");
  await far.waitFor();
  assert.match(await far.locator("summary").innerText(), /^Less than 0\.01% of each of the \d+ budgets is used$/);
  await far.locator("summary").click();
  const bars = page.getByRole("img", { name: /^used [\d,]+ of [\d,]+, less than 0\.01 %/ });
  await bars.nth(1).waitFor(); // they come when the fold is opened
  await page
    .getByRole("link", { name: /^used [\d,]+ of/ })
    .first()
    .click();
  await page.locator(".step.is-pointed-at", { hasText: "cheap" }).waitFor();
  await done();
});

test("graphs of webhooks and of fields are lists of sentences, and their nodes lead to the texts", async () => {
  const { page, done } = await site.open("/#example=reinvocation");
  await ready(page);
  await page.locator("#view-steps .step").first().waitFor();
  for (const [view, key, sentence, node] of /** @type {const} */ ([
    ["steps", "graph-webhooks", "mesh has inject.mesh.example.com", "inject.mesh.example.com"],
    ["object", "graph-policies", "spec.containers is read by always-pull", "always-pull"],
  ])) {
    await tab(page, view);
    const graph = page.locator(`#view-${view} [data-key=${key}]`);
    await graph.locator("summary").click();
    const sentences = await graph.locator("ul > li").allTextContents();
    assert.ok(sentences.includes(sentence), sentences.join("; "));
    await tab(page, "cluster");
    await graph.locator("button.graph-node", { hasText: node }).last().click();
    await page.locator("#panel-policies.is-selected").waitFor();
    await page.locator("[data-editor=policies] .cm-activeLine", { hasText: node }).waitFor();
  }
  await done();
});
