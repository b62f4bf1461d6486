// The extension connects the editor to the language server: the one that it has, as WebAssembly in a worker,
// or the command preadmit. What the editor shows comes from there.

import { readFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";

import { commands, type ExtensionContext, window, workspace } from "vscode";
import {
  LanguageClient,
  type LanguageClientOptions,
  PortMessageReader,
  PortMessageWriter,
  type ServerOptions,
} from "vscode-languageclient/node";

import { register } from "./commands.ts";

let client: LanguageClient | undefined;
let worker: Worker | undefined;

/** The server: the command that the setting names, or the extension's own program. */
function server(context: ExtensionContext): ServerOptions {
  const command = workspace.getConfiguration("preadmit").get<string>("path");
  if (command) return { command, args: ["lsp"] };
  return async () => {
    worker = new Worker(context.asAbsolutePath("language-worker-node.js"));
    const modules = ["language.wasm", "registry.wasm"].map((name) => readFile(context.asAbsolutePath(name)));
    worker.postMessage((await Promise.all(modules)).map((bytes) => new Uint8Array(bytes)));
    return { reader: new PortMessageReader(worker), writer: new PortMessageWriter(worker) };
  };
}

async function start(context: ExtensionContext): Promise<void> {
  const options: LanguageClientOptions = {
    documentSelector: [
      { scheme: "file", language: "yaml" },
      { scheme: "file", language: "json" },
      { scheme: "untitled", language: "yaml" },
    ],
    // A scenario has files beside the open one.
    synchronize: { fileEvents: workspace.createFileSystemWatcher("**/*.{yaml,yml,json,cel}") },
  };
  client = new LanguageClient("preadmit", "Preadmit", server(context), options);
  try {
    await client.start();
  } catch (reason) {
    client = undefined;
    const open = "Open the setting";
    const text = `Preadmit did not start: ${String(reason)}. Correct or empty preadmit.path.`;
    if ((await window.showErrorMessage(text, open)) === open) {
      await commands.executeCommand("workbench.action.openSettings", "preadmit.path");
    }
  }
}

/** Called when a YAML or JSON file is opened first. */
export async function activate(context: ExtensionContext): Promise<void> {
  context.subscriptions.push(
    commands.registerCommand("preadmit.restart", async () => {
      await deactivate();
      await start(context);
    }),
    ...register(() => client),
    workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("preadmit.path")) await commands.executeCommand("preadmit.restart");
    }),
  );
  await start(context);
}

/** Called when the editor ends. */
export async function deactivate(): Promise<void> {
  await client?.stop();
  await worker?.terminate();
  worker = undefined;
}
