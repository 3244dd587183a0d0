"""Names that are almost right: what the finding suggests replaces what was written."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from pypto_core.diagnostics import Diagnostic
from pypto_core.fixes.editing import Editor
from pypto_core.fixes.model import Fix, Fixer
from pypto_core.fixes.tree import SourceTree, on_tree
from pypto_core.frontend.syntax import dotted


def suggested(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """The one suggestion of ``data``."""
    name, new = str(finding.data.get("name") or ""), finding.data.get("suggestion")
    if name and new:
        yield _respelled(tree, finding, name, str(new))


def _respelled(tree: SourceTree, finding: Diagnostic, name: str, new: str) -> Fix | None:
    place = tree.range_of(finding.span)
    if place is None:
        return None
    found = re.search(rf"\b{re.escape(name)}\b", tree.text[place[0] : place[1]])
    if found is None:
        return None
    start = place[0] + found.start()
    return Editor(tree).replace(start, start + len(name), new).fix(f"Change to '{new}'")


def _near(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """Operators: the whole path is written anew, so that another namespace is found as well."""
    path = str(finding.data.get("path", ""))
    for call in tree.calls(finding.span):
        written = dotted(call.func)
        if written is None or ".".join(written) != path:
            continue
        for near in tuple(finding.data.get("near", ()))[:3]:
            yield Editor(tree).rewrite(call.func, str(near)).fix(f"Change to {near}")
        return


def _dimension(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """A near name, or a size that is known at run time only."""
    yield from suggested(finding, tree)
    name = str(finding.data["name"])
    yield _module_line(tree, f'{name} = pl.dynamic("{name}")', f"Declare {name} as a run-time size")


def _module_line(tree: SourceTree, line: str, title: str) -> Fix | None:
    """A line of its own below the imports of the module."""
    body = tree.module.body
    last: ast.stmt | None = None
    for stmt in body:
        docstring = isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)
        if isinstance(stmt, ast.Import | ast.ImportFrom) or (docstring and last is None):
            last = stmt
    editor = Editor(tree)
    if last is None:
        return editor.insert(0, line + tree.newline).fix(title)
    following = tree.line_end(tree.end(last))
    return editor.insert_lines(following, ["", line], "").fix(title)


def _keyword(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """A keyword of an operator: the nearest parameter, or leave it out."""
    new = finding.data.get("suggestion")
    given = tree.at(finding.span, ast.keyword)
    if given is None:
        call = tree.at(finding.span, ast.Call)
        given = (
            next((k for k in call.keywords if tree.words(k.value) == finding.span.text), None)
            if call
            else None
        )
    if new and given is not None and given.arg is not None:
        start = tree.start(given)
        yield Editor(tree).replace(start, start + len(given.arg), str(new)).fix(f"Change to '{new}='")


FIXERS: Final[dict[str, Fixer]] = {
    **dict.fromkeys(
        (
            "type-unknown", "dtype-unknown", "layout-unknown", "memspace-unknown", "view-keyword", "view-enum",
            "kernel-unknown", "with-unsupported", "get-byte-dtype", "call-arg-directions", "at-form",
            "decorator-enum-literal", "decorator-unknown", "closure-eval", "func-attr-form", "language-import", "name-undefined",
        ),
        on_tree(suggested),
    ),
    "op-unknown": on_tree(_near),
    "op-unknown-in-namespace": on_tree(_near),
    "op-bad-arguments": on_tree(_keyword),
    "shape-name-unknown": on_tree(_dimension),
}  # fmt: skip
