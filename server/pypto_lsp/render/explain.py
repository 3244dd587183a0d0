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


def page(rule: Rule) -> str:
    """Title, explanation, failing and repaired example, fix, address of the page."""
    parts = [f"{rule.code} ({rule.severity.text})", rule.title]
    parts += [textwrap.fill(line, WIDTH) for line in rule.explanation.split("\n\n")]
    if rule.failing:
        parts += ["Reported here:", _indented(rule.failing)]
    if rule.repaired:
        parts += ["Repaired:", _indented(rule.repaired)]
    if rule.no_source:
        parts += ["No kernel shows it:", textwrap.fill(rule.no_source, WIDTH)]
    parts += [FIXES[rule.fix], f"Silence it on one line: # pypto: ignore[{rule.code}]", rule_page(rule.code)]
    return "\n\n".join(parts)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.strip("\n").split("\n"))
