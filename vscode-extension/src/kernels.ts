// Which Python files are worth a server: the cheap test on the text that keeps all other files free of cost.

const NAME = "pypto";

/** Whether a text may hold kernels: it names the package. The server looks closer. */
export function mentionsLanguage(text: string): boolean {
  return text.includes(NAME);
}

export interface Edit {
  readonly range: { readonly start: { readonly line: number } };
  readonly text: string;
}

/** The same for an edit, by the lines that it touched alone. `lineAt` gives lines of the text after the edit. */
export function editMentionsLanguage(edits: readonly Edit[], lineAt: (line: number) => string): boolean {
  return edits.some((edit) => mentionsLanguage(edit.text) || mentionsLanguage(lineAt(edit.range.start.line)));
}
