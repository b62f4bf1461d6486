// The documentation: found, copied, run, and what there is of it without a network.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { accessible, ready, start, tab } from "./browser.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start({ shared: true });
});
after(() => site.close());

test("a section is found, its transcript runs in place, and the commands are copied", async () => {
  const { page, done } = await site.open("/docs/", { permissions: ["clipboard-read", "clipboard-write"] });
  // The path of a request is a picture of links, each to what explains its part.
  const way = page.getByRole("navigation", { name: "The path of a request, and what explains each part" });
  await way.getByRole("link", { name: /^Webhooks ?: services that the server calls$/ }).click();
  await page.waitForURL("**/docs/webhooks/");
  await page.goBack();
  await page.locator("#doc-search").fill("missing field error");
  const found = page.locator("#doc-found a", { hasText: "Reading a missing field is an error" });
  await found.waitFor();
  await accessible(page);
  await page.keyboard.press("Enter");
  await page.waitForURL("**/docs/quirks/#reading-a-missing-field-is-an-error");

  const transcript = page.locator("preadmit-example", { hasText: "no such key: labels" }).first();
  await transcript.hover();
  await transcript.getByRole("button", { name: "Copy" }).click();
  await transcript.getByText("Copied").waitFor();
  assert.equal(
    await page.evaluate(() => navigator.clipboard.readText()),
    `preadmit cel 'object.metadata.labels.team == "blue"' -r cm.yaml\n`,
  );
  await transcript.getByRole("button", { name: "Run this" }).click();
  const frame = page.frameLocator("preadmit-example iframe");
  await frame.locator(".expression-card", { hasText: "no such key: labels" }).waitFor();
  // It is about the expression, not about a request that no policy looks at.
  assert.equal(await frame.locator("#tab-expression").getAttribute("aria-selected"), "true");
  assert.equal(await frame.locator(".verdict:visible").count(), 0);
  await done();
});

test("the functions of the chosen version are looked up and inserted", async () => {
  const { page, done } = await site.open("/#new");
  await ready(page);
  await page.locator("#kubernetes").selectOption("1.30");
  await tab(page, "expression");
  await page.getByRole("button", { name: "Functions" }).click();
  const dialog = page.getByRole("dialog", { name: "CEL functions in Kubernetes 1.30" });
  await dialog.getByRole("searchbox").fill("address");
  assert.equal(await dialog.getByText("containsIP").count(), 0, "it came with 1.31");
  await dialog.getByRole("searchbox").fill("first match");
  await accessible(page);
  await dialog.getByRole("button", { name: "Insert the example for find", exact: true }).click();
  await page.locator(".expression-card .becomes .value", { hasText: '"1"' }).waitFor();
  await done();
});
