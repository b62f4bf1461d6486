// The core of the browser tests in WebKit, as Debian's WebKitGTK has it: the first
// page, typing, a link in a fresh profile, an embedded example, the second visit
// without a network, and an engine that hangs. scripts/browsers runs it.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";

import { makeServer } from "../../tools/server.mjs";
import { startDriver } from "./webdriver.mjs";

/** @typedef {import("./webdriver.mjs").Browser} Browser */

/** @type {Awaited<ReturnType<typeof startDriver>>} */
let driver;
before(async () => {
  driver = await startDriver();
});
after(() => driver.close());

const verdict = "#outcome .verdict strong";
const value = ".expression-card .becomes .value";

/** The site on a port; stop makes it unreachable. */
async function serve() {
  const server = await makeServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { server, stop, origin: `http://127.0.0.1:${address.port}` };
}

/**
 * A test with the site and a browser of its own. With SHOTS it leaves a picture there.
 * @param {string} name
 * @param {(browser: Browser, site: Awaited<ReturnType<typeof serve>>, another: () => Promise<Browser>) => Promise<void>} body
 * another ends the browser and opens one with another profile: the driver has one at a time
 */
function inWebKit(name, body) {
  test(name, async () => {
    const site = await serve();
    let browser = await driver.open();
    const another = async () => {
      await browser.close();
      return (browser = await driver.open());
    };
    try {
      await body(browser, site, another);
    } finally {
      const shots = process.env["SHOTS"];
      if (shots) await writeFile(`${shots}/webkit-${name.replace(/\W+/g, "-")}.png`, await browser.picture());
      await browser.close();
      await site.stop();
    }
  });
}

inWebKit(
  "the first page is answered, typing changes it, and a link shows the same to others",
  async (first, site, another) => {
    await first.go(`${site.origin}/`);
    await first.see(verdict, "Denied");
    await first.ready();
    await first.click("#tab-expression");
    await first.type("[data-editor=expression] >>> .cm-content", "object.spec.replicas * 7");
    await first.see(value, "56");
    await first.click("#share");
    await first.see("dialog[open] #share-link");
    const link = await first.run("return document.querySelector('#share-link').value");
    assert.match(link, /#1\//);

    const second = await another();
    await second.go(link);
    await second.ready();
    await second.see(value, "56");
    await second.see(verdict, "Denied");
  },
);

inWebKit("an embedded example runs", async (browser, site) => {
  await browser.go(`${site.origin}/embed/?example=first-look`);
  await browser.see("#run");
  await browser.click("#run");
  await browser.see(".is-answered #outcome .verdict", "Denied");
});

inWebKit("work survives a reload", async (browser, site) => {
  await browser.go(`${site.origin}/#new`);
  await browser.ready();
  await browser.click("#tab-expression");
  await browser.type("[data-editor=expression] >>> .cm-content", "20 + 1");
  await browser.see(value, "21");
  await browser.reload();
  await browser.ready();
  await browser.see(value, "21");
});

inWebKit("after one visit the playground works without its server", async (browser, site) => {
  await browser.go(`${site.origin}/`);
  await browser.ready();
  await browser.run("navigator.serviceWorker.ready.then(() => (document.documentElement.dataset.kept = 'yes'))");
  await browser.see("html[data-kept=yes]");
  await site.stop();
  await browser.reload();
  await browser.ready();
  await browser.click("#tab-expression");
  await browser.type("[data-editor=expression] >>> .cm-content", "6 * 7");
  await browser.see(value, "42");
});

inWebKit("an engine that hangs is stopped, said, and another one goes on", async (browser, site) => {
  let started = 0;
  const { server } = site;
  const [answer] = server.listeners("request");
  server.removeAllListeners("request");
  /** @param {import("node:http").IncomingMessage} request @param {import("node:http").ServerResponse} response */
  const instead = (request, response) => {
    // The first worker is ready at once and then never answers.
    if (/\/assets\/worker-.*\.js$/.test(request.url ?? "") && started++ === 0) {
      response.setHeader("Content-Type", "text/javascript");
      response.setHeader("Cache-Control", "no-store");
      response.end('onmessage = (e) => { if (e.data.type === "load") postMessage({ type: "ready" }); };');
    } else answer?.call(server, request, response);
  };
  server.on("request", instead);
  await browser.go(`${site.origin}/`);
  await browser.see("#stale-note", "took more than 15 seconds and was stopped");
  await browser.ready();
  await browser.click("#tab-expression");
  await browser.type("[data-editor=expression] >>> .cm-content", "6 * 7");
  await browser.see(value, "42");
});
