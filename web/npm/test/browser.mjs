// Tries the installed package in Chromium: a page on this machine imports it and evaluates.
//
//   node browser.mjs PLAYWRIGHT CHROMIUM

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";

const [playwright = "", executablePath = ""] = process.argv.slice(2);
const { chromium } = await import(playwright);
const types = { ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };
const server = createServer(async (request, response) => {
  const path = new URL(request.url, "http://localhost").pathname;
  try {
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
await browser.close();
server.close();
assert.equal(verdict.code, 422);
assert.match(verdict.message, /at most 5 replicas in namespace shop, not 8/);
console.log("the package works in Chromium");
