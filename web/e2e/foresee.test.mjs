// What the page foresees of other requests while it has nothing else to do.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { accessible, paste, ready, start, tab } from "./browser.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start({ shared: true });
});
after(() => site.close());

/** The search takes a second, and more where others work. */
const slow = { timeout: 60_000 };

/** @param {number} n */
const policy = (n) => `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: few-${n}}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE, DELETE], resources: [deployments]}
  validations:
  - expression: object.spec.replicas <= ${n + 5}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: few-${n}}
spec: {policyName: few-${n}, validationActions: [Deny]}
`;

test("a problem that no request shows yet comes with the request that shows it", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  await tab(page, "policies");
  await paste(page, "policies", policy(0));
  const line = page.locator("#problems .problem-first", { hasText: "fails when a Deployment is deleted" });
  await line.waitFor(slow);
  await page.locator("#problems .problems-fold > summary").click();
  await accessible(page);
  await page.locator("#problems .open-request").first().click();
  await page.locator("[data-editor=request] .cm-content", { hasText: "AdmissionReview" }).waitFor();
  await page.getByRole("heading", { name: /Denied/ }).waitFor(slow);
  await done();
});

test("a key does not wait for what is foreseen of a hundred policies", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  await tab(page, "policies");
  await paste(page, "policies", Array.from({ length: 100 }, (_, n) => policy(n)).join("---\n"));
  await ready(page);
  /** Types a key into the request, and waits for its result. */
  const typed = async () => {
    await page.locator("[data-editor=request] .cm-line", { hasText: "name: a" }).first().click();
    await page.keyboard.press("End");
    const before = await page.locator("#view-steps").innerHTML();
    await page.keyboard.type("x");
    await page.waitForFunction((was) => document.querySelector("#view-steps")?.innerHTML !== was, before, slow);
  };
  const found = page.locator("#problems .problem-count", { hasText: /1\d\d problems/ });
  await paste(
    page,
    "request",
    `apiVersion: apps/v1
kind: Deployment
metadata:
  namespace: default
  name: a
spec:
  replicas: 3
  selector: {matchLabels: {app: a}}
  template: {metadata: {labels: {app: a}}, spec: {containers: [{name: a, image: a}]}}
`,
  );
  await page.waitForTimeout(800); // the search is under way
  const early = (await found.count()) > 0;
  await typed();
  // A search that has begun gives way to the key: its end comes later than the key's result.
  if (!early) assert.equal(await found.count(), 0, "the key waited for the search");
  await found.waitFor(slow);
  await done();
});
