"""The page of a code, as plain text for the terminal."""

from __future__ import annotations

import textwrap

from pypto_core import Rule
from pypto_lsp.links import rule_page

WIDTH = 100
FIXES = {
    "none": "There is no quick fix.",
    "safe": "There is a quick fix; it is safe to apply unseen (`pypto-lsp check --fix`).",
    "sometimes": "There is a quick fix; where it can mean one thing only it is safe to apply unseen (`pypto-lsp check --fix`), elsewhere look at what it does.",
    "review": "There is a quick fix; look at what it does before you keep it.",
}
#: Codes that stand at a line of a kernel though no text alone shows them.
ABOUT_LINES = frozenset({"extern-source-missing"})


def page(rule: Rule) -> str:
    """Title, explanation, failing and repaired example, fix, address of the page."""
    parts = [f"{rule.code} ({rule.severity.text})", rule.title]
    parts += [_filled(line) for line in rule.explanation.split("\n\n")]
    if rule.failing:
        parts += ["Reported here:", _indented(rule.failing)]
    if rule.repaired:
        parts += ["Repaired:", _indented(rule.repaired)]
    if rule.no_source:
        parts += ["No kernel shows it:", _filled(rule.no_source)]
    parts += [_filled(FIXES[rule.fix]), _filled(silencing(rule)), rule_page(rule.code)]
    return "\n\n".join(part for part in parts if part)


def silencing(rule: Rule) -> str:
    """How to be rid of a finding without a repair, as Markdown; empty for a code that no line of a kernel shows."""
    if rule.on_request:
        return (
            "The passes that plan the on-chip memory say it, and `pypto-lsp check` does not run them: "
            "`pypto-lsp memory` does, and `pypto-lsp lower` with one of them as `--pass`."
        )
    if rule.no_source and rule.code not in ABOUT_LINES:
        return ""
    return f"Silence it on one line with `# pypto: ignore[{rule.code}]`."


def _filled(text: str) -> str:
    return textwrap.fill(text, WIDTH, break_on_hyphens=False)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.strip("\n").split("\n"))
