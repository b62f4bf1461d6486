// An engine that hangs or does not come. The clock of the page is moved by hand,
// so that nobody waits.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";

import { FULL, paste, ready, start, tab } from "./browser.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start();
});
after(() => site.close());

test("an evaluation that hangs is stopped, said, and a new worker goes on", async () => {
  const { page } = await site.open("/404.html");
  await page.clock.install();
  let started = 0;
  await page.route("**/assets/worker-*.js", async (route) => {
    // The first worker, which has in its name what to load, is ready at once and then never answers.
    if (started++ > 0) await route.fallback();
    else
      await route.fulfill({
        contentType: "text/javascript",
        body: 'postMessage({ type: "ready" });',
      });
  });
  await page.goto(`${site.origin}/`);
  await ready(page);
  await page.clock.fastForward(16_000);
  await page.locator("#stale-note", { hasText: "took more than 15 seconds and was stopped" }).waitFor();
  await ready(page);
  assert.equal(started, 2);
  await tab(page, "request");
  await page.locator("[data-editor=request] .cm-line", { hasText: "replicas: 8" }).click();
  await page.keyboard.press("End");
  await page.keyboard.type("8");
  await page.clock.fastForward(1_000);
  await page.locator("#outcome .message", { hasText: "not 88" }).waitFor();
  assert.equal(await page.locator("#results.is-stale").count(), 0);
  await page.context().close();
});

test("an engine that has taken too much memory is renewed between two keys, and nothing of it shows", async () => {
  const { page, done } = await site.open("/404.html");
  await page.addInitScript(() => {
    Object.defineProperty(Navigator.prototype, "deviceMemory", { get: () => 1 });
    // What the first worker says of its memory grows faster than it does, in its messages, which
    // are all that there is without channels; all else is real.
    Reflect.deleteProperty(window, "BroadcastChannel");
    let workers = 0;
    let replies = 0;
    window.Worker = class extends Worker {
      /**
       * @param {string | URL} url
       * @param {WorkerOptions} [options]
       */
      constructor(url, options) {
        super(url, options);
        if (workers++ > 0) return;
        this.addEventListener("message", ({ data }) => {
          if (data.type === "reply") data.memory *= ++replies > 3 ? 8 : 1;
        });
      }
    };
    // Each state that the line about the engine goes through.
    const states = /** @type {string[]} */ (Reflect.get(window, "states") ?? []);
    Object.assign(window, { states });
    new MutationObserver(() => {
      const { state } = document.getElementById("engine-state")?.dataset ?? {};
      if (state !== undefined && states.at(-1) !== state) states.push(state);
    }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-state"] });
  });
  // From its beginning: replies behind the first result may be enough for it to be renewed before a key.
  const renewed = new Promise((resolve) => page.once("worker", (first) => first.once("close", resolve)));
  await page.goto(`${site.origin}/`);
  await ready(page);
  await tab(page, "request");
  await page.locator("[data-editor=request] .cm-line", { hasText: "replicas: 8" }).click();
  await page.keyboard.press("End");
  const message = page.locator("#outcome .message");
  for (const [key, wanted] of /** @type {const} */ ([
    ["1", "not 81"],
    ["2", "not 812"],
    ["3", "not 8123"],
  ])) {
    await page.keyboard.type(key);
    await message.filter({ hasText: wanted }).waitFor();
  }
  await renewed;
  assert.equal(page.workers().length, 1);
  // The fresh one answers, and renders a part of a report that it has not made.
  await tab(page, "diff");
  await page.locator("#view-diff *").first().waitFor();
  await page.locator("[data-editor=request] .cm-line", { hasText: "replicas: 8123" }).click();
  await page.keyboard.press("End");
  await page.keyboard.type("4");
  await message.filter({ hasText: "not 81234" }).waitFor();
  const states = await page.evaluate(() => /** @type {string[]} */ (Reflect.get(window, "states")));
  assert.deepEqual(states.slice(states.indexOf("ready")), ["ready"]);
  await done();
});

test("a download of the engine that breaks off is begun anew", async (t) => {
  const { page } = await site.open("/404.html");
  let asked = 0;
  /** @param {import("node:http").IncomingMessage} request @param {import("node:http").ServerResponse} response */
  const cut = (request, response) => {
    if (!/engine-[^-]+\.wasm$/.test(request.url ?? "") || asked++ > 0) return;
    const write = response.write.bind(response);
    let sent = 0;
    response.write = /** @type {typeof response.write} */ (
      (/** @type {Buffer} */ chunk) => {
        sent += chunk.length;
        if (sent > 2 << 20) response.destroy();
        return write(chunk);
      }
    );
  };
  site.server.prependListener("request", cut);
  t.after(() => site.server.off("request", cut));
  await page.goto(`${site.origin}/`);
  await ready(page);
  assert.equal(asked, 2);
  await page.context().close();
});

test("what comes in place of the engine is named, and trying again goes on", async () => {
  const { page } = await site.open("/404.html");
  const engine = "**/*.wasm";
  await page.route(engine, (route) => route.fulfill({ status: 404, body: "" })); // by a deploy in the meantime
  await page.goto(`${site.origin}/`);
  await page.locator("#engine-text", { hasText: "the site is newer than this page" }).waitFor();
  await page.unroute(engine);
  await page.route(engine, (route) => route.fulfill({ contentType: "text/html", body: "<p>Sign in" })); // of a proxy
  await page.locator("#engine-retry").click();
  await page.locator("#engine-text", { hasText: "the server sent a web page instead" }).waitFor();
  assert.match((await page.locator("#outcome").textContent()) ?? "", /Denied/);
  await page.unroute(engine);
  await page.locator("#engine-retry").click();
  await ready(page);
  await page.context().close();
});

// Each stage of the build (scripts/module/README.md) only makes the engine smaller or faster. Before a release: it
// takes what ten other tests take, and only a change of the build can break it.
test(
  "the page works with the engine as the linker wrote it, without image, parts and tables",
  { skip: !FULL },
  async () => {
    const { page } = await site.open("/404.html");
    const plain = await readFile(new URL("../build/engine.linked.wasm", import.meta.url));
    const nothing = Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]); // a module
    let asked = 0;
    await page.route("**/engine-*.wasm", (route) => {
      const later = /-(more|rest|registry)\.wasm$/.test(route.request().url());
      if (!later) asked++;
      return route.fulfill({ contentType: "application/wasm", body: later ? nothing : plain });
    });
    await page.goto(`${site.origin}/`);
    await ready(page);
    assert.equal(asked, 1);
    assert.match((await page.locator("#outcome").textContent()) ?? "", /Denied/);
    await page.locator("#kubernetes").selectOption("1.30"); // what the last part is for
    await tab(page, "steps");
    await page.locator("#view-steps", { hasText: "the server could not find the requested resource" }).waitFor();
    await page.context().close();
  },
);

test("a part of the engine that cannot be loaded is said where it is needed, and trying again goes on", async () => {
  const { page } = await site.open("/404.html");
  const [later, rest] = ["**/engine-*-*.wasm", "**/engine-*-rest.wasm"];
  // The worker waits for 55 seconds for a request. It waits for one only where the test says
  // that nothing will come: any other may take as long as a busy machine needs.
  let silent = false;
  await page.route("**/is-silent", (route) => route.fulfill({ body: silent ? "yes" : "no" }));
  await page.route("**/assets/worker-*.js", async (route) => {
    const response = await route.fetch();
    const asking = `{
      const { open, send } = XMLHttpRequest.prototype;
      const addresses = new WeakMap();
      XMLHttpRequest.prototype.open = function (method, address, ...rest) {
        addresses.set(this, String(address));
        open.call(this, method, address, ...rest);
      };
      XMLHttpRequest.prototype.send = function (...body) {
        if (addresses.get(this)?.includes("-rest.wasm")) {
          const question = new XMLHttpRequest();
          open.call(question, "GET", "/is-silent", false);
          send.call(question);
          if (question.responseText === "yes") this.timeout = 1000;
        }
        send.apply(this, body);
      };
    }`;
    await route.fulfill({ response, body: asking + (await response.text()) });
  });
  await page.route(later, (route) => route.abort());
  await page.goto(`${site.origin}/`);
  await ready(page);
  await tab(page, "versions");
  await page.locator(".versions > li", { hasText: "a part that it needs could not be loaded" }).first().waitFor();
  await page.locator("#kubernetes").selectOption("1.30"); // an evaluation needs it
  const text = page.locator("#engine-text");
  await text.filter({ hasText: "the network does not answer" }).waitFor();
  // A deploy in the meantime: the evaluation has waited, and needs it again.
  await page.unroute(later);
  await page.route(later, (route) => route.fulfill({ status: 404, body: "" }));
  await page.locator("#engine-retry").click();
  await text.filter({ hasText: "the site is newer than this page; reload the page" }).waitFor();
  // One that is never answered: the last, which an older version needs.
  await page.unroute(later);
  let asked = 0;
  silent = true;
  await page.route(rest, () => void asked++);
  await page.locator("#engine-retry").click();
  await text.filter({ hasText: "the network does not answer" }).waitFor();
  assert.equal(asked, 2); // and once more past the browser's cache
  silent = false;
  await page.unroute(rest);
  await page.locator("#engine-retry").click();
  await ready(page);
  await tab(page, "steps");
  await page.locator("#view-steps", { hasText: "the server could not find the requested resource" }).waitFor();
  await page.context().close();
});

test("a browser without WebAssembly gets an explanation and what to do", async () => {
  const { page } = await site.open("/404.html");
  await page.route("**/assets/worker-*.js", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `delete self.WebAssembly;${await response.text()}` });
  });
  await page.goto(`${site.origin}/`);
  await page.locator("#engine-state[data-state=failed]").waitFor();
  assert.match((await page.locator("#engine-text").textContent()) ?? "", /WebAssembly/);
  assert.match((await page.locator("#outcome").textContent()) ?? "", /Denied/);
  await page.context().close();
});

test("a browser that cannot run the script shows the page without it, and says why", async () => {
  const { page } = await site.open("/404.html");
  await page.route("**/assets/playground-*.js", (route) =>
    route.fulfill({ contentType: "text/javascript", body: "}" }),
  );
  await page.goto(`${site.origin}/`);
  await page.locator("#no-module", { hasText: "too old" }).waitFor();
  assert.ok(await page.getByRole("heading", { name: "Answer" }).isVisible());
  await page.context().close();
});

for (const [name, path] of /** @type {const} */ ([
  ["the playground", "/"],
  ["an embedded example", "/embed/?example=first-look&run"],
])) {
  test(`${name} says so when its engine does not come`, async () => {
    const { page } = await site.open("/404.html");
    await page.clock.install();
    await page.route("**/*.wasm", () => undefined); // never answered
    await page.goto(site.origin + path);
    await page.locator("#engine-state[data-state=loading]").waitFor({ state: "attached" });
    await page.clock.fastForward(21_000);
    await page.locator("#engine-text", { hasText: "nothing has arrived for 20 seconds" }).waitFor();
    assert.ok(await page.locator("#engine-retry").isVisible());
    await page.context().close();
  });
}

test("a damaged link is explained also to a user with a text of their own", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  await paste(page, "expression", "1 + 1");
  await page.locator(".expression-card .becomes .value", { hasText: "2" }).waitFor();
  await page.goto(`${site.origin}/404.html`);
  await page.goto(`${site.origin}/#1/OumhasKqlIG2rfcCBWWFRPB0OqSVBB9UAY`);
  await page.locator("#link-damaged", { hasText: "This link is damaged" }).waitFor();
  await page.getByRole("button", { name: "Go back to it" }).click();
  await page.locator(".expression-card .becomes .value", { hasText: "2" }).waitFor();
  await done();
});
