// The language status items: what the server is doing, which one it is, and the backend of the active file.
import * as vscode from "vscode";

const SELECTOR: vscode.DocumentSelector = [{ language: "python" }, { language: "pypto-ir" }];
const CHIPS: Record<string, string> = { a2a3: "Ascend 910B", a5: "Ascend 950" };

/** Backend of a file, and where that was said: the editor, a project file, or nowhere ("defaults"). */
export interface Backend {
  readonly backend: string;
  readonly origin: string;
}

export class Status {
  private readonly server: vscode.LanguageStatusItem;
  private readonly backend: vscode.LanguageStatusItem;

  constructor(context: vscode.ExtensionContext) {
    this.server = vscode.languages.createLanguageStatusItem("pypto.server", SELECTOR);
    this.server.name = "PyPTO server";
    this.server.command = { command: "pypto.showLogs", title: "Show logs" };
    this.backend = vscode.languages.createLanguageStatusItem("pypto.backend", SELECTOR);
    this.backend.name = "PyPTO backend";
    this.backend.command = { command: "pypto.selectBackend", title: "Switch" };
    this.set("PyPTO: no kernel is open", "The server starts with the first one", vscode.LanguageStatusSeverity.Information, false);
    this.showBackend({ backend: vscode.workspace.getConfiguration("pypto").get<string>("backend", "a2a3"), origin: "" });
    context.subscriptions.push(this.server, this.backend);
  }

  showBackend({ backend, origin }: Backend): void {
    this.backend.text = `PyPTO ${backend}`;
    this.backend.detail = [CHIPS[backend], origin && `from ${origin}`].filter(Boolean).join(", ");
  }

  busy(text: string): void {
    this.set(text, "", vscode.LanguageStatusSeverity.Information, true);
  }

  ready(version: string, origin: string): void {
    this.set(`PyPTO ${version}`, origin, vscode.LanguageStatusSeverity.Information, false);
  }

  warning(text: string, detail: string): void {
    this.set(text, detail, vscode.LanguageStatusSeverity.Warning, false);
  }

  error(text: string, detail: string): void {
    this.set(text, detail, vscode.LanguageStatusSeverity.Error, false);
  }

  private set(text: string, detail: string, severity: vscode.LanguageStatusSeverity, busy: boolean): void {
    this.server.text = text;
    this.server.detail = detail;
    this.server.severity = severity;
    this.server.busy = busy;
  }
}
