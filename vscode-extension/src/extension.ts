// Entry of the extension: wires the client, the status item, the lowered view and the commands.
import * as vscode from "vscode";
import { Client } from "./client";
import { onEnvironmentChange } from "./interpreter";
import { createChannels } from "./log";
import { LoweredView } from "./lowered";
import { Status } from "./status";

/** Settings whose change starts another server process. */
const RESTART_SETTINGS = ["pypto.serverPath", "pypto.interpreter", "pypto.importStrategy", "pypto.serverArgs"];

let client: Client | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const channels = createChannels(context);
  const status = new Status(context);
  client = new Client(context, channels, status);
  const active = client;
  new LoweredView(context, active);
  const command = (id: string, run: () => unknown) => context.subscriptions.push(vscode.commands.registerCommand(id, run));
  command("pypto.restartServer", () => active.restart());
  command("pypto.showLogs", () => channels.client.show());
  command("pypto.showServerLogs", () => channels.server.show());
  command("pypto.selectBackend", selectBackend);
  command("pypto.debugInformation", () => showDebugInformation(active));
  command("pypto.openSample", () => openSample(context));
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("pypto.backend")) status.refreshBackend();
      if (RESTART_SETTINGS.some((name) => event.affectsConfiguration(name))) void active.restart();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void active.restart(true)),
  );
  onEnvironmentChange(context, () => void active.restart(true));
  await active.restart();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

async function selectBackend(): Promise<void> {
  const config = vscode.workspace.getConfiguration("pypto");
  const items = [
    { label: "a2a3", description: "Ascend 910B" },
    { label: "a5", description: "Ascend 950" },
  ];
  const picked = await vscode.window.showQuickPick(items, { placeHolder: `Backend (now ${config.get("backend")})` });
  const target = vscode.workspace.workspaceFolders ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  if (picked) await config.update("backend", picked.label, target);
}

async function showDebugInformation(active: Client): Promise<void> {
  const running = active.running;
  const text = running
    ? await running.sendRequest<string>("workspace/executeCommand", { command: "pypto.server.debugInformation", arguments: [] })
    : "The server is not running.";
  const lines = [`VS Code ${vscode.version}`, `Extension ${vscode.extensions.getExtension("pypto-lsp.pypto-lsp")?.packageJSON.version}`, "", text];
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: lines.join("\n"), language: "markdown" }));
}

async function openSample(context: vscode.ExtensionContext): Promise<void> {
  const sample = vscode.Uri.joinPath(context.extensionUri, "samples", "split_kernel.py");
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(sample));
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: text, language: "python" }));
}
