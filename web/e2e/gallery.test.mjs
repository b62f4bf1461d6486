// The gallery: filters by kind, outcome and version, and the line that decides.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { start } from "./browser.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start();
});
after(() => site.close());

test("examples are found by kind, outcome and version, and show what decides", async () => {
  const { page, done } = await site.open("/examples/");
  const count = async () => Number.parseInt((await page.locator("#gallery-count").innerText()) || "0", 10);
  const all = await count();
  assert.ok(all >= 100, `${all} examples`);
  await page.locator("#gallery-kind").selectOption("MutatingAdmissionPolicy");
  const mutating = await count();
  assert.ok(mutating > 5 && mutating < all);
  await page.locator("#gallery-outcome").selectOption("denied");
  const denied = await count();
  assert.ok(denied > 0 && denied < mutating);
  await page.locator("#gallery-kind").selectOption("");
  await page.locator("#gallery-outcome").selectOption("");
  await page.locator("#gallery-version").selectOption("1.34");
  assert.ok((await count()) < 20);
  await page.locator("#gallery-version").selectOption("");
  await page.locator("#gallery-search").fill("run as root");
  const card = page.locator("[data-search]:visible", { hasText: "Containers do not run as root" }).first();
  assert.match(await card.locator(".card-code").innerText(), /variables\.containers\.all\(c, .*runAsNonRoot/);
  await done();
});
