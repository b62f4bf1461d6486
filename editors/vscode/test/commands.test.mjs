// Drives the commands of the extension with a stand-in for the editor and for the language server.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const require = createRequire(join(root, "web/package.json"));

const uri = "file:///folder/policies.yaml";
const commands = new Map();
let asked, shown, opened, errors, input, answer;
const vscode = {
  commands: { registerCommand: (name, run) => commands.set(name, run) },
  window: {
    activeTextEditor: { document: { uri: { toString: () => uri } } },
    showTextDocument: async (document) => shown.push(document.content),
    showErrorMessage: async (text) => errors.push(text),
    showInputBox: async () => input,
  },
  workspace: {
    openTextDocument: async (document) => document,
    getConfiguration: () => ({ get: () => "https://site.example/path/" }),
  },
  env: { openExternal: async (link) => opened.push(link) },
  Uri: { parse: (text) => text },
};
const client = {
  sendRequest: async (method, { command, arguments: given }) => {
    asked.push([method, command, ...given]);
    return answer(command);
  },
};

before(async () => {
  const { outputFiles } = await require("esbuild").build({
    entryPoints: [fileURLToPath(new URL("../src/commands.ts", import.meta.url))],
    bundle: true,
    write: false,
    format: "cjs",
    external: ["vscode"],
  });
  const module = { exports: {} };
  new Function("require", "module", "exports", outputFiles[0].text)(() => vscode, module, module.exports);
  module.exports.register(() => client);
});

/** Runs a command of the extension. */
async function run(name, says = (command) => `the answer to ${command}`, text = undefined) {
  [asked, shown, opened, errors, input, answer] = [[], [], [], [], text, says];
  await commands.get(name)();
}

for (const name of ["evaluate", "showPath", "test"]) {
  test(`${name} shows what the server says about the folder`, async () => {
    await run(`preadmit.${name}`);
    assert.deepEqual(asked, [["workspace/executeCommand", `preadmit.server.${name}`, uri]]);
    assert.deepEqual(shown, [`the answer to preadmit.server.${name}`]);
  });
}

test("Add as test asks the server, which edits the file, and shows nothing", async () => {
  await run("preadmit.addTest");
  assert.deepEqual(asked, [["workspace/executeCommand", "preadmit.server.addTest", uri]]);
  assert.deepEqual([shown, opened, errors], [[], [], []]);
});

test("Open in playground opens the link on the site of the settings", async () => {
  await run("preadmit.openInPlayground", () => "#1/abc");
  assert.deepEqual(asked, [["workspace/executeCommand", "preadmit.server.link", uri]]);
  assert.deepEqual(opened, ["https://site.example/path/#1/abc"]);
});

test("Choose a request names a case, none, or nothing at all", async () => {
  const chosen = async (text) => {
    await run("preadmit.chooseRequest", undefined, text);
    return asked.map(([, , , ...more]) => more);
  };
  assert.deepEqual(await chosen("two replicas"), [["two replicas"]]);
  assert.deepEqual(await chosen(""), [[]]);
  assert.deepEqual(await chosen(undefined), []);
});

test("an error of the server is shown", async () => {
  await run("preadmit.evaluate", () => {
    throw new Error("there is no request");
  });
  assert.deepEqual(errors, ["Preadmit: there is no request"]);
  assert.deepEqual(shown, []);
});
