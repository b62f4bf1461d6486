// Runs inside the extension host of Visual Studio Code (editor.test.mjs), with the real module vscode: opens a
// scenario, and drives what the extension offers.

const vscode = require("vscode");

/** Waits until a question has an answer that counts. */
async function until(what, ask) {
  for (let tries = 0; tries < 300; tries++) {
    const answer = await ask();
    if (answer) return answer;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`${what} did not come`);
}

/** What the folder's request answers once its selector does not fit the Pods: the API server's own code says that. */
async function evaluatedInvalid(folder, policies) {
  const request = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder.uri, "request.yaml"));
  const text = request.getText();
  const editor = await vscode.window.showTextDocument(request, { viewColumn: 1 });
  const label = text.indexOf("app: web");
  const replicas = text.indexOf("replicas: 8") + "replicas: ".length;
  await editor.edit((edit) => {
    edit.insert(request.positionAt(label + "app: ".length), "other-");
    edit.replace(new vscode.Range(request.positionAt(replicas), request.positionAt(replicas + 1)), "3");
  });
  await vscode.window.showTextDocument(policies, { viewColumn: 1 });
  await vscode.commands.executeCommand("preadmit.evaluate");
  const answer = await until("the invalid request's answer", () =>
    vscode.window.visibleTextEditors.find((e) => e.document.isUntitled)?.document.getText(),
  );
  await vscode.commands.executeCommand("workbench.action.closeEditorsInOtherGroups");
  return answer;
}

exports.run = async () => {
  try {
    await report(await drive());
  } catch (reason) {
    await report({ failed: String(reason?.stack ?? reason) });
    throw reason;
  }
};

const report = (said) => fetch("/said", { method: "POST", body: JSON.stringify(said) });

async function drive() {
  const [folder] = vscode.workspace.workspaceFolders;
  const uri = vscode.Uri.joinPath(folder.uri, "policies.yaml");
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document);
  const at = (text) => document.positionAt(document.getText().indexOf(text));
  const said = {};
  const lenses = await until("tests", async () => {
    const list = await vscode.commands.executeCommand("vscode.executeCodeLensProvider", uri);
    const titles = list.map((lens) => lens.command?.title ?? "");
    return titles.includes("3 of 3 tests pass") && titles;
  });
  said.lenses = lenses;
  const hovers = await vscode.commands.executeCommand("vscode.executeHoverProvider", uri, at("replicas <="));
  said.hover = hovers.flatMap((hover) => hover.contents.map((content) => content.value)).join("\n");
  for (const command of ["evaluate", "showPath", "test"]) {
    await vscode.window.showTextDocument(document, { viewColumn: 1 });
    await vscode.commands.executeCommand(`preadmit.${command}`);
    const shown = await until(
      command,
      () => vscode.window.visibleTextEditors.find((e) => e.document.isUntitled)?.document,
    );
    said[command] = shown.getText();
    await vscode.commands.executeCommand("workbench.action.closeEditorsInOtherGroups");
  }
  await vscode.window.showTextDocument(document, { viewColumn: 1 });
  const cases = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder.uri, "cases.yaml"));
  const before = cases.lineCount;
  await vscode.commands.executeCommand("preadmit.addTest");
  said.added = await until("a test", () => cases.lineCount > before && cases.getText());
  said.invalid = await evaluatedInvalid(folder, document);
  const again = await vscode.window.showTextDocument(document, { viewColumn: 1 });
  await again.edit((edit) => edit.insert(at("replicas <="), "x"));
  said.problems = await until("problems", () => {
    const list = vscode.languages.getDiagnostics(uri).map((problem) => problem.message);
    return list.some((message) => message.includes("xreplicas")) && list;
  });
  said.fixes = (
    await vscode.commands.executeCommand(
      "vscode.executeCodeActionProvider",
      uri,
      new vscode.Range(at("xreplicas"), at("xreplicas")),
    )
  ).map((action) => action.title);
  const help = await vscode.commands.executeCommand("vscode.executeSignatureHelpProvider", uri, at("small') =="), "(");
  said.signature = help.signatures.map((signature) => signature.label);
  return said;
}
