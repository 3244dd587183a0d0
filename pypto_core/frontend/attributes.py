"""``attrs={...}`` values: calls, loops and ``pl.func_attr`` (docs/spec/language.md §8.4)."""

from __future__ import annotations

import ast
from typing import Any

from pypto_core.frontend.context import FunctionContext, Silent, did_you_mean, nearest
from pypto_core.frontend.folding import outer_only
from pypto_core.frontend.symbols import symbol_value
from pypto_core.frontend.syntax import dotted, string_literal
from pypto_core.ir import ArgDirection, SplitMode, Var
from pypto_core.ops.dsl.constants import ARG_DIRECTIONS


def read_attrs(ctx: FunctionContext, node: ast.expr, code: str = "call-attrs") -> dict[str, Any]:
    """A dict literal of attributes in written order; list values become tuples."""
    if not isinstance(node, ast.Dict):
        ctx.fail(code, "attrs is a dict literal: attrs={'key': value}", node)
    attrs: dict[str, Any] = {}
    for key, value in zip(node.keys, node.values):
        name = string_literal(key)
        if name is None:
            ctx.fail(code, "attribute keys are string literals", key if key is not None else value)
        attrs[name] = read_value(ctx, name, value, code)
    return attrs


def read_value(ctx: FunctionContext, key: str, node: ast.expr, code: str = "call-attrs") -> Any:
    """One attribute value. Names are DSL names; everything else that is no literal is an expression."""
    if isinstance(node, ast.Constant):
        return node.value
    if (
        isinstance(node, ast.UnaryOp)
        and isinstance(node.op, ast.USub)
        and isinstance(node.operand, ast.Constant)
    ):
        number = node.operand.value
        if isinstance(number, int | float) and not isinstance(number, bool):
            return -number
    path = dotted(node)
    if path is not None and len(path) > 1:
        if path[-2] == "adir" and path[-1] not in ARG_DIRECTIONS:
            ctx.fail(
                "call-arg-directions",
                f"'{path[-1]}' is no argument direction{did_you_mean(path[-1], ARG_DIRECTIONS)}; there are {', '.join(ARG_DIRECTIONS)}",
                node,
                name=path[-1],
                suggestion=nearest(path[-1], ARG_DIRECTIONS),
            )
        symbol = symbol_value(path)
        if isinstance(symbol, SplitMode):
            return int(symbol) if key == "split" else symbol
        if symbol is not None:
            return symbol
    if isinstance(node, ast.List | ast.Tuple):
        values = tuple(read_value(ctx, key, e, code) for e in node.elts)
        kinds = {_kind(v) for v in values}
        if len(kinds) > 1:
            ctx.fail(code, f"the list of '{key}' mixes kinds: it holds names, integers or directions", node)
        return values
    if isinstance(node, ast.Name):
        found = ctx.names.lookup(node.id)
        if found is not None:
            return found
        value = ctx.closure.lookup(node.id)
        if value is not None and value.is_unknown:
            raise Silent
    elif outer_only(ctx, node):
        value = ctx.closure.evaluate(node)
        if isinstance(value.data, bool | int | float | str):
            return value.data
    from pypto_core.frontend.expressions import expr

    return expr(ctx, node)


def _kind(value: object) -> str:
    if isinstance(value, Var):
        return "name"
    if isinstance(value, ArgDirection):
        return "direction"
    return "number" if isinstance(value, int) else "other"
