// The answer comes before the steps that led to it, which are a call of their own. They may be
// late; they are never those of an older text than the answer above them.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ready, start, tab } from "./browser.mjs";

/** @typedef {{call: string, id: number | undefined}} Sent a call, and of which report it asks for parts */

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => (site = await start()));
after(() => site.close());

/**
 * Opens the first page with a worker whose calls are written down, and whose next reply of one kind
 * may be held back.
 */
async function opened() {
  const { page, done } = await site.open("/404.html");
  await page.addInitScript(() => {
    const sent = /** @type {Sent[]} */ ([]);
    /** @type {{ hold: string, held: (() => void)[], sent: Sent[], seen: [string, string][] }} */
    const test = { hold: "", held: [], sent, seen: [] };
    Object.assign(window, { test });
    /** @param {(event: MessageEvent) => void} listener */
    const listening = (listener) => (/** @type {MessageEvent} */ event) => {
      const last = sent.at(-1)?.call;
      if (event.data.type === "reply" && last === test.hold) test.held.push(() => listener(event));
      else listener(event);
    };
    // A reply comes both ways, to which the page listens by this property alone.
    window.BroadcastChannel = class extends BroadcastChannel {
      /** @override */
      set onmessage(/** @type {any} */ listener) {
        super.onmessage = listening(listener);
      }
    };
    window.Worker = class extends Worker {
      /**
       * @override
       * @param {any} message
       */
      postMessage(message) {
        const { method, params } = message.call ?? {};
        if (method !== undefined) sent.push({ call: method, id: method === "render" ? params.id : undefined });
        super.postMessage(message);
      }
      /** @override */
      set onmessage(/** @type {any} */ listener) {
        super.onmessage = listening(listener);
      }
    };
    // Each time that the steps change: which number the outcome has, and which the steps.
    const numberIn = (/** @type {string} */ selector) =>
      /shop, not (\d+)/.exec(document.querySelector(selector)?.textContent ?? "")?.[1] ?? "";
    document.addEventListener("DOMContentLoaded", () => {
      const steps = document.querySelector("#view-steps .view-body");
      if (steps === null) return;
      new MutationObserver(() => test.seen.push([numberIn("#outcome"), numberIn("#view-steps")])).observe(steps, {
        subtree: true,
        childList: true,
        characterData: true,
      });
    });
  });
  await page.goto(`${site.origin}/`);
  await ready(page);
  await page.locator("#outcome .message", { hasText: "not 8" }).waitFor();
  await tab(page, "request");
  await page.locator("[data-editor=request] .cm-line", { hasText: "replicas: 8" }).click();
  await page.keyboard.press("End");
  const tell = (/** @type {string} */ hold) =>
    page.evaluate((hold) => {
      const { test } = /** @type {any} */ (window);
      test.hold = hold;
      for (const release of test.held.splice(0)) release();
    }, hold);
  const held = () => page.waitForFunction(() => /** @type {any} */ (window).test.held.length > 0);
  const log = () => page.evaluate(() => /** @type {any} */ (window).test);
  return { page, done, tell, held, log };
}

const stepsWith = (/** @type {string} */ replicas) => `shop, not ${replicas}`;

test("the outcome is shown while its steps are made, and what they were of fades", async () => {
  const { page, done, tell, held } = await opened();
  await tell("render");
  await page.keyboard.type("1");
  await page.locator("#outcome .message", { hasText: "not 81" }).waitFor();
  await held();
  const steps = page.locator("#view-steps .view-body");
  assert.ok(!(await steps.textContent())?.includes(stepsWith("81")));
  await page.locator("#view-steps .view-body.is-behind").waitFor();
  await tell("");
  await steps.filter({ hasText: stepsWith("81") }).waitFor();
  assert.equal(await page.locator(".is-behind").count(), 0);
  await done();
});

test("steps of an older text are never put below a newer outcome", async () => {
  const { page, done, tell, held, log } = await opened();
  await tell("evaluate");
  await page.keyboard.type("1");
  await held();
  await page.keyboard.type("2"); // waits for the first
  const before = (await log()).sent.length;
  await tell("");
  await page.locator("#view-steps .view-body", { hasText: stepsWith("812") }).waitFor();
  const { sent, seen } = await log();
  const since = sent.slice(before).filter((/** @type {Sent} */ { call }) => call === "evaluate" || call === "render");
  // The newer text goes first. Steps of the older one may be asked for behind it, in vain.
  assert.equal(since[0]?.call, "evaluate");
  assert.ok(since.some((/** @type {Sent} */ { call }) => call === "render"));
  assert.ok(seen.length > 0);
  for (const [outcome, steps] of seen) assert.equal(steps, outcome, "the steps are those of the outcome");
  await done();
});

test("replies come on the channel, and as messages where a browser has no channel", async () => {
  for (const missing of ["messages", "channel"]) {
    const { page, done } = await site.open("/404.html");
    await page.addInitScript((missing) => {
      if (missing === "channel") {
        window.BroadcastChannel = /** @type {any} */ (
          class {
            constructor() {
              throw new DOMException("refused", "SecurityError");
            }
          }
        );
        return;
      }
      window.Worker = class extends Worker {
        /** @override */
        set onmessage(/** @type {any} */ listener) {
          super.onmessage = (event) => {
            if (event.data.type !== "reply") listener(event);
          };
        }
      };
    }, missing);
    await page.goto(`${site.origin}/`);
    await ready(page);
    await tab(page, "request");
    await page.locator("[data-editor=request] .cm-line", { hasText: "replicas: 8" }).click();
    await page.keyboard.press("End");
    await page.keyboard.type("1");
    await page.locator("#outcome .message", { hasText: "not 81" }).waitFor();
    await done();
  }
});
