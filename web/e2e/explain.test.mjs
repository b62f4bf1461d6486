// What explains a result: values of parts, the way between text and result,
// settings.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { accessible, linkOf, paste, ready, start, tab } from "./browser.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start({ shared: true });
});
after(() => site.close());

/** @param {import("playwright-core").Page} page */
async function evaluated(page) {
  await ready(page);
  await page.locator("[data-editor=policies] .cm-celLineNote").first().waitFor();
}

test("the parts of an expression unfold, stay open, and lead to their places", async () => {
  const { page, done } = await site.open("/");
  await evaluated(page);
  const row = page.locator(".row-validation", { hasText: "object.spec.replicas <= variables.limit" });
  await row.locator(".parts summary").click();
  await row.locator(".part", { hasText: /object\.spec\.replicas\s*8/ }).waitFor();
  await accessible(page);
  await tab(page, "request");
  await page.locator("[data-editor=request] .cm-line", { hasText: "replicas: 8" }).click();
  await page.keyboard.press("End");
  await page.keyboard.press("Backspace");
  await page.keyboard.type("9");
  await row.locator(".part", { hasText: /object\.spec\.replicas\s*9/ }).waitFor();
  await row.locator(".part .jump", { hasText: /^object\.spec\.replicas$/ }).click();
  assert.equal(await page.locator("#panel-policies.is-selected").count(), 1);
  assert.match(
    (await page.evaluate(() =>
      String(document.querySelector("[data-editor=policies]")?.shadowRoot?.activeElement?.className),
    )) ?? "",
    /cm-content/,
  );
  await page.keyboard.press("Alt+Enter");
  await page.locator(".row.is-pointed-at", { hasText: "object.spec.replicas <= variables.limit" }).waitFor();
  await done();
});

test("what is pointed at or focused in the result has its lines tinted in the editor", async () => {
  const { page, done } = await site.open("/");
  await evaluated(page);
  const tinted = page.locator("[data-editor=policies] .cm-pointed");
  const row = page.locator(".row-validation", { hasText: "object.spec.replicas <= variables.limit" });
  await row.hover();
  await tinted.filter({ hasText: "object.spec.replicas" }).waitFor();
  assert.equal(await tinted.count(), 1);
  await page.locator(".brand").hover();
  await tinted.waitFor({ state: "detached" });
  await page.locator("#tab-steps").focus();
  await row.locator(".jump").first().focus();
  await tinted.filter({ hasText: "object.spec.replicas" }).waitFor();
  // A policy is all the lines of its document.
  await page.locator(".step.is-denied .step-name").hover();
  await tinted.filter({ hasText: "kind: ValidatingAdmissionPolicy" }).waitFor();
  await done();
});

test("a note at the end of a line leads to the result", async () => {
  const { page, done } = await site.open("/");
  await evaluated(page);
  await tab(page, "answer");
  await page.locator("[data-editor=policies] .cm-celLineNote", { hasText: "false · cost 6" }).click();
  await page.locator(".row.is-pointed-at", { hasText: "variables.limit" }).waitFor();
  assert.equal(await page.locator("#tab-steps").getAttribute("aria-selected"), "true");
  await done();
});

test("parts that were never evaluated are tinted", async () => {
  const { page, done } = await site.open("/");
  await evaluated(page);
  assert.equal(await page.locator("[data-editor=policies] .cm-celUnevaluated").first().textContent(), "50");
  await done();
});

test("settings change the result and are part of the link", async () => {
  const { page, done } = await site.open("/");
  await evaluated(page);
  await page.locator("#settings summary").click();
  await accessible(page);
  await page.locator("#setting-defaulting").selectOption("off");
  // One plugin that is chosen leaves the others as the release has them.
  await page.locator("#settings [data-plugin=Priority]").selectOption("on");
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#settings-count").textContent(), "2");
  await tab(page, "object");
  await page.locator("#view-object summary", { hasText: "After defaulting" }).click();
  await page.locator("[aria-label='Object as policies first see it']").waitFor();
  await page.waitForFunction(
    () =>
      !document
        .querySelector("[aria-label='Object as policies first see it']")
        ?.textContent?.includes("revisionHistoryLimit"),
  );
  const link = await linkOf(page);
  await done();

  const second = await site.open(new URL(link).pathname + new URL(link).hash);
  await evaluated(second.page);
  assert.equal(await second.page.locator("#settings-count").textContent(), "2");
  assert.equal(await second.page.locator("#setting-defaulting").inputValue(), "off");
  await second.done();
});

test("a choice of plugins that no field shows is said, and kept until one is chosen", async () => {
  const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: a}]}\n";
  for (const [plugins, said] of [
    [
      { enable: ["NodeRestriction", "EventRateLimit"], disable: ["ServiceAccount"] },
      "The scenario switches on NodeRestriction, EventRateLimit and switches off ServiceAccount.",
    ],
    [["Priority", "EventRateLimit"], "The scenario runs exactly Priority, EventRateLimit."],
    [[], "The scenario runs no built-in plugin."],
  ]) {
    const { page, done } = await site.open("/");
    await evaluated(page);
    const text = `-- request.yaml --\n${pod}-- scenario.yaml --\n${JSON.stringify({ options: { plugins } })}\n`;
    await page
      .locator("#open-files")
      .setInputFiles({ name: "a.txtar", mimeType: "text/plain", buffer: Buffer.from(text) });
    const note = page.locator("#setting-plugins-note");
    await note.filter({ hasText: String(said) }).waitFor({ state: "attached" });
    const link = new URL(await linkOf(page));
    await done();

    const second = await site.open(link.pathname + link.hash);
    await ready(second.page);
    await second.page.locator("#settings summary").click();
    await second.page.locator("#setting-plugins-note", { hasText: String(said) }).waitFor();
    assert.equal(
      await second.page.locator("#settings [data-plugin=ServiceAccount]").inputValue(),
      Array.isArray(plugins) ? "" : "off",
    );
    await second.page.locator("#settings [data-plugin=LimitRanger]").selectOption("on");
    await second.page.locator("#setting-plugins-note").waitFor({ state: "hidden" });
    await second.done();
  }
});

test("an object that is invalid in several ways has its errors one by one", async () => {
  const { page, done } = await site.open("/");
  await evaluated(page);
  await paste(page, "request", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: A_, labels: {'a b': c}}\n");
  const errors = page.locator(".outcome .errors li");
  await errors.filter({ hasText: 'metadata.name: Invalid value: "A_"' }).waitFor();
  assert.equal(await errors.count(), 2);
  await accessible(page);
  await done();
});
