// The table of many requests: how one gets there, that all of them are in it with
// what each policy makes of them, and that the page goes on answering meanwhile.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";

import { accessible, firstOf, FULL, paste, ready, start, tab } from "./browser.mjs";

/** @typedef {import("playwright-core").Page} Page */

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start({ shared: true });
});
after(() => site.close());

/** @param {string} name @param {number} replicas */
const deployment = (name, replicas) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace: "shop" },
  spec: {
    replicas,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "web", image: "example.com/web:1" }] },
    },
  },
});

/** @param {number} count every fourth is too large for the policy of the first example */
const capture = (count) =>
  Array.from({ length: count }, (_, i) => JSON.stringify(deployment(`web-${i}`, i % 4 === 3 ? 8 : 2))).join("\n") +
  "\n";

/**
 * Gives the table a file, as the button for files does.
 * @param {Page} page @param {string} name @param {string} text
 */
async function give(page, name, text) {
  await tab(page, "table");
  await page
    .locator("#view-table input[type=file]")
    .first()
    .setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
}

/** @param {string} expression */
const policy = (expression) => `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: ['*'], resources: [deployments]}
  validations:
  - expression: ${expression}
`;

const note = "#view-table .many-note";
const rows = "#view-table tr[data-place]";

for (const [width, colorScheme] of firstOf(
  /** @type {const} */ ([
    [1440, "light"],
    [1440, "dark"],
    [390, "light"],
    [390, "dark"],
  ]),
)) {
  test(`a captured file is a table, at ${width} px, ${colorScheme}`, async () => {
    const { page, done } = await site.open("/", { viewport: { width, height: 900 }, colorScheme });
    await ready(page);
    await tab(page, "table");
    await page.locator(note, { hasText: "What would your policies do" }).waitFor();
    const shot = async (/** @type {string} */ name) => {
      if (process.env["SHOTS"])
        await page.screenshot({ path: `${process.env["SHOTS"]}/table-${name}-${width}-${colorScheme}.png` });
    };
    await shot("empty");
    await accessible(page);
    await give(page, "audit.ndjson", `${capture(12)}{"broken":\n`);
    await page.locator(note, { hasText: "13 requests: 3 denied, 1 unreadable, 9 admitted, mutated." }).waitFor();
    await page.locator(rows).nth(12).waitFor(); // rows are drawn in the frame after the note
    assert.equal(await page.locator(rows).count(), 13);
    assert.match(
      await page.locator(rows).nth(3).innerText(),
      /shop\/web-3[^]*CREATE Deployment\.apps[^]*Denied[^]*denied/,
    );
    await shot("rows");
    await accessible(page);
    // The verdict is a filter, the head sorts, words filter.
    await page.locator("#view-table select").selectOption({ label: "Denied (3)" });
    assert.equal(await page.locator(rows).count(), 3);
    await page.locator("#view-table select").selectOption("");
    await page.locator("#view-table input[type=search]").fill("web-1");
    assert.equal(await page.locator(rows).count(), 3); // web-1, web-10, web-11
    await page.locator("#view-table input[type=search]").fill("");
    await page.getByRole("button", { name: "Verdict", exact: true }).click();
    assert.match(await page.locator(rows).first().innerText(), /web-3/);
    await page.getByRole("button", { name: "Verdict", exact: true }).click();
    assert.match(await page.locator(rows).first().innerText(), /web-12|web-0|web-10/);
    // A click opens the case, and there is a way back.
    await page.locator(rows, { hasText: "web-7" }).click();
    await page.locator("#outcome", { hasText: "at most 5 replicas" }).waitFor();
    await page.locator("#notice", { hasText: "The request is now row 8, shop/web-7." }).waitFor();
    assert.ok(await page.locator("#view-steps").isVisible());
    await shot("case");
    await page.getByRole("button", { name: "Back to the table" }).click();
    assert.ok(await page.locator("#view-table").isVisible());
    // What has no request says so.
    await page.locator(rows, { hasText: "Unreadable" }).click();
    await page.locator(note, { hasText: "Row 13, line 13" }).waitFor();
    await done();
  });
}

test("the table is used with the keyboard, and follows the policies", async () => {
  const { page, done } = await site.open("/", { viewport: { width: 1440, height: 900 } });
  await ready(page);
  await give(page, "a.ndjson", capture(60));
  await page.locator(note, { hasText: "60 requests: 15 denied, 45 admitted, mutated." }).waitFor();
  const grid = page.locator("#view-table table");
  await grid.focus();
  await page.keyboard.press("End");
  await page.locator('[aria-selected=true][data-place="59"]').waitFor();
  assert.equal(await grid.getAttribute("aria-activedescendant"), "many-row-59");
  assert.equal(await grid.getAttribute("aria-rowcount"), "61");
  assert.ok((await page.locator(rows).count()) < 50, "only what is in sight is on the page");
  await page.keyboard.press("Home");
  for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.locator("#outcome", { hasText: "at most 5 replicas" }).waitFor();
  await page.getByRole("button", { name: "Back to the table" }).click();
  // So few rows are evaluated anew when the policies change.
  await paste(page, "policies", policy("object.spec.replicas > 0"));
  await page.locator(note, { hasText: "60 requests: 60 no policy ran." }).waitFor(); // it has no binding
  assert.equal(await page.locator("#view-table td.is-admitted").count(), 0);
  // A policy that the server rejects makes no row green.
  await paste(page, "policies", policy("object.spec..replicas > 0"));
  await page.locator(note, { hasText: "60 requests: 60 policy rejected." }).waitFor();
  await page.locator("#view-table .many-problems li").first().waitFor();
  assert.equal(await page.locator("#view-table td.is-admitted").count(), 0);
  await done();
});

test("a List that is pasted as the request leads to the table of all of it", async () => {
  const { page, done } = await site.open("/", { viewport: { width: 1440, height: 900 } });
  await ready(page);
  const list = { apiVersion: "v1", kind: "List", items: [1, 8, 3].map((n, i) => deployment(`web-${i}`, n)) };
  await paste(page, "request", JSON.stringify(list, undefined, 2));
  const picker = page.locator("#notice select");
  await picker.waitFor();
  assert.match((await picker.locator("option").first().textContent()) ?? "", /1 of 3/);
  await page.getByRole("button", { name: "Table of all 3" }).click();
  await page.locator(note, { hasText: "3 requests" }).waitFor();
  assert.match(await page.locator(rows).nth(1).innerText(), /web-1[^]*Denied|web-1[^]*No policy ran/);
  // The page itself does not scroll: what only screen readers see once made it longer than the window.
  const beyond = await page.evaluate(() => document.documentElement.scrollHeight - window.innerHeight);
  assert.equal(beyond, 0);
  await done();
});

test("what is shown is exported, one JSON document a line", async () => {
  const { page, done } = await site.open("/", { acceptDownloads: true, viewport: { width: 1440, height: 900 } });
  await ready(page);
  await give(page, "a.ndjson", capture(8));
  await page.locator(note, { hasText: "8 requests: 2 denied" }).waitFor();
  await page.locator("#view-table select").selectOption({ label: "Denied (2)" });
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export 2 as NDJSON" }).click();
  const lines = (await readFile(await (await download).path(), "utf8")).trimEnd().split("\n");
  assert.deepEqual(
    lines.map((l) => JSON.parse(l)).map(({ name, state, line }) => ({ name, state, line })),
    [
      { name: "web-3", state: "denied", line: 4 },
      { name: "web-7", state: "denied", line: 8 },
    ],
  );
  await done();
});

test("ten thousand requests: the page answers meanwhile, and it can be stopped", { skip: !FULL }, async () => {
  const { page, done } = await site.open("/", { viewport: { width: 1440, height: 900 } });
  await ready(page);
  await give(page, "many.ndjson", capture(10_000));
  const bar = page.locator("#view-table progress");
  await page.locator(rows).first().waitFor();
  assert.equal(await bar.getAttribute("max"), "10000");
  // A key is answered while thousands wait.
  await paste(page, "expression", "6 * 7");
  await page.locator(".expression-card .becomes .value", { hasText: "42" }).waitFor();
  assert.ok(await bar.isVisible(), "it is still under way");
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.locator(note, { hasText: /^Stopped after [\d,]+ of 10,000\.$/ }).waitFor();
  assert.ok(!(await bar.isVisible()));
  assert.ok(await page.getByRole("button", { name: "Run again" }).isVisible());
  // So many rows do not follow the policies by themselves, and say so.
  assert.equal(await page.locator("#view-table .is-old").count(), 0);
  await paste(page, "policies", policy("object.spec.replicas > 0"));
  await page.locator(note, { hasText: "The policies have changed. These are the earlier verdicts." }).waitFor();
  await page.locator("#view-table .is-old").first().waitFor();
  await page.getByRole("button", { name: "Run again" }).click();
  await page.locator("#view-table tr[data-place]:not(.is-old)", { hasText: "No policy ran" }).first().waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.locator(note, { hasText: /^Stopped after [\d,]+ of 10,000\./ }).waitFor();
  await done();
});
