// Entry of the extension: wires the client, the status items, the lowered view and the commands.
import * as vscode from "vscode";
import { Client, IR_SCHEME } from "./client";
import { onEnvironmentChange, selectInterpreter } from "./interpreter";
import { editMentionsLanguage, mentionsLanguage } from "./kernels";
import { createChannels } from "./log";
import { LoweredView } from "./lowered";
import { problemBody } from "./problem";
import { Status, type Backend } from "./status";

/** Settings whose change starts another server process. */
const RESTART_SETTINGS = ["pypto.serverPath", "pypto.interpreter", "pypto.importStrategy", "pypto.serverArgs"];

let client: Client | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const channels = createChannels(context);
  const status = new Status(context);
  client = new Client(context, channels, status);
  const active = client;
  new LoweredView(context, active, channels.client);
  const command = (id: string, run: () => unknown) => context.subscriptions.push(vscode.commands.registerCommand(id, run));
  command("pypto.restartServer", () => active.restart());
  command("pypto.selectInterpreter", selectInterpreter);
  command("pypto.showLogs", () => channels.client.show());
  command("pypto.showServerLogs", () => channels.server.show());
  command("pypto.selectBackend", selectBackend);
  command("pypto.debugInformation", () => showDebugInformation(active));
  command("pypto.reportProblem", () => reportProblem(context, active));
  command("pypto.openSample", () => openSample(context));
  const backend = () => void showBackend(active, status).catch((error) => channels.client.debug(`backend: ${String(error)}`));
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("pypto.backend")) setTimeout(backend, 200);
      if (RESTART_SETTINGS.some((name) => event.affectsConfiguration(name))) void active.reconsider();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void active.reconsider()),
    vscode.window.onDidChangeActiveTextEditor(backend),
    active.onStarted(backend),
  );
  onEnvironmentChange(context, () => void active.reconsider());
  startWithFirstKernel(context, active);
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

/** Python files that never name the language cost this test and nothing else. */
function startWithFirstKernel(context: vscode.ExtensionContext, active: Client): void {
  const wanted = (document: vscode.TextDocument) =>
    document.uri.scheme === IR_SCHEME || (document.languageId === "python" && mentionsLanguage(document.getText()));
  if (vscode.workspace.textDocuments.some(wanted)) {
    void active.start();
    return;
  }
  const watching: vscode.Disposable[] = [];
  const start = () => {
    vscode.Disposable.from(...watching).dispose();
    void active.start();
  };
  watching.push(
    vscode.workspace.onDidOpenTextDocument((document) => wanted(document) && start()),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (document.languageId === "python" && editMentionsLanguage(contentChanges, (line) => document.lineAt(line).text)) start();
    }),
    active.onStarted(() => vscode.Disposable.from(...watching).dispose()),
  );
  context.subscriptions.push(...watching);
}

async function showBackend(active: Client, status: Status): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (!active.running || document?.languageId !== "python" || !mentionsLanguage(document.getText())) return;
  const params = { command: "pypto.server.backend", arguments: [document.uri.toString()] };
  status.showBackend(await active.running.sendRequest<Backend>("workspace/executeCommand", params));
}

async function selectBackend(): Promise<void> {
  const resource = vscode.window.activeTextEditor?.document.uri;
  const config = vscode.workspace.getConfiguration("pypto", resource);
  const items = [
    { label: "a2a3", description: "Ascend 910B" },
    { label: "a5", description: "Ascend 950" },
  ];
  const picked = await vscode.window.showQuickPick(items, { placeHolder: "The chip that kernels are lowered for" });
  const target = vscode.workspace.workspaceFolders ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  if (picked) await config.update("backend", picked.label, target);
}

async function debugInformation(active: Client): Promise<string> {
  const own = vscode.extensions.getExtension("pypto-lsp.pypto-lsp")?.packageJSON.version;
  const server = active.server;
  const lines = [
    `${vscode.env.appName} ${vscode.version}, extension ${own}, ${process.platform} ${process.arch}`,
    `server from ${server ? `${server.origin}: ${server.command} ${server.args.join(" ")}` : "nowhere"}`,
    `workspace ${vscode.workspace.isTrusted ? "trusted" : "not trusted"}, ${vscode.workspace.workspaceFolders?.length ?? 0} folders`,
    "",
    active.running
      ? await active.running.sendRequest<string>("workspace/executeCommand", { command: "pypto.server.debugInformation", arguments: [] })
      : "The server is not running.",
  ];
  return lines.join("\n");
}

async function showDebugInformation(active: Client): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ content: await debugInformation(active), language: "plaintext" });
  await vscode.window.showTextDocument(document);
}

async function reportProblem(context: vscode.ExtensionContext, active: Client): Promise<void> {
  const body = problemBody(await debugInformation(active));
  await vscode.commands.executeCommand("workbench.action.openIssueReporter", { extensionId: context.extension.id, issueBody: body });
}

async function openSample(context: vscode.ExtensionContext): Promise<void> {
  const sample = vscode.Uri.joinPath(context.extensionUri, "samples", "split_kernel.py");
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(sample));
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: text, language: "python" }));
}
