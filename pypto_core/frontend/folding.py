"""Constant folding with Python semantics (docs/spec/language.md §5.2)."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any, NoReturn

from pypto_core.frontend.closure import Closure, attribute_names, is_fault
from pypto_core.frontend.context import FunctionContext, Silent, nearest
from pypto_core.frontend.static_eval.values import DimExpr, DynVar, Unknown, Value
from pypto_core.frontend.symbols import symbol_value
from pypto_core.frontend.syntax import dotted
from pypto_core.ir import ConstBool, ConstFloat, ConstInt, DataType, Expr, Span

PYTHON_CALLS = frozenset(
    (
        "len", "max", "min", "abs", "sum", "round", "int", "float", "bool", "list", "tuple", "range", "isinstance", "type",
    )
)  # fmt: skip
"""Builtins of Python that an expression on outer names may call."""

_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.RShift: operator.rshift,
}


def outer_only(ctx: FunctionContext, node: ast.expr) -> bool:
    """Whether every leaf is a constant or an outer name: no DSL name, no call of the language but ``get_byte``."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            if inner.id in ctx.names or inner.id == "self":
                return False
        elif isinstance(inner, ast.Call):
            path = dotted(inner.func)
            if path is not None and path[0] in ("pl", "pld") and path[-1] != "get_byte":
                return False
    return True


def evaluate(ctx: FunctionContext, node: ast.expr) -> Value:
    """Outer value of an expression that :func:`outer_only` accepts.

    A fault of the expression and an undefined name are reported (Fault); the result may be unknown.
    """
    value = ctx.closure.evaluate(node)
    if is_fault(value):
        fail_evaluation(ctx, ctx.closure, node, value)
    if value.is_unknown:
        check_defined(ctx, node)
    return value


def fail_evaluation(ctx: FunctionContext, closure: Closure, node: ast.expr, value: Value) -> NoReturn:
    """An expression on outer names that raises in Python; with the attribute that a misspelled one is near to."""
    assert isinstance(value.data, Unknown)
    name = near = None
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and is_fault(closure.evaluate(inner)):
            name, near = inner.attr, nearest(inner.attr, attribute_names(closure.evaluate(inner.value)))
    hint = f" (did you mean '{near}'?)" if near is not None else ""
    reason = f"{value.data.reason}{hint}"
    ctx.fail(
        "closure-eval",
        f"Failed to evaluate expression '{ctx.text(node)}': {reason}",
        node,
        name=name,
        suggestion=near,
    )


def check_defined(ctx: FunctionContext, node: ast.expr) -> None:
    """Report the first name in ``node`` that is certainly defined nowhere."""
    from pypto_core.frontend.expressions import undefined_name

    bound = {
        name.id
        for inner in ast.walk(node)
        if isinstance(inner, ast.comprehension)
        for name in ast.walk(inner.target)
        if isinstance(name, ast.Name)
    }
    for inner in ast.walk(node):
        if (
            isinstance(inner, ast.Name)
            and inner.id not in bound
            and inner.id not in PYTHON_CALLS
            and inner.id not in ("pl", "pld")
            and inner.id not in ctx.names
            and ctx.closure.lookup(inner.id) is None
            and ctx.closure.complete
        ):
            raise undefined_name(ctx, inner)


def folded(ctx: FunctionContext, node: ast.BinOp | ast.UnaryOp) -> Expr | None:
    """The constant behind arithmetic over constants and outer names; None when it is none (a symbol takes part)."""
    if not outer_only(ctx, node):
        return None
    value = evaluate(ctx, node)
    data = value.data
    if isinstance(data, DynVar | DimExpr):
        return None
    if isinstance(data, Unknown):
        raise Silent
    if type(data) is int and not fits(data):
        ctx.fail("constant-unsupported", f"the value of '{ctx.text(node)}' does not fit in 64 bits", node)
    constant = as_constant(data, ctx.span(node))
    if constant is not None:
        ctx.program.assume(constant, value.assumed | literal_assumptions(node))
    return constant


def literal_assumptions(node: ast.expr) -> frozenset[str]:
    """Assumptions behind numbers that stand for outer names (a JIT body holds the numbers themselves)."""
    found: frozenset[str] = frozenset()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Constant):
            found |= getattr(inner, "assumed", frozenset())
    return found


def fits(value: int) -> bool:
    """Whether a number is one of the compiler's 64-bit integers, signed or not."""
    return -(2**63) <= value < 2**64


def as_constant(value: object, span: Span) -> Expr | None:
    """A Python number as a constant, None for anything else."""
    if isinstance(value, bool):
        return ConstBool(value, span=span)
    if type(value) is int and fits(value):
        return ConstInt(value, span=span)
    if type(value) is float:
        return ConstFloat(value, span=span)
    return None


def fold_pair(ctx: FunctionContext, node: ast.BinOp, left: Expr, right: Expr) -> Expr | None:
    """Arithmetic of two literal constants (a JIT body's shapes and sizes are literals); ``pl.const`` stays a tree."""
    a, b = _literal(left), _literal(right)
    fold = _OPERATORS.get(type(node.op))
    if a is None or b is None or fold is None or _mentions_const(node):
        return None
    try:
        return as_constant(fold(a, b), ctx.span(node))
    except ArithmeticError as error:
        ctx.fail("closure-eval", f"Failed to evaluate expression '{ctx.text(node)}': {error}", node)


def _literal(expr: Expr) -> int | float | None:
    if isinstance(expr, ConstInt) and expr.dtype is DataType.INDEX:
        return expr.value
    if isinstance(expr, ConstFloat) and expr.dtype is DataType.FP32:
        return expr.value
    return None


def _mentions_const(node: ast.expr) -> bool:
    return any(
        isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr == "const"
        for inner in ast.walk(node)
    )


def enum_or_dtype(node: ast.expr) -> object | None:
    """``pl.FP32``, ``pl.Mem.Vec``: a symbol written out, None for anything else."""
    path = dotted(node)
    return symbol_value(path) if path is not None and len(path) > 1 else None
