// The gallery: filters by kind, outcome and version, and the line that decides.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { start } from "./browser.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start({ shared: true });
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
  await page.locator("#gallery-feature").selectOption({ label: "audit annotations" });
  const annotated = await count();
  assert.ok(annotated > 0 && annotated < 20);
  await page.locator("#gallery-feature").selectOption("");
  await page.locator("#gallery-docs").selectOption({ label: "Validating Admission Policy" });
  assert.ok((await count()) >= 10);
  await page.locator("#gallery-docs").selectOption("");
  // A typo and another word for the same thing; the best comes first.
  await page.locator("#gallery-search").fill("block privleged");
  await page.locator("#gallery-found h3", { hasText: "No privileged containers" }).waitFor();
  assert.match(await page.locator("#gallery-found h3").first().innerText(), /No privileged containers/);
  const mark = await page
    .locator("#gallery-found > li")
    .first()
    .evaluate((li) => getComputedStyle(li, "::before").content);
  assert.equal(mark, "none", "a card is no item of a text");
  await page.locator("#gallery-search").fill("run as root");
  const card = page.locator("[data-search]:visible", { hasText: "Containers do not run as root" }).first();
  assert.match(await card.locator(".card-code").innerText(), /variables\.containers\.all\(c, .*runAsNonRoot/);
  // Its picture says how far the request comes, and leads to the example.
  await card.getByRole("img", { name: "its request is stopped at Validating" }).click();
  await page.waitForURL("**/examples/run-as-non-root/");
  const gap = await page.locator(".example-result .outcome").evaluate((outcome) => {
    const verdict = /** @type {Element} */ (outcome.querySelector(".verdict"));
    return verdict.getBoundingClientRect().top - outcome.getBoundingClientRect().top;
  });
  assert.ok(gap < 30, `${gap} px are empty above the verdict`);
  await done();
});

test("an example runs where it stands, and each of its other requests opens with its end", async () => {
  const { page, done } = await site.open("/examples/two-replicas-in-production/");
  await page.locator("preadmit-example").getByRole("button", { name: "Run this" }).click();
  const frame = page.frameLocator("preadmit-example iframe");
  await frame.locator("#results .outcome").getByText("Denied", { exact: true }).waitFor();
  const more = page.locator(".example-cases li", { hasText: "in a namespace of tests" });
  assert.match(await more.innerText(), /no policy ran/);
  await more.getByRole("link").click();
  await page.locator("#results .outcome").getByText("no policy ran", { exact: false }).first().waitFor();
  assert.match(await page.locator("#results").innerText(), /namespace lab/);
  await done();
});
