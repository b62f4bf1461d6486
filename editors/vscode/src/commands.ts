// The commands of the extension. All are the server's (commands.go); here is how the editor shows what it says.

import { commands, type Disposable, env, Uri, window, workspace } from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";

/** The file that is open, whose folder a command is for. */
function file(): string | undefined {
  return window.activeTextEditor?.document.uri.toString();
}

async function ask(
  client: BaseLanguageClient | undefined,
  command: string,
  ...more: string[]
): Promise<string | undefined> {
  const uri = file();
  if (client === undefined || uri === undefined) return undefined;
  try {
    return await client.sendRequest<string>("workspace/executeCommand", {
      command: `preadmit.server.${command}`,
      arguments: [uri, ...more],
    });
  } catch (reason) {
    void window.showErrorMessage(`Preadmit: ${reason instanceof Error ? reason.message : String(reason)}`);
    return undefined;
  }
}

/** Shows a text beside the file. */
async function show(content: string | undefined): Promise<void> {
  if (content === undefined) return;
  const document = await workspace.openTextDocument({
    content,
    language: "plaintext",
  });
  await window.showTextDocument(document, {
    preview: true,
    preserveFocus: true,
    viewColumn: -2,
  });
}

/** Registers the commands. */
export function register(client: () => BaseLanguageClient | undefined): Disposable[] {
  return [
    commands.registerCommand("preadmit.evaluate", async () => show(await ask(client(), "evaluate"))),
    commands.registerCommand("preadmit.showPath", async () => show(await ask(client(), "showPath"))),
    commands.registerCommand("preadmit.test", async () => show(await ask(client(), "test"))),
    commands.registerCommand("preadmit.addTest", async () => ask(client(), "addTest")),
    commands.registerCommand("preadmit.openInPlayground", async () => {
      const link = await ask(client(), "link");
      const site = workspace.getConfiguration("preadmit").get<string>("site") ?? "";
      if (link !== undefined) await env.openExternal(Uri.parse(`${site.replace(/\/*$/, "/")}${link}`));
    }),
    commands.registerCommand("preadmit.chooseRequest", async () => {
      const name = await window.showInputBox({
        prompt: "A case of cases.yaml or a file; empty for request.yaml",
      });
      if (name !== undefined) await ask(client(), "chooseRequest", ...(name === "" ? [] : [name]));
    }),
  ];
}
