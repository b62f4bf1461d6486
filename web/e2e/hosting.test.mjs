// netlify.toml, deploy/Caddyfile and the server of the tests send the same.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { fileURLToPath } from "node:url";

import { parse } from "smol-toml";

import { makeServer } from "../tools/server.mjs";

const caddyfile = await readFile(fileURLToPath(new URL("../../deploy/Caddyfile", import.meta.url)), "utf8");

/** The header directives of the site: `header [MATCHER] NAME "VALUE"`, one tab deep. */
const directives = [...caddyfile.matchAll(/^\theader (?:([/@]\S+) )?([A-Z][\w-]+) "(.*)"$/gm)].map(
  // What an environment variable adds is nothing unless it is set.
  ([, matcher = "*", name = "", value = ""]) => ({ matcher, name, value: value.replace(/ \{\$\w+\}/g, "") }),
);

/** The named matchers of the file: `@NAME [not] path PATTERN...`. */
const matchers = new Map(
  [...caddyfile.matchAll(/^\t@(\w+) (not )?path (.+)$/gm)].map(([, name = "", not, patterns = ""]) => [
    `@${name}`,
    (/** @type {string} */ path) => patterns.split(" ").some((p) => within(p, path)) === (not === undefined),
  ]),
);

/**
 * @param {string} pattern
 * @param {string} path
 */
function within(pattern, path) {
  const [start = "", end] = pattern.split("*");
  return end === undefined ? path === start : path.startsWith(start) && path.endsWith(end);
}

/**
 * What Caddy sends for a path.
 * @param {string} path
 */
function fromCaddy(path) {
  /** @type {Record<string, string>} */
  const sent = {};
  for (const { matcher, name, value } of directives) {
    const applies = matcher.startsWith("@")
      ? (matchers.get(matcher) ?? assert.fail(`there is no matcher ${matcher}`))(path)
      : matcher === "*" || within(matcher, path);
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

for (const path of [
  "/",
  "/docs/cli/",
  "/sw.js",
  "/from-github/",
  "/embed.js",
  "/embed/",
  "/embed/engine/",
  "/embed/examples/first-look/",
  "/assets/x.js",
  "/assets/x.wasm",
  "/assets/a/b.wasm",
]) {
  test(`Caddy sends for ${path} what Netlify sends`, async () => {
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

test("no page but the embedded examples can be framed, used by others, or opened with a way back", async () => {
  for (const path of ["/", "/docs/cli/", "/examples/first-look/", "/404.html", "/embedding/"]) {
    const { headers } = await fetch(origin + path, { method: "HEAD" });
    assert.match(headers.get("content-security-policy") ?? "", /; frame-ancestors 'none'(;|$)/, path);
    assert.equal(headers.get("cross-origin-resource-policy"), "same-origin", path);
    assert.equal(headers.get("cross-origin-opener-policy"), "same-origin", path);
  }
  for (const path of ["/embed/", "/embed/engine/", "/embed/examples/first-look/"]) {
    const { headers } = await fetch(origin + path, { method: "HEAD" });
    assert.doesNotMatch(headers.get("content-security-policy") ?? "", /frame-ancestors/, path);
    assert.equal(headers.get("cross-origin-resource-policy"), "cross-origin", path);
  }
});

test("every page is for HTTPS alone, and takes HTML and scripts from one place", async () => {
  for (const path of ["/", "/embed/", "/embed/engine/", "/embed/examples/first-look/", "/docs/cli/"]) {
    const { headers } = await fetch(origin + path, { method: "HEAD" });
    assert.match(headers.get("strict-transport-security") ?? "", /^max-age=\d{8}/, path);
    assert.match(headers.get("content-security-policy") ?? "", /require-trusted-types-for 'script'/, path);
  }
});

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

test("what is large of the playground's modules runs in tasks of its own, before it", async () => {
  const dist = new URL("../dist/", import.meta.url);
  const { editors, playground } = JSON.parse(await readFile(new URL("assets.json", dist), "utf8"));
  const page = await readFile(new URL("index.html", dist), "utf8");
  const scripts = [...page.matchAll(/<script type="module" src="([^"]+)">/g)].map(([, file]) => file);
  assert.deepEqual(scripts, [...editors, playground]);
  // One that imports the other would bring it into its task.
  assert.ok(!(await readFile(new URL(`.${editors[0]}`, dist), "utf8")).includes(editors[1].split("/").at(-1)));
});

test("the first screen is at most 58.5 kB, compressed, without its editors", async () => {
  const dist = new URL("../dist/", import.meta.url);
  const assets = JSON.parse(await readFile(new URL("assets.json", dist), "utf8"));
  assert.ok(assets.editors.length > 0, "they are found");
  const own = assets.preload.filter((/** @type {string} */ file) => !assets.editors.includes(file));
  let sum = 0;
  for (const file of ["/index.html", assets.style, assets.boot, assets.playground, ...own]) {
    sum += brotliCompressSync(await readFile(new URL(`.${file}`, dist))).length;
  }
  assert.ok(sum > 30_000 && sum <= 58_500, `${sum} bytes`);
});
