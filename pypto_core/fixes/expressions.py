"""Repairs of expressions and calls (docs/spec/language.md §7.5)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from pypto_core.diagnostics import Diagnostic
from pypto_core.fixes.editing import Editor
from pypto_core.fixes.functions import kernel_decorator
from pypto_core.fixes.model import Fix, Fixer
from pypto_core.fixes.spelling import suggested
from pypto_core.fixes.splits import window
from pypto_core.fixes.tree import SourceTree, bound_value, call_name, on_tree
from pypto_core.frontend.expressions import SCALAR_SECOND, SYMBOLS
from pypto_core.frontend.syntax import dotted, int_literal
from pypto_core.ir import DataType

_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip
_BOOLEAN: dict[type[ast.operator], str] = {ast.BitAnd: "and", ast.BitOr: "or"}


def _branches(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``x = a if c else b`` becomes an ``if`` that yields."""
    node = tree.at(finding.span, ast.IfExp)
    stmt = tree.around(node, ast.stmt) if node is not None else None
    if node is None or stmt is None or bound_value(stmt) is not node or not tree.owns_lines([stmt]):
        return
    target = (
        stmt.targets[0]
        if isinstance(stmt, ast.Assign)
        else stmt.target
        if isinstance(stmt, ast.AnnAssign)
        else None
    )
    assert isinstance(target, ast.Name)
    name, indent, unit = target.id, tree.indent(stmt), tree.unit(stmt)
    lines = [
        f"if {tree.words(node.test)}:",
        f"{indent}{unit}{name} = pl.yield_({tree.words(node.body)})",
        f"{indent}else:",
        f"{indent}{unit}{name} = pl.yield_({tree.words(node.orelse)})",
    ]
    yield (
        Editor(tree)
        .rewrite(stmt, tree.newline.join(lines))
        .fix("Write it as if / else with pl.yield_", safe=True)
    )


def _unchained(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``a < b < c`` becomes ``a < b and b < c``."""
    node = tree.at(finding.span, ast.Compare)
    if node is None or not all(type(o) in _COMPARE for o in node.ops):
        return
    parts = [tree.words(n) for n in (node.left, *node.comparators)]
    text = " and ".join(f"{a} {_COMPARE[type(o)]} {b}" for a, o, b in zip(parts, node.ops, parts[1:]))
    outer = tree.parent(node)
    if isinstance(outer, ast.UnaryOp | ast.BinOp | ast.Compare):
        text = f"({text})"
    pure = not any(isinstance(n, ast.Call) for c in node.comparators[:-1] for n in ast.walk(c))
    yield Editor(tree).rewrite(node, text).fix("Write two comparisons joined by 'and'", safe=pure, trial=pure)


def _function_call(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``a + b`` on tensors or tiles becomes ``pl.add(a, b)``."""
    function = str(finding.data.get("function") or "")
    node = tree.at(finding.span, ast.BinOp, ast.UnaryOp, ast.Compare)
    if not function or node is None:
        return
    outer = tree.parent(node)
    if isinstance(outer, ast.If | ast.While) and outer.test is node:
        return  # the call makes a tensor, which is no condition either
    operands: list[ast.expr]
    if isinstance(node, ast.BinOp):
        operands = [node.left, node.right]
    elif isinstance(node, ast.UnaryOp):
        operands = [node.operand]
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        operands = [node.left, node.comparators[0]]
    else:
        return
    words = [tree.words(o) for o in operands]
    if finding.data.get("scalar_left") and function in SCALAR_SECOND:
        text = SCALAR_SECOND[function].format(*words)
    else:
        text = f"pl.{function}({', '.join(words)})"
    node, text = _with_operators_around(tree, node, text)
    yield Editor(tree).rewrite(node, text).fix(f"Write {text.partition('(')[0]}(...)", safe=True)


def _with_operators_around(tree: SourceTree, node: ast.expr, text: str) -> tuple[ast.expr, str]:
    """``a * b + c`` is wrong twice once ``a * b`` is a tensor: operators around it become calls as well, as far as what they join it with is
    plain to read."""
    outer = tree.parent(node)
    while isinstance(outer, ast.BinOp):
        function = SYMBOLS.get(type(outer.op), ("", ""))[1]
        other = outer.right if outer.left is node else outer.left
        if function not in SCALAR_SECOND or isinstance(other, ast.BinOp | ast.UnaryOp):
            break
        if outer.left is node:
            text = f"pl.{function}({text}, {tree.words(other)})"
        elif isinstance(other, ast.Constant):
            text = SCALAR_SECOND[function].format(tree.words(other), text)
        else:
            text = f"pl.{function}({tree.words(other)}, {text})"
        node, outer = outer, tree.parent(outer)
    return node, text


def _boolean(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``a & b`` on conditions becomes ``a and b``."""
    node = tree.at(finding.span, ast.BinOp)
    word = _BOOLEAN.get(type(node.op)) if node is not None else None
    if node is not None and word is not None and all(_is_condition(n) for n in (node.left, node.right)):
        yield (
            Editor(tree)
            .rewrite(node, f"{tree.words(node.left)} {word} {tree.words(node.right)}")
            .fix(f"Write '{word}'")
        )


def _is_condition(node: ast.expr) -> bool:
    negated = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    return negated or isinstance(node, ast.Compare | ast.BoolOp)


def _equality(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``n is 3`` becomes ``n == 3``."""
    node = tree.at(finding.span, ast.Compare)
    if node is None or len(node.ops) != 1 or not isinstance(node.ops[0], ast.Is | ast.IsNot):
        return
    symbol = "==" if isinstance(node.ops[0], ast.Is) else "!="
    text = f"{tree.words(node.left)} {symbol} {tree.words(node.comparators[0])}"
    yield Editor(tree).rewrite(node, text).fix(f"Write {symbol}")


def _standing_alone(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """A misspelled dtype; ``x.shape[0]`` becomes ``pl.tensor.dim(x, 0)``."""
    yield from suggested(finding, tree)
    node = tree.at(finding.span, ast.Attribute)
    outer = tree.parent(node) if node is not None else None
    if node is None or node.attr != "shape" or not isinstance(outer, ast.Subscript):
        return
    axis = int_literal(outer.slice)
    if axis is not None and axis >= 0:
        text = f"pl.tensor.dim({tree.words(node.value)}, {axis})"
        yield Editor(tree).rewrite(outer, text).fix(f"Write {text}", safe=True, trial=True)


def _no_plus(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    node = tree.at(finding.span, ast.UnaryOp)
    if node is not None and isinstance(node.op, ast.UAdd):
        yield Editor(tree).rewrite(node, tree.words(node.operand)).fix("Delete '+'", safe=True)


def _same_category(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """An integer beside a float: ``1`` becomes ``1.0``, a variable is cast."""
    node = tree.at(finding.span, ast.BinOp, ast.Compare, ast.Call)
    if isinstance(node, ast.BinOp):
        operands = [node.left, node.right]
    elif isinstance(node, ast.Compare):
        operands = [node.left, node.comparators[0]]
    elif isinstance(node, ast.Call):
        operands = list(node.args[:2])
    else:
        return
    for operand in operands:
        if int_literal(operand) is not None:
            yield (
                Editor(tree).insert(tree.end(operand), ".0").fix(f"Write {tree.words(operand)}.0", safe=True)
            )
            return
    dtypes = tuple(finding.data.get("dtypes", ()))
    kinds = [DataType.by_name.get(d) for d in dtypes]
    if len(kinds) == 2 and all(kinds):
        for operand, own, other in zip(operands, kinds, reversed(kinds)):
            if own is not None and other is not None and not own.is_float and other.is_float:
                text = f"pl.cast({tree.words(operand)}, pl.{other.printed})"
                yield Editor(tree).rewrite(operand, text).fix(f"Cast it (pl.{other.printed})")
                return


def _condition(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``if n:`` becomes ``if n != 0:``."""
    dtype = DataType.by_name.get(str(finding.data.get("dtype", "")))
    node = tree.at(finding.span, ast.expr)
    if dtype is None or node is None:
        return
    text = tree.words(node)
    if isinstance(node, ast.BoolOp | ast.IfExp | ast.Compare | ast.Lambda):
        text = f"({text})"
    zero = "0.0" if dtype.is_float else "0"
    yield Editor(tree).rewrite(node, f"{text} != {zero}").fix(f"Compare with {zero}", safe=True)


# --- subscripts ------------------------------------------------------------------------------------------------------


def _no_step(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    node = tree.at(finding.span, ast.Slice)
    if node is not None and node.step is not None:
        start = tree.text.rindex(":", 0, tree.start(node.step))
        yield (
            Editor(tree)
            .replace(start, tree.end(node.step), "")
            .fix("Delete the step", safe=int_literal(node.step) == 1)
        )


def _from_the_end(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``x[-1]`` counts from the end: the extent is written out."""
    node = tree.at(finding.span, ast.expr)
    extent, value = finding.data.get("extent"), finding.data.get("value")
    if node is not None and isinstance(extent, int) and isinstance(value, int) and extent + value >= 0:
        yield (
            Editor(tree)
            .rewrite(node, str(extent + value))
            .fix(f"Write {extent + value} ({extent} - {-value})")
        )


def _tile_slice(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``t[r : r + 16, 0:64]`` becomes ``pl.tile.slice(t, [16, 64], [r, 0])``."""
    node = tree.at(finding.span, ast.Subscript)
    if node is None or not isinstance(node.slice, ast.Tuple):
        return
    found = [window(tree, node, axis) for axis in range(len(node.slice.elts))]
    if any(w is None for w in found):
        return
    shape = ", ".join(str(w.extent) for w in found if w is not None)
    offsets = ", ".join(w.offset or "0" for w in found if w is not None)
    text = f"pl.tile.slice({tree.words(node.value)}, [{shape}], [{offsets}])"
    yield Editor(tree).rewrite(node, text).fix("Write pl.tile.slice(...)", safe=True)


# --- calls -----------------------------------------------------------------------------------------------------------


def _callable(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """A function of an array library becomes the operator of that name, a plain function of the file a template, Python's ``min`` and
    ``max`` those of the language."""
    yield from suggested(finding, tree)
    name = str(finding.data.get("name", ""))
    call = next(
        (c for c in tree.calls(finding.span) if isinstance(c.func, ast.Name) and c.func.id == name), None
    )
    if call is None:
        node = tree.at(finding.span, ast.Name)
        parent = tree.parent(node) if node is not None else None
        call = parent if isinstance(parent, ast.Call) else None
    if call is None or not name:
        return
    if name in ("min", "max") and len(call.args) == 2:
        yield Editor(tree).insert(tree.start(call.func), "pl.").fix(f"Write pl.{name}", safe=True)
        return
    definition = next(
        (s for s in tree.module.body if isinstance(s, ast.FunctionDef) and s.name == name), None
    )
    function = tree.function(call)
    decorator = kernel_decorator(function) if function is not None else None
    if definition is None or definition.decorator_list or decorator is None:
        return
    path = dotted(decorator.func if isinstance(decorator, ast.Call) else decorator) or ()
    annotated = all(a.annotation is not None for a in definition.args.args)
    kind = "pl.jit.inline" if "jit" in path and annotated else "pl.inline"
    start = tree.line_start(tree.start(definition))
    yield Editor(tree).insert_lines(start, [f"@{kind}"], "").fix(f"Make '{name}' a template (@{kind})")


def _window_name(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """The buffer takes its name from the assignment."""
    given = tree.at(finding.span, ast.keyword)
    call = tree.parent(given) if given is not None else None
    if (
        isinstance(call, ast.Call)
        and given is not None
        and given.arg == "name"
        and call_name(call) == "alloc_window_buffer"
    ):
        yield Editor(tree).drop_argument(call, given).fix("Delete name=", safe=True)


FIXERS: Final[dict[str, Fixer]] = {
    "expr-unsupported": on_tree(_branches),
    "compare-chained": on_tree(_unchained),
    "python-operator-on-tensor": on_tree(_function_call),
    "binop-unsupported": on_tree(_boolean),
    "compare-unsupported": on_tree(_equality),
    "attr-standalone": on_tree(_standing_alone),
    "unary-unsupported": on_tree(_no_plus),
    "scalar-category-mismatch": on_tree(_same_category),
    "cond-not-bool": on_tree(_condition),
    "condition-not-bool": on_tree(_condition),
    "slice-step": on_tree(_no_step),
    "negative-index": on_tree(_from_the_end),
    "tile-dynamic-lower": on_tree(_tile_slice),
    "call-unsupported": on_tree(_callable),
    "window-buffer": on_tree(_window_name),
}
