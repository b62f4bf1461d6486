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
  const embeds = Array.from(
    { length: 10 },
    () =>
      `<preadmit-example example="first-look" file="request"><pre><code>replicas: 8</code></pre></preadmit-example>`,
  );
  const html = `<!doctype html><html lang="en"><title>A page</title><main><h1>A page</h1>${embeds.join("\n")}</main><script src="${site.origin}/embed.js"></script></html>`;
  // A dark page of its own that allows what docs/embedding.md says, and nothing else.
  const dark = `<!doctype html><html lang="en"><title>A dark page</title><link rel="stylesheet" href="/dark.css"><main><h1>A dark page</h1>
    <script async src="${site.origin}/embed.js" data-example="first-look" data-file="policies" data-lines="16,19" data-view="diff" data-theme="dark" data-height="700"></script></main></html>`;
  host = createServer((request, response) => {
    response.setHeader("Content-Type", request.url === "/dark.css" ? "text/css" : "text/html; charset=utf-8");
    if (request.url === "/dark")
      response.setHeader(
        "Content-Security-Policy",
        `default-src 'none'; style-src 'self'; script-src ${site.origin}; frame-src ${site.origin}`,
      );
    response.end(
      request.url === "/dark.css"
        ? "html { background: #111; color: #eee; color-scheme: dark; }"
        : request.url === "/hostile"
          ? "<!doctype html><title>A page of somebody else</title><body></body>"
          : request.url === "/dark"
            ? dark
            : html,
    );
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
    await frame.locator(".is-answered #outcome .verdict", { hasText: "Denied" }).waitFor();
  }
  const frame = page.frameLocator("preadmit-example iframe").first();
  await frame.locator("[data-editor=request] .cm-line", { hasText: "replicas: 8" }).click();
  await page.keyboard.press("End");
  await page.keyboard.press("Backspace");
  await page.keyboard.type("2");
  await frame.locator(".is-answered #outcome .verdict", { hasText: "Admitted" }).waitFor();

  assert.equal(page.workers().length, 1, "one worker for all examples");

  // As high as it became when it was opened; what is higher scrolls inside.
  const box = page.locator("preadmit-example").first();
  assert.equal(await box.evaluate((element) => /** @type {HTMLElement} */ (element).offsetHeight), 420);
  assert.equal(
    await page
      .locator("preadmit-example iframe")
      .first()
      .evaluate((f) => /** @type {HTMLElement} */ (f).offsetHeight),
    420,
  );
  assert.ok(await frame.locator("#results").evaluate((results) => results.scrollHeight > results.clientHeight));
  assert.match((await frame.locator("#open-in-playground").getAttribute("href")) ?? "", /^\/#1\//);
  await page.context().close();
});

test("each piece of code in the documentation is followed by what it gives", async () => {
  const { page, done } = await site.open("/docs/embedding/");
  await accessible(page);
  assert.equal(await page.locator("preadmit-example").count(), 4);
  const frames = page.locator("preadmit-example iframe");
  for (const [index, verdict] of ["Denied", "Denied", "Denied", "Denied"].entries()) {
    await page.locator("preadmit-example").nth(index).locator("button").click();
    await frames.nth(index).contentFrame().locator(".is-answered #outcome .verdict", { hasText: verdict }).waitFor();
  }
  const own = frames.nth(1).contentFrame();
  await own.locator("#outcome .message", { hasText: "say who owns it" }).waitFor();

  const focus = frames.nth(2).contentFrame();
  assert.match((await focus.locator(".cm-inFocus").allInnerTexts()).join(""), /replicas <= variables\.limit/);
  await focus.locator(".cm-foldPlaceholder", { hasText: "… 13 lines" }).click();
  await focus.locator(".cm-line", { hasText: "kind: ValidatingAdmissionPolicy" }).first().waitFor();

  const still = frames.nth(3).contentFrame();
  assert.ok(await still.locator("#view-answer").isVisible());
  await still.locator("[data-editor=request] .cm-line", { hasText: "replicas: 8" }).click();
  await page.keyboard.type("1");
  assert.equal(await still.locator("[data-editor=request] .cm-line", { hasText: "replicas: 8" }).count(), 1);

  const plain = page.locator(".live > iframe");
  await plain.scrollIntoViewIfNeeded();
  await plain.contentFrame().locator("#run").click();
  await plain.contentFrame().locator(".is-answered #outcome .verdict", { hasText: "Denied" }).waitFor();
  await done();
});

test("it runs in a dark page with a strict policy, in the form that the attributes ask for", async () => {
  const { page, complaints } = await site.open("/404.html");
  /** @type {string[]} */
  const engines = [];
  page.on("request", (request) => void (request.url().includes(".wasm") && engines.push(request.url())));
  await page.goto(`${origin}/dark`);
  // One line puts the frame there, which shows verdict and reason before anything runs.
  const element = page.locator("preadmit-example iframe");
  const frame = element.contentFrame();
  const why = frame.locator("#outcome .message strong").first();
  await why.waitFor();
  const [bottom, height] = [await why.evaluate((e) => e.getBoundingClientRect().bottom), 700];
  assert.ok(bottom < height, `the reason ends at ${bottom} of ${height} px`);
  assert.deepEqual(engines, [], "no engine yet");
  await frame.locator("#run").click();
  await frame.locator(".is-answered #outcome .verdict", { hasText: "Denied" }).waitFor();
  assert.equal(await frame.locator("html").getAttribute("data-theme"), "dark");
  assert.equal(await frame.locator("#tab-diff").getAttribute("aria-selected"), "true");
  assert.equal(await element.evaluate((e) => /** @type {HTMLElement} */ (e).offsetHeight), 700);
  assert.equal(await frame.locator(".cm-inFocus").count(), 2);
  assert.deepEqual(
    // Firefox asks for the icon of that page, which its own policy forbids.
    complaints.filter((c) => c.includes("CSP") && !c.includes("/favicon.ico")),
    [],
  );
  await page.context().close();
});

test("the page around an example neither hears it nor answers in the engine's place", async () => {
  const { page } = await site.open("/404.html");
  await page.goto(`${origin}/hostile`);
  // The page offers a port to every frame, as its own hub, and would answer with HTML.
  const heard = await page.evaluate(
    (src) =>
      new Promise((resolve) => {
        const heard = /** @type {unknown[]} */ ([]);
        const frame = document.createElement("iframe");
        frame.src = src;
        document.body.append(frame);
        const door = new BroadcastChannel(`preadmit ${"0".repeat(32)}`);
        door.onmessage = (event) => heard.push(event.data);
        frame.addEventListener("load", () => {
          for (const message of ["preadmit engine", { type: "here" }]) {
            const { port1, port2 } = new MessageChannel();
            port2.onmessage = (event) => heard.push(event.data);
            frame.contentWindow?.postMessage(message, "*", [port1]);
          }
          resolve(heard);
        });
      }),
    `${site.origin}/embed/?example=first-look&run=1&hub=${"0".repeat(32)}`,
  );
  // Its own hub frame is all that it waits for: with one it is answered.
  await page.evaluate(
    (src) => {
      const hub = document.createElement("iframe");
      hub.src = src;
      document.body.append(hub);
    },
    `${site.origin}/embed/engine/?page=${"0".repeat(32)}`,
  );
  await page.frameLocator("iframe").first().locator(".is-answered #outcome .verdict", { hasText: "Denied" }).waitFor();
  assert.deepEqual(heard, []);
  await page.context().close();
});

test("the playground shows itself in no frame of another page", async () => {
  const { page } = await site.open("/404.html");
  await page.goto(`${origin}/hostile`);
  const refused = page.waitForEvent("console", (m) => m.text().includes("frame-ancestors"));
  await page.evaluate((src) => {
    const frame = document.createElement("iframe");
    frame.src = src;
    document.body.append(frame);
  }, `${site.origin}/`);
  await refused;
  await page.context().close();
});

test("HTML that does not come through the one place is refused", async () => {
  const { page } = await site.open("/404.html");
  const refused = await page.evaluate(() => {
    const element = document.createElement("p");
    try {
      element.innerHTML = "<b>forged</b>";
    } catch (error) {
      return `${error instanceof TypeError} ${element.childNodes.length}`;
    }
    return "taken";
  });
  assert.equal(refused, "true 0");
  await page.context().close();
});

test("a frame alone waits for the reader", async () => {
  const { page, done } = await site.open("/embed/?example=first-look&view=answer&readonly");
  await page.locator("[data-editor=policies] .cm-content").waitFor();
  assert.equal(await page.locator("#engine-state").getAttribute("data-state"), "idle");
  await accessible(page);
  await page.locator("#run").click();
  await page.locator("#view-answer", { hasText: "is invalid" }).waitFor();
  await accessible(page);
  await done();
});

test("the frame of an example has its code in colours, the outcome and the folded steps before any script", async () => {
  const still = await site.open("/embed/examples/first-look/", {
    javaScriptEnabled: false,
    viewport: { width: 700, height: 480 },
  });
  await still.page.locator("[data-editor=policies] .k", { hasText: "validations" }).first().waitFor();
  const verdict = await still.page.locator("#outcome .message strong").boundingBox();
  assert.ok(verdict !== null && verdict.y + verdict.height < 480, "the message is in sight");
  assert.equal(await still.page.locator("#view-steps .step").first().isVisible(), false);
  await still.page.locator("#embed-fold > summary").click();
  await still.page.locator("#view-steps .step-name", { hasText: "replica-limit" }).first().waitFor();
  await still.done();
});
