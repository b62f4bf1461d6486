// netlify.toml, deploy/Caddyfile and the server of the tests send the same.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { parse } from "smol-toml";

import { makeServer } from "../tools/server.mjs";

const caddyfile = await readFile(fileURLToPath(new URL("../../deploy/Caddyfile", import.meta.url)), "utf8");

/** The header directives of the site: `header [MATCHER] NAME "VALUE"`, one tab deep. */
const directives = [...caddyfile.matchAll(/^\theader (?:([/@]\S+) )?([A-Z][\w-]+) "(.*)"$/gm)].map(
  ([, matcher = "*", name = "", value = ""]) => ({ matcher, name, value }),
);

/** The named matcher that the file has: everything but the assets. */
const UNHASHED = "@unhashed not path /assets/*";

/**
 * What Caddy sends for a path.
 * @param {string} path
 */
function fromCaddy(path) {
  /** @type {Record<string, string>} */
  const sent = {};
  for (const { matcher, name, value } of directives) {
    const [start = "", end = ""] = matcher.split("*");
    const applies =
      matcher === "@unhashed" ? !path.startsWith("/assets/") : path.startsWith(start) && path.endsWith(end);
    if (applies) sent[name.toLowerCase()] = value;
  }
  return sent;
}

/** @type {import("node:http").Server} */
let server;
let origin = "";
before(async () => {
  server = await makeServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  origin = `http://127.0.0.1:${address.port}`;
});
after(() => server.close());

for (const path of ["/", "/docs/cli/", "/sw.js", "/assets/x.js", "/assets/x.wasm", "/assets/a/b.wasm"]) {
  test(`Caddy sends for ${path} what Netlify sends`, async () => {
    assert.ok(caddyfile.includes(UNHASHED));
    const caddy = fromCaddy(path);
    assert.ok(Object.keys(caddy).length >= 5, "the headers of the Caddyfile were found");
    const { headers } = await fetch(origin + path, { method: "HEAD" });
    // Asking before using a cached copy is what Netlify does by default.
    if (caddy["cache-control"] === "no-cache") {
      assert.equal(headers.get("cache-control"), null);
      delete caddy["cache-control"];
    }
    // A missing file is answered with a page.
    if (path.startsWith("/assets/")) delete caddy["content-type"];
    for (const [name, value] of Object.entries(caddy)) assert.equal(headers.get(name), value, name);
  });
}

test("Caddy knows every header of netlify.toml", async () => {
  const config = parse(await readFile(fileURLToPath(new URL("../../netlify.toml", import.meta.url)), "utf8"));
  const rules = /** @type {{ values: Record<string, string> }[]} */ (config["headers"]);
  const names = new Set(rules.flatMap((rule) => Object.keys(rule.values)));
  assert.ok(names.size > 0);
  for (const name of names)
    assert.ok(
      directives.some((d) => d.name === name),
      name,
    );
});

test("the address without its slash leads to the page, the old one of the playground to the new", async () => {
  for (const [from, to] of /** @type {const} */ ([
    ["/examples/first-look", "/examples/first-look/"],
    ["/playground", "/"],
  ])) {
    const response = await fetch(origin + from, { redirect: "manual" });
    assert.equal(response.status, 301);
    assert.equal(response.headers.get("location"), to);
  }
  assert.match(caddyfile, /^\tredir \/playground \/ 301$/m);
});

test("a missing page answers 404 with a page, under any address", async () => {
  for (const path of ["/nothing", "/examples/nothing/", "/assets/nothing.js", "/..%2f..%2fpackage.json"]) {
    const response = await fetch(origin + path);
    assert.equal(response.status, 404, path);
    assert.match(await response.text(), /<h1/);
  }
});
