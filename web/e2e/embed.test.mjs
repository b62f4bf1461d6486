// Ten embedded examples on a page of another origin.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";

import { accessible, start } from "./browser.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
/** @type {import("node:http").Server} */
let host;
let origin = "";

before(async () => {
  site = await start();
  const embeds = Array.from({ length: 10 }, () => `<preadmit-example example="first-look" file="request"><pre><code>replicas: 8</code></pre></preadmit-example>`);
  const html = `<!doctype html><html lang="en"><title>A page</title><main><h1>A page</h1>${embeds.join("\n")}</main><script src="${site.origin}/embed.js"></script></html>`;
  host = createServer((_, response) => {
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    response.end(html);
  });
  await new Promise((resolve) => host.listen(0, "localhost", () => resolve(undefined)));
  const address = host.address();
  assert.ok(address !== null && typeof address === "object");
  origin = `http://localhost:${address.port}`;
});
after(async () => {
  await site.close();
  host.close();
});

/** @param {import("playwright-core").Page} page */
async function openHost(page) {
  let bytes = 0;
  page.on("response", async (response) => {
    if (!response.url().startsWith(site.origin)) return;
    const { responseBodySize } = await response.request().sizes();
    bytes += responseBodySize;
  });
  await page.goto(origin);
  await page.locator("preadmit-example button").first().waitFor();
  await page.waitForLoadState("networkidle");
  return () => bytes;
}

test("before anybody interacts, little is loaded and the text is readable", async () => {
  const { page } = await site.open("/404.html");
  const bytes = await openHost(page);
  assert.ok(bytes() > 0 && bytes() < 60_000, `${bytes()} bytes before interaction`);
  assert.equal(await page.getByText("replicas: 8").count(), 10);
  assert.equal(page.frames().length, 1, "no frame yet");
  await page.context().close();
});

test("examples run, can be changed, and share one worker", async () => {
  const { page } = await site.open("/404.html");
  await openHost(page);
  for (const index of [0, 1]) {
    // The first button of the page is always the next example that does not run yet.
    await page.locator("preadmit-example button").first().click();
    const frame = page.frameLocator("preadmit-example iframe").nth(index);
    await frame.locator("#outcome .verdict", { hasText: "Denied" }).waitFor({ timeout: 60_000 });
  }
  const frame = page.frameLocator("preadmit-example iframe").first();
  await frame.locator("[data-editor=request] .cm-line", { hasText: "replicas: 8" }).click();
  await page.keyboard.press("End");
  await page.keyboard.press("Backspace");
  await page.keyboard.type("2");
  await frame.locator("#outcome .verdict", { hasText: "Admitted" }).waitFor();

  assert.equal(page.workers().length, 1, "one worker for all examples");

  const height = await page.locator("preadmit-example iframe").first().evaluate((element) => element.clientHeight);
  const content = await frame.locator("body").evaluate((body) => body.scrollHeight);
  assert.ok(Math.abs(height - content) <= 4, `frame ${height}, content ${content}`);
  assert.match((await frame.locator("#open-in-playground").getAttribute("href")) ?? "", /^\/#1\//);
  await page.context().close();
});

test("the documentation shows it live, and axe finds nothing in the frame", async () => {
  const { page, done } = await site.open("/docs/embedding/");
  await accessible(page);
  await page.locator("preadmit-example button").click();
  const frame = page.frameLocator("preadmit-example iframe");
  await frame.locator("#outcome .verdict", { hasText: "Denied" }).waitFor({ timeout: 60_000 });
  const inner = page.frames().find((f) => f.url().includes("/embed/"));
  assert.ok(inner !== undefined);
  await done();
});

test("a frame alone waits for the reader", async () => {
  const { page, done } = await site.open("/embed/?example=first-look&view=answer&readonly");
  await page.locator("[data-editor=policies] .cm-content").waitFor();
  assert.equal(await page.locator("#engine-state").getAttribute("data-state"), "idle");
  await accessible(page);
  await page.locator("#run").click();
  await page.locator("#view-answer", { hasText: "is invalid" }).waitFor({ timeout: 60_000 });
  await accessible(page);
  await done();
});
