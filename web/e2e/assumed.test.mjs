// What the verdict rests on although no text says it is beside the verdict,
// and one click makes it explicit.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { accessible, firstOf, paste, ready, start } from "./browser.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start({ shared: true });
});
after(() => site.close());

const POLICY = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: named}
spec:
  matchConstraints:
    namespaceSelector: {matchLabels: {env: prod}}
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [pods]}
  validations:
  - expression: object.metadata.name != 'web'
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: named}
spec: {policyName: named, validationActions: [Deny]}
`;
const POD =
  "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: payments}\nspec: {containers: [{name: a, image: a}]}\n";

for (const [width, colorScheme] of firstOf(
  /** @type {const} */ ([
    [390, "dark"],
    [1440, "light"],
  ]),
)) {
  test(`a Namespace that is assumed is added with a label by one click, at ${width} px`, async () => {
    const { page, done } = await site.open("/#new", { viewport: { width, height: 900 }, colorScheme });
    await ready(page);
    await paste(page, "policies", POLICY);
    await paste(page, "request", POD);
    const outcome = page.locator("#outcome");
    await outcome.locator(".is-norun").waitFor();
    assert.match((await outcome.locator(".assumed summary").textContent()) ?? "", /Assumed: Namespace payments/);
    assert.equal(await outcome.locator(".message a", { hasText: "named" }).count(), 1, "the policy's reason");
    assert.equal(await outcome.locator(".assumed .fix").count(), 2);
    if (process.env["SHOTS"]) await page.screenshot({ path: `${process.env["SHOTS"]}/assumed-${width}.png` });
    await accessible(page);
    await outcome.getByRole("button", { name: "with label env=prod" }).click();
    await page.locator("#outcome .is-denied").waitFor();
    assert.equal(await page.locator(".assumed .fix").count(), 0);
    const notice = page.locator("#notice");
    assert.match((await notice.locator("p").textContent()) ?? "", /done under Cluster/);
    if (process.env["SHOTS"]) await page.screenshot({ path: `${process.env["SHOTS"]}/assumed-done-${width}.png` });
    await notice.getByRole("button", { name: "Undo" }).click();
    await page.locator("#outcome .is-norun").waitFor();
    await outcome.locator(".assumed").getByRole("button", { name: "Add Namespace payments", exact: true }).click();
    await page.locator(".assumed .fix").first().waitFor({ state: "detached" });
    await page.locator("#outcome .is-norun").waitFor();
    // The operation, which an object alone does not say.
    await paste(page, "policies", POLICY.replace(/.*namespaceSelector.*\n/, "").replace('["*"]', "[UPDATE]"));
    await outcome.getByRole("button", { name: "Make it an UPDATE" }).click();
    await page.locator("#notice p", { hasText: "Make it an UPDATE: done." }).waitFor();
    await page.locator("#outcome .is-denied").waitFor();
    await notice.getByRole("button", { name: "Undo" }).click();
    await page.locator("#outcome .is-norun").waitFor();
    await done();
  });
}

test("a missing param gets the fields that the policy reads, and its value is selected", async () => {
  const { page, done } = await site.open("/#new");
  await ready(page);
  const withParams = POLICY.replace(/.*namespaceSelector.*\n/, "")
    .replace("  matchConstraints:", "  paramKind: {apiVersion: v1, kind: ConfigMap}\n  matchConstraints:")
    .replace("object.metadata.name != 'web'", "size(object.spec.containers) <= int(params.data.max)")
    .replace(
      "validationActions: [Deny]",
      "validationActions: [Deny], paramRef: {name: limits, parameterNotFoundAction: Deny}",
    );
  await paste(page, "policies", withParams);
  await paste(page, "request", POD);
  await page.getByRole("button", { name: "Add ConfigMap limits in namespace payments" }).first().click();
  await page.locator("#notice p", { hasText: "Fill in its values." }).waitFor();
  await page.locator("#outcome .is-admitted, #outcome .is-mutated").first().waitFor();
  await page.keyboard.type("0"); // in place of the value that is selected
  await page.locator("#outcome .is-denied").waitFor();
  assert.match(await page.locator("[data-editor=cluster] .cm-content").innerText(), /max: "0"/);
  await done();
});
