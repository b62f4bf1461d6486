// From a result to a policy: a change made by hand, a webhook's patch, a webhook
// of the scenario.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { accessible, firstOf, paste, ready, start, tab } from "./browser.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start({ shared: true });
});
after(() => site.close());

/**
 * @param {import("playwright-core").Page} page
 * @param {string} name
 */
async function editorText(page, name) {
  return (await page.locator(`[data-editor=${name}] .cm-content`).innerText()).replaceAll("\u200b", "");
}

test("a change made by hand becomes a policy while it is typed, and there is a way back", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  await page.locator("[data-editor=policies] .cm-celLineNote").first().waitFor();
  await tab(page, "object");
  await page.locator("#propose-start").click();
  await page.locator("#propose-result", { hasText: "Change the object" }).waitFor();
  await page.locator("#propose-editor-object .cm-line", { hasText: "owner: jane" }).click();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.keyboard.type("team: blue");
  await page.locator("#propose-result .op-add", { hasText: "metadata.labels.team" }).waitFor();
  await page.locator("#propose-result .proposal", { hasText: "tried:" }).first().waitFor();
  await accessible(page);

  // A broken object: the place is shown, the last proposals stay, dimmed.
  await page.keyboard.type(": [");
  await page.locator("#propose-problem", { hasText: /^Line \d+, column \d+: / }).waitFor();
  await page.locator("#propose-editor-object .cm-lint-marker-error").waitFor();
  await page.locator("#propose-result.is-stale .proposal").first().waitFor();
  for (let i = 0; i < 3; i++) await page.keyboard.press("Backspace");
  await page.locator("#propose-result:not(.is-stale) .proposal").first().waitFor();
  assert.ok(await page.locator("#propose-problem").isHidden());

  await page.locator("[data-do=add].primary").click();
  await page.locator("#view-object .yaml", { hasText: "team: blue" }).first().waitFor();
  assert.match(await editorText(page, "policies"), /name: proposed/);
  assert.equal(await page.locator("#panel-policies.is-selected").count(), 1);
  await page.locator("#view-steps .step-name", { hasText: "replica-limit" }).first().waitFor({ state: "attached" });
  await page.locator("#notice button", { hasText: "Undo" }).click();
  await page.locator("#view-steps .step-name", { hasText: "proposed" }).first().waitFor({ state: "detached" });
  await done();
});

test("the object that is edited can be reset", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  await tab(page, "object");
  await page.locator("#propose-start:enabled").click();
  await page.locator("#propose-editor-object .cm-line", { hasText: "replicas: 8" }).click();
  await page.keyboard.press("End");
  await page.keyboard.type("1");
  await page.locator("#propose-result .op-replace", { hasText: "spec.replicas" }).waitFor();
  await page.locator("#propose-reset").click();
  await page.locator("#propose-result", { hasText: "Change the object" }).waitFor();
  await page.locator("#propose-close").click();
  assert.equal(await page.evaluate(() => document.activeElement?.id), "propose-start");
  await done();
});

test("a webhook of the scenario becomes a policy that takes its place", async () => {
  const { page, done } = await site.open("/#example=reinvocation", {
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await ready(page);
  const step = page.locator("#view-steps .step", { hasText: "inject.mesh.example.com" }).first();
  const write = step.getByRole("button", { name: "Write this as a policy" });
  await write.click();
  const recommended = page.locator("#propose-result .proposal").first();
  await recommended.getByText("produces the same object").waitFor();
  await accessible(page);
  await recommended.getByRole("button", { name: "Copy" }).click();
  await page.locator("#notice", { hasText: "copied" }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /^kind: MutatingAdmissionPolicy$/m);
  assert.match(copied, /^kind: MutatingAdmissionPolicyBinding$/m);
  await recommended.getByRole("button", { name: "Replace the webhook" }).click();
  await page
    .locator("#view-steps .step", { hasText: "inject.mesh.example.com" })
    .first()
    .waitFor({ state: "detached" });
  assert.doesNotMatch(await editorText(page, "policies"), /MutatingWebhookConfiguration/);
  // What it answered goes with it: a warning would say that nothing asks for it.
  await tab(page, "cluster");
  assert.doesNotMatch(await editorText(page, "cluster"), /name: inject\.mesh\.example\.com/);
  await page.locator("#notice button", { hasText: "Undo" }).click();
  assert.match(await editorText(page, "cluster"), /name: inject\.mesh\.example\.com/);
  await page
    .locator("#view-steps .step", { hasText: "inject.mesh.example.com" })
    .first()
    .waitFor({ state: "attached" });

  // When it need not be called: the condition goes to the webhook, which is still
  // called for this object.
  await tab(page, "steps");
  await step.getByRole("button", { name: "When can it be skipped?" }).click();
  await page
    .locator("#propose-result .proposal", { hasText: "the fields that it sets already have these values" })
    .waitFor();
  await accessible(page);
  await page.getByRole("button", { name: "Add to the webhook" }).click();
  await page.locator("#notice", { hasText: "Added the match condition to the webhook." }).waitFor();
  assert.match(await editorText(page, "policies"), /- name: not-set-yet/);
  await done();
});

test("what a webhook answered, plain or in base64, becomes a policy", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  await tab(page, "object");
  await page.locator("#propose-patch").click();
  const content = page.locator("#propose-editor-patch .cm-content");
  const patch = JSON.stringify([{ op: "remove", path: "/spec/selector/matchLabels/app" }]);
  for (const text of [
    patch,
    Buffer.from(patch).toString("base64"),
    JSON.stringify({
      kind: "AdmissionReview",
      response: { allowed: true, patchType: "JSONPatch", patch: Buffer.from(patch).toString("base64") },
    }),
  ]) {
    await page.locator("#propose-reset").click();
    assert.equal(await page.locator("#propose-result .proposal").count(), 0);
    await content.click({ position: { x: 30, y: 8 } }); // not on a note, which leads to the result
    await page.keyboard.insertText(text);
    await page.locator("#propose-result .op-remove", { hasText: "spec.selector" }).waitFor();
    const refused = page.locator("#propose-result .proposal", { hasText: "ApplyConfiguration" });
    assert.match(await refused.innerText(), /cannot express it[\s\S]*is atomic/);
  }
  await page.locator("#propose-reset").click();
  await content.click({ position: { x: 30, y: 8 } }); // not on a note, which leads to the result
  await page.keyboard.insertText("- op: [");
  await page.locator("#propose-problem:visible").waitFor();
  await done();
});

const POLICY = `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: two}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]}
  failurePolicy: Fail
  reinvocationPolicy: Never
  mutations:
  - {patchType: JSONPatch, jsonPatch: {expression: '[JSONPatch{op: "replace", path: "/data/a", value: "x"}]'}}
  - {patchType: JSONPatch, jsonPatch: {expression: '[JSONPatch{op: "remove", path: "/data/b"}]'}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: two}
spec: {policyName: two}
`;

for (const width of firstOf([1600, 390])) {
  test(`one switch sets the form of all diffs, ${width} pixels wide`, async () => {
    const { page, done } = await site.open("/", { viewport: { width, height: 800 } });
    await ready(page);
    await paste(page, "policies", POLICY);
    await paste(page, "request", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b, b: c, d: e}\n");
    await page.locator("#outcome .verdict", { hasText: "mutated" }).waitFor();
    await tab(page, "diff");
    await page.locator("#view-diff .diff").nth(2).waitFor();
    assert.equal(await page.locator("#view-diff .diff").count(), 3);
    const change = page.locator("#view-diff .diff-change").first();
    /** Whether what is added is shown beside what is removed. */
    const beside = async () => {
      const removed = await change.locator(".diff-remove").first().boundingBox();
      const added = await change.locator(".diff-add").first().boundingBox();
      assert.ok(removed !== null && added !== null);
      return added.x > removed.x && Math.abs(added.y - removed.y) < 2;
    };
    assert.equal(await beside(), false);
    await page.locator("#view-diff [data-diff-kind=side]").click();
    assert.equal(await beside(), width > 1000, "side by side where there is room");
    await accessible(page);
    await page.reload();
    await ready(page);
    await tab(page, "diff");
    assert.equal(await beside(), width > 1000, "the choice is kept");
    await tab(page, "steps");
    await page.locator("#view-steps .step .detail > summary").first().click();
    const folded = page.locator("#view-steps .folded-diff").first();
    await folded.locator("summary").click();
    assert.match(await folded.locator(".diff-remove").innerText(), /a: b/);
    await folded.locator("[data-diff-kind=unified]").click();
    assert.equal(await page.locator("html").getAttribute("data-diff"), null);
    await done();
  });
}
