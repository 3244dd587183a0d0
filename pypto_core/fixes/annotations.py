"""Repairs of annotations (docs/spec/language.md §7.3)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from pypto_core.diagnostics import Diagnostic
from pypto_core.fixes.editing import Editor
from pypto_core.fixes.model import Fix, Fixer
from pypto_core.fixes.tree import SourceTree, on_tree
from pypto_core.frontend.syntax import dotted, expression_of


def _complete(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``pl.TaskId`` is a scalar type; a bare ``pl.Scalar`` needs its element type."""
    node, name = tree.at(finding.span, ast.Attribute, ast.Name), finding.data.get("name")
    if not isinstance(node, ast.Attribute | ast.Name):
        return
    if name == "TaskId":
        yield (
            Editor(tree).rewrite(node, "pl.Scalar[pl.TASK_ID]").fix("Write pl.Scalar[pl.TASK_ID]", safe=True)
        )
    elif name == "Scalar":
        yield Editor(tree).insert(tree.end(node), "[pl.INDEX]").fix("Write pl.Scalar[pl.INDEX]")


def _slots(tree: SourceTree, node: ast.AST) -> tuple[ast.Subscript, list[ast.expr]] | None:
    """The subscript type around a slot, and its slots."""
    for outer in tree.outwards(tree.parent(node)):
        if isinstance(outer, ast.Subscript) and isinstance(outer.slice, ast.Tuple):
            return outer, outer.slice.elts
    return None


def _drop_slot(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    node = tree.at(finding.span, ast.expr)
    found = _slots(tree, node) if node is not None else None
    if node is not None and found is not None and node in found[1]:
        yield Editor(tree).drop(node, list(found[1])).fix("Delete the second one")


def _memory_space(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    node = tree.at(finding.span, ast.Subscript)
    if node is not None and isinstance(node.slice, ast.Tuple):
        end = tree.end(node.slice.elts[-1])
        for space in ("Vec", "Mat"):
            yield Editor(tree).insert(end, f", pl.Mem.{space}").fix(f"Add pl.Mem.{space}")


def _transposed_layout(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``pl.DN`` becomes a view with the strides of a packed transposed tensor."""
    node = tree.at(finding.span, ast.expr)
    found = _slots(tree, node) if node is not None else None
    if node is None or found is None or not isinstance(found[1][0], ast.List):
        return
    dims = [tree.words(d) for d in found[1][0].elts]
    if len(dims) != 2 or not all(d.isidentifier() or d.isdigit() for d in dims):
        return
    view = f"pl.TensorView(stride=[1, {dims[0]}], layout=pl.TensorLayout.DN)"
    yield Editor(tree).rewrite(node, view).fix(f"Write {view}")


def _inferred(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """The annotation takes the type of the value, or goes."""
    place = tree.range_of(finding.span)
    stmt = tree.statement(finding.span)
    if not isinstance(stmt, ast.AnnAssign) or place is None:
        return
    text = str(finding.data.get("inferred", ""))
    try:
        path = dotted(_head(expression_of(text)))
    except SyntaxError:
        path = None
    if path and path[0] in ("pl", "pld"):
        yield Editor(tree).rewrite(stmt.annotation, text).fix(f"Annotate as {text}")
    yield (
        Editor(tree)
        .replace(tree.end(stmt.target), tree.end(stmt.annotation), "")
        .fix("Delete the annotation")
    )


def _head(node: ast.expr) -> ast.expr:
    return node.value if isinstance(node, ast.Subscript) else node


FIXERS: Final[dict[str, Fixer]] = {
    "type-incomplete": on_tree(_complete),
    "tile-extra-duplicate": on_tree(_drop_slot),
    "tile-memref-needs-space": on_tree(_memory_space),
    "layout-dn-shorthand": on_tree(_transposed_layout),
    "annotation-kind": on_tree(_inferred),
    "annotation-dtype": on_tree(_inferred),
    "annotation-rank": on_tree(_inferred),
    "annotation-dim": on_tree(_inferred),
}
