// The tour: a lesson is checked by the engine, remembered, and works without a network.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { accessible, ready, start } from "./browser.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start();
});
after(() => site.close());

test("a lesson is passed by what the policies answer, is remembered, and the next one works offline", async () => {
  const { page } = await site.open("/tour/first-policy/", {
    viewport: { width: 390, height: 844 },
    serviceWorkers: "allow",
  });
  const checks = page.locator("#lesson-checks li");
  await page.locator("#lesson-check").click();
  await page.locator("#lesson-checks [data-state=failed]", { hasText: "Eight replicas are denied" }).waitFor({
    timeout: 180_000,
  });
  await accessible(page);
  await page.getByText("A solution").click();
  await page.locator("#lesson-solution").click();
  await page.getByText("Done: all checks pass.").waitFor();
  await page.getByRole("link", { name: /^Next lesson: / }).waitFor();
  assert.equal(await checks.count(), await page.locator("#lesson-checks [data-state=passed]").count());
  await ready(page);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.context().setOffline(true);
  await page.goto(`${site.origin}/tour/`);
  await page.locator("#tour-progress", { hasText: "1 of 12 done" }).waitFor();
  await page.getByRole("link", { name: "Put it into effect" }).click();
  await page.locator("#lesson-check").click();
  await page.getByText("1 of 3 checks pass.").waitFor();
  await page.goBack();
  await page.goBack();
  await page.getByText("You have done this lesson before.").waitFor();
  await page.context().close();
});
