// Lowered IR beside the source: show, pick a pass, diff two passes, write to a file, follow the cursor.
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { IR_SCHEME, type Client } from "./client";
import { mentionsLanguage } from "./kernels";
import { loweredPath, loweredQuery, parseLoweredQuery, type LoweredSource } from "./irUri";
import { loweredLines, sourceLines, type MappedLine } from "./sourceMap";

interface PassInfo {
  name: string;
  changed: boolean;
  milliseconds: number;
}

interface EntryInfo {
  name: string;
  /** 0-based lines of the definition */
  line: number;
  endLine: number;
  passes: PassInfo[];
  /** run when one of them is shown */
  memoryPasses?: string[];
}

const DEFAULT_PASS = "LowerAutoVectorSplit";

/** Passes of a kernel in the order in which they run. */
function passNames(entry: EntryInfo): string[] {
  return [...entry.passes.map((p) => p.name), ...(entry.memoryPasses ?? [])];
}

export class LoweredView {
  private readonly highlight = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("editor.wordHighlightBackground"),
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.wordHighlightForeground"),
  });
  private lastPass = DEFAULT_PASS;
  private hasKernels = false;
  private readonly maps = new Map<string, Promise<MappedLine[]>>();

  constructor(
    context: vscode.ExtensionContext,
    private readonly client: Client,
    log: vscode.LogOutputChannel,
  ) {
    const command = (id: string, run: (...args: any[]) => Promise<void>) =>
      context.subscriptions.push(vscode.commands.registerCommand(id, run, this));
    command("pypto.showLoweredIR", this.show);
    command("pypto.pickPass", this.pickPass);
    command("pypto.diffPasses", this.diff);
    command("pypto.showPassEffect", this.showEffect);
    command("pypto.emitLoweredIR", this.emit);
    const follow = (editor: vscode.TextEditor | undefined) => {
      if (editor) this.follow(editor).catch((error) => log.debug(`following the cursor: ${String(error)}`));
    };
    context.subscriptions.push(
      this.highlight,
      vscode.window.onDidChangeTextEditorSelection((event) => follow(event.textEditor)),
      // A lowered document that was opened, changed its pass, or went away.
      vscode.window.onDidChangeVisibleTextEditors((editors) => {
        this.forgetMarks(editors);
        follow(vscode.window.activeTextEditor);
      }),
      vscode.window.onDidChangeActiveTextEditor((editor) => editor && this.noteKernels(editor.document)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.scheme !== IR_SCHEME && document.languageId !== "python") return;
        this.maps.clear();
        if (document.uri.scheme === IR_SCHEME) follow(vscode.window.activeTextEditor);
        if (document === vscode.window.activeTextEditor?.document) this.noteKernels(document);
      }),
    );
    if (vscode.window.activeTextEditor) this.noteKernels(vscode.window.activeTextEditor.document);
  }

  private async server(): Promise<LanguageClient> {
    await this.client.start();
    const running = this.client.running;
    if (!running) throw new Error("The PyPTO language server is not running; see PyPTO: Show Extension Logs.");
    return running;
  }

  private async entries(uri: string): Promise<EntryInfo[]> {
    const server = await this.server();
    return server.sendRequest("workspace/executeCommand", { command: "pypto.server.entries", arguments: [uri] });
  }

  private uriOf(source: LoweredSource): vscode.Uri {
    return vscode.Uri.from({ scheme: IR_SCHEME, path: loweredPath(source), query: loweredQuery(source) });
  }

  /** What the active editor, the arguments of a code lens, or a pick by the user point at. */
  private async target(uri?: string, entry?: string): Promise<{ uri: string; entry: EntryInfo } | undefined> {
    const editor = vscode.window.activeTextEditor;
    if (!uri && editor) {
      const lowered = editor.document.uri.scheme === IR_SCHEME ? parseLoweredQuery(editor.document.uri.query) : undefined;
      uri = lowered?.uri ?? editor.document.uri.toString();
      entry = entry ?? lowered?.entry;
    }
    if (!uri) return undefined;
    const entries = await this.entries(uri);
    if (entries.length === 0) {
      void vscode.window.showInformationMessage("PyPTO: this file has no kernels.");
      return undefined;
    }
    const line = editor && editor.document.uri.toString() === uri ? editor.selection.active.line : -1;
    const found =
      entries.find((e) => e.name === entry) ?? entries.find((e) => e.line <= line && line <= e.endLine) ?? (entries.length === 1 ? entries[0] : undefined);
    if (found) return { uri, entry: found };
    const picked = await vscode.window.showQuickPick(
      entries.map((e) => ({ label: e.name, description: `line ${e.line + 1}`, entry: e })),
      { placeHolder: "Kernel" },
    );
    return picked && { uri, entry: picked.entry };
  }

  private async choosePass(entry: EntryInfo, placeHolder: string, withSource = true): Promise<string | undefined> {
    const items = [
      ...(withSource ? [{ label: "Source", description: "before any pass", pass: "" }] : []),
      ...entry.passes.map((p) => ({
        label: p.name,
        description: `${p.changed ? "changed the kernel" : "no change"} · ${p.milliseconds.toFixed(1)} ms`,
        pass: p.name,
      })),
      ...(entry.memoryPasses ?? []).map((name) => ({ label: name, description: "plans the on-chip memory", pass: name })),
    ];
    return (await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true }))?.pass;
  }

  private async open(source: LoweredSource): Promise<void> {
    const document = await vscode.workspace.openTextDocument(this.uriOf(source));
    if (document.languageId !== "pypto-ir") await vscode.languages.setTextDocumentLanguage(document, "pypto-ir");
    const existing = vscode.window.visibleTextEditors.find((e) => e.document.uri.scheme === IR_SCHEME);
    const viewColumn = existing?.viewColumn ?? vscode.ViewColumn.Beside;
    await vscode.window.showTextDocument(document, { viewColumn, preserveFocus: true, preview: true });
  }

  private async show(uri?: string, entry?: string): Promise<void> {
    const target = await this.target(typeof uri === "string" ? uri : undefined, entry);
    if (!target) return;
    const pass = passNames(target.entry).includes(this.lastPass) ? this.lastPass : (target.entry.passes.at(-1)?.name ?? "");
    await this.open({ uri: target.uri, entry: target.entry.name, pass });
  }

  private async pickPass(): Promise<void> {
    const target = await this.target();
    const pass = target && (await this.choosePass(target.entry, "Show the IR after this pass"));
    if (!target || pass === undefined) return;
    this.lastPass = pass;
    await this.open({ uri: target.uri, entry: target.entry.name, pass });
  }

  private async diff(): Promise<void> {
    const target = await this.target();
    if (!target) return;
    const before = await this.choosePass(target.entry, "Left side: IR after this pass");
    if (before === undefined) return;
    const after = await this.choosePass(target.entry, "Right side: IR after this pass");
    if (after === undefined) return;
    await this.compare(target, before, after);
  }

  /** What one pass did: the IR before it beside the IR after it. The pass is that of the lowered document in front, else one is picked. */
  private async showEffect(): Promise<void> {
    const target = await this.target();
    if (!target) return;
    const shown = vscode.window.activeTextEditor?.document.uri;
    const front = shown?.scheme === IR_SCHEME ? parseLoweredQuery(shown.query)?.pass : undefined;
    const pass = front || (await this.choosePass(target.entry, "What this pass did", false));
    const names = passNames(target.entry);
    const place = pass === undefined ? -1 : names.indexOf(pass);
    if (pass !== undefined && place >= 0) await this.compare(target, names[place - 1] ?? "", pass);
  }

  private async compare(target: { uri: string; entry: EntryInfo }, before: string, after: string): Promise<void> {
    const side = (pass: string) => this.uriOf({ uri: target.uri, entry: target.entry.name, pass });
    await vscode.commands.executeCommand("vscode.diff", side(before), side(after), `${target.entry.name}: ${before || "Source"} ↔ ${after || "Source"}`);
  }

  private async emit(): Promise<void> {
    const target = await this.target();
    const pass = target && (await this.choosePass(target.entry, "Write the IR after this pass"));
    if (!target || pass === undefined) return;
    const source = vscode.Uri.parse(target.uri);
    const name = `${target.entry.name}.${pass || "source"}.pypto-ir`;
    const file = await vscode.window.showSaveDialog({ defaultUri: source.scheme === "file" ? vscode.Uri.joinPath(source, "..", name) : undefined });
    if (!file) return;
    const document = await vscode.workspace.openTextDocument(this.uriOf({ uri: target.uri, entry: target.entry.name, pass }));
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(document.getText() + "\n"));
  }

  /** Keeps `pypto.hasKernels` current, which shows the button in the editor's title. */
  private noteKernels(document: vscode.TextDocument): void {
    if (document.languageId !== "python") return;
    const has = mentionsLanguage(document.getText());
    if (has === this.hasKernels) return;
    this.hasKernels = has;
    void vscode.commands.executeCommand("setContext", "pypto.hasKernels", has);
  }

  private mapOf(document: vscode.Uri): Promise<MappedLine[]> {
    const key = document.toString();
    let found = this.maps.get(key);
    if (!found) {
      const source = parseLoweredQuery(document.query);
      found = source ? this.requestMap(source) : Promise.resolve([]);
      this.maps.set(key, found);
    }
    return found;
  }

  private async requestMap(source: LoweredSource): Promise<MappedLine[]> {
    const server = await this.server();
    return server.sendRequest("workspace/executeCommand", { command: "pypto.server.sourceMap", arguments: [source] });
  }

  private async follow(editor: vscode.TextEditor): Promise<void> {
    if (!this.client.running || !vscode.workspace.getConfiguration("pypto").get<boolean>("loweredIR.followCursor", true)) return;
    const line = editor.selection.active.line;
    if (editor.document.uri.scheme === IR_SCHEME) {
      const source = parseLoweredQuery(editor.document.uri.query);
      const other = vscode.window.visibleTextEditors.find((e) => e.document.uri.toString() === source?.uri);
      if (other) this.mark(other, sourceLines(await this.mapOf(editor.document.uri), line));
      return;
    }
    for (const other of vscode.window.visibleTextEditors) {
      if (other.document.uri.scheme !== IR_SCHEME) continue;
      if (parseLoweredQuery(other.document.uri.query)?.uri !== editor.document.uri.toString()) continue;
      this.mark(other, loweredLines(await this.mapOf(other.document.uri), line));
    }
  }

  /** Takes the marks out of sources that no lowered document is beside any more. */
  private forgetMarks(editors: readonly vscode.TextEditor[]): void {
    const shown = new Set(editors.filter((e) => e.document.uri.scheme === IR_SCHEME).map((e) => parseLoweredQuery(e.document.uri.query)?.uri));
    for (const editor of editors) {
      if (editor.document.uri.scheme !== IR_SCHEME && !shown.has(editor.document.uri.toString())) editor.setDecorations(this.highlight, []);
    }
  }

  private mark(editor: vscode.TextEditor, lines: number[]): void {
    const ranges = lines.filter((l) => l < editor.document.lineCount).map((l) => editor.document.lineAt(l).range);
    editor.setDecorations(this.highlight, ranges);
    if (ranges.length > 0) editor.revealRange(ranges[0], vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }
}
