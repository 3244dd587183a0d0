"""Repairs of operator calls: element types, operand order, the level of an operator (docs/spec/language.md §7.5)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from pypto_core.diagnostics import Diagnostic
from pypto_core.fixes.editing import Editor
from pypto_core.fixes.model import Fix, Fixer
from pypto_core.fixes.tree import SourceTree, call_name, on_tree, pl_path
from pypto_core.ir import DataType
from pypto_core.ops.dsl import find_callable


def _cast_operand(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``pl.cast(x, pl.<dtype>)`` around the operand at fault."""
    dtype = finding.data.get("dtype") if finding.code == "index-scalar-operand" else _wanted_dtype(finding)
    node = tree.at(finding.span, ast.expr)
    if not dtype or node is None or tree.range_of(finding.span) != (tree.start(node), tree.end(node)):
        return
    index, leaf = finding.data.get("arg"), str(finding.data.get("op", "")).rpartition(".")[2]
    if (
        isinstance(node, ast.Call)
        and call_name(node) == leaf
        and isinstance(index, int)
        and index < len(node.args)
    ):
        node = node.args[index]  # the finding marks the whole call
    parent = tree.parent(node)
    if finding.data.get("target") and isinstance(parent, ast.Assign) and node is parent.value:
        products = _products(tree, node)
        if not products:
            yield Editor(tree).surround(node, "pl.cast(", f", pl.{dtype})").fix(f"Cast it (pl.{dtype})")
        elif len(products) == 1:
            text = f"out_dtype=pl.{dtype}"
            yield Editor(tree).add_argument(products[0], text).fix(f"Add {text} to pl.matmul")
        return
    if not isinstance(parent, ast.Call | ast.keyword) or (
        isinstance(parent, ast.Call) and node is parent.func
    ):
        return
    certain = finding.code == "index-scalar-operand"
    yield Editor(tree).surround(node, "pl.cast(", f", pl.{dtype})").fix(f"Cast it (pl.{dtype})", safe=certain)


def _products(tree: SourceTree, node: ast.expr) -> list[ast.Call]:
    """Products of the function whose dtype follows from their operands."""
    stmt = tree.around(node, ast.stmt)
    function = tree.function(stmt) if isinstance(stmt, ast.stmt) else None
    calls = [n for n in ast.walk(function) if isinstance(n, ast.Call)] if function is not None else []
    return [
        c for c in calls if call_name(c) == "matmul" and not any(k.arg == "out_dtype" for k in c.keywords)
    ]


def _wanted_dtype(finding: Diagnostic) -> str | None:
    """The element type that the operator takes: the one it names, or the common one of the same category."""
    expected, allowed = finding.data.get("expected"), tuple(finding.data.get("allowed", ()))
    if expected:
        return str(expected)
    got = DataType.by_name.get(str(finding.data.get("got", "")))
    if len(allowed) == 1 or got is None:
        return str(allowed[0]) if allowed else None
    common = "FP32" if got.is_float else "INT32"
    return common if common in allowed else None


def _swap(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """The scalar of a commutative operator goes to the right."""
    call = next((c for c in tree.calls(finding.span) if len(c.args) >= 2), None)
    if call is None:
        node = tree.at(finding.span, ast.expr)
        parent = tree.parent(node) if node is not None else None
        call = parent if isinstance(parent, ast.Call) else None
    if call is None or len(call.args) < 2 or not finding.data.get("commutative"):
        return
    left, right = call.args[:2]
    editor = Editor(tree).rewrite(left, tree.words(right)).rewrite(right, tree.words(left))
    yield editor.fix("Put the scalar second", safe=True)


def _other_level(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``pl.tile.X`` on a tensor, or ``pl.tensor.X`` on a tile."""
    node = tree.at(finding.span, ast.expr)
    if finding.data.get("arg") != 0:
        return
    for outer in tree.outwards(node) if node is not None else ():
        path = pl_path(outer)
        namespace, _, name = path.rpartition(".")
        if namespace not in ("pl.tile", "pl.tensor"):
            continue
        other = "pl.tensor" if namespace == "pl.tile" else "pl.tile"
        wanted = "TensorType" if other == "pl.tensor" else "TileType"
        sibling = find_callable(f"{other}.{name}")
        if sibling is not None and str(finding.data.get("got", "")) == wanted:
            assert isinstance(outer, ast.Call)
            yield Editor(tree).rewrite(outer.func, sibling.path).fix(f"Use {sibling.path}")
        return


FIXERS: Final[dict[str, Fixer]] = {
    "index-scalar-operand": on_tree(_cast_operand),
    "op-dtype": on_tree(_cast_operand),
    "scalar-left-operand": on_tree(_swap),
    "op-kind": on_tree(_other_level),
}
