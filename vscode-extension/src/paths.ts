// Pure helpers on paths and settings; no editor needed.
import * as os from "node:os";
import * as path from "node:path";

/** Expands a leading `~` and `${workspaceFolder}`, `${userHome}`, `${env:NAME}`. */
export function expandPath(text: string, workspaceFolder?: string, env: NodeJS.ProcessEnv = process.env): string {
  let out = text.replace(/\$\{(workspaceFolder|userHome|env:([^}]+))\}/g, (whole, name: string, variable?: string) => {
    if (name === "workspaceFolder") return workspaceFolder ?? whole;
    if (name === "userHome") return os.homedir();
    return env[variable ?? ""] ?? "";
  });
  if (out === "~" || out.startsWith("~/") || out.startsWith("~\\")) out = path.join(os.homedir(), out.slice(1));
  return out;
}

/** The interpreter of a virtual environment folder, by platform. */
export function venvPython(folder: string, platform: NodeJS.Platform = process.platform): string {
  return platform === "win32" ? path.join(folder, "Scripts", "python.exe") : path.join(folder, "bin", "python");
}

/** Resolves with `undefined` when `promise` takes longer than `milliseconds` or fails. */
export async function withTimeout<T>(promise: Thenable<T> | Promise<T>, milliseconds: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  try {
    return await Promise.race([Promise.resolve(promise).catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Environment of the server: Python looks for modules in its own places (and in `libs`), not in the folder where it is started. */
export function serverEnvironment(env: NodeJS.ProcessEnv, libs?: string): Record<string, string> {
  const known = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { ...Object.fromEntries(known), PYTHONSAFEPATH: "1", ...(libs === undefined ? {} : { PYTHONPATH: libs }) };
}
