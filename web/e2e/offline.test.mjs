// The second visit, without a network.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { paste, ready, start, tab } from "./browser.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start();
});
after(() => site.close());

test("the playground works without a network after one visit", async (t) => {
  const { page } = await site.open("/", { serviceWorkers: "allow" });
  await ready(page);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.context().setOffline(true);
  // Firefox's driver leaves the network to the service worker.
  const cut = (/** @type {unknown} */ _, /** @type {import("node:http").ServerResponse} */ response) =>
    void response.destroy();
  site.server.prependListener("request", cut);
  t.after(() => site.server.off("request", cut)); // the other tests have a network
  await page.reload();
  await ready(page);
  await paste(page, "expression", "6 * 7");
  await page.locator(".expression-card .becomes .value", { hasText: "42" }).waitFor();
  await tab(page, "request");
  await paste(
    page,
    "request",
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec: {replicas: 1, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: web, image: 'a:1'}]}}}\n",
  );
  await page.locator("#outcome .verdict", { hasText: "Admitted" }).waitFor();
  await tab(page, "diff");
  await page.getByRole("button", { name: "Side by side" }).click();
  await page.locator("html[data-diff=side]").waitFor();
  assert.equal(await page.locator("#results.is-stale").count(), 0);
  // Every example is kept, and a page that is not gives one of ours.
  const kept = await page.evaluate(async () => (await fetch("/examples/exclude-leases/scenario.json")).json());
  assert.match(kept.policies, /leases/);
  await page.goto(`${site.origin}/docs/cli/`);
  await page.getByRole("heading", { name: "This page is not kept on your machine" }).waitFor();
  await page.context().close();
});

test("the service worker waits until the page has its engine", async () => {
  const { page, done } = await site.open("/404.html", { serviceWorkers: "allow" });
  const { promise, resolve } = deferred();
  await page.route("**/*.wasm", async (route) => {
    await promise;
    await route.continue();
  });
  await page.goto(`${site.origin}/`);
  await page.locator("#engine-state[data-state=loading]").waitFor({ state: "attached" });
  assert.equal(await page.evaluate(() => navigator.serviceWorker.getRegistration().then((r) => r === undefined)), true);
  resolve();
  await ready(page);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await done();
});

test("a copy of the engine that is broken is got anew from the server", async () => {
  const { page, done } = await site.open("/", { serviceWorkers: "allow" });
  await ready(page);
  await page.evaluate(() => navigator.serviceWorker.ready);
  const broken = await page.evaluate(async () => {
    const found = [];
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) {
        if (!request.url.endsWith(".wasm") || request.url.endsWith("-registry.wasm")) continue;
        const whole = await (await cache.match(request))?.arrayBuffer();
        const headers = { "Content-Type": "application/wasm" };
        await cache.put(request, new Response(whole?.slice(0, 100_000), { headers }));
        found.push(request.url);
      }
    }
    return found.length;
  });
  assert.equal(broken, 3, "the parts of the engine are put aside");
  await page.reload();
  await ready(page);
  await paste(page, "request", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n");
  await page.locator("#outcome .verdict", { hasText: "Admitted, no policies" }).waitFor();
  await done();
});

function deferred() {
  let resolve = () => {};
  /** @type {Promise<void>} */
  const promise = new Promise((r) => (resolve = r));
  return { promise, resolve };
}
