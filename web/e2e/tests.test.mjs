// Tests on the page: "Save as a test" keeps a request with its verdict, every change of
// the policies is tested against it, and the tests go to the command line and back.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { strFromU8, unzipSync } from "fflate";

import { accessible, firstOf, paste, ready, start, tab } from "./browser.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start({ shared: true });
});
after(() => site.close());

const badge = "#tests-badge";
const cases = "#view-tests .case";

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata: {name: small, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: 'example.com/web:1'}]}
`;

for (const [width, colorScheme] of firstOf(
  /** @type {const} */ ([
    [1440, "light"],
    [390, "dark"],
  ]),
)) {
  test(`what is pinned is tested at every change, at ${width} px, ${colorScheme}`, async () => {
    const { page, done } = await site.open("/", { viewport: { width, height: 900 }, colorScheme });
    await ready(page);
    const shot = async (/** @type {string} */ name) => {
      if (process.env["SHOTS"])
        await page.screenshot({ path: `${process.env["SHOTS"]}/tests-${name}-${width}-${colorScheme}.png` });
    };
    await tab(page, "tests");
    await page.locator("#view-tests .many-note", { hasText: "Save as a test keeps the request" }).waitFor();
    await accessible(page);
    await shot("empty");
    await page.getByRole("button", { name: "Save as a test" }).click();
    await page.locator(badge, { hasText: "1/1" }).waitFor();
    await paste(page, "request", DEPLOYMENT);
    await page.locator("#outcome", { hasText: "Admitted, mutated" }).waitFor();
    await page.getByRole("button", { name: "Save as a test" }).click();
    await page.locator(badge, { hasText: "2/2" }).waitFor();
    assert.deepEqual(
      await page.locator(".case-name").evaluateAll((all) => all.map((e) => /** @type {any} */ (e).value)),
      ["web-denied", "small-mutated"],
    );
    // The limit is raised: what should be denied no longer is.
    const editor = page.locator("[data-editor=policies]");
    const text = await page.evaluate(() => fetch("/examples/first-look/scenario.json").then((r) => r.json()));
    await paste(page, "policies", text.policies.replace("? 50 : 5", "? 50 : 50"));
    await page.locator(badge, { hasText: "1/2" }).waitFor();
    const failed = page.locator(`${cases}.is-failed`);
    assert.equal(await failed.count(), 1);
    assert.match(
      await failed.innerText(),
      /fails: Admitted, mutated[^]*outcome\.allowed[^]*expected false[^]*now true/,
    );
    await shot("failed");
    await accessible(page);
    // A text that cannot be read makes nothing green, nor does a policy that is refused.
    for (const broken of ["kind: [", text.policies.replace("object.spec.replicas", "object.spec..replicas")]) {
      await paste(page, "policies", broken);
      await page.locator(badge, { hasText: "0/2" }).waitFor();
      assert.equal(await page.locator(`${cases}.is-passed`).count(), 0);
    }
    await paste(page, "policies", text.policies);
    await page.locator(badge, { hasText: "2/2" }).waitFor();
    assert.ok(await editor.isVisible());
    // The case opens, is renamed, and is removed with a way back.
    await page.locator(cases).first().getByRole("button", { name: "Open" }).click();
    await page.locator("#outcome", { hasText: "at most 5 replicas" }).waitFor();
    await page.locator(".case-name").first().fill("too large");
    await page.locator(".case-name").first().press("Tab");
    await page.locator(cases).first().getByRole("button", { name: "Remove" }).click();
    await page.locator(badge, { hasText: "1/1" }).waitFor();
    await page.locator("#notice").getByRole("button", { name: "Undo" }).click();
    await page.locator(badge, { hasText: "2/2" }).waitFor();
    // They are there again after a reload.
    await page.reload();
    await page.locator(badge, { hasText: "2/2" }).waitFor();
    await tab(page, "tests");
    assert.equal(await page.locator(".case-name").first().inputValue(), "too large");
    await done();
  });
}

test("a change that is meant is expected from then on", async () => {
  const { page, done } = await site.open("/", { viewport: { width: 1440, height: 900 } });
  await ready(page);
  await tab(page, "tests");
  await page.getByRole("button", { name: "Save as a test" }).click();
  await page.locator(badge, { hasText: "1/1" }).waitFor();
  const text = await page.evaluate(() => fetch("/examples/first-look/scenario.json").then((r) => r.json()));
  await paste(page, "policies", text.policies.replace("? 50 : 5", "? 50 : 6"));
  await page.locator(badge, { hasText: "0/1" }).waitFor(); // the message has another number
  await page.getByRole("button", { name: "Update expectation" }).click();
  await page.locator(badge, { hasText: "1/1" }).waitFor();
  // Without a policy that runs, what was expected so is not green.
  await paste(page, "policies", "# nothing\n");
  await page.locator(badge, { hasText: "0/1" }).waitFor();
  await page.getByRole("button", { name: "Update expectation" }).click();
  await page.locator(`${cases}.is-noPolicy`, { hasText: "no policy ran" }).waitFor();
  assert.equal(await page.locator(badge).textContent(), "0/1");
  await done();
});

test("the tests are downloaded as folders with a workflow, and opened again", async () => {
  const { page, done } = await site.open("/", { acceptDownloads: true, viewport: { width: 1440, height: 900 } });
  await ready(page);
  await tab(page, "tests");
  await page.getByRole("button", { name: "Save as a test" }).click();
  await page.locator(badge, { hasText: "1/1" }).waitFor();
  await paste(page, "request", DEPLOYMENT);
  await page.locator("#outcome", { hasText: "Admitted, mutated" }).waitFor();
  await page.getByRole("button", { name: "Save as a test" }).click();
  await page.locator(badge, { hasText: "2/2" }).waitFor();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download for CI" }).click();
  const zip = await readFile(await (await download).path());
  const files = unzipSync(zip);
  const names = Object.keys(files);
  for (const name of ["web-denied", "small-mutated"])
    for (const file of ["policies.yaml", "request.yaml", "expected.yaml"])
      assert.ok(names.includes(`policy-tests/${name}/${file}`), `${name}/${file} among ${names.join(" ")}`);
  assert.match(strFromU8(files[".github/workflows/policy-tests.yaml"] ?? new Uint8Array()), /test policy-tests/);
  // In an empty page the zip is the policies and their tests.
  await page.goto(`${site.origin}/#new`);
  await tab(page, "tests");
  await page
    .locator("#view-tests input[type=file]")
    .first()
    .setInputFiles({ name: "policy-tests.zip", mimeType: "application/zip", buffer: zip });
  await page.locator("#notice", { hasText: "Opened 2 tests." }).waitFor();
  await page.locator(badge, { hasText: "2/2" }).waitFor();
  assert.match(await page.locator("[data-editor=policies] .cm-content").innerText(), /ValidatingAdmissionPolicy/);
  // Going back brings what was there, without tests.
  await page.goBack();
  await page.locator(badge, { hasText: "2/2" }).first().waitFor({ state: "detached" });
  await page.locator(cases).first().waitFor({ state: "detached" });
  await done();
});
