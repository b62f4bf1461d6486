// Drives the server of the packed extension in a worker of Chromium, with the protocol's own client library.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const require = createRequire(join(root, "web/package.json"));
const packed = join(root, "web/build/vscode");
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";

test(
  "the server answers in a worker, for files that are on no disk",
  { skip: !existsSync(executablePath) },
  async () => {
    const { outputFiles } = await require("esbuild").build({
      entryPoints: [fileURLToPath(new URL("worker-page.mjs", import.meta.url))],
      nodePaths: [join(root, "web/node_modules")],
      bundle: true,
      write: false,
    });
    const server = createServer((request, response) => {
      const name = request.url ?? "/";
      if (name === "/") {
        response.setHeader("Content-Type", "text/html");
        return void response.end("<!doctype html><title>a page</title><script src=page.js></script>");
      }
      response.setHeader("Content-Type", name.endsWith(".js") ? "text/javascript" : "application/wasm");
      if (name === "/page.js") response.end(outputFiles[0].contents);
      else if (["/language-worker.js", "/language.wasm", "/registry.wasm"].includes(name))
        response.end(readFileSync(join(packed, name)));
      else response.writeHead(404).end();
    });
    await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
    const browser = await require("playwright-core").chromium.launch({
      executablePath,
      args: ["--no-sandbox"],
    });
    try {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${server.address().port}/`);
      const names = ["policies.yaml", "request.yaml", "cluster.yaml", "scenario.yaml", "cases.yaml", "expected.yaml"];
      const files = Object.fromEntries(
        names.map((name) => [name, readFileSync(join(root, "examples/first-look", name), "utf8")]),
      );
      // A selector that fits no Pod is refused by the API server's own code, which is a module of its own.
      files["cases.yaml"] += `- name: a selector that fits no Pod
  set: {/spec/selector/matchLabels: {app: another}}
  expected: {outcome: {code: 422}}
`;
      const said = await page.evaluate((given) => globalThis.tryWorker(given), files);
      assert.equal(said.name, "preadmit");
      assert.match(said.hover, /object\.spec\.replicas = 8/);
      assert.ok(said.lenses.includes("4 of 4 tests pass"), String(said.lenses));
      assert.ok(
        said.problems.some((problem) => problem.includes("undefined field 'xreplicas'")),
        String(said.problems),
      );
    } finally {
      await browser.close();
      server.close();
    }
  },
);
