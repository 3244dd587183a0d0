// What the server is told of the settings. A project file may set some of them, so their defaults must not be sent as if they had been chosen.

/** Settings that `[tool.pypto-lsp]` of a pyproject.toml can have as well. */
export const PROJECT_SETTINGS = ["backend", "searchPath", "maxFileSize", "ignore", "select"] as const;
/** Settings that only the editor has. */
export const EDITOR_SETTINGS = [
  "run",
  "diagnosticMode",
  "inlayHints.types",
  "inlayHints.lanes",
  "inlayHints.parameters",
  "inlayHints.tripCounts",
  "codeLens",
  "semanticTokens",
] as const;

/** The part of `vscode.WorkspaceConfiguration` that is needed. */
export interface Section {
  get(name: string): unknown;
  inspect(name: string): { globalValue?: unknown; workspaceValue?: unknown; workspaceFolderValue?: unknown } | undefined;
}

/** The section for the server: project settings only where somebody chose them, editor settings always. */
export function serverSection(section: Section): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const name of PROJECT_SETTINGS) {
    const chosen = section.inspect(name);
    const value = chosen?.workspaceFolderValue ?? chosen?.workspaceValue ?? chosen?.globalValue;
    if (value !== undefined) values[name] = section.get(name);
  }
  for (const name of EDITOR_SETTINGS) values[name] = section.get(name);
  return nested(values);
}

function nested(flat: Record<string, unknown>): Record<string, unknown> {
  const out: Record<string, any> = {};
  for (const [name, value] of Object.entries(flat)) {
    const [head, tail] = name.split(".", 2);
    if (tail === undefined) out[head] = value;
    else (out[head] ??= {})[tail] = value;
  }
  return out;
}
