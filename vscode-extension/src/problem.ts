// The text of a problem report.

/** What a person fills in, with the debug information already there. */
export function problemBody(debugInformation: string): string {
  return [
    "### What happened",
    "",
    "<!-- The diagnostic, the hover or the lowered text that is wrong, and what you expected. -->",
    "",
    "### The kernel",
    "",
    "<!-- The smallest kernel that shows it; it is only read, so it need not run. -->",
    "",
    "```python",
    "import pypto.language as pl",
    "",
    "```",
    "",
    "### Debug information",
    "",
    "```text",
    debugInformation.trimEnd(),
    "```",
    "",
  ].join("\n");
}
