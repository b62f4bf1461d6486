// The page of worker.test.mjs: a client of the protocol's own library, connected to the server in a worker.

import {
  BrowserMessageReader,
  BrowserMessageWriter,
  createProtocolConnection,
} from "vscode-languageserver-protocol/browser";

/**
 * Opens the policies of a folder that is on no disk, and returns what an editor shows.
 * @param {Record<string, string>} files
 */
globalThis.tryWorker = async (files) => {
  const worker = new Worker("/language-worker.js");
  const modules = ["/language.wasm", "/registry.wasm"].map(async (path) => (await fetch(path)).arrayBuffer());
  worker.postMessage((await Promise.all(modules)).map((bytes) => new Uint8Array(bytes)));
  const connection = createProtocolConnection(new BrowserMessageReader(worker), new BrowserMessageWriter(worker));
  const uri = (name) => `vscode-vfs://github/owner/name/policies/${name}`;
  const published = new Promise((resolve) => {
    connection.onNotification("textDocument/publishDiagnostics", (p) => p.version === 2 && resolve(p.diagnostics));
  });
  connection.listen();
  const greeting = await connection.sendRequest("initialize", {
    processId: null,
    rootUri: null,
    capabilities: {},
  });
  await connection.sendNotification("initialized", {});
  await connection.sendNotification("preadmit/files", {
    files: Object.entries(files).map(([name, text]) => ({
      uri: uri(name),
      text,
    })),
  });
  const textDocument = { uri: uri("policies.yaml") };
  await connection.sendNotification("textDocument/didOpen", {
    textDocument: {
      ...textDocument,
      languageId: "yaml",
      version: 1,
      text: files["policies.yaml"],
    },
  });
  const lines = files["policies.yaml"].split("\n");
  const line = lines.findIndex((text) => text.includes("object.spec.replicas <="));
  const character = lines[line].indexOf("replicas <=");
  const hover = await connection.sendRequest("textDocument/hover", {
    textDocument,
    position: { line, character },
  });
  const lenses = await connection.sendRequest("textDocument/codeLens", {
    textDocument,
  });
  const place = { line, character };
  await connection.sendNotification("textDocument/didChange", {
    textDocument: { ...textDocument, version: 2 },
    contentChanges: [{ range: { start: place, end: place }, text: "x" }],
  });
  const problems = await published;
  await connection.sendRequest("shutdown");
  return {
    name: greeting.serverInfo.name,
    hover: hover.contents.value,
    lenses: lenses.map((lens) => lens.command.title),
    problems: problems.map((problem) => problem.message),
  };
};
