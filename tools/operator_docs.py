"""Writes one page per operator family to ``docs/operators`` from the operator registry and the callable catalogue.

``python -m tools.operator_docs`` writes, ``python -m tools.operator_docs --check`` fails when a page is not current.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import re
import sys
from collections import defaultdict
from collections.abc import Iterable
from enum import IntEnum
from pathlib import Path
from typing import Any

from pypto_core.ir import DataType
from pypto_core.ops import (
    Effect,
    FixedSpace,
    KwargType,
    KwParam,
    LaneKind,
    OpDef,
    SpaceFromKwarg,
    Stored,
    all_ops,
)
from pypto_core.ops.dsl import DslCallable, callables, documentation_of
from pypto_core.ops.dsl.documentation import CORE_TEXTS
from pypto_core.ops.kinds import kind_phrase

PAGES = Path(__file__).parents[1] / "docs" / "operators"
_NOTE = "<!-- Written by tools/operator_docs.py from the operator registry. -->"


def pages() -> dict[str, str]:
    """File name -> text of every page, index included."""
    families: dict[str, list[OpDef]] = defaultdict(list)
    for op in all_ops():
        if op.namespace != "test":
            families[inspect.getmodule(op.deduce).__name__].append(op)  # type: ignore[union-attr]
    spellings = _spellings()
    out = {_file_name(module): _page(module, ops, spellings) for module, ops in sorted(families.items())}
    out["README.md"] = _index(families)
    return out


def _file_name(module: str) -> str:
    return module.removeprefix("pypto_core.ops.").replace(".", "-").replace("_", "-") + ".md"


def _title(module: str) -> str:
    doc = importlib.import_module(module).__doc__ or ""
    first = re.sub(r"\s+", " ", doc.strip().partition("\n\n")[0])
    return re.sub(r"\s*\(``docs/spec.*?\)", "", first).strip()


def _anchor(op: OpDef) -> str:
    return op.name.replace(".", "")


def _spellings() -> dict[str, list[DslCallable]]:
    """Operator -> the callables that can become it."""
    found: dict[str, list[DslCallable]] = defaultdict(list)
    for callee in callables().values():
        for name in callee.operators:
            found[name].append(callee)
    return found


def _index(families: dict[str, list[OpDef]]) -> str:
    lines = [_NOTE, "", "# Operators", "", "| family | operators |", "|---|---|"]
    for module, ops in sorted(families.items()):
        page = _file_name(module)
        names = ", ".join(f"[`{op.name}`]({page}#{_anchor(op)})" for op in ops)
        lines.append(f"| {_title(module)} | {names} |")
    return "\n".join(lines) + "\n"


def _page(module: str, ops: Iterable[OpDef], spellings: dict[str, list[DslCallable]]) -> str:
    lines = [_NOTE, "", f"# {_title(module).rstrip('.')}", ""]
    for op in ops:
        lines += _operator(op, spellings.get(op.name, []))
    return "\n".join(lines).rstrip() + "\n"


def _operator(op: OpDef, callees: list[DslCallable]) -> list[str]:
    lines = [f"## {op.name}", "", op.doc, ""]
    if callees:
        lines += ["Written as", ""]
        lines += [f"- `{c.signature()}`" for c in callees]
    elif op.internal_only:
        lines.append("Made by the compiler only.")
    else:
        lines.append("Has no spelling of its own; it appears in printed IR.")
    lines += ["", *_operands(op), *_keywords(op), *_facts(op, callees), ""]
    return lines


def _operands(op: OpDef) -> list[str]:
    if not op.params:
        return []
    lines = ["| operand | what | memory | effect | on a lane |", "|---|---|---|---|---|"]
    for index, param in enumerate(op.params):
        what = kind_phrase(param.kind) + ("" if not param.doc else f": {param.doc}")
        optional = " (optional)" if param.optional else ""
        memory = ", ".join(m.name for m in param.memory) or "any"
        effect = op.effect(index)
        lane = "its share" if param.lane is LaneKind.DATA else param.lane.value
        shown = (
            "reads" if effect is Effect.READ else "writes" if effect is Effect.WRITE else "reads and writes"
        )
        lines.append(f"| `{param.name}`{optional} | {what} | {memory} | {shown} | {lane} |")
    return [*lines, ""]


def _keywords(op: OpDef) -> list[str]:
    if not op.kwargs:
        return []
    lines = ["| keyword | type | default | legal values | meaning |", "|---|---|---|---|---|"]
    for kwarg in op.kwargs:
        switch = "`True`, `False`" if kwarg.type is KwargType.BOOL else ""
        legal = switch or kwarg.legal or ", ".join(f"`{_value(v)}`" for v in kwarg.allowed) or "any"
        made = " (compiler only)" if kwarg.stored is Stored.NEVER else ""
        lines.append(
            f"| `{kwarg.name}`{made} | {kwarg.type.value} | {_default(kwarg)} | {legal} | {kwarg.doc} |"
        )
    return [*lines, ""]


def _default(kwarg: KwParam) -> str:
    if kwarg.builder_default is not None:
        return f"`{_value(kwarg.builder_default)}`"
    if kwarg.required:
        return "required"
    return f"`{_value(kwarg.default)}`" if kwarg.default is not None else "-"


def _value(value: Any) -> str:
    if isinstance(value, DataType):
        return f"pl.{value.printed}"
    return value.name if isinstance(value, IntEnum) else repr(value)


def _facts(op: OpDef, callees: list[DslCallable]) -> list[str]:
    facts = []
    if callees:
        core = documentation_of(callees[-1].namespace, callees[-1].name).core
        facts.append(f"It {CORE_TEXTS[core]}.")
    rule = op.output_memory
    if isinstance(rule, FixedSpace):
        facts.append(f"The result lives in {rule.space.name}.")
    elif isinstance(rule, SpaceFromKwarg):
        facts.append(f"The result lives where `{rule.kwarg}` says.")
    elif rule is not None:
        facts.append("The result lives where its first operand lives.")
    if op.no_duplicate:
        facts.append("It must not run once per lane.")
    facts.append(f"Deduction rule: {op.rule}.")
    return [" ".join(facts)]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--check", action="store_true", help="report pages that are not current instead of writing them"
    )
    check = parser.parse_args(arguments).check
    wanted = pages()
    PAGES.mkdir(parents=True, exist_ok=True)
    present = {path.name: path.read_text(encoding="utf-8") for path in PAGES.glob("*.md")}
    stale = sorted(name for name in present.keys() | wanted.keys() if present.get(name) != wanted.get(name))
    if check:
        for name in stale:
            sys.stdout.write(f"docs/operators/{name} is not current: run python -m tools.operator_docs\n")
        return 1 if stale else 0
    for name in stale:
        if name in wanted:
            (PAGES / name).write_text(wanted[name], encoding="utf-8")
        else:
            (PAGES / name).unlink()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
