// What this browser keeps of the reader's work: a list to go back to, a switch that
// keeps nothing, and a word where the browser keeps nothing by itself.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { accessible, firstOf, openExample, paste, ready, start, tab } from "./browser.mjs";

/** @typedef {import("playwright-core").Page} Page */

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start();
});
after(() => site.close());

const value = ".expression-card .becomes .value";
const rows = "#kept-dialog .kept-list li";

/** @param {Page} page */
async function openList(page) {
  const menu = page.locator("#new-menu > summary");
  // A page that the browser kept closes its bar again when it is shown.
  const opened = async () => {
    if (!(await menu.isVisible())) await page.locator("#more").click();
    return menu.click({ timeout: 5_000 }).then(
      () => true,
      () => false,
    );
  };
  for (let tries = 1; !(await opened()); tries++) assert.ok(tries < 10, "the menu cannot be opened");
  await page.getByRole("button", { name: "Save, and earlier work…" }).click();
  await page.locator("#kept-dialog[open]").waitFor();
}

/** Storage as the browser has it. @param {Page} page */
const stored = (page) => page.evaluate(() => JSON.stringify({ ...localStorage }));

for (const [width, colorScheme] of firstOf(
  /** @type {const} */ ([
    [390, "dark"],
    [1440, "light"],
  ]),
)) {
  test(`earlier work is a list to go back to, at ${width} px, ${colorScheme}`, async () => {
    const { page, done } = await site.open("/#new", { viewport: { width, height: 900 }, colorScheme });
    await ready(page);
    await paste(page, "expression", "1 + 1");
    await page.locator(value, { hasText: "2" }).waitFor();
    await page.goto(`${site.origin}/404.html`);
    await page.goto(`${site.origin}/#new`);
    await ready(page);
    await paste(page, "expression", "20 + 1");
    await page.locator(value, { hasText: "21" }).waitFor();
    await openList(page);
    assert.equal(await page.locator(rows).count(), 2);
    if (process.env["SHOTS"]) await page.screenshot({ path: `${process.env["SHOTS"]}/kept-${width}.png` });
    await accessible(page);
    await page.locator(rows).nth(1).locator(".kept-open").click();
    await page.locator(value, { hasText: /^2$/ }).waitFor();
    await page.goBack();
    await page.locator(value, { hasText: "21" }).waitFor();
    await openList(page);
    await page
      .locator(rows)
      .nth(1)
      .getByRole("button", { name: /^Remove/ })
      .click();
    await page.waitForFunction(() => document.querySelectorAll("#kept-dialog .kept-list li").length === 1);
    await done();
  });
}

test("two tabs do not overwrite each other's work", async () => {
  const { page, done } = await site.open("/#new");
  await ready(page);
  await paste(page, "expression", "1 + 1");
  await page.locator(value, { hasText: "2" }).waitFor();
  const other = await page.context().newPage();
  await other.goto(`${site.origin}/#new`);
  await ready(other);
  await paste(other, "expression", "20 + 1");
  await other.locator(value, { hasText: "21" }).waitFor();
  await page.bringToFront();
  await paste(page, "expression", "1 + 2");
  await page.locator(value, { hasText: "3" }).waitFor();
  await openList(page);
  assert.equal(await page.locator(rows).count(), 3);
  await page.locator(rows, { hasText: "The expression is 21" }).locator(".kept-open").click();
  await page.locator(value, { hasText: "21" }).waitFor();
  await other.reload();
  await other.locator(value, { hasText: "21" }).waitFor();
  await done();
});

test("a scenario is saved under a name, renamed, removed and put back, by keyboard alone", async () => {
  const { page, done } = await site.open("/#new", { viewport: { width: 390, height: 844 } });
  await ready(page);
  await openList(page);
  await page.locator("#kept-dialog", { hasText: "Nothing yet." }).waitFor();
  await page.keyboard.press("Escape");
  await paste(page, "expression", "3 * 3");
  await page.locator(value, { hasText: "9" }).waitFor();
  await openList(page);
  await page.keyboard.type("nine"); // the field has the focus, and its text is selected
  await page.keyboard.press("Enter");
  await page.locator(".kept-said", { hasText: 'Saved as "nine".' }).waitFor();
  const rename = page.getByRole("button", { name: "Rename nine" });
  await rename.press("Enter");
  await page.keyboard.type("three squared");
  await page.keyboard.press("Enter");
  const row = page.locator(rows, { hasText: "three squared" });
  await row.waitFor();
  // What has a name is in the same list as the runs, once, and says what it came to.
  assert.match(await row.innerText(), /three squared\s+Saved .+The expression is 9/);
  assert.equal(await page.locator(rows).count(), 1);
  await accessible(page);
  await row.getByRole("button", { name: "Remove three squared" }).press("Enter");
  await page.locator(".kept-said", { hasText: "Removed" }).waitFor();
  assert.equal(await row.count(), 0);
  await page.keyboard.press("Enter"); // Undo has the focus
  await row.waitFor();
  await page.keyboard.press("Escape");
  await page.goto(`${site.origin}/404.html`);
  await page.goto(`${site.origin}/#example=first-look`);
  await ready(page);
  await openList(page);
  await row.locator(".kept-open").press("Enter");
  await page.locator(value, { hasText: "9" }).waitFor();
  // There is no more room: it says so, and what is saved stays.
  await page.evaluate(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException("no", "QuotaExceededError");
    };
  });
  await openList(page);
  await page.keyboard.type("another");
  await page.keyboard.press("Enter");
  await page.locator(".kept-said", { hasText: "browser's storage is full" }).waitFor();
  assert.equal(await page.locator("#kept-dialog .is-saved").count(), 1);
  await done();
});

test("earlier work shows what each run changed, compares it, and leads back to it", async () => {
  const { page, done } = await site.open("/", { viewport: { width: 1440, height: 900 } });
  await ready(page);
  await page.locator("#outcome .verdict", { hasText: "Denied" }).waitFor();
  await page.waitForFunction(() => (localStorage.getItem("preadmit.runs") ?? "").includes("Denied"));
  await tab(page, "request");
  await page.locator("[data-editor=request] .cm-line", { hasText: "replicas: 8" }).click();
  // One edit: what stands between two of them for long is a run as well.
  await page.keyboard.press("End");
  await page.keyboard.press("Shift+ArrowLeft");
  await page.keyboard.type("2");
  await page.locator("#outcome .verdict", { hasText: "Admitted" }).waitFor();
  await page.waitForFunction(() => (localStorage.getItem("preadmit.runs") ?? "").includes("Admitted"));
  await openList(page);
  const run = page.locator("#kept-dialog .run").first();
  await run.filter({ hasText: /Denied → Admitted/ }).waitFor();
  await run.locator("summary").click();
  await run.locator(".what-if", { hasText: "replicas: 2" }).waitFor();
  await accessible(page);
  if (process.env["SHOTS"]) await page.screenshot({ path: `${process.env["SHOTS"]}/runs-1440.png` });
  await page
    .locator("#kept-dialog .run", { hasText: "Nothing earlier to compare with." })
    .locator(".kept-open")
    .click();
  await page.locator("#outcome .verdict", { hasText: "Denied" }).waitFor();
  await page.goBack();
  await page.locator("#outcome .verdict", { hasText: "Admitted" }).waitFor();
  await openList(page);
  await page.getByRole("button", { name: "Delete all earlier work" }).click();
  await page.locator("#kept-dialog", { hasText: "Nothing yet." }).waitFor();
  await done();
});

test("with the switch nothing is kept on the machine, and the tab goes on", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  await paste(page, "expression", "'first ' + 'secret'");
  await page.locator(value, { hasText: "first secret" }).waitFor();
  await page.waitForFunction(() => JSON.stringify({ ...localStorage }).includes("secret"));
  await openList(page);
  await page.getByLabel("Keep nothing on this machine").check();
  await page.locator("#kept-dialog", { hasText: "Nothing is kept." }).waitFor();
  await page.keyboard.press("Escape");
  await paste(page, "expression", "'second ' + 'secret'");
  await page.locator(value, { hasText: "second secret" }).waitFor();
  await openExample(page, "deny a label");
  await page.locator(value).first().waitFor({ state: "detached" });
  await page.goBack();
  await page.locator(value, { hasText: "second secret" }).waitFor();
  assert.doesNotMatch(await stored(page), /secret/);
  assert.doesNotMatch(await page.evaluate(() => JSON.stringify(history.state)), /secret/);
  await page.goto(`${site.origin}/404.html`);
  await page.goto(`${site.origin}/`);
  await ready(page);
  await page.locator("#outcome .verdict", { hasText: "Denied" }).waitFor();
  assert.equal(await page.locator(value).count(), 0);
  await openList(page);
  assert.ok(await page.getByLabel("Keep nothing on this machine").isChecked());
  await done();
});

for (const [name, why] of /** @type {const} */ ([
  ["full", "browser's storage is full"],
  ["off", "stores nothing for this site"],
])) {
  test(`storage that is ${name} is reported, once`, async () => {
    const { page } = await site.open("/404.html");
    await page.addInitScript((full) => {
      const fail = () => {
        throw new DOMException("no", "QuotaExceededError");
      };
      Storage.prototype.setItem = fail;
      if (!full) Storage.prototype.getItem = fail;
    }, name === "full");
    await page.goto(`${site.origin}/`);
    await ready(page);
    await paste(page, "expression", "6 * 7");
    await page.locator(value, { hasText: "42" }).waitFor();
    await page.locator("#notice", { hasText: why }).waitFor();
    await page.locator("#notice").getByRole("button", { name: "Dismiss" }).click();
    await page.locator("[data-editor=expression] .cm-content").click();
    await page.keyboard.press("End");
    await page.keyboard.type(" + 1");
    await page.locator(value, { hasText: "43" }).waitFor();
    assert.ok(!(await page.locator("#notice").isVisible()), "it is reported once");
    await page.context().close();
  });
}
