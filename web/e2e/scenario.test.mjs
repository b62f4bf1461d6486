// What belongs to a scenario: its title, where it came from, and that an example
// does not stay around the reader's own texts.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { accessible, firstOf, linkOf, paste, ready, start, tab } from "./browser.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start({ shared: true });
});
after(() => site.close());

const POD =
  "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: payments}\nspec: {containers: [{name: a, image: a}]}\n";
const EXAMPLE_DENIES = "at most 5 replicas";

/** @param {import("playwright-core").Page} page */
const titleOf = (page) => page.locator("#scenario-title").textContent();

test("an own request pasted over that of an example replaces the example, and Undo brings it back", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  const title = await titleOf(page);
  await page.locator("#outcome", { hasText: EXAMPLE_DENIES }).waitFor();
  assert.equal(await page.locator(".guide").isVisible(), true);
  await paste(page, "request", POD);
  await page.locator("#outcome", { hasText: "Admitted" }).waitFor();
  assert.match((await page.locator("#notice p").textContent()) ?? "", /Replaced the example/);
  assert.equal(await titleOf(page), "Your scenario");
  assert.equal(await page.locator(".guide").count(), 0);
  await tab(page, "cluster");
  assert.equal(await page.locator("[data-editor=cluster] .cm-placeholder").count(), 1);
  await page.locator("#notice").getByRole("button", { name: "Undo" }).click();
  await page.locator("#outcome", { hasText: EXAMPLE_DENIES }).waitFor();
  assert.equal(await titleOf(page), title);
  await done();
});

test("files that are opened over an example replace it", async () => {
  const { page, done } = await site.open(`/#example=${await anExample()}`);
  await ready(page);
  await page
    .locator("#open-files")
    .setInputFiles([{ name: "pod.yaml", mimeType: "text/yaml", buffer: Buffer.from(POD) }]);
  await page.locator("#outcome", { hasText: "Admitted" }).waitFor();
  assert.match((await page.locator("#notice p").textContent()) ?? "", /Replaced the example/);
  await page.locator("#notice").getByRole("button", { name: "Undo" }).click();
  await page.locator("#notice").waitFor({ state: "hidden" });
  assert.notEqual(await titleOf(page), "Your scenario");
  await done();
});

async function anExample() {
  const { page, done } = await site.open("/");
  await page.locator("#examples summary").click();
  await page.locator("#example-search").fill("sidecar");
  const slug = await page.locator("#example-found [data-example]").first().getAttribute("data-example");
  await done();
  return slug ?? "";
}

test("a new state of the example's own object is a change of the example", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  const text = (await page.locator("[data-editor=request] pre").textContent()) ?? "";
  assert.match(text, /replicas: 8/);
  await paste(page, "request", text.replace("replicas: 8", "replicas: 3"));
  await page.locator("#outcome .is-admitted, #outcome .is-mutated").first().waitFor();
  assert.equal(await page.locator("#notice").isVisible(), false);
  assert.equal(await page.locator(".guide").isVisible(), true, "replicas can still be set");
  await done();
});

for (const [width, colorScheme] of firstOf(
  /** @type {const} */ ([
    [390, "dark"],
    [1440, "light"],
  ]),
)) {
  test(`the title is edited in place, travels in the link and says who it is from, at ${width} px`, async () => {
    const viewport = { width, height: 900 };
    const { page, done } = await site.open("/#new", { viewport, colorScheme });
    await ready(page);
    await paste(page, "request", POD);
    await page.locator("#outcome", { hasText: "Admitted" }).waitFor();
    assert.equal(await page.title(), "Admitted, no policies · pods/web – Preadmit");
    await page.locator("#rename").click();
    if (process.env["SHOTS"]) await page.screenshot({ path: `${process.env["SHOTS"]}/rename-${width}.png` });
    await page.locator("#title-input").fill("  Payments <b>first</b> ");
    await page.keyboard.press("Enter");
    assert.equal(await titleOf(page), "Payments <b>first</b>");
    const link = await linkOf(page);
    await accessible(page);
    await page.reload();
    await ready(page);
    assert.equal(await titleOf(page), "Payments <b>first</b>");
    assert.equal(await page.locator("#shared-label").isVisible(), false, "it was made here");
    await done();
    const other = await site.open(new URL(link).pathname + new URL(link).hash, { viewport, colorScheme });
    await other.page.locator("#shared-label", { hasText: "Shared with you:" }).waitFor();
    assert.equal(await titleOf(other.page), "Payments <b>first</b>");
    if (process.env["SHOTS"]) await other.page.screenshot({ path: `${process.env["SHOTS"]}/shared-${width}.png` });
    await other.done();
  });
}
