// Drives preadmit lsp with the library that Visual Studio Code's own client is made of.
//
//   PREADMIT=/path/of/preadmit node --test client.test.mjs

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const require = createRequire(join(root, "web/package.json"));
const lsp = require("vscode-languageserver-protocol/node");

const dir = mkdtempSync(join(tmpdir(), "preadmit-"));
const uri = (name) => pathToFileURL(join(dir, name)).href;
const policies = readFileSync(join(root, "examples/first-look/policies.yaml"), "utf8");
for (const name of ["policies.yaml", "request.yaml", "cluster.yaml", "scenario.yaml"]) {
  writeFileSync(join(dir, name), readFileSync(join(root, "examples/first-look", name)));
}

let server;
let connection;
const published = new Map();
let news = () => {};
const problems = async (name, version) => {
  for (;;) {
    const list = published.get(uri(name));
    if (list?.version === version) return list.diagnostics;
    await new Promise((resolve) => (news = resolve));
  }
};
const at = (text, marked) => {
  const [before, rest] = marked.split("|");
  const offset = text.indexOf(before + rest) + before.length;
  const lines = text.slice(0, offset).split("\n");
  return { line: lines.length - 1, character: lines.at(-1).length };
};

before(async () => {
  server = spawn(process.env.PREADMIT, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
  connection = lsp.createProtocolConnection(server.stdout, server.stdin);
  connection.onNotification(lsp.PublishDiagnosticsNotification.type, (params) => {
    published.set(params.uri, params);
    news();
  });
  connection.listen();
  const greeting = await connection.sendRequest(lsp.InitializeRequest.type, {
    processId: process.pid,
    rootUri: pathToFileURL(dir).href,
    capabilities: { general: { positionEncodings: ["utf-16"] } },
  });
  assert.equal(greeting.capabilities.positionEncoding, "utf-16");
  assert.equal(greeting.serverInfo.name, "preadmit");
  await connection.sendNotification(lsp.InitializedNotification.type, {});
  await connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, {
    textDocument: { uri: uri("policies.yaml"), languageId: "yaml", version: 1, text: policies },
  });
});

after(async () => {
  await connection.sendRequest(lsp.ShutdownRequest.type);
  const ended = new Promise((resolve) => server.on("exit", resolve));
  await connection.sendNotification(lsp.ExitNotification.type);
  assert.equal(await ended, 0);
  rmSync(dir, { recursive: true });
});

const document = { uri: uri("policies.yaml") };

test("hover has the value and cost for the request", async () => {
  const found = await connection.sendRequest(lsp.HoverRequest.type, {
    textDocument: document,
    position: at(policies, "object.spec.repl|icas <="),
  });
  assert.match(found.contents.value, /object\.spec\.replicas = 8/);
  assert.match(found.contents.value, /Cost of the expression: 6, in replica-limit/);
});

test("completion lists fields of the kind", async () => {
  const list = await connection.sendRequest(lsp.CompletionRequest.type, {
    textDocument: document,
    position: at(policies, "object.spec.|replicas <="),
  });
  assert.ok(list.items.some((item) => item.label === "minReadySeconds"));
});

test("a mistake is a problem with a repair, and is gone when it is repaired", async () => {
  const place = at(policies, "object.spec.|replicas <=");
  await connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, {
    textDocument: { ...document, version: 2 },
    contentChanges: [{ range: { start: place, end: place }, text: "x" }],
  });
  const problem = (await problems("policies.yaml", 2)).find((d) => d.code === "type-checking");
  assert.match(problem.message, /undefined field 'xreplicas'/);
  const actions = await connection.sendRequest(lsp.CodeActionRequest.type, {
    textDocument: document,
    range: problem.range,
    context: { diagnostics: [problem] },
  });
  const fix = actions.find((action) => action.title === "Write replicas");
  const [edit] = fix.edit.changes[document.uri];
  await connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, {
    textDocument: { ...document, version: 3 },
    contentChanges: [{ range: edit.range, text: edit.newText }],
  });
  assert.deepEqual(
    (await problems("policies.yaml", 3)).filter((d) => d.code === "type-checking"),
    [],
  );
});

test("signature help names the parameter of a call that is being written", async () => {
  const expression = "object.spec.replicas <= variables.limit";
  const place = at(policies, `|${expression}`);
  const typed = "'a,b'.split(',', ";
  await connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, {
    textDocument: { ...document, version: 4 },
    contentChanges: [{ range: { start: place, end: place }, text: typed }],
  });
  const help = await connection.sendRequest(lsp.SignatureHelpRequest.type, {
    textDocument: document,
    position: { line: place.line, character: place.character + typed.length },
  });
  const [signature] = help.signatures;
  assert.equal(signature.label, "split(separator[, limit]) → list(string)");
  assert.equal(signature.parameters[help.activeParameter].label, "limit");
  await connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, {
    textDocument: { ...document, version: 5 },
    contentChanges: [{ text: policies }],
  });
});

test("symbols name policies and their parts", async () => {
  const list = await connection.sendRequest(lsp.DocumentSymbolRequest.type, { textDocument: document });
  const policy = list.find((symbol) => symbol.name === "replica-limit");
  assert.equal(policy.children[0].name, "limit");
});

test("a question that is cancelled is answered", async () => {
  const source = new lsp.CancellationTokenSource();
  const asked = connection.sendRequest(
    lsp.HoverRequest.type,
    { textDocument: document, position: at(policies, "variables.lim|it") },
    source.token,
  );
  source.cancel();
  await asked.then(
    (found) => assert.match(found.contents.value, /variables\.limit = 5/),
    (error) => assert.equal(error.code, lsp.LSPErrorCodes.RequestCancelled),
  );
});
