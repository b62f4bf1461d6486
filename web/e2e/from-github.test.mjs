// A gist or GitHub file is opened when the reader confirms it, where the site allows it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { accessible, ready, start } from "./browser.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start();
});
after(() => site.close());

const POD =
  "apiVersion: v1\nkind: Pod\nmetadata: {name: fetched, namespace: default}\nspec: {containers: [{name: a, image: a}]}\n";
const file = "https://raw.githubusercontent.com/o/r/main/pod.yaml";

test("by default no page may ask GitHub, and the page says so", async () => {
  const { page, done } = await site.open(`/from-github/#${file}`);
  await page.locator("#github-off", { hasText: "This is switched off here" }).waitFor();
  assert.ok(!(await page.locator("#github-form").isVisible()));
  await accessible(page);
  await done();
});

test("with the exception a file is fetched when the reader confirms it, and opened in the playground", async () => {
  const { page, complaints } = await site.open("/404.html", { viewport: { width: 390, height: 844 } });
  // As a host sends it that makes the exception.
  await page.route("**/from-github/", async (route) => {
    const response = await route.fetch();
    const policy = (response.headers()["content-security-policy"] ?? "").replace(
      "connect-src 'self'",
      "connect-src 'self' https://gist.githubusercontent.com https://raw.githubusercontent.com",
    );
    await route.fulfill({ response, headers: { ...response.headers(), "content-security-policy": policy } });
  });
  /** @type {string[]} */
  const asked = [];
  const cors = { "access-control-allow-origin": "*", "content-type": "text/plain; charset=utf-8" };
  await page.route("https://*.githubusercontent.com/**", async (route) => {
    const url = route.request().url();
    asked.push(url);
    assert.equal(await route.request().headerValue("referer"), null);
    if (url.endsWith("/missing.yaml")) await route.fulfill({ status: 404, headers: cors, body: "404: Not Found" });
    else if (url.endsWith("/large.yaml")) await route.fulfill({ headers: cors, body: "#".repeat((1 << 20) + 1) });
    else if (url.endsWith("/gone.yaml")) await route.abort("internetdisconnected");
    else await route.fulfill({ headers: cors, body: POD });
  });
  const said = page.locator("#github-said");
  // A link fills the address in, and asks nobody.
  await page.goto(`${site.origin}/from-github/#${file}`);
  await page.locator("#github-confirm", { hasText: "raw.githubusercontent.com" }).waitFor();
  assert.deepEqual(asked, []);
  await accessible(page);
  if (process.env["SHOTS"]) await page.screenshot({ path: `${process.env["SHOTS"]}/github.png` });
  await page.locator("#github-cancel").click();
  const address = page.locator("#github-address");
  await address.fill("https://example.org/pod.yaml");
  await page.keyboard.press("Enter");
  await said.filter({ hasText: "Only gists and GitHub files" }).waitFor();
  for (const [name, words] of /** @type {const} */ ([
    ["missing", "has no such file"],
    ["large", "too large"],
    ["gone", "could not be reached"],
  ])) {
    await address.fill(`https://github.com/o/r/blob/main/${name}.yaml`);
    await page.keyboard.press("Enter");
    await page.locator("#github-fetch").click();
    await said.filter({ hasText: words }).waitFor();
  }
  await address.fill(file);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter"); // the confirming button has the focus
  await page.locator("#view-steps .request", { hasText: "default/fetched" }).waitFor();
  await ready(page);
  assert.equal(await page.evaluate(() => sessionStorage.getItem("preadmit.handed")), null);
  await page.context().close();
  assert.deepEqual(asked.at(-1), file);
  assert.deepEqual(
    complaints.filter((c) => !/githubusercontent|404|ERR_INTERNET_DISCONNECTED/.test(c)),
    [],
  );
});
