// What is pasted goes to the text that it belongs to; one line says so, and Undo
// brings back what was there.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { firstOf, paste, ready, start, tab } from "./browser.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start({ shared: true });
});
after(() => site.close());

/** @typedef {import("playwright-core").Page} Page */

const POLICY = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: named}
spec:
  matchConstraints:
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
const NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n";
/** @param {string} name */
const pod = (name) =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}, namespace: shop}\nspec: {containers: [{name: a, image: a}]}\n`;

/**
 * The text of an editor.
 * @param {Page} page
 * @param {string} name
 */
async function textOf(page, name) {
  // One that is not on the screen is made behind the first result.
  await page.locator(`[data-editor=${name}] .cm-content`).waitFor({ state: "attached" });
  const lines = await page.locator(`[data-editor=${name}] .cm-line`).evaluateAll((elements) =>
    elements.map((element) => {
      const line = /** @type {Element} */ (element.cloneNode(true));
      for (const note of line.querySelectorAll(".cm-celLineNotes")) note.remove();
      return line.textContent;
    }),
  );
  const empty = await page.locator(`[data-editor=${name}] .cm-placeholder`).count();
  return empty > 0 ? "" : lines.join("\n");
}

/** @param {Page} page */
async function texts(page) {
  const all = [];
  for (const name of ["policies", "request", "cluster"]) all.push(await textOf(page, name));
  return all;
}

test("pastes follow each other without a click between them", async () => {
  const { page, done } = await site.open("/#new", { viewport: { width: 1280, height: 800 } });
  await ready(page);
  const focused = () =>
    page.evaluate(() => document.activeElement?.closest("[data-editor]")?.getAttribute("data-editor"));
  assert.equal(await focused(), undefined);
  await page.keyboard.press("ControlOrMeta+v"); // with the cursor in no text
  assert.equal(await focused(), "policies");
  for (const text of [POLICY, pod("web"), NAMESPACE]) {
    await page.evaluate((value) => {
      const data = new DataTransfer();
      data.setData("text/plain", value);
      const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
      document.activeElement?.shadowRoot?.activeElement?.dispatchEvent(event);
    }, text);
    const name = /name: (?:named|web|shop)/.exec(text)?.[0].slice("name: ".length) ?? "";
    await page.locator("#documents .doc", { hasText: name }).first().waitFor();
  }
  await page.locator("#outcome .verdict strong", { hasText: "Denied" }).waitFor();
  assert.deepEqual(await texts(page), [POLICY, pod("web"), NAMESPACE]);
  await done();
});

for (const width of firstOf([390, 1280])) {
  test(`a file with everything is sorted, and Undo brings back the texts, at ${width} px`, async () => {
    const { page, done } = await site.open("/#new", { viewport: { width, height: 800 } });
    await ready(page);
    await paste(page, "request", pod("before"));
    await page.locator("#outcome", { hasText: "Admitted" }).waitFor();
    const former = await texts(page);
    await paste(page, "policies", "```yaml\n" + [NAMESPACE, POLICY, pod("web")].join("---\n") + "```\n");
    await page.locator("#outcome", { hasText: "Denied" }).waitFor();
    const notice = page.locator("#notice");
    await notice.waitFor();
    assert.equal(
      await notice.locator("p").textContent(),
      "2 documents to Policies, Namespace/shop to Cluster, Pod/web is the request. Removed a Markdown fence.",
    );
    assert.deepEqual(await texts(page), [POLICY, pod("web"), NAMESPACE]);
    const box = await notice.boundingBox();
    assert.ok(box !== null && box.x >= 0 && box.x + box.width <= width, "the notice fits the page");
    for (const button of await notice.getByRole("button").all()) {
      const at = await button.boundingBox();
      assert.ok(at !== null && at.x + at.width <= width, "its buttons fit the page");
    }
    if (process.env["SHOTS"]) await page.screenshot({ path: `${process.env["SHOTS"]}/paste-${width}.png` });
    await notice.getByRole("button", { name: "Undo" }).click();
    await page.locator("#outcome", { hasText: "Admitted" }).waitFor();
    assert.deepEqual(await texts(page), former);
    // Ctrl+Z takes back all of what was sorted, too.
    await paste(page, "policies", [NAMESPACE, POLICY, pod("web")].join("---\n"));
    await notice.waitFor();
    await page.locator("[data-editor=policies] .cm-content").click({ position: { x: 30, y: 8 } });
    await page.keyboard.press("ControlOrMeta+z");
    await page.locator("#outcome", { hasText: "Admitted" }).waitFor();
    assert.deepEqual(await texts(page), former);
    // What is typed later is never taken back with it: the offer goes.
    await paste(page, "policies", [NAMESPACE, POLICY, pod("web")].join("---\n"));
    await notice.waitFor();
    await page.locator("[data-editor=policies] .cm-content").click({ position: { x: 30, y: 8 } });
    await page.keyboard.press("ControlOrMeta+Home");
    await page.keyboard.insertText("# "); // at once: keys that come slowly are steps of their own
    await notice.waitFor({ state: "hidden" });
    await page.keyboard.press("ControlOrMeta+z");
    assert.deepEqual(await texts(page), [POLICY, pod("web"), NAMESPACE], "only what was typed is taken back");
    // Then the paste is the last step again, and goes as a whole.
    await page.keyboard.press("ControlOrMeta+z");
    await page.locator("#outcome", { hasText: "Admitted" }).waitFor();
    assert.deepEqual(await texts(page), former);
    await done();
  });
}

test("of a list one item is the request, and another can be chosen", async () => {
  const { page, done } = await site.open("/#new");
  await ready(page);
  await paste(page, "request", [pod("web"), pod("two"), pod("three")].join("---\n"));
  const picker = page.locator("#notice select");
  await picker.waitFor();
  assert.equal(await textOf(page, "request"), pod("web"));
  assert.deepEqual(await picker.locator("option").allTextContents(), [
    "1 of 3: Pod/web",
    "2 of 3: Pod/two",
    "3 of 3: Pod/three",
  ]);
  await picker.selectOption("3");
  await page.locator("#notice p", { hasText: "Pod/three is the request, 3 of 3" }).waitFor();
  assert.equal(await textOf(page, "request"), pod("three"));
  await done();
});

test("who pastes policies over those of an example may keep its request", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  const [, request, cluster] = await texts(page);
  await paste(page, "policies", POLICY);
  await page.locator("#outcome", { hasText: "No request" }).waitFor();
  await page.locator("#notice").getByRole("button", { name: "Keep the example's request" }).click();
  await page.locator("#outcome .verdict", { hasText: "Admitted" }).waitFor();
  assert.deepEqual(await texts(page), [POLICY, request, cluster]);
  await done();
});

test("an example whose request was deleted first gives way to what is pasted there", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  await tab(page, "request");
  await page.locator("[data-editor=request] .cm-content").click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  await page.locator("#outcome", { hasText: "No request" }).waitFor();
  await paste(page, "request", pod("web").replace("shop", "payments"));
  await page.locator("#notice p", { hasText: "Replaced the example" }).waitFor();
  await page.locator("#outcome", { hasText: "Admitted, no policies" }).waitFor();
  assert.deepEqual(await texts(page), ["", pod("web").replace("shop", "payments"), ""]);
  await page.locator("#notice").getByRole("button", { name: "Undo" }).click();
  await page.locator("#outcome", { hasText: "at most 5 replicas" }).waitFor();

  // What is typed in its place does the same; Undo keeps it, and brings back the rest.
  const [policies, , cluster] = await texts(page);
  await tab(page, "request");
  await page.locator("[data-editor=request] .cm-content").click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  await page.locator("#outcome", { hasText: "No request" }).waitFor();
  await page.keyboard.insertText(pod("typed").replace("shop", "payments"));
  await page.locator("#notice p", { hasText: "Replaced the example" }).waitFor();
  await page.locator("#outcome", { hasText: "Admitted, no policies" }).waitFor();
  assert.deepEqual(await texts(page), ["", pod("typed").replace("shop", "payments"), ""]);
  await page.locator("#notice").getByRole("button", { name: "Undo" }).click();
  await tab(page, "policies");
  await page.locator("[data-editor=policies] .cm-line", { hasText: "ValidatingAdmissionPolicy" }).first().waitFor();
  assert.deepEqual(await texts(page), [policies, pod("typed").replace("shop", "payments"), cluster]);
  await done();
});

test("two texts that are pasted one right after the other both take the place of an example", async () => {
  const { page, done } = await site.open("/", { viewport: { width: 1440, height: 900 } });
  await ready(page);
  const own = pod("web").replace("shop", "payments");
  const contents = [];
  for (const name of ["request", "policies"]) {
    const content = page.locator(`[data-editor=${name}] .cm-content`);
    await tab(page, name);
    await content.click({ position: { x: 30, y: 8 } }); // not on a note, which leads to the result
    await page.keyboard.press("ControlOrMeta+a");
    contents.unshift(await content.elementHandle());
  }
  await page.evaluate(
    ([elements, values]) => {
      for (const [i, value] of values.entries()) {
        const data = new DataTransfer();
        data.setData("text/plain", value);
        elements[i]?.dispatchEvent(
          new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }),
        );
      }
    },
    /** @type {const} */ ([contents, [POLICY, own]]),
  );
  await page.locator("#notice p", { hasText: "Replaced the example" }).waitFor();
  assert.deepEqual(await texts(page), [POLICY, own, ""]);
  await done();
});

test("output for people is refused with the command to use, and nothing changes", async () => {
  const { page, done } = await site.open("/#new");
  await ready(page);
  await paste(page, "request", pod("web"));
  await page.locator("#outcome", { hasText: "Admitted" }).waitFor();
  await paste(
    page,
    "request",
    "Name:         web\nNamespace:    shop\nNode:  n\nLabels:       <none>\nContainers:\n  a:\nEvents:       <none>\n",
  );
  await page.locator("#notice p", { hasText: "kubectl get pod web -n shop -o yaml" }).waitFor();
  assert.equal(await textOf(page, "request"), pod("web"));
  await page.locator("#notice pre", { hasText: "kubectl get pod web -n shop -o yaml" }).waitFor();
  await done();
});

test("what belongs where it was pasted stays as it is, with the version and the way back", async () => {
  const { page, done } = await site.open("/#new");
  await ready(page);
  await paste(page, "policies", POLICY);
  await paste(page, "request", pod("web"));
  await page.locator("#outcome", { hasText: "Denied" }).waitFor();
  assert.equal(await page.locator("#notice").innerText(), "");
  assert.deepEqual(await texts(page), [POLICY, pod("web"), ""]);

  // The denial that is shown, as kubectl printed it, leads there and changes nothing.
  const own = await page.locator("#outcome .has-own").innerText();
  const said = `The pods "web" is invalid: : ValidatingAdmissionPolicy 'named' with binding 'named' denied request: ${own}`;
  await paste(page, "request", said);
  await page
    .locator("#notice", { hasText: "This is the denial shown." })
    .getByRole("button", { name: "Show what denied" })
    .click();
  assert.deepEqual(await texts(page), [POLICY, pod("web"), ""]);

  // A user is evaluated while it is written.
  await tab(page, "request");
  await page.locator("#request-user").fill("eve");
  await page.locator("#documents", { hasText: "as eve" }).waitFor();

  // The version stays, and the way back is there until something else is.
  const version = page.locator("#kubernetes");
  const notice = page.locator("#notice");
  await version.selectOption("1.34");
  await page.locator("#paste-yours").click();
  await notice.getByRole("button", { name: "Go back" }).waitFor();
  assert.equal(await version.inputValue(), "1.34");
  await paste(page, "policies", "error: ValidatingAdmissionPolicy 'x' with binding 'y' denied request: no\n");
  await notice.filter({ hasText: "Paste the policy" }).getByRole("button", { name: "Go back" }).waitFor();
  await paste(page, "policies", `${POLICY}---\n${pod("other")}`);
  await notice.getByRole("button", { name: "Undo" }).click();
  await notice.getByRole("button", { name: "Go back" }).click();
  await page.locator("#outcome", { hasText: "Denied" }).waitFor();
  assert.deepEqual(await texts(page), [POLICY, pod("web"), ""]);

  // Other requests to its policies are found although it has one.
  await page.locator("#new-menu > summary").click();
  await page.getByRole("button", { name: "A request for these policies" }).click();
  await page.locator("#request-examples:not([hidden])").waitFor();
  await notice.getByRole("button", { name: "Go back" }).click();

  // Enter opens an example, closes the menu and keeps the version.
  await page.locator("#examples > summary").click();
  await page.locator("#example-search").fill("registries");
  await page.locator("#example-found a").first().waitFor();
  await page.locator("#example-search").press("Enter");
  await page.locator("#scenario-title", { hasText: /registr/i }).waitFor();
  assert.equal(await page.locator("#examples").getAttribute("open"), null);
  assert.equal(await version.inputValue(), "1.34");
  await done();
});

test("of what is pasted into the empty page, the document that decided is seen from its first line", async () => {
  const { page, done } = await site.open("/#new");
  await ready(page);
  const long = POLICY.replace("  validations:\n", `  validations:\n${"  - expression: 'true'\n".repeat(60)}`);
  await paste(page, "policies", `${long}---\n${pod("web")}`);
  await page.locator("#outcome", { hasText: "Denied" }).waitFor();
  const scrolled = await page.locator("[data-editor=policies] .cm-scroller").evaluate((e) => e.scrollTop);
  assert.equal(scrolled, 0);
  await done();
});

test("a paste that belongs where it is closes what was said of the one before", async () => {
  const { page, done } = await site.open("/#new");
  await ready(page);
  await paste(page, "request", `${NAMESPACE}---\n${pod("web")}`);
  await page.locator("#notice p", { hasText: "Namespace/shop to Cluster" }).waitFor();
  await paste(page, "policies", POLICY);
  await page.locator("#notice").waitFor({ state: "hidden" });
  await page.locator("#outcome", { hasText: "Denied" }).waitFor();
  assert.deepEqual(await texts(page), [POLICY, pod("web"), NAMESPACE]);
  await done();
});

/** @param {string} name */
const webhook = (name) => `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: ${name}}
webhooks:
- name: ${name}.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {url: "https://${name}.example.com/x"}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
`;

test("a webhook's response becomes the answer of the webhook that is chosen, and Undo takes it away", async () => {
  const { page, done } = await site.open("/#new", { viewport: { width: 390, height: 844 } });
  await ready(page);
  await paste(page, "policies", `${webhook("first")}---\n${webhook("second")}`);
  await paste(page, "request", pod("web"));
  await page.locator("#outcome", { hasText: "second.example.com allows the request unchanged" }).waitFor();
  const patch = Buffer.from('[{"op":"add","path":"/metadata/labels","value":{"team":"x"}}]').toString("base64");
  const response = { uid: "705ab4f5", allowed: true, patchType: "JSONPatch", patch };
  const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response };
  await paste(page, "cluster", JSON.stringify(review, null, 2));
  const notice = page.locator("#notice", { hasText: "Which webhook sent it?" });
  await notice.waitFor();
  assert.equal(await textOf(page, "cluster"), "", "nothing is assumed before the choice");
  await notice.getByLabel("Webhook").selectOption({ label: "2 of 2: second.example.com" });
  await page.locator("#outcome .verdict strong", { hasText: "Admitted, mutated" }).waitFor();
  assert.match(await textOf(page, "cluster"), /kind: WebhookResponse\nmetadata:\n  name: second\.example\.com/);
  const rests = page.locator("#outcome", { hasText: "first.example.com allows the request unchanged" });
  await rests.waitFor();
  assert.doesNotMatch(await rests.innerText(), /second\.example\.com allows/);
  await page.locator("#notice").getByRole("button", { name: "Undo" }).click();
  await page.locator("#outcome", { hasText: "second.example.com allows the request unchanged" }).waitFor();
  assert.equal(await textOf(page, "cluster"), "");
  await done();
});
