// The extension where there are no processes, such as vscode.dev: the server is WebAssembly in a worker. Files
// are on no disk there, so the extension sends them.

import { commands, type ExtensionContext, Uri, workspace } from "vscode";
import { LanguageClient } from "vscode-languageclient/browser";

import { register } from "./commands.ts";

/** What a worker of the web has here; the types are those of Node. */
interface WebWorker {
  postMessage(message: unknown): void;
  terminate(): void;
}
declare const Worker: new (url: string) => WebWorker;

/** The files that scenarios consist of, and how many of them are sent. */
const FILES = "**/*.{yaml,yml,json,cel}";
const MOST = 2000;

let client: LanguageClient | undefined;
let worker: WebWorker | undefined;

async function start(context: ExtensionContext): Promise<void> {
  const at = (name: string) => Uri.joinPath(context.extensionUri, name);
  const started = new Worker(at("language-worker.js").toString(true));
  worker = started;
  const modules = ["language.wasm", "registry.wasm"].map((name) => workspace.fs.readFile(at(name)));
  started.postMessage(await Promise.all(modules));
  const documentSelector = [{ language: "yaml" }, { language: "json" }];
  // Pass the worker itself: given a function, the client tests instanceof Worker, which is false for the editor's workers.
  client = new LanguageClient("preadmit", "Preadmit", started as never, {
    documentSelector,
  });
  await client.start();
  await send(await workspace.findFiles(FILES, "**/node_modules/**", MOST));
}

/** Called when a YAML or JSON file is opened first. */
export async function activate(context: ExtensionContext): Promise<void> {
  const watcher = workspace.createFileSystemWatcher(FILES);
  watcher.onDidChange((uri) => send([uri]));
  watcher.onDidCreate((uri) => send([uri]));
  watcher.onDidDelete((uri) =>
    client?.sendNotification("preadmit/files", {
      files: [{ uri: uri.toString() }],
    }),
  );
  context.subscriptions.push(
    watcher,
    ...register(() => client),
    commands.registerCommand("preadmit.restart", async () => {
      await deactivate();
      await start(context);
    }),
  );
  await start(context);
}

async function send(uris: readonly Uri[]): Promise<void> {
  const files = await Promise.all(
    uris.map(async (uri) => ({
      uri: uri.toString(),
      text: new TextDecoder().decode(await workspace.fs.readFile(uri)),
    })),
  );
  await client?.sendNotification("preadmit/files", { files });
}

/** Called when the editor ends. */
export async function deactivate(): Promise<void> {
  await client?.stop();
  worker?.terminate();
}
