// The fields above the request text edit the text, in every form that it may have.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { accessible, linkOf, paste, ready, start, tab } from "./browser.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start({ shared: true });
});
after(() => site.close());

/** @typedef {import("playwright-core").Page} Page */

/** @param {Page} page */
const lines = (page) => page.locator("[data-editor=request] .cm-line");

/** @param {Page} page */
async function text(page) {
  return (await lines(page).allInnerTexts()).map((l) => l.replace(/^\n$/, "")).join("\n");
}

/**
 * Opens the page with a request.
 * @param {string} request
 */
async function withRequest(request) {
  const opened = await site.open("/");
  await ready(opened.page);
  await opened.page.locator("[data-editor=policies] .cm-celLineNote").first().waitFor();
  await paste(opened.page, "request", request);
  return opened;
}

const forms = {
  "a bare object":
    "# the web front\napiVersion: v1\nkind: Service\nmetadata:\n  name: c # its name\n  namespace: shop\n",
  "an AdmissionReview in YAML":
    "apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nrequest:\n  # the web front\n  operation: CREATE\n  object:\n    apiVersion: v1\n    kind: Service\n    metadata:\n      name: c # its name\n      namespace: shop\n",
  "an AdmissionReview in JSON": JSON.stringify(
    {
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      request: {
        operation: "CREATE",
        object: { apiVersion: "v1", kind: "Service", metadata: { name: "c", namespace: "shop" } },
      },
    },
    null,
    2,
  ),
  "an AdmissionRequest":
    "operation: CREATE\nobject:\n  apiVersion: v1\n  kind: Service\n  metadata:\n    name: c # its name\n    namespace: shop\n",
};

const [[, plain = ""] = [], ...requests] = Object.entries(forms);

test("what is said of a plain object stays out of its text, and goes with the link", async () => {
  const { page, done } = await withRequest(plain);
  const said = page.locator("#view-steps .request");
  await said.getByText("services").first().waitFor();
  await page.locator("#request-user").fill("eve");
  await page.keyboard.press("Tab");
  await said.getByText("eve").first().waitFor();
  await page.locator("#request-dry-run").check();
  await said.getByText("dry run").first().waitFor();
  await page.locator("#request-operation").selectOption("UPDATE");
  await said.getByText("UPDATE").first().waitFor();
  assert.equal(await text(page), plain);
  await page.locator("#documents .doc", { hasText: "UPDATE" }).waitFor();

  const link = await linkOf(page);
  await page.goto("about:blank");
  await page.goto(link);
  await said.getByText("UPDATE").first().waitFor();
  assert.equal(await page.locator("#request-user").inputValue(), "eve");

  // An old object of its own is a setting, too.
  await tab(page, "request");
  await page.locator("#request-old").click();
  const old = page.locator("#old-object .cm-line");
  await old.filter({ hasText: "name: c # its name" }).click();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.keyboard.type("labels: {tier: web}");
  await paste(page, "expression", "oldObject.metadata.labels.tier");
  const value = page.locator(".expression-card .becomes .value", { hasText: "web" });
  await value.waitFor();
  await tab(page, "request");
  assert.equal(await text(page), plain);
  const withOld = await linkOf(page);
  await page.goto("about:blank");
  await page.goto(withOld);
  await value.waitFor();
  await done();
});

for (const [name, request] of requests) {
  test(`every field changes ${name}`, async () => {
    const { page, done } = await withRequest(request);
    const said = page.locator("#view-steps .request");
    await said.getByText("services").first().waitFor();
    await page.locator("#request-user").fill("system:serviceaccount:ci:deployer");
    await page.keyboard.press("Tab");
    await said.getByText("system:serviceaccount:ci:deployer").first().waitFor();
    // Tab leads to the groups, which follow the user as long as nobody writes in them.
    await page.waitForFunction(() => {
      const groups = /** @type {HTMLTextAreaElement} */ (document.querySelector("#request-groups"));
      return groups === document.activeElement && groups.value.includes("system:serviceaccounts:ci");
    });
    await page.locator("#request-groups").fill("ops, system:masters");
    await page.keyboard.press("Tab");
    await lines(page).filter({ hasText: "system:masters" }).waitFor();
    await page.locator("#request-dry-run").check();
    await said.getByText("dry run").first().waitFor();
    await page.locator("#request-subresource").fill("status");
    await page.keyboard.press("Tab");
    await said.getByText("services/status").first().waitFor();
    await page.locator("#request-operation").selectOption("UPDATE");
    await said.getByText("UPDATE").first().waitFor();
    const now = await text(page);
    assert.match(now, /oldObject/);
    assert.equal(now.includes("# its name"), request.includes("# its name"), now);
    if (request.startsWith("{")) assert.doesNotThrow(() => JSON.parse(now), now);

    // One step back for each field.
    await lines(page).first().click();
    for (let i = 0; i < 5; i++) await page.keyboard.press("ControlOrMeta+z");
    assert.equal(await text(page), request);
    await done();
  });
}

test("the old object has an editor of its own, and the text is the truth", async () => {
  const { page, done } = await withRequest(forms["an AdmissionReview in YAML"]);
  await page.locator("#view-steps .request", { hasText: "services" }).waitFor();
  assert.ok(await page.locator("#request-part").isHidden(), "a creation has no old object");
  await page.locator("#request-operation").selectOption("UPDATE");
  await page.locator("#request-old").click();
  const old = page.locator("#old-object .cm-line");
  await old.filter({ hasText: "name: c # its name" }).click();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.keyboard.type("labels: {tier: web}");
  await accessible(page);
  await paste(page, "expression", "oldObject.metadata.labels.tier");
  await page.locator(".expression-card .becomes .value", { hasText: "web" }).waitFor();

  // Broken: reported in its place, and not in the text.
  await tab(page, "request");
  await page.locator("#request-old").click();
  await old.filter({ hasText: "tier: web" }).click();
  await page.keyboard.press("End");
  await page.keyboard.type("]");
  await page.locator("#old-object .cm-lint-marker-error").waitFor();
  await page.keyboard.press("Backspace");
  await page.locator("#old-object .cm-lint-marker-error").first().waitFor({ state: "detached" });

  await page.locator("#request-whole").click();
  const now = await text(page);
  assert.match(now, /oldObject:[\s\S]*labels: \{tier: web\}[\s\S]*object:/);
  await lines(page).filter({ hasText: "tier: web" }).click();
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.type("2");
  await page.locator("#request-old").click();
  await old.filter({ hasText: "tier: web2" }).waitFor();
  await page.locator("#request-operation").selectOption("CREATE");
  await page.locator("#request-part").waitFor({ state: "hidden" });
  assert.doesNotMatch(await text(page), /oldObject/);
  await done();
});

for (const [name, request] of Object.entries({ "an empty text": "", "a broken text": "kind: [\n" })) {
  test(`${name} stays as it is, and the reader learns why`, async () => {
    const { page, done } = await site.open("/");
    await ready(page);
    await page.locator("[data-editor=policies] .cm-celLineNote").first().waitFor();
    await tab(page, "request");
    await lines(page).first().click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.press("Delete");
    if (request !== "") await page.keyboard.insertText(request);
    await page.locator("#request-operation").selectOption("DELETE");
    await page
      .locator("#notice", { hasText: request === "" ? "paste an object first" : "one readable document" })
      .waitFor();
    assert.equal(await page.locator("#request-operation").inputValue(), "CREATE");
    assert.doesNotMatch(await text(page), /DELETE/);
    await done();
  });
}
