// What the page finds out about costs while it has nothing else to do.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { accessible, paste, ready, start, tab } from "./browser.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start({ shared: true });
});
after(() => site.close());

/** The search takes seconds, and more where others work. */
const slow = { timeout: 180_000 };

test("the page says from which length of a list on a limit is exceeded", async () => {
  const { page, done } = await site.open("/#example=cost-of-longer-lists", { search: true });
  await ready(page);
  const found = "Exceeds the limit of 1,000,000 from about 450 items in object.spec.containers (now 2)";
  const row = page.locator(".row-validation", { hasText: "exists_one" });
  await row.locator(".note", { hasText: found }).waitFor(slow);
  const budgets = page.locator(".budgets");
  await budgets.locator(".most.is-warning", { hasText: found }).waitFor(slow);
  await budgets.locator(".most", { hasText: "Cannot exceed the limit of 2,500,000" }).waitFor(slow);
  assert.equal(await budgets.locator("tr:not(.most) .bar-fill").count(), await budgets.locator("tbody th").count());
  await accessible(page);
  await done();
});

test("another text takes away what was found, and the search begins anew", async () => {
  const { page, done } = await site.open("/#example=cost-of-longer-lists", { search: true });
  await ready(page);
  const note = page.locator(".row-validation .note", { hasText: "Exceeds the limit" });
  await note.waitFor(slow);
  await tab(page, "request");
  await page.locator("[data-editor=request] .cm-line", { hasText: "name: proxy" }).click();
  await page.keyboard.press("End");
  await page.keyboard.type("-2");
  await note.first().waitFor({ state: "detached" });
  await note.waitFor(slow);
  await done();
});

/** @param {string} rule */
const rulesAlone = (rule) => `schema:
  type: object
  properties:
    names: {type: array, maxItems: 1000, items: {type: string, maxLength: 10}}
  x-kubernetes-validations:
  - rule: ${rule}
self: {names: [a, b]}
`;

test("schema rules on the Expression tab say how long a value may become", async () => {
  const { page, done } = await site.open("/", { search: true });
  await ready(page);
  await tab(page, "expression");
  await page.locator("#expression-context").selectOption("rule");
  await paste(page, "expression", rulesAlone("self.names.all(x, self.names.exists_one(y, x == y))"));
  const card = page.locator(".rules-card");
  await card.locator(".rules-state", { hasText: /Valid\s+CREATE/ }).waitFor();
  const found = card.locator(".note", {
    hasText: "Exceeds the limit of 1,000,000 from about 580 items in self.names (now 2)",
  });
  await found.waitFor(slow);
  // All rules of an object have a budget of their own, which this one cannot break.
  await card.locator("p", { hasText: "Cannot exceed the limit of 10,000,000" }).waitFor(slow);
  await accessible(page);

  // What was found is about the text that is there.
  await paste(page, "expression", rulesAlone("self.names.all(x, x != 'c')"));
  await found.first().waitFor({ state: "detached" });
  await card.locator("p", { hasText: "the cost is at most 5,003" }).waitFor(slow);
  await done();
});
