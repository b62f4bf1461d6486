// The ways in: drafts to start from, files and folders, an object of a running
// cluster as other requests, and all repairs with one answer at once.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { accessible, firstOf, openProblems, paste, ready, start } from "./browser.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start({ shared: true });
});
after(() => site.close());

const LIVE = `apiVersion: v1
kind: Pod
metadata:
  creationTimestamp: "2026-01-01T00:00:00Z"
  name: web
  namespace: shop
  resourceVersion: "12"
  uid: 11111111-2222-3333-4444-555555555555
spec:
  containers:
  - name: a
    image: a
status:
  phase: Running
`;

const LONE = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: replicas}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]}
  validations:
  - {expression: object.spec.replicas <= 5, message: at most 5 replicas}
  - {expression: "!has(object.metadata.labels) || !('debug' in object.metadata.labels)", message: no debugging}
`;

test("the empty page takes a policy alone and offers requests; each draft has the answer that it is meant to have", async () => {
  const { page, done } = await site.open("/#new", { viewport: { width: 1280, height: 800 } });
  await ready(page);
  await page.locator(".start-head h1").waitFor();
  assert.equal(await page.locator("#documents, #results, #problems").filter({ visible: true }).count(), 0);
  assert.ok((await page.locator("[data-editor=policies]").boundingBox())?.height ?? 0 > 300);
  await accessible(page);
  await page.locator(".start-ways").getByRole("button", { name: "A validating policy", exact: true }).click();
  await page.locator("#outcome", { hasText: "every Pod needs a label team" }).waitFor();
  await page.goto(`${site.origin}/?again#new`);
  await ready(page);
  await paste(page, "policies", LONE);
  const offered = page.locator("#request-examples .example-request");
  await offered.nth(2).waitFor();
  assert.match(
    await offered.filter({ hasText: "at most 5" }).innerText(),
    /A request that it denies\s+at most 5 replicas\s[^]*replicas: 6/,
  );
  assert.match(
    await offered.filter({ hasText: "no debugging" }).innerText(),
    /A request that it denies\s+no debugging\s[^]*debug: /,
  );
  await accessible(page);
  await offered.nth(2).getByRole("button", { name: "Use this request, and add a binding" }).click();
  await page.locator("#outcome", { hasText: "Admitted" }).waitFor();
  await page.locator("#request-examples").waitFor({ state: "hidden" });
  await page.locator("#notice").getByRole("button", { name: "Undo" }).click();
  await offered.filter({ hasText: "at most 5" }).getByRole("button").click();
  await page.locator("#outcome", { hasText: "at most 5 replicas" }).waitFor();
  for (const [name, outcome] of /** @type {const} */ ([
    ["A validating policy", "every Pod needs a label team"],
    ["A mutating policy", "Admitted, mutated"],
    ["A webhook to convert", "Admitted, mutated"],
    ["A webhook match condition", "true"],
  ])) {
    await page.locator("#new-menu > summary").click();
    if (process.env["SHOTS"]) await page.screenshot({ path: `${process.env["SHOTS"]}/new.png` });
    await page.getByRole("button", { name, exact: true }).click();
    await page.locator("#scenario-title").getByText(name, { exact: true }).waitFor(); // drafts are loaded first
    await page.locator("#outcome", { hasText: outcome }).waitFor();
    assert.equal(await page.locator("#problems .is-error, #problems .is-warning").count(), 0, name);
    if (name.includes("convert")) await page.getByRole("button", { name: "Write this as a policy" }).first().waitFor();
  }
  await page.locator("#new-menu > summary").click();
  await accessible(page);
  await page.getByRole("button", { name: "An empty page" }).click();
  await page.locator("[data-editor=request] .cm-placeholder").waitFor({ state: "attached" });
  await done();
});

for (const [width, colorScheme] of firstOf(
  /** @type {const} */ ([
    [1440, "light"],
    [390, "dark"],
  ]),
)) {
  test(`an object of a running cluster is seen as other requests, at ${width} px`, async () => {
    const { page, done } = await site.open("/#new", { viewport: { width, height: 900 }, colorScheme });
    await ready(page);
    await paste(page, "request", LIVE);
    const tools = page.locator("#live-tools");
    await tools.waitFor();
    if (process.env["SHOTS"]) await page.screenshot({ path: `${process.env["SHOTS"]}/live-${width}.png` });
    await accessible(page);
    const operation = page.locator("#view-steps .request strong");
    for (const [name, want] of /** @type {const} */ ([
      ["as an UPDATE of it", "UPDATE"],
      ["as a DELETE", "DELETE"],
    ])) {
      await tools.getByRole("button", { name }).click();
      await operation.filter({ hasText: want }).waitFor();
      assert.ok(await tools.isVisible(), "the text is as it was");
      await page.locator("#notice").getByRole("button", { name: "Undo" }).click();
      await operation.filter({ hasText: "CREATE" }).waitFor();
      await tools.waitFor();
    }
    await tools.getByRole("button", { name: "as it was created" }).click();
    await tools.waitFor({ state: "hidden" });
    const text = (await page.locator("[data-editor=request] .cm-content").innerText()).trim();
    assert.doesNotMatch(text, /uid|resourceVersion|creationTimestamp|status/);
    assert.match(text, /name: web/);
    await done();
  });
}

test("all repairs with one answer are applied at once, with a way back", async () => {
  const { page, done } = await site.open("/#new");
  await ready(page);
  await paste(
    page,
    "policies",
    "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n  failurePolicy: fail\n  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: ['*'], resources: [pods]}]}\n  validations:\n  - expression: object.metadata.name == 'a' and true\n",
  );
  const all = page.locator("#problems [data-all]");
  await openProblems(page);
  await all.click();
  await page.locator("#notice p", { hasText: /^Applied \d+ fix/ }).waitFor();
  await page.locator("[data-editor=policies] .cm-line", { hasText: "== 'a' && true" }).waitFor();
  await page.locator("#notice").getByRole("button", { name: "Undo" }).click();
  await page.locator("[data-editor=policies] .cm-line", { hasText: "and true" }).waitFor();
  await done();
});
