// The pages for everyone: accessible in both themes, usable on narrow screens.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { accessible, ready, start } from "./browser.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start();
});
after(() => site.close());

const pages = ["/", "/examples/", "/examples/first-look/", "/docs/", "/docs/scenario/", "/docs/diagnostics/", "/docs/embedding/", "/about/", "/no-such-page"];

for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
  for (const path of pages) {
    test(`axe finds nothing on ${path}, ${colorScheme}`, async () => {
      const { page, complaints } = await site.open(path, { colorScheme, reducedMotion: "reduce" });
      if (path === "/") {
        await ready(page);
        await page.locator("[data-editor=policies] .cm-celLineNote").first().waitFor();
      }
      await accessible(page);
      if (path === "/") {
        for (const tab of ["object", "diff", "answer"]) {
          await page.locator(`#tab-${tab}`).click();
          await accessible(page);
        }
        await page.locator("#share").click();
        await accessible(page);
      }
      await page.context().close();
      // The missing page answers 404, which the browser reports.
      assert.deepEqual(complaints.filter((c) => !c.includes("404")), []);
    });
  }
}

for (const width of [320, 390, 768]) {
  for (const path of pages) {
    test(`${path} does not scroll sideways at ${width}`, async () => {
      const { page } = await site.open(path, { viewport: { width, height: 800 }, hasTouch: true });
      if (path === "/") await ready(page);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.equal(overflow, 0);
      await page.context().close();
    });
  }
}

test("every link of the site leads somewhere", async () => {
  const { page } = await site.open("/404.html");
  const seen = new Set(["/"]);
  for (const path of seen) {
    const response = await page.request.get(site.origin + path);
    assert.equal(response.status(), 200, path);
    if (!(response.headers()["content-type"] ?? "").includes("html")) continue;
    for (const [, href] of (await response.text()).matchAll(/(?:href|src)="(\/[^"#?]*)/g)) if (href !== undefined) seen.add(href);
  }
  assert.ok(seen.size > 10, `only ${seen.size} addresses were found`);
  await page.context().close();
});

test("nothing moves when the result arrives", async () => {
  const { page, done } = await site.open("/404.html");
  await page.addInitScript(() => {
    Object.assign(window, { shift: 0 });
    new PerformanceObserver((list) => {
      for (const entry of /** @type {any[]} */ (list.getEntries())) {
        if (!entry.hadRecentInput) Object.assign(window, { shift: /** @type {any} */ (window).shift + entry.value });
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page.goto(`${site.origin}/`);
  await ready(page);
  await page.locator("[data-editor=policies] .cm-celLineNote").first().waitFor();
  const shift = await page.evaluate(() => /** @type {any} */ (window).shift);
  assert.ok(shift < 0.05, `layout shift ${shift}`);
  await done();
});
