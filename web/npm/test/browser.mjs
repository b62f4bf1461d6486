// Tries the installed package in Chromium: a page on this machine imports it and evaluates.
//
//   node browser.mjs PLAYWRIGHT CHROMIUM SERVER     SERVER is tools/server.mjs, which serves the built site

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";

const [playwright = "", executablePath = "", siteServer = ""] = process.argv.slice(2);
const { chromium } = await import(playwright);
const { makeServer } = await import(siteServer);
const sites = await makeServer();
await new Promise((listening) => sites.listen(0, "127.0.0.1", listening));
const site = `http://127.0.0.1:${sites.address().port}`;
const types = { ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };
const server = createServer(async (request, response) => {
  const path = new URL(request.url, "http://localhost").pathname;
  try {
    if (path === "/example") {
      // It allows the package's own script and the site's frames, and no inline style or script.
      response.setHeader("Content-Security-Policy", `default-src 'none'; script-src 'self'; frame-src ${site}`);
      response.setHeader("Content-Type", "text/html");
      return void response.end(
        `<!doctype html><title>preadmit</title><script type="module" src="/page.js"></script>
        <preadmit-example example="first-look" file="policies"><pre>readable without it</pre></preadmit-example>`,
      );
    }
    if (path === "/page.js") {
      response.setHeader("Content-Type", "text/javascript");
      return void response.end(await readFile("page.js"));
    }
    const body =
      path === "/" ? "<!doctype html><title>preadmit</title>" : await readFile(join("node_modules/preadmit", path));
    response.writeHead(200, { "Content-Type": types[/\.\w+$/.exec(path)?.[0]] ?? types[".html"] });
    response.end(body);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await browser.newPage();
await page.goto(`http://127.0.0.1:${server.address().port}/`);
const scenario = {
  policies: await readFile(join(process.env.PREADMIT_EXAMPLES, "first-look/policies.yaml"), "utf8"),
  request: await readFile(join(process.env.PREADMIT_EXAMPLES, "first-look/request.yaml"), "utf8"),
  cluster: await readFile(join(process.env.PREADMIT_EXAMPLES, "first-look/cluster.yaml"), "utf8"),
};
const verdict = await page.evaluate(async (given) => {
  const { load } = await import("/browser.js");
  const { allowed, code, message } = (await load()).evaluate(given);
  return { allowed, code, message };
}, scenario);
const violations = [];
page.on("console", (said) => /Content Security Policy/.test(said.text()) && violations.push(said.text()));
await page.goto(`http://127.0.0.1:${server.address().port}/example?site=${encodeURIComponent(`${site}/`)}`);
await page.getByText("readable without it").waitFor();
await page.getByRole("button", { name: "Run this" }).click();
const shown = page.frameLocator("preadmit-example iframe");
await shown.locator(".is-answered #outcome .verdict", { hasText: "Denied" }).waitFor({ timeout: 90_000 });
await browser.close();
server.close();
sites.close();
assert.deepEqual(violations, []);
assert.equal(verdict.code, 422);
assert.match(verdict.message, /at most 5 replicas in namespace shop, not 8/);
console.log("the package and its element work in Chromium");
