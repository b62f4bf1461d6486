// The extension starts preadmit lsp and connects the editor to it. What the editor shows comes
// from there.

import { dirname } from "node:path";

import { commands, type ExtensionContext, window, workspace } from "vscode";
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

/** The command preadmit. */
function program(): string {
  return workspace.getConfiguration("preadmit").get<string>("path") || "preadmit";
}

async function start(): Promise<void> {
  const server: ServerOptions = { command: program(), args: ["lsp"] };
  const options: LanguageClientOptions = {
    documentSelector: [
      { scheme: "file", language: "yaml" },
      { scheme: "file", language: "json" },
      { scheme: "untitled", language: "yaml" },
    ],
    // A scenario has files beside the open one.
    synchronize: { fileEvents: workspace.createFileSystemWatcher("**/*.{yaml,yml,json,cel}") },
  };
  client = new LanguageClient("preadmit", "Preadmit", server, options);
  try {
    await client.start();
  } catch (reason) {
    client = undefined;
    const open = "Open the setting";
    const text = `Preadmit did not start: ${String(reason)}. Install the command preadmit, or set preadmit.path.`;
    if ((await window.showErrorMessage(text, open)) === open) {
      await commands.executeCommand("workbench.action.openSettings", "preadmit.path");
    }
  }
}

/** Called when a YAML or JSON file is opened first. */
export async function activate(context: ExtensionContext): Promise<void> {
  context.subscriptions.push(
    commands.registerCommand("preadmit.restart", async () => {
      await client?.stop();
      await start();
    }),
    commands.registerCommand("preadmit.evaluate", () => {
      const file = window.activeTextEditor?.document;
      if (file?.uri.scheme !== "file") return;
      // The program and its arguments, without a shell that would read them.
      window
        .createTerminal({
          name: "Preadmit",
          shellPath: program(),
          shellArgs: ["eval", dirname(file.uri.fsPath)],
          isTransient: true,
        })
        .show();
    }),
    workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("preadmit.path")) await commands.executeCommand("preadmit.restart");
    }),
  );
  await start();
}

/** Called when the editor ends. */
export async function deactivate(): Promise<void> {
  await client?.stop();
}
