"""Repairs of loops (docs/spec/language.md §7.4, docs/spec/verifiers.md BreakContinueCheck)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from pypto_core.diagnostics import Diagnostic
from pypto_core.fixes.editing import Editor
from pypto_core.fixes.model import Fix, Fixer
from pypto_core.fixes.tree import SourceTree, call_name, on_tree

_ITERATORS = ("range", "parallel", "unroll", "pipeline")


def _own_range(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """Python's ``range`` becomes the language's."""
    call = tree.at(finding.span, ast.Call)
    if call is not None and isinstance(call.func, ast.Name) and call.func.id in _ITERATORS:
        yield Editor(tree).insert(tree.start(call.func), "pl.").fix(f"Write pl.{call.func.id}", safe=True)
    elif call is not None and finding.data.get("suggestion"):
        new = f"pl.{finding.data['suggestion']}"
        yield Editor(tree).rewrite(call.func, new).fix(f"Change to {new}")


def _drop_keyword(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    given = tree.at(finding.span, ast.keyword)
    call = tree.parent(given) if given is not None else None
    if given is not None and given.arg is not None and isinstance(call, ast.Call):
        yield Editor(tree).drop_argument(call, given).fix(f"Delete {given.arg}=")


def _drop_extra(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """What the compiler ignores goes."""
    node = tree.at(finding.span, ast.expr)
    call = tree.parent(node) if node is not None else None
    if isinstance(call, ast.Call) and len(call.args) > 3:
        editor = Editor(tree).replace(tree.end(call.args[2]), tree.end(call.args[-1]), "")
        yield editor.fix("Delete the ignored bound", safe=True)


def _drop_else(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """The compiler discards the ``else`` of a loop: delete it, or run it after the loop."""
    loop = next((n for n in _around(finding, tree) if isinstance(n, ast.For | ast.While) and n.orelse), None)
    if loop is None or not tree.owns_lines(loop.orelse):
        return
    start = tree.line_start(tree.text.rfind("else", 0, tree.first(loop.orelse[0])))
    end = tree.lines(loop.orelse[-1], loop.orelse[-1])[1]
    yield Editor(tree).replace(start, end, "").fix("Delete the else block: the compiler discards it")
    text = Editor(tree).moved(loop.orelse[0], loop.orelse[-1], tree.indent(loop))
    yield Editor(tree).replace(start, end, text).fix("Run it after the loop")


def _around(finding: Diagnostic, tree: SourceTree) -> Iterator[ast.AST]:
    stmt = tree.statement(finding.span)
    if isinstance(stmt, ast.For | ast.While):
        yield stmt
    yield from tree.outwards(tree.parent(stmt)) if stmt is not None else ()


def _sequential(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``pl.parallel`` or ``pl.unroll`` becomes ``pl.range``."""
    stmt = tree.statement(finding.span)
    for outer in tree.outwards(stmt) if stmt is not None else ():
        if isinstance(outer, ast.While):
            return
        name = call_name(outer.iter) if isinstance(outer, ast.For) else ""
        if name in ("parallel", "unroll"):
            assert isinstance(outer, ast.For) and isinstance(outer.iter, ast.Call)
            end = tree.end(outer.iter.func)
            yield Editor(tree).replace(end - len(name), end, "range").fix("Use pl.range")
        if name:
            return


def _stages(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    call = tree.at(finding.span, ast.Call)
    if call is None or call_name(call) != "pipeline":
        call = next(
            (n for n in _around(finding, tree) if isinstance(n, ast.Call) and call_name(n) == "pipeline"),
            None,
        )
    if call is not None and not any(k.arg == "stage" for k in call.keywords):
        yield Editor(tree).add_argument(call, "stage=2").fix("Add stage=2")


FIXERS: Final[dict[str, Fixer]] = {
    "loop-iterator": on_tree(_own_range),
    "loop-keyword": on_tree(_drop_keyword),
    "loop-extra-arg": on_tree(_drop_extra),
    "loop-else-dropped": on_tree(_drop_else),
    "loop-escape": on_tree(_sequential),
    "unroll-init": on_tree(_sequential),
    "unroll-const": on_tree(_sequential),
    "pipeline-stage": on_tree(_stages),
    "break-in-parallel": on_tree(_sequential),
    "break-in-unroll": on_tree(_sequential),
    "continue-in-parallel": on_tree(_sequential),
    "continue-in-unroll": on_tree(_sequential),
}
