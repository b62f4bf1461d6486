// Drives the server of the packed extension in a worker of Node, as the extension on a desktop does.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const packed = join(root, "web/build/vscode");
const require = createRequire(join(root, "web/package.json"));
const lsp = require("vscode-languageserver-protocol/node");

test("the server in a worker of Node reads the files beside the open one", async () => {
  const worker = new Worker(join(packed, "language-worker-node.js"));
  worker.postMessage(["language.wasm", "registry.wasm"].map((name) => new Uint8Array(readFileSync(join(packed, name)))));
  const connection = lsp.createProtocolConnection(new lsp.PortMessageReader(worker), new lsp.PortMessageWriter(worker));
  connection.listen();
  await connection.sendRequest(lsp.InitializeRequest.type, { processId: null, rootUri: null, capabilities: {} });
  const path = join(root, "examples/first-look/policies.yaml");
  const text = readFileSync(path, "utf8");
  const textDocument = { uri: pathToFileURL(path).href };
  await connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, {
    textDocument: { ...textDocument, languageId: "yaml", version: 1, text },
  });
  const lines = text.split("\n");
  const line = lines.findIndex((l) => l.includes("object.spec.replicas <="));
  const position = { line, character: lines[line].indexOf("replicas <=") };
  const found = await connection.sendRequest(lsp.HoverRequest.type, { textDocument, position });
  assert.match(found.contents.value, /object\.spec\.replicas = 8/);
  const lenses = await connection.sendRequest(lsp.CodeLensRequest.type, { textDocument });
  assert.ok(lenses.some((lens) => lens.command.title === "3 of 3 tests pass"));
  await connection.sendRequest(lsp.ShutdownRequest.type);
  await worker.terminate();
});
