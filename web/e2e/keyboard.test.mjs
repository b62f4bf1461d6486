// The page with the keyboard alone, where what has the focus goes: a repair that is applied, a line at the
// bottom that is closed, a menu on a phone; and the completion on a phone.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { firstOf, openProblems, paste, quiet, ready, start, tab } from "./browser.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start({ shared: true });
});
after(() => site.close());

const POLICIES = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: rule
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}
  validations:
  - expression: has(object.spec.hostPID) and false
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: rule}
spec: {policyName: rule, validationActions: [Deny]}
`;

/**
 * Waits until something on the page has the focus and is in sight: what is written anew gives it on.
 * @param {import("playwright-core").Page} page
 */
async function focusInSight(page) {
  await page.waitForFunction(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return false;
    const { top, bottom } = element.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  });
}

for (const [width, height] of firstOf(
  /** @type {const} */ ([
    [1440, 900],
    [390, 844],
  ]),
)) {
  test(`a repair that is applied and taken back leaves the focus on the page, at ${width} px`, async () => {
    const { page, done } = await site.open("/#new", { viewport: { width, height } });
    await ready(page);
    await paste(page, "policies", POLICIES);
    await page.locator("#outcome", { hasText: "Policy rejected" }).waitFor();
    await openProblems(page);
    const fix = page.locator("button.fix[data-all]").first();
    await fix.waitFor();
    await fix.focus();
    await page.keyboard.press("Enter");
    await page.locator("#notice", { hasText: "Applied" }).waitFor();
    await page.locator("#problems button.fix").first().waitFor({ state: "detached" });
    await quiet(page);
    await focusInSight(page);
    await page.locator("#notice").getByRole("button", { name: "Undo" }).focus();
    await page.keyboard.press("Enter");
    await page.locator("#problems button.fix").first().waitFor({ state: "attached" });
    await focusInSight(page);
    await done();
  });
}

test("an editor that is entered with Tab says how to leave it, until something is typed", async () => {
  const { page, done } = await site.open("/", { viewport: { width: 1440, height: 900 } });
  await ready(page);
  const hint = page.locator("[data-editor=policies] .cm-leaving");
  const content = page.locator("[data-editor=policies] .cm-content");
  await content.click({ position: { x: 30, y: 8 } }); // not on a note, which leads to the result
  assert.equal(await hint.isVisible(), false, "who points at the text needs no hint");
  await page.locator("#documents .doc:visible").last().focus();
  await page.locator("[data-editor=policies] .cm-focused").waitFor({ state: "detached" }); // the editor looks a moment later
  await page.keyboard.press("Tab");
  await hint.waitFor();
  assert.match((await hint.textContent()) ?? "", /Esc, then Tab/);
  assert.equal(await content.getAttribute("aria-description"), await hint.textContent());
  await page.keyboard.type("#");
  await hint.waitFor({ state: "hidden" });
  // Once the editor is in use Tab indents; who only passes through writes nothing.
  await page.keyboard.press("Tab");
  await page.waitForFunction(() => document.activeElement?.closest("[data-editor=policies]") !== null);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement?.closest("[data-editor=policies]") !== null), false);
  // One key gives a text an even layout, and its comments stay.
  await paste(page, "cluster", "# shop\napiVersion:  v1\nkind: Namespace\nmetadata:\n    name: shop # c\n");
  await page.keyboard.press("Shift+Alt+F");
  await page.locator("[data-editor=cluster] .cm-line", { hasText: /^ {2}name: shop # c$/ }).waitFor();
  await page.locator("[data-editor=cluster] .cm-line", { hasText: "# shop" }).waitFor();
  await page.keyboard.press("ControlOrMeta+z");
  await page.locator("[data-editor=cluster] .cm-line", { hasText: /^ {4}name: shop/ }).waitFor();
  await done();
});

test("on a phone the menu closes over what was chosen, and the tab says verdict and title", async () => {
  const { page, done } = await site.open("/", { viewport: { width: 390, height: 844 } });
  await ready(page);
  await page.locator("#more").click();
  await page.locator("#new-menu > summary").click();
  await page.getByRole("button", { name: "A validating policy", exact: true }).click();
  await page.locator("#outcome", { hasText: "every Pod needs a label team" }).waitFor();
  assert.equal(await page.locator("#more").getAttribute("aria-expanded"), "false");
  assert.equal(await page.locator("#new-menu > summary").isVisible(), false);
  // Who begins goes on in the text that is there to be changed.
  await page.locator("[data-editor=policies] .cm-focused").waitFor();
  await page.locator("#rename").click();
  await page.keyboard.type("Teams have <names>");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.title === "Denied · pods/web – Teams have <names> – Preadmit");
  // Who writes an expression there keeps its value in sight, not the verdict, and sees which document it is.
  await tab(page, "expression");
  await page.locator("[data-editor=expression] .cm-content").click();
  await page.keyboard.type("1 < 2");
  await page.locator(".expression-card .becomes", { hasText: "true" }).waitFor();
  assert.equal(await page.locator("#format").isVisible(), false, "Format is for YAML and JSON");
  const atTop = await page.evaluate(() => {
    document.querySelector("[data-editor=expression]")?.scrollIntoView();
    scrollBy(0, 60);
    return document.elementFromPoint(40, 12)?.closest(".becomes, .verdict")?.className;
  });
  assert.equal(atTop, "becomes");
  const row = await page.locator("#documents [aria-current]").boundingBox();
  assert.ok(row !== null && row.x >= 0 && row.x < 300, `the document's row begins at ${row?.x}`);
  await done();
});

test("schema rules that are tried alone have no verdict of a request beside them", async () => {
  const { page, done } = await site.open("/", { viewport: { width: 1440, height: 900 } });
  await ready(page);
  await page.locator("#new-menu > summary").click();
  await page.getByRole("button", { name: "CRD validation rules", exact: true }).click();
  await page.locator("#outcome .rules-card", { hasText: "1 rule fails" }).waitFor();
  assert.equal(await page.locator("#outcome .verdict").count(), 0);
  await done();
});

test("on a phone the completion fits, leaves the line free, and goes with Escape", async () => {
  const { page, done } = await site.open("/#new", {
    own: true,
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  await ready(page);
  await paste(page, "cluster", "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {tier: small}}\n");
  await paste(page, "policies", POLICIES.replace("has(object.spec.hostPID) and false", "object.spec"));
  await page.locator("[data-editor=policies] .cm-line", { hasText: "expression: object.spec" }).tap();
  await page.keyboard.press("End");
  await page.keyboard.type(".");
  const list = page.locator(".cm-tooltip-autocomplete");
  await list.locator("li").first().waitFor();
  await quiet(page);
  // In one step: the page may still scroll to what was typed, and take all of it along.
  const boxes = (/** @type {string[]} */ ...names) =>
    list.evaluate((element, names) => {
      const root = /** @type {ShadowRoot} */ (element.getRootNode());
      return names.map((name) => /** @type {DOMRect} */ (root.querySelector(name)?.getBoundingClientRect().toJSON()));
    }, names);
  const [box, cursor] = await boxes(".cm-tooltip-autocomplete", ".cm-cursor-primary");
  assert.ok(box !== undefined && cursor !== undefined);
  assert.ok(box.x >= 0 && box.x + box.width <= 390.5, `the list goes from ${box.x} to ${box.x + box.width}`);
  assert.ok(box.y >= cursor.y + cursor.height - 1 || box.y + box.height <= cursor.y + 1, "the list covers the line");
  const item = await list.locator("li").first().boundingBox();
  assert.ok(item !== null && item.height >= 28, `an item is ${item?.height} px high`);
  // What explains the chosen one is below the list, and stays there with the next one. It is fetched with the first list.
  const info = page.locator(".cm-completionInfo");
  for (let i = 0; i < 20 && (await info.count()) === 0; i++) {
    await page.keyboard.press("Escape");
    await page.keyboard.press("Backspace");
    await page.keyboard.type(".");
    await list.locator("li").first().waitFor();
    await page.waitForTimeout(300);
  }
  const places = new Set();
  for (let i = 0; i < 3; i++) {
    const [below, now] = await boxes(".cm-completionInfo", ".cm-tooltip-autocomplete");
    assert.ok(below !== undefined && now !== undefined);
    assert.ok(below.y >= now.y + now.height - 1, "it covers what is offered");
    assert.ok(below.x >= 0 && below.x + below.width <= 390.5, `it goes from ${below.x} to ${below.x + below.width}`);
    places.add(`${below.x - now.x} ${below.y - now.y}`);
    const before = await info.innerText();
    await page.keyboard.press("ArrowDown");
    await info.filter({ hasNotText: before }).waitFor();
  }
  assert.equal(places.size, 1, [...places].join(", "));
  await page.keyboard.press("Escape");
  await list.first().waitFor({ state: "detached" });
  await done();
});
