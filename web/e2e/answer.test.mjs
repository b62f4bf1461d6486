// From a webhook without an answer to a policy: what it answers is pasted at its
// step, and the step then has the way to a policy.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { accessible, firstOf, paste, ready, start, tab } from "./browser.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start({ shared: true });
});
after(() => site.close());

const WEBHOOK = `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: defaults}
webhooks:
- name: defaults.example.com
  clientConfig: {url: 'https://defaults.example.com/mutate'}
  rules:
  - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}
  sideEffects: None
  admissionReviewVersions: [v1]
`;

const OBJECT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n";

for (const [width, colorScheme] of firstOf(
  /** @type {const} */ ([
    [1440, "light"],
    [390, "dark"],
  ]),
)) {
  test(`what a webhook answered becomes a policy, at ${width} px, ${colorScheme}`, async () => {
    const { page, done } = await site.open("/#new", { viewport: { width, height: 900 }, colorScheme });
    await ready(page);
    await paste(page, "policies", WEBHOOK);
    await paste(page, "request", OBJECT);
    await page.getByRole("button", { name: "Paste what it answers" }).click();
    const dialog = page.locator("#answer-dialog");
    await dialog.filter({ hasText: "What does defaults.example.com answer?" }).waitFor();
    const text = dialog.getByLabel("The answer: JSON, YAML or HTTP");
    await text.fill("hello");
    await dialog.getByRole("button", { name: "Use this answer" }).click();
    await dialog.locator("[role=alert]", { hasText: "this is not a webhook's answer" }).waitFor();
    if (process.env["SHOTS"]) await page.screenshot({ path: `${process.env["SHOTS"]}/answer-${width}.png` });
    await accessible(page);
    await text.fill('[{"op":"add","path":"/metadata/labels","value":{"team":"a"}}]');
    await dialog.getByRole("button", { name: "Use this answer" }).click();
    await page.locator("#outcome", { hasText: "Admitted, mutated" }).waitFor();
    assert.ok(!(await dialog.isVisible()));
    await page.getByRole("button", { name: "Paste what it answers" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Write this as a policy" }).first().click();
    await page.locator("#propose-result [data-policy]").first().waitFor();
    await page.locator("#notice").getByRole("button", { name: "Undo" }).click();
    await tab(page, "steps");
    await page.getByRole("button", { name: "Paste what it answers" }).waitFor();
    await done();
  });
}
