"""Repairs of hand-written transfers: split codes, and the slots that a receiver gives back (docs/spec/passes_split.md §13, §16)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from pypto_core.diagnostics import Diagnostic
from pypto_core.fixes.editing import Editor
from pypto_core.fixes.model import Fix, Fixer
from pypto_core.fixes.tree import (
    SourceTree,
    binds,
    bound_value,
    call_name,
    keyword,
    on_tree,
    reads,
)
from pypto_core.frontend.syntax import int_literal

_CODES = {"NONE": 0, "UP_DOWN": 1, "LEFT_RIGHT": 2}


def _agree(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """All transfers of the function carry the split of the first."""
    modes = finding.data.get("modes")
    function = tree.at(finding.span, ast.FunctionDef)
    if not modes or function is None:
        return
    editor = Editor(tree)
    for call in tree.nodes_of(function, ast.Call):
        given = keyword(call, "split")
        code = int_literal(given.value) if given is not None else None
        if given is not None and code == _CODES[modes[1]]:
            editor.rewrite(given.value, str(_CODES[modes[0]]))
    yield editor.fix(f"Give all transfers split={_CODES[modes[0]]}")


def _tfree_direction(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    leaf = str(finding.data["fix"]).rpartition(".")[2]
    for call in tree.calls(finding.span):
        if call_name(call).startswith("tfree_to_"):
            end = tree.end(call.func)
            yield (
                Editor(tree)
                .replace(end - len(call_name(call)), end, leaf)
                .fix(f"Free with pl.{leaf}", safe=True)
            )
            return


def _tfree_id(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    for call in tree.calls(finding.span):
        given = keyword(call, "id")
        if given is not None and call_name(call).startswith("tfree_to_"):
            wanted = finding.data["pop_id"]
            yield Editor(tree).rewrite(given.value, str(wanted)).fix(f"Free pipe id {wanted}", safe=True)
            return


def _tfree_origin(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """The one received tile of this direction that nobody frees is the one that was meant."""
    stmt = tree.statement(finding.span)
    function = tree.function(stmt) if stmt is not None else None
    if stmt is None or function is None:
        return
    free = next((c for c in tree.calls(finding.span) if call_name(c).startswith("tfree_to_")), None)
    if free is None or not free.args:
        return
    pop = call_name(free).replace("tfree_to_", "tpop_from_")
    received = {n for s in function.body if call_name(bound_value(s)) == pop for n in binds(s)}
    freed = {
        n for c in tree.nodes_of(function, ast.Call) if call_name(c) == call_name(free) for n in reads(c.args)
    }
    left = sorted(received - freed)
    if len(left) == 1:
        yield Editor(tree).rewrite(free.args[0], left[0]).fix(f"Free '{left[0]}'")


def _missing_free(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """A received tile is freed behind its last use in the block."""
    if "free" not in finding.data:
        return
    stmt = tree.statement(finding.span)
    name, leaf = str(finding.data["name"]), str(finding.data["free"]).rpartition(".")[2]
    if stmt is None:
        return
    block = tree.block(stmt)
    aliases, last = {name}, stmt
    for later in block[block.index(stmt) + 1 :]:
        if reads(later) & aliases and not isinstance(later, ast.Return):
            last = later
            value = bound_value(later)
            if isinstance(value, ast.Name):
                aliases |= binds(later)
    if tree.owns_lines([last]):
        yield (
            Editor(tree).after(last, f"pl.{leaf}({name})").fix(f"Free '{name}' after its last use", safe=True)
        )


FIXERS: Final[dict[str, Fixer]] = {
    "split-conflicting-codes": on_tree(_agree),
    "tfree-direction": on_tree(_tfree_direction),
    "tfree-id-mismatch": on_tree(_tfree_id),
    "tfree-no-tpop": on_tree(_tfree_origin),
    "mixed-kernel-expanded": on_tree(_missing_free),
}
