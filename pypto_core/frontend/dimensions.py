"""Dimensions of shapes and index expressions of views (docs/spec/language.md §3.1)."""

from __future__ import annotations

import ast

from pypto_core.frontend.closure import describe, is_fault, sequence
from pypto_core.frontend.context import Fault, FunctionContext, Silent, did_you_mean, nearest
from pypto_core.frontend.folding import PYTHON_CALLS, fail_evaluation, fits
from pypto_core.frontend.static_eval.values import DimExpr, DynVar, Unknown, Value
from pypto_core.frontend.syntax import dotted, int_literal
from pypto_core.ir import ConstInt, Expr, ScalarType, ScalarTypeError, make_binary, make_unary

_TAGS: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
}
_DIM_TAGS = {"+": "add", "-": "sub", "*": "mul", "//": "floordiv", "%": "mod"}


def read_shape(ctx: FunctionContext, node: ast.expr) -> tuple[Expr, ...]:
    """A shape: a list of dimensions, or an expression that evaluates to one."""
    if isinstance(node, ast.List | ast.Tuple):
        return tuple(read_dim(ctx, element) for element in node.elts)
    value = ctx.annotations.evaluate(node)
    elements = sequence(value)
    if elements is None:
        path = dotted(node)
        if value.is_unknown and not isinstance(node, ast.Constant):
            if path is not None and len(path) == 1 and ctx.annotations.lookup(path[0]) is None:
                if ctx.annotations.complete:
                    ctx.fail(
                        "shape-form", f"a shape is a list of dimensions, but '{path[0]}' is not defined", node
                    )
            raise unknown_outside(ctx, node)
        ctx.fail(
            "shape-form",
            f"a shape is a list of dimensions, but '{ctx.text(node)}' is {describe(value)}",
            node,
        )
    return tuple(_element(ctx, element, node, i) for i, element in enumerate(elements))


def _element(ctx: FunctionContext, value: Value, node: ast.expr, index: int) -> Expr:
    dim = value_dim(ctx, value, node, f"{ctx.text(node)}[{index}]")
    if dim is None:
        ctx.fail(
            "shape-element",
            f"element {index} of '{ctx.text(node)}' is {describe(value)}, not a dimension",
            node,
        )
    return dim


def value_dim(ctx: FunctionContext, value: Value, node: ast.expr, label: str) -> Expr | None:
    """A Python value as a dimension: int, symbol, arithmetic over symbols, a fresh symbol for an unknown one."""
    data = value.data
    span = ctx.span(node)
    if isinstance(data, int):
        return ctx.program.assume(ConstInt(int(data), span=span), value.assumed) if fits(data) else None
    if isinstance(data, DynVar):
        return symbol(ctx, data.name, node)
    if isinstance(data, DimExpr):
        return _dim_expr(ctx, data, node)
    if isinstance(data, Unknown):
        return _unknown_dim(ctx, label)
    return None


def _unknown_dim(ctx: FunctionContext, label: str) -> Expr:
    """A symbol for a dimension whose value is unknown; what is lowered from it could be wrong in any way."""
    ctx.mark_incomplete()
    return ctx.program.unknown_dim("", label)


def symbol(ctx: FunctionContext, name: str, node: ast.expr) -> Expr:
    """A ``pl.dynamic`` symbol; a parameter of that name is the symbol for what stands behind it."""
    param = ctx.params.get(name)
    if param is not None and isinstance(param.type, ScalarType):
        return param
    ctx.program.traces += 1
    ctx.used_symbols.setdefault(name, ctx.span(node))
    return ctx.program.symbol(name)


def _dim_expr(ctx: FunctionContext, value: DimExpr, node: ast.expr) -> Expr:
    operands: list[Expr] = []
    for operand in value.operands:
        if isinstance(operand, DimExpr):
            operands.append(_dim_expr(ctx, operand, node))
        elif isinstance(operand, DynVar):
            operands.append(symbol(ctx, operand.name, node))
        else:
            operands.append(ConstInt(operand, span=ctx.span(node)))
    if value.op == "neg":
        return make_unary("neg", operands[0], ctx.span(node))
    return make_binary(_DIM_TAGS[value.op], operands[0], operands[1], ctx.span(node))


def read_dim(ctx: FunctionContext, node: ast.expr) -> Expr:
    """One dimension: folded when it evaluates outside, else an expression tree over literals, symbols and DSL names."""
    number = int_literal(node)
    if number is not None:
        if not fits(number):
            ctx.fail("shape-element", "the number does not fit in 64 bits", node)
        if number <= 0:
            ctx.warn("dim-not-positive", f"a dimension of {number} holds nothing", node)
        return ConstInt(number, span=ctx.span(node))
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return ConstInt(int(node.value), span=ctx.span(node))
    dim = _dim(ctx, node)
    if isinstance(dim, ConstInt) and dim.value <= 0:
        ctx.warn("dim-not-positive", f"a dimension of {dim.value} holds nothing", node)
    kind = dim.type
    if isinstance(kind, ScalarType) and not kind.dtype.is_int:
        ctx.fail(
            "shape-dim-dtype", f"a dimension is an integer, but '{ctx.text(node)}' is {kind.dtype.text}", node
        )
    return dim


def _dim(ctx: FunctionContext, node: ast.expr) -> Expr:
    if isinstance(node, ast.Name):
        return _name(ctx, node)
    if not _has_dsl_parts(ctx, node):
        value = ctx.annotations.evaluate(node)
        if is_fault(value):
            fail_evaluation(ctx, ctx.annotations, node, value)
        _check_names(ctx, node)
        dim = value_dim(ctx, value, node, ctx.text(node))
        if dim is None:
            ctx.fail("shape-element", f"'{ctx.text(node)}' is {describe(value)}, not a dimension", node)
        return dim
    if isinstance(node, ast.BinOp) and type(node.op) in _TAGS:
        left, right = _leaf(ctx, node.left), _leaf(ctx, node.right)
        try:
            return make_binary(_TAGS[type(node.op)], left, right, ctx.span(node))
        except ScalarTypeError as error:
            ctx.fail("shape-dim-dtype", str(error), node)
    from pypto_core.frontend.expressions import scalar_expr

    return scalar_expr(ctx, node)


def _leaf(ctx: FunctionContext, node: ast.expr) -> Expr:
    number = int_literal(node)
    return ConstInt(number, span=ctx.span(node)) if number is not None else _dim(ctx, node)


def _name(ctx: FunctionContext, node: ast.Name) -> Expr:
    """Outer value first, then DSL name."""
    param = ctx.params.get(node.id)
    if param is not None and isinstance(param.type, ScalarType):
        return param
    value = ctx.annotations.lookup(node.id)
    if value is not None:
        dim = value_dim(ctx, value, node, node.id)
        if dim is not None:
            return dim
        if node.id not in ctx.names:
            ctx.fail("shape-element", f"'{node.id}' is {describe(value)}, not a dimension", node)
    found = ctx.names.lookup(node.id)
    if found is not None:
        if not isinstance(found.type, ScalarType):
            ctx.fail("shape-element", f"'{node.id}' is no scalar, so it cannot be a dimension", node)
        return found
    if not ctx.annotations.complete:
        return _unknown_dim(ctx, node.id)
    raise ctx.fault(
        "shape-name-unknown",
        f"'{node.id}' is not defined{did_you_mean(node.id, {*ctx.annotations.names(), *ctx.names.all()})}; "
        f'a size known only at run time is declared with {node.id} = pl.dynamic("{node.id}")',
        node,
        name=node.id,
        suggestion=nearest(node.id, {*ctx.annotations.names(), *ctx.names.all()}),
    )


def _has_dsl_parts(ctx: FunctionContext, node: ast.expr) -> bool:
    """Whether a dimension mentions ``pl.const``, another DSL call or a DSL name."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call):
            path = dotted(inner.func)
            if path is not None and path[0] in ("pl", "pld") and path[-1] != "get_byte":
                return True
        elif isinstance(inner, ast.Name) and (inner.id in ctx.params or _is_dsl_only(ctx, inner.id)):
            return True
    return False


def _is_dsl_only(ctx: FunctionContext, name: str) -> bool:
    return name in ctx.names and ctx.annotations.lookup(name) is None


def undefined_names(ctx: FunctionContext, node: ast.expr) -> list[ast.Name]:
    """Names in an expression that are certainly defined nowhere."""
    if not ctx.annotations.complete or any(
        isinstance(c, ast.comprehension | ast.Lambda) for c in ast.walk(node)
    ):
        return []
    return [
        inner
        for inner in ast.walk(node)
        if isinstance(inner, ast.Name)
        and inner.id not in ("pl", "pld")
        and inner.id not in PYTHON_CALLS
        and inner.id not in ctx.names
        and ctx.annotations.lookup(inner.id) is None
    ]


def unknown_outside(ctx: FunctionContext, node: ast.expr) -> Fault | Silent:
    """What to raise for an expression without value: a fault only where a name in it is defined nowhere."""
    for name in undefined_names(ctx, node):
        known = {*ctx.annotations.names(), *ctx.names.all()}
        hidden = ctx.dialect.hidden(ctx, name.id)
        hint = f" here: {hidden}" if hidden is not None else did_you_mean(name.id, known)
        return ctx.fault(
            "name-undefined",
            f"'{name.id}' is not defined{hint}",
            name,
            name=name.id,
            suggestion=nearest(name.id, known),
        )
    return Silent()


def _check_names(ctx: FunctionContext, node: ast.expr) -> None:
    """Undefined names inside a larger dimension."""
    for name in undefined_names(ctx, node):
        _name(ctx, name)


def read_index_list(ctx: FunctionContext, node: ast.expr, field: str) -> tuple[Expr, ...]:
    """A list field of a view: index expressions, an unknown name being a fresh symbol."""
    if not isinstance(node, ast.List | ast.Tuple):
        ctx.fail("view-list", f"{field} is a list of index expressions", node)
    return tuple(read_index(ctx, element, field) for element in node.elts)


def read_index(ctx: FunctionContext, node: ast.expr, field: str) -> Expr:
    """One element of a view field."""
    for inner in ast.walk(node):
        if (
            isinstance(inner, ast.Call)
            and isinstance(inner.func, ast.Attribute)
            and inner.func.attr == "yield_"
        ):
            ctx.fail("view-yield", f"{field} cannot contain pl.yield_", inner)
    number = int_literal(node)
    if number is not None:
        return ConstInt(number, span=ctx.span(node))
    if isinstance(node, ast.Name):
        value = ctx.annotations.lookup(node.id)
        found = ctx.params.get(node.id) or ctx.names.lookup(node.id)
        if value is None and found is None:
            return ctx.program.symbol(node.id)
        if value is not None and value_dim(ctx, value, node, node.id) is None and found is None:
            ctx.fail("view-bound-type", f"'{node.id}' is {describe(value)}, not an integer", node)
    if isinstance(node, ast.Constant | ast.Dict | ast.Lambda | ast.JoinedStr):
        ctx.fail("view-field", f"'{ctx.text(node)}' is no index expression", node)
    return read_dim(ctx, node)
