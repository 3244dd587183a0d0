// Which server is started: setting, selected environment, PATH, bundled copy - in that order, each decision logged.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import * as path from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { expandPath, venvPython, withTimeout } from "./paths";

const run = promisify(execFile);
const RESOLVE_TIMEOUT = 8000;

export interface ServerCommand {
  readonly command: string;
  readonly args: string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Where it came from, for the status item and the log. */
  readonly origin: string;
  readonly version?: string;
}

/** What the extension of the Python environments gives for a folder; both extensions are optional. */
async function selectedInterpreter(folder: vscode.Uri | undefined, log: vscode.LogOutputChannel): Promise<string | undefined> {
  const environments = vscode.extensions.getExtension("ms-python.vscode-python-envs");
  if (environments) {
    const api = await withTimeout(environments.activate(), RESOLVE_TIMEOUT);
    const found = await withTimeout(Promise.resolve(api?.getEnvironment?.(folder)), RESOLVE_TIMEOUT);
    const executable = (found as any)?.execInfo?.run?.executable as string | undefined;
    if (executable) {
      log.info(`Python environments extension: ${executable}`);
      return executable;
    }
  }
  const python = vscode.extensions.getExtension("ms-python.python");
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

/** The version of pypto-lsp that an interpreter can import, undefined when it cannot. */
async function serverVersion(python: string, env?: NodeJS.ProcessEnv): Promise<string | undefined> {
  try {
    const { stdout } = await run(python, ["-m", "pypto_lsp", "--version"], { timeout: RESOLVE_TIMEOUT, env: env ?? process.env });
    return stdout.trim().split(/\s+/).pop();
  } catch {
    return undefined;
  }
}

async function fromInterpreter(python: string, origin: string, extra: string[], log: vscode.LogOutputChannel): Promise<ServerCommand | undefined> {
  const version = await serverVersion(python);
  if (!version) {
    log.info(`${origin}: ${python} has no pypto-lsp`);
    return undefined;
  }
  return { command: python, args: ["-m", "pypto_lsp", "serve", ...extra], origin: `${origin} (${python})`, version };
}

async function bundled(context: vscode.ExtensionContext, python: string | undefined, extra: string[], log: vscode.LogOutputChannel): Promise<ServerCommand | undefined> {
  const libs = context.asAbsolutePath(path.join("bundled", "libs"));
  if (!existsSync(libs)) return undefined;
  for (const candidate of [python, "python3", "python"]) {
    if (!candidate) continue;
    const env = { ...process.env, PYTHONPATH: libs };
    const version = await serverVersion(candidate, env);
    if (version) return { command: candidate, args: ["-m", "pypto_lsp", "serve", ...extra], env, origin: `bundled (${candidate})`, version };
    log.info(`The bundled server does not run under ${candidate}`);
  }
  return undefined;
}

/** Resolves the server to start; undefined when there is none anywhere. */
export async function resolveServer(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): Promise<ServerCommand | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0];
  const config = vscode.workspace.getConfiguration("pypto", folder?.uri);
  const trusted = vscode.workspace.isTrusted;
  const extra = trusted ? config.get<string[]>("serverArgs", []) : [];
  const expand = (text: string) => expandPath(text, folder?.uri.fsPath);
  if (trusted) {
    const serverPath = expand(config.get<string>("serverPath", ""));
    if (serverPath) {
      log.info(`Setting pypto.serverPath: ${serverPath}`);
      return { command: serverPath, args: ["serve", ...extra], origin: `pypto.serverPath (${serverPath})` };
    }
  }
  const bundledOnly = !trusted || config.get<string>("importStrategy") === "useBundled";
  if (bundledOnly) {
    const found = await bundled(context, undefined, extra, log);
    if (found || config.get<string>("importStrategy") === "useBundled") return found;
  }
  let interpreter: string | undefined;
  if (trusted) {
    const explicit = expand(config.get<string>("interpreter", ""));
    if (explicit) {
      const found = await fromInterpreter(explicit, "pypto.interpreter", extra, log);
      if (found) return found;
      void vscode.window.showErrorMessage(`PyPTO: ${explicit} cannot run the server. Install it there with "pip install pypto-lsp".`);
    }
    interpreter = await selectedInterpreter(folder?.uri, log);
    const selected = interpreter && (await fromInterpreter(interpreter, "selected environment", extra, log));
    if (selected) return selected;
    for (const name of [".venv", "venv"]) {
      const python = folder && venvPython(path.join(folder.uri.fsPath, name));
      if (python && existsSync(python)) {
        const found = await fromInterpreter(python, `${name} of the workspace folder`, extra, log);
        if (found) return found;
      }
    }
  }
  for (const python of ["python3", "python"]) {
    const found = await fromInterpreter(python, "PATH", extra, log);
    if (found) return found;
  }
  return bundled(context, interpreter, extra, log);
}

/** Calls `changed` when the selected environment may have become another one. */
export function onEnvironmentChange(context: vscode.ExtensionContext, changed: () => void): void {
  for (const [id, event] of [
    ["ms-python.vscode-python-envs", (api: any) => api?.onDidChangeEnvironment],
    ["ms-python.python", (api: any) => api?.environments?.onDidChangeActiveEnvironmentPath],
  ] as const) {
    const extension = vscode.extensions.getExtension(id);
    if (!extension) continue;
    void withTimeout(extension.activate(), RESOLVE_TIMEOUT).then((api) => {
      const subscribe = event(api);
      if (typeof subscribe === "function") context.subscriptions.push(subscribe(() => changed()));
    });
  }
}
