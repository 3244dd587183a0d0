"""Writes one page per diagnostic code to ``docs/rules``, and an index by topic, from the table of codes.

``python -m tools.rule_pages`` writes, ``python -m tools.rule_pages --check`` fails when a page is not current.
"""

from __future__ import annotations

import re
from importlib import import_module

from pypto_core import Rule, Severity, rules
from pypto_lsp.render.explain import FIXES, silencing
from tools.pages import ROOT, changed_lines, in_table, listing, markdown, run

FOLDER = ROOT / "docs" / "rules"
_NOTE = "<!-- Written by tools/rule_pages.py from the table of codes. -->"

#: Module of ``pypto_core.diagnostic_rules`` -> heading and first sentence of its part of the index.
TOPICS: dict[str, tuple[str, str]] = {
    "aiv_split": (
        "Lane regions",
        "What may stand inside and outside `pl.split_aiv`, and how values cross between the cube core and the lanes.",
    ),
    "split_passes": (
        "Splitting over the lanes",
        "Vector work that cannot be halved along the split axis, and transfers between cores that do not fit together.",
    ),
    "frontend_programs": (
        "Programs, decorators and calls of kernels",
        "How functions, programs and their attributes are declared, and how one kernel calls another.",
    ),
    "frontend_jit": (
        "JIT kernels and imports",
        "Functions under `pl.jit`, and the modules that a file imports.",
    ),
    "frontend_annotations": (
        "Annotations",
        "Types of parameters and values: shapes, dtypes, layouts, memory, views.",
    ),
    "frontend_statements": (
        "Statements",
        "Assignments, branches, loops, writes to subscripts, and statements that run at compile time.",
    ),
    "frontend_scopes": ("Scopes", "`with` blocks and the loops that open a scope."),
    "frontend_expressions": ("Expressions", "Operators of Python, names, constants and subscripts."),
    "operators": ("Operator contracts", "What the operators demand of their operands."),
    "operators_dsl": ("Calls of the language", "Calls that are refused before an operator sees them."),
    "front_passes": ("Inlining, unrolling, outlining", "What the first passes refuse."),
    "tensor_passes": ("From tensors to tiles", "What `ConvertTensorToTileOps` refuses."),
    "tile_passes": ("Tiles and products", "What the tile passes refuse, and why a product was not tiled."),
    "memory_passes": ("On-chip memory", "What the passes that plan the on-chip memory refuse."),
    "verifiers": ("Verifiers, warnings and hints", "Properties that hold between passes, and advice."),
    "product": ("The tool itself", "Limits of the tool, and faults that are not the author's."),
}


def pages() -> dict[str, str]:
    """File name -> text of every page, index included."""
    return {"index.md": _index(), **{f"{rule.code}.md": _page(rule, topic) for topic, rule in _by_topic()}}


def _by_topic() -> list[tuple[str, Rule]]:
    home = {
        rule.code: topic
        for topic in TOPICS
        for rule in import_module(f"pypto_core.diagnostic_rules.{topic}").RULES
    }
    return [(home[rule.code], rule) for rule in rules().values()]


def _page(rule: Rule, topic: str) -> str:
    lines = [_NOTE, "", f"# {rule.code}", "", f"**{markdown(rule.title)}.**", ""]
    tags = "".join(f" · shown as {tag}" for tag in rule.tags)
    lines += [
        f"{rule.severity.text.capitalize()}{tags} · [{TOPICS[topic][0]}](index.md#{_anchor(topic)})",
        "",
    ]
    for paragraph in rule.explanation.split("\n\n"):
        lines += [markdown(paragraph), ""]
    gone, new = changed_lines(rule.failing, rule.repaired) if rule.failing and rule.repaired else ([], [])
    if rule.failing:
        lines += [f"## Reported here{_on(rule)}", "", *listing(rule.failing, gone)]
    if rule.repaired:
        lines += ["## Repaired", "", *listing(rule.repaired, new)]
    if rule.no_source:
        lines += ["## No kernel shows it", "", markdown(rule.no_source), ""]
    lines += ["## Fix", "", FIXES[rule.fix], ""]
    lines += [silencing(rule)]
    return "\n".join(lines).rstrip() + "\n"


def _on(rule: Rule) -> str:
    if rule.on_request:
        return " when the passes of on-chip memory are run"
    return f" on {rule.chip}" if rule.chip else ""


def _anchor(topic: str) -> str:
    """Of the heading, as Markdown renderers make it."""
    return re.sub(r"[^a-z ]", "", TOPICS[topic][0].lower()).replace(" ", "-")


def _index() -> str:
    lines = [
        _NOTE,
        "",
        "# Rules",
        "",
        "Every finding has a code. The code names its page here, in the editor (click it), in `pypto-lsp explain CODE`, in SARIF, and in comments that silence it: "
        "`# pypto: ignore[CODE]` at the end of a line. A published code never changes its meaning.",
        "",
        "An *error* is something that the compiler refuses, or would compile to a kernel that cannot run. A *warning* compiles, but hardly does what was meant. "
        "A *hint* costs time on the chip. *Information* is about the tool itself.",
        "",
        "A fix is *safe* when it may be applied unseen (`pypto-lsp check --fix` does), marked *review* when it chooses between meanings, and *sometimes* safe when that depends on the place.",
        "",
    ]
    for topic, (title, intro) in TOPICS.items():
        lines += [f"## {title}", "", intro, ""]
        lines += ["| code | what | severity | fix |", "|---|---|---|---|"]
        for rule in import_module(f"pypto_core.diagnostic_rules.{topic}").RULES:
            fix = "" if rule.fix == "none" else rule.fix
            lines.append(
                f"| [`{rule.code}`]({rule.code}.md) | {in_table(rule.title)} | {_severity(rule)} | {fix} |"
            )
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _severity(rule: Rule) -> str:
    return "**error**" if rule.severity is Severity.ERROR else rule.severity.text


def main(arguments: list[str] | None = None) -> int:
    return run("tools.rule_pages", FOLDER, pages, arguments)


if __name__ == "__main__":
    raise SystemExit(main())
