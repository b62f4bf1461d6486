// What the page finds out about costs while it has nothing else to do.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { accessible, ready, start } from "./browser.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start();
});
after(() => site.close());

/** The search takes seconds, and more where others work. */
const slow = { timeout: 60_000 };

test("the page says from which length of a list on a limit is exceeded", async () => {
  const { page, done } = await site.open("/#example=cost-of-longer-lists");
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
  const { page, done } = await site.open("/#example=cost-of-longer-lists");
  await ready(page);
  const note = page.locator(".row-validation .note", { hasText: "Exceeds the limit" });
  await note.waitFor(slow);
  await page.locator("#tab-request").click();
  await page.locator("[data-editor=request] .cm-line", { hasText: "name: proxy" }).click();
  await page.keyboard.press("End");
  await page.keyboard.type("-2");
  await note.waitFor({ state: "detached" });
  await note.waitFor(slow);
  await done();
});
