"""Statements that act while compiling: ``static_assert``, ``static_print``, ``dump_tag`` (docs/spec/language.md §4.9, §4.10)."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from pypto_core.frontend.context import FunctionContext, Silent, is_poison
from pypto_core.frontend.expressions import expr
from pypto_core.frontend.folding import check_defined, outer_only
from pypto_core.frontend.syntax import dotted
from pypto_core.ir import (
    BinaryExpr,
    ConstBool,
    ConstFloat,
    ConstInt,
    Expr,
    FunctionType,
    TensorType,
    UnaryExpr,
    Var,
)

_TESTS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "and": lambda a, b: bool(a) and bool(b),
    "or": lambda a, b: bool(a) or bool(b),
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "min": min,
    "max": max,
}


def static_statement(ctx: FunctionContext, node: ast.Expr, call: ast.Call) -> bool:
    """Read a compile-time statement; False when ``call`` is none."""
    path = dotted(call.func)
    if path is None or len(path) > 2 or path[0] in ctx.names:
        return False
    if path[-1] == "static_assert":
        _assert(ctx, call)
    elif path[-1] == "static_print":
        _print(ctx, call)
    elif path == ("pl", "dump_tag"):
        _dump_tag(ctx, call)
    elif path == ("pl", "func_attr"):
        ctx.fail(
            "func-attr-position", "pl.func_attr comes before every other statement of the function", call
        )
    else:
        return False
    return True


def _assert(ctx: FunctionContext, call: ast.Call) -> None:
    args = call.args
    message = args[1] if len(args) > 1 else next((k.value for k in call.keywords if k.arg == "msg"), None)
    if not 1 <= len(args) <= 2 or any(k.arg != "msg" for k in call.keywords):
        ctx.fail(
            "static-assert-form",
            'write pl.static_assert(condition) or pl.static_assert(condition, "message")',
            call,
        )
    if message is not None and not (isinstance(message, ast.Constant) and isinstance(message.value, str)):
        ctx.fail("static-assert-form", "the message is a string literal", message)
    holds = _truth(ctx, args[0])
    if holds is None:
        ctx.fail("static-assert-dynamic", f"'{ctx.text(args[0])}' is not known while compiling", args[0])
    if not holds:
        text = message.value if isinstance(message, ast.Constant) else f"'{ctx.text(args[0])}' does not hold"
        ctx.fail("static-assert-failed", str(text), call)


def _truth(ctx: FunctionContext, node: ast.expr) -> bool | None:
    """Truth of a condition; None when it depends on run-time values; Silent when it depends on an unknown one."""
    static = ctx.dialect.static(ctx, node)
    if outer_only(ctx, static):
        value = ctx.closure.evaluate(static)
        if not value.is_unknown:
            data = value.data
            return bool(data) if isinstance(data, bool | int | float | str | tuple) or data is None else None
    test = expr(ctx, node)
    if is_poison(test) or ctx.program.is_invented(test):
        raise Silent
    result = _constant(test)
    return None if result is None else bool(result)


def _constant(test: Expr) -> bool | int | float | None:
    if isinstance(test, ConstInt | ConstFloat | ConstBool):
        return test.value
    if isinstance(test, BinaryExpr):
        left, right, compute = _constant(test.left), _constant(test.right), _TESTS.get(type(test).tag)
        return (
            compute(left, right) if compute is not None and left is not None and right is not None else None
        )
    if isinstance(test, UnaryExpr):
        operand = _constant(test.operand)
        if operand is None:
            return None
        return not operand if type(test).tag == "not" else -operand if type(test).tag == "neg" else None
    return None


def _print(ctx: FunctionContext, call: ast.Call) -> None:
    if not call.args or call.keywords:
        ctx.fail("static-print-form", "pl.static_print takes values by position", call)
    for arg in call.args:
        if isinstance(arg, ast.JoinedStr):
            for part in arg.values:
                if isinstance(part, ast.FormattedValue):
                    if part.conversion != -1 or part.format_spec is not None:
                        ctx.fail(
                            "static-print-form",
                            "an f-string of pl.static_print has no conversion or format",
                            arg,
                        )
                    expr(ctx, part.value)
        elif isinstance(arg, ast.Constant):
            continue
        elif outer_only(ctx, arg):
            check_defined(ctx, arg)
        else:
            expr(ctx, arg)


def _dump_tag(ctx: FunctionContext, call: ast.Call) -> None:
    code = "dump-tag-form"
    if ctx.func_type not in (FunctionType.Orchestration, FunctionType.Inline):
        ctx.fail(code, "pl.dump_tag belongs into an Orchestration or Inline function", call)
    if len(call.args) != 1 or call.keywords:
        ctx.fail(code, "write pl.dump_tag(tensor)", call)
    if not isinstance(call.args[0], ast.Name):
        ctx.fail(
            code, f"pl.dump_tag takes the name of a tensor, not '{ctx.text(call.args[0])}'", call.args[0]
        )
    value = ctx.names.lookup(call.args[0].id)
    if value is None:
        ctx.fail(code, f"'{call.args[0].id}' is not defined", call.args[0])
    if is_poison(value):
        raise Silent
    if not isinstance(value, Var) or not isinstance(value.type, TensorType):
        ctx.fail(code, f"'{call.args[0].id}' is no tensor", call.args[0])
    ctx.dump_tags[value] = None
