// Which server is started: setting, selected environment, virtual environment, PATH, bundled copy - in that order, each decision logged.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import * as path from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { expandPath, serverEnvironment, venvPython, withTimeout } from "./paths";

const run = promisify(execFile);
const RESOLVE_TIMEOUT = 8000;
const ENVIRONMENTS = "ms-python.vscode-python-envs";
const PYTHON = "ms-python.python";
/** Quick, and enough where pip has installed the package with what it needs. */
const VERSION = "import pypto_lsp; print(pypto_lsp.__version__)";
/** The bundled copy does not fit an interpreter that is too old for what it needs. */
const BUNDLED_VERSION = `import pypto_lsp.cli, pypto_lsp.server; ${VERSION}`;

export interface ServerCommand {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
  /** Where it came from, for the status item and the log. */
  readonly origin: string;
  readonly version?: string;
}

/** What the extension of the Python environments gives for a folder; both extensions are optional. */
async function selectedInterpreter(folder: vscode.Uri | undefined, log: vscode.LogOutputChannel): Promise<string | undefined> {
  const environments = vscode.extensions.getExtension(ENVIRONMENTS);
  if (environments) {
    const api = await withTimeout(environments.activate(), RESOLVE_TIMEOUT);
    const found = await withTimeout(Promise.resolve(api?.getEnvironment?.(folder)), RESOLVE_TIMEOUT);
    const executable = (found as any)?.execInfo?.run?.executable as string | undefined;
    if (executable) {
      log.info(`Python environments extension: ${executable}`);
      return executable;
    }
  }
  const python = vscode.extensions.getExtension(PYTHON);
  if (python) {
    const api = await withTimeout(python.activate(), RESOLVE_TIMEOUT);
    const active = api?.environments?.getActiveEnvironmentPath?.(folder);
    const resolved = active ? await withTimeout(api.environments.resolveEnvironment(active), RESOLVE_TIMEOUT) : undefined;
    const executable = (resolved as any)?.executable?.uri?.fsPath as string | undefined;
    if (executable) {
      log.info(`Python extension: ${executable}`);
      return executable;
    }
  }
  if (!environments && !python) log.info("No Python extension is installed; looking for virtual environments and PATH");
  return undefined;
}

/** Finds the server for one window. */
class Resolver {
  private readonly folder = vscode.workspace.workspaceFolders?.[0];
  private readonly config = vscode.workspace.getConfiguration("pypto", this.folder?.uri);
  private readonly trusted = vscode.workspace.isTrusted;
  private readonly extra = this.trusted ? this.config.get<string[]>("serverArgs", []) : [];

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  async resolve(): Promise<ServerCommand | undefined> {
    const executable = this.trusted ? this.path("serverPath") : "";
    if (executable) {
      this.log.info(`Setting pypto.serverPath: ${executable}`);
      return { command: executable, args: ["serve", ...this.extra], env: serverEnvironment(process.env), origin: `pypto.serverPath (${executable})` };
    }
    const strict = this.trusted && this.config.get<string>("importStrategy") === "useBundled";
    if (strict || !this.trusted) {
      this.log.info(strict ? "Setting pypto.importStrategy: useBundled" : "The workspace is not trusted: the bundled server, or the one on PATH");
      const found = await this.bundled(strict ? this.path("interpreter") : "");
      if (found || strict) return found;
    }
    const selected = this.trusted ? await this.selected() : undefined;
    if (selected?.server) return selected.server;
    for (const python of PATH_NAMES) {
      const found = await this.fromInterpreter(python, "PATH");
      if (found) return found;
    }
    return this.trusted ? this.bundled(selected?.python ?? "") : undefined;
  }

  private path(setting: string): string {
    return expandPath(this.config.get<string>(setting, ""), this.folder?.uri.fsPath);
  }

  /** The server of the environment that the user chose, or of a virtual environment in the workspace folder. */
  private async selected(): Promise<{ python?: string; server?: ServerCommand }> {
    const explicit = this.path("interpreter");
    if (explicit) {
      const server = await this.fromInterpreter(explicit, "pypto.interpreter");
      if (server) return { python: explicit, server };
      void vscode.window.showErrorMessage(`PyPTO: ${explicit} cannot run the server. Install it there with "pip install pypto-lsp".`);
    }
    const python = await selectedInterpreter(this.folder?.uri, this.log);
    const server = python && (await this.fromInterpreter(python, "selected environment"));
    if (server) return { python, server };
    for (const name of [".venv", "venv"]) {
      const own = this.folder && venvPython(path.join(this.folder.uri.fsPath, name));
      const found = own && existsSync(own) && (await this.fromInterpreter(own, `${name} of the workspace folder`));
      if (found) return { python: own, server: found };
    }
    return { python: explicit || python };
  }

  private async fromInterpreter(python: string, origin: string): Promise<ServerCommand | undefined> {
    const env = serverEnvironment(process.env);
    const version = await this.version(python, VERSION, env);
    if (!version) {
      this.log.info(`${origin}: ${python} has no pypto-lsp`);
      return undefined;
    }
    return this.command(python, env, `${origin} (${python})`, version);
  }

  private async bundled(python: string): Promise<ServerCommand | undefined> {
    const libs = this.context.asAbsolutePath(path.join("bundled", "libs"));
    if (!existsSync(libs)) {
      this.log.info("This build of the extension carries no server");
      return undefined;
    }
    const env = serverEnvironment(process.env, libs);
    for (const candidate of python ? [python, ...PATH_NAMES] : PATH_NAMES) {
      const version = await this.version(candidate, BUNDLED_VERSION, env);
      if (version) return this.command(candidate, env, `bundled (${candidate})`, version);
      this.log.info(`The bundled server does not run under ${candidate}`);
    }
    return undefined;
  }

  private command(python: string, env: Record<string, string>, origin: string, version: string): ServerCommand {
    return { command: python, args: ["-m", "pypto_lsp", "serve", ...this.extra], env, origin, version };
  }

  /** What `program` prints under an interpreter; undefined when it fails there. */
  private async version(python: string, program: string, env: Record<string, string>): Promise<string | undefined> {
    try {
      const { stdout } = await run(python, ["-c", program], { timeout: RESOLVE_TIMEOUT, env, cwd: this.context.extensionPath });
      return stdout.trim() || undefined;
    } catch (error) {
      this.log.debug(`${python}: ${String(error)}`);
      return undefined;
    }
  }
}

const PATH_NAMES = ["python3", "python"];

/** Resolves the server to start; undefined when there is none anywhere. */
export function resolveServer(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): Promise<ServerCommand | undefined> {
  return new Resolver(context, log).resolve();
}

/** Lets the user choose the interpreter, with whatever is installed for that. */
export async function selectInterpreter(): Promise<void> {
  const known = await vscode.commands.getCommands(true);
  const command = ["python.setInterpreter", "python-envs.set"].find((name) => known.includes(name));
  if (command) await vscode.commands.executeCommand(command);
  else await vscode.commands.executeCommand("workbench.action.openSettings", "pypto.interpreter");
}

/** Calls `changed` when the selected environment may have become another one. */
export function onEnvironmentChange(context: vscode.ExtensionContext, changed: () => void): void {
  for (const [id, event] of [
    [ENVIRONMENTS, (api: any) => api?.onDidChangeEnvironment],
    [PYTHON, (api: any) => api?.environments?.onDidChangeActiveEnvironmentPath],
  ] as const) {
    const extension = vscode.extensions.getExtension(id);
    if (!extension) continue;
    void withTimeout(extension.activate(), RESOLVE_TIMEOUT).then((api) => {
      const subscribe = event(api);
      if (typeof subscribe === "function") context.subscriptions.push(subscribe(() => changed()));
    });
  }
}
