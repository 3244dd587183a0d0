"""Expressions of kernel bodies (docs/spec/language.md §5)."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

from pypto_core.frontend.closure import describe, is_fault, sequence
from pypto_core.frontend.context import (
    TASK_ID_TYPE,
    Fault,
    FunctionContext,
    Silent,
    is_poison,
    nearest,
)
from pypto_core.frontend.dimensions import value_dim
from pypto_core.frontend.folding import as_constant, fold_pair, folded, literal_assumptions
from pypto_core.frontend.partly_known import PartlyKnown
from pypto_core.frontend.static_eval.values import DimExpr, DynVar, Value
from pypto_core.frontend.symbols import nearest_dtype, symbol_value
from pypto_core.frontend.syntax import Located, dotted
from pypto_core.ir import (
    UNKNOWN,
    Call,
    ConstFloat,
    ConstInt,
    DataType,
    Expr,
    MakeTuple,
    MemorySpace,
    Op,
    ScalarType,
    ScalarTypeError,
    Span,
    TensorType,
    TileType,
    Type,
    make_binary,
    make_unary,
)
from pypto_core.ops.dsl import find_callable

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.LShift: "bit_shift_left",
    ast.RShift: "bit_shift_right",
}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
}
#: Operator text and the ``pl`` function that does it on tensors and tiles.
SYMBOLS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Add: ("+", "add"),
    ast.Sub: ("-", "sub"),
    ast.Mult: ("*", "mul"),
    ast.Div: ("/", "div"),
    ast.FloorDiv: ("//", "div"),
    ast.Mod: ("%", "fmod"),
    ast.LShift: ("<<", "shl"),
    ast.RShift: (">>", "shr"),
    ast.BitAnd: ("&", "and_"),
    ast.BitOr: ("|", "or_"),
    ast.BitXor: ("^", "xor"),
    ast.Pow: ("**", "exp"),
    ast.MatMult: ("@", "matmul"),
    ast.USub: ("-", "neg"),
    ast.UAdd: ("+", ""),
    ast.Invert: ("~", "not_"),
    ast.Not: ("not", "not_"),
    ast.Eq: ("==", "cmp"),
    ast.NotEq: ("!=", "cmp"),
    ast.Lt: ("<", "cmp"),
    ast.LtE: ("<=", "cmp"),
    ast.Gt: (">", "cmp"),
    ast.GtE: (">=", "cmp"),
    ast.Is: ("is", ""),
    ast.IsNot: ("is not", ""),
    ast.In: ("in", ""),
    ast.NotIn: ("not in", ""),
    ast.And: ("and", "and_"),
    ast.Or: ("or", "or_"),
}
_KINDS: dict[type[ast.AST], str] = {
    ast.IfExp: "a conditional expression (write an if statement with pl.yield_)",
    ast.Lambda: "a lambda",
    ast.ListComp: "a comprehension",
    ast.SetComp: "a comprehension",
    ast.DictComp: "a comprehension",
    ast.GeneratorExp: "a comprehension",
    ast.JoinedStr: "an f-string",
    ast.NamedExpr: "an assignment expression",
    ast.Starred: "a starred expression",
    ast.Set: "a set",
    ast.Dict: "a dict",
    ast.Await: "an await",
    ast.Yield: "a Python yield",
    ast.YieldFrom: "a Python yield",
    ast.Slice: "a slice outside a subscript",
}


def expr(ctx: FunctionContext, node: ast.expr) -> Expr:
    """An expression; a fault in it is reported here and the result is poison."""
    try:
        return scalar_expr(ctx, node)
    except Fault as fault:
        ctx.report(fault)
    except Silent:
        pass
    return ctx.poison(node)


def scalar_expr(ctx: FunctionContext, node: ast.expr) -> Expr:
    """Like :func:`expr`, but a fault of the outermost node is raised."""
    handler = _EXPRESSIONS.get(node.__class__)
    if handler is None:
        kind = _KINDS.get(node.__class__, f"a {type(node).__name__}")
        ctx.fail(
            "expr-unsupported",
            f"'{ctx.text(node)}' is {kind}, which a kernel cannot compute",
            node,
            kind=type(node).__name__,
        )
    return handler(ctx, node)


# --- names and constants ----------------------------------------------------------------------------------------------


def _name(ctx: FunctionContext, node: ast.Name) -> Expr:
    found = ctx.names.lookup(node.id)
    if found is not None:
        return found
    special = ctx.dialect.name(ctx, node)
    if special is not None:
        return special
    value = ctx.closure.lookup(node.id)
    if value is None:
        if not ctx.closure.complete:
            raise Silent
        raise undefined_name(ctx, node)
    return outer_value(ctx, value, node)


#: What Python code calls its array libraries. A close spelling is not what was meant.
_ARRAY_MODULES: Final = frozenset({"np", "numpy", "torch", "jnp", "jax", "tf", "math"})


def undefined_name(ctx: FunctionContext, node: ast.Name) -> Fault:
    """``name-undefined``, with the reason where there is one."""
    name = node.id
    candidates = {*ctx.names.all(), *ctx.closure.names()}
    near = f"pl.{name}" if find_callable(f"pl.{name}") is not None else None
    if near is None and name not in _ARRAY_MODULES:
        near = nearest(name, candidates)
    hidden = ctx.dialect.hidden(ctx, name)
    if hidden is not None:
        hint = f" here: {hidden}"
    elif name in ctx.names.vanished:
        hint = ": it is bound only inside a block with yields; yield it to use it after the block"
    elif near is not None:
        hint = f" (did you mean '{near}'?)"
    elif name in _ARRAY_MODULES:
        hint = ": a kernel is compiled, not run by Python; its operators are written pl.add, pl.exp ..."
    else:
        hint = ""
    return ctx.fault(
        "name-undefined",
        f"'{name}' is not defined{hint}",
        node,
        name=name,
        suggestion=near,
        vanished=name in ctx.names.vanished,
    )


def outer_value(ctx: FunctionContext, value: Value, node: ast.expr) -> Expr:
    """A Python value as an expression: numbers, symbols, and lists or tuples of those."""
    data = value.data
    if value.is_unknown:
        raise Silent
    span = ctx.span(node)
    if data is None:
        return task_invalid(span)
    if isinstance(data, Expr):
        return data
    constant = as_constant(data, span)
    if constant is not None:
        return ctx.program.assume(constant, value.assumed)
    if isinstance(data, DynVar | DimExpr):
        dim = value_dim(ctx, value, node, ctx.text(node))
        assert dim is not None
        return dim
    elements = sequence(value)
    if elements is not None:
        return MakeTuple(tuple(outer_value(ctx, e, node) for e in elements), span=span)
    raise ctx.fault(
        "closure-type",
        f"'{ctx.text(node)}' is {describe(value)}; only numbers, pl.dynamic symbols and lists of them are values",
        node,
    )


def task_invalid(span: Span) -> Call:
    """``None``: the task id of no task."""
    return Call(Op.get("system.task_invalid"), (), type=TASK_ID_TYPE, span=span)


def _constant(ctx: FunctionContext, node: ast.Constant) -> Expr:
    if node.value is None:
        return task_invalid(ctx.span(node))
    constant = as_constant(node.value, ctx.span(node))
    if constant is None and isinstance(node.value, int):
        ctx.fail("constant-unsupported", "the number does not fit in 64 bits", node)
    if constant is None:
        ctx.fail(
            "constant-unsupported",
            f"{ctx.text(node)} cannot be a value: only numbers, True, False and None can",
            node,
        )
    return ctx.program.assume(constant, literal_assumptions(node))


def _attribute(ctx: FunctionContext, node: ast.Attribute) -> Expr:
    special = ctx.dialect.attribute(ctx, node)
    if special is not None:
        return special
    path = dotted(node)
    if path is not None:
        symbol = symbol_value(path)
        if isinstance(symbol, MemorySpace):
            return ConstInt(int(symbol), span=ctx.span(node))
        if path[0] not in ("pl", "pld", "self") and path[0] not in ctx.names:
            head = ctx.closure.lookup(path[0])
            if head is None and ctx.closure.complete:
                _name(ctx, _root(node))
            if head is None or head.is_unknown:
                raise Silent
            value = ctx.closure.evaluate(node)
            if value.is_unknown and not is_fault(value):
                raise Silent
    base = node.value
    of = ctx.names.lookup(base.id) if isinstance(base, ast.Name) else None
    hint = ""
    if node.attr in ("shape", "dtype") and of is not None:
        hint = f"; use pl.tensor.dim({ctx.text(base)}, axis)" if node.attr == "shape" else ""
    if of is not None and is_poison(of):
        raise Silent
    near = nearest_dtype(node.attr) if isinstance(base, ast.Name) and base.id in ("pl", "pld") else None
    if near is not None:
        hint = f" (did you mean 'pl.{near}'?)"
    raise ctx.fault(
        "attr-standalone",
        f"'{ctx.text(node)}' cannot stand as a value{hint}",
        node,
        attr=node.attr,
        name=node.attr,
        suggestion=near,
    )


def _root(node: ast.expr) -> ast.Name:
    while isinstance(node, ast.Attribute):
        node = node.value
    assert isinstance(node, ast.Name)
    return node


def _sequence(ctx: FunctionContext, node: ast.List | ast.Tuple) -> Expr:
    return MakeTuple(tuple(expr(ctx, e) for e in node.elts), span=ctx.span(node))


# --- operators ----------------------------------------------------------------------------------------------------------


def type_words(type_: Type) -> str:
    """A type in the author's spelling, for messages."""
    from pypto_core.frontend.wording import type_text

    return type_text(type_)


def scalar_operand(ctx: FunctionContext, operand: Expr, at: Located, op: ast.AST, whole: ast.expr) -> Expr:
    """An operand of a Python operator: a scalar, or the fault that says what to write instead."""
    kind = operand.type
    if isinstance(kind, PartlyKnown):
        kind = kind.like or TensorType((), DataType.FP32)
    elif is_poison(operand) or kind is UNKNOWN:
        raise Silent
    if isinstance(kind, ScalarType):
        return operand
    symbol, function = SYMBOLS.get(type(op), ("?", ""))
    if isinstance(kind, TensorType | TileType):
        word = "tile" if isinstance(kind, TileType) else "tensor"
        text = (
            _rewritten(ctx, whole, function, isinstance(whole, ast.BinOp) and at is whole.right)
            if function
            else ""
        )
        ctx.fail(
            "python-operator-on-tensor",
            f"Python's '{symbol}' does not work on a {word} ('{ctx.text(at)}'): Expression must be ScalarExpr or Var with "
            f"ScalarType{f'; write {text}' if text else ''}",
            whole,
            operator=symbol,
            function=function,
            scalar_left=isinstance(whole, ast.BinOp) and at is whole.right,
        )
    raise ctx.fault(
        _operator_code(op),
        f"'{symbol}' needs scalar operands, but '{ctx.text(at)}' is {type_words(kind)}",
        at,
    )


#: Operators whose scalar is the first operand, with the scalar second.
SCALAR_SECOND: Final[dict[str, str]] = {
    "add": "pl.add({1}, {0})",
    "mul": "pl.mul({1}, {0})",
    "sub": "pl.add(pl.neg({1}), {0})",
    "div": "pl.mul(pl.recip({1}), {0})",
}


def _operator_code(op: ast.AST) -> str:
    """The code for an operator that has no meaning on its operands, by its kind."""
    if isinstance(op, ast.boolop):
        return "boolop-unsupported"
    if isinstance(op, ast.cmpop):
        return "compare-unsupported"
    return "unary-unsupported" if isinstance(op, ast.unaryop) else "binop-unsupported"


def _rewritten(ctx: FunctionContext, node: ast.expr, function: str, scalar_left: bool) -> str:
    """What to write; a scalar stands second."""
    if isinstance(node, ast.BinOp):
        if scalar_left and function in SCALAR_SECOND:
            return SCALAR_SECOND[function].format(ctx.text(node.left), ctx.text(node.right))
        return f"pl.{function}({ctx.text(node.left)}, {ctx.text(node.right)})"
    if isinstance(node, ast.UnaryOp):
        return f"pl.{function}({ctx.text(node.operand)})"
    if isinstance(node, ast.Compare):
        return f"pl.{function}({ctx.text(node.left)}, {ctx.text(node.comparators[0])})"
    return f"pl.{function}(...)"


def binary(ctx: FunctionContext, tag: str, left: Expr, right: Expr, node: ast.expr) -> Expr:
    """``make_binary`` with its faults worded."""
    try:
        return make_binary(tag, left, right, ctx.span(node))
    except ScalarTypeError as error:
        code = "scalar-category-mismatch" if "category" in str(error) else "binop-unsupported"
        hint = ""
        if code == "scalar-category-mismatch":
            hint = _category_hint(ctx, left, right)
        ctx.fail(code, f"'{ctx.text(node)}': {error}{hint}", node, dtypes=_dtypes(left, right))


def _dtypes(left: Expr, right: Expr) -> tuple[str, ...]:
    """``FP32``, ``INDEX``: element types of scalar operands."""
    return tuple(e.type.dtype.printed if isinstance(e.type, ScalarType) else "" for e in (left, right))


def _category_hint(ctx: FunctionContext, left: Expr, right: Expr) -> str:
    for number, other in ((left, right), (right, left)):
        kind = other.type
        if isinstance(number, ConstInt) and isinstance(kind, ScalarType) and kind.dtype.is_float:
            return f"; write {number.value}.0"
    return "; convert one side with pl.cast(value, pl.<dtype>)"


def _binop(ctx: FunctionContext, node: ast.BinOp) -> Expr:
    constant = folded(ctx, node)
    if constant is not None:
        return constant
    tag = _BINARY.get(type(node.op))
    left, right = expr(ctx, node.left), expr(ctx, node.right)
    left = scalar_operand(ctx, left, node.left, node.op, node)
    right = scalar_operand(ctx, right, node.right, node.op, node)
    pair = fold_pair(ctx, node, left, right)
    if pair is not None:
        return pair
    if tag is None:
        symbol, function = SYMBOLS[type(node.op)]
        hint = f"; on tensors and tiles there is pl.{function}" if function else ""
        ctx.fail(
            "binop-unsupported", f"'{symbol}' has no meaning on run-time scalars{hint}", node, operator=symbol
        )
    return binary(ctx, tag, left, right, node)


def _unary(ctx: FunctionContext, node: ast.UnaryOp) -> Expr:
    if isinstance(node.op, ast.USub):
        constant = folded(ctx, node)
        if constant is not None:
            return constant
    if isinstance(node.op, ast.UAdd):
        ctx.fail("unary-unsupported", "unary '+' does nothing: leave it out", node)
    operand = scalar_operand(ctx, expr(ctx, node.operand), node.operand, node.op, node)
    if (
        isinstance(node.op, ast.USub)
        and isinstance(operand, ConstInt | ConstFloat)
        and not _is_const_call(node.operand)
    ):
        return operand.with_(value=-operand.value, span=ctx.span(node))
    tag = {ast.USub: "neg", ast.Invert: "bit_not", ast.Not: "not"}[type(node.op)]
    try:
        return make_unary(tag, operand, ctx.span(node))
    except ScalarTypeError as error:
        ctx.fail("unary-unsupported", f"'{ctx.text(node)}': {error}", node)


def _is_const_call(node: ast.expr) -> bool:
    return isinstance(node, ast.Call)


def _compare(ctx: FunctionContext, node: ast.Compare) -> Expr:
    if len(node.ops) > 1:
        parts = [ctx.text(node.left), *(ctx.text(c) for c in node.comparators)]
        signs = [SYMBOLS[type(o)][0] for o in node.ops]
        write = " and ".join(f"{a} {s} {b}" for a, s, b in zip(parts, signs, parts[1:]))
        ctx.fail("compare-chained", f"comparisons cannot be chained: write {write}", node)
    tag = _COMPARE.get(type(node.ops[0]))
    if tag is None:
        ctx.fail(
            "compare-unsupported", f"'{SYMBOLS[type(node.ops[0])][0]}' cannot be computed by a kernel", node
        )
    left, right = expr(ctx, node.left), expr(ctx, node.comparators[0])
    left = scalar_operand(ctx, left, node.left, node.ops[0], node)
    right = scalar_operand(ctx, right, node.comparators[0], node.ops[0], node)
    return binary(ctx, tag, left, right, node)


def _boolop(ctx: FunctionContext, node: ast.BoolOp) -> Expr:
    values = [scalar_operand(ctx, expr(ctx, v), v, node.op, node) for v in node.values]
    tag = "and" if isinstance(node.op, ast.And) else "or"
    result = values[0]
    for value in values[1:]:
        result = make_binary(tag, result, value, ctx.span(node))
    return result


def condition(ctx: FunctionContext, node: ast.expr) -> Expr:
    """A condition: a BOOL scalar, else ``cond-not-bool`` (poison goes through)."""
    test = expr(ctx, node)
    if is_poison(test) or test.type is UNKNOWN:
        ctx.mark_incomplete()
        return test
    kind = test.type
    if not (isinstance(kind, ScalarType) and kind.dtype.text == "bool"):
        write = f"; write {ctx.text(node)} != 0" if isinstance(kind, ScalarType) else ""
        ctx.error(
            "cond-not-bool",
            f"a condition is a BOOL scalar, but '{ctx.text(node)}' is {type_words(kind)}{write}",
            node,
            dtype=kind.dtype.printed if isinstance(kind, ScalarType) else "",
        )
        return ctx.poison(node)
    return test


def _call(ctx: FunctionContext, node: ast.Call) -> Expr:
    from pypto_core.frontend.calls import call

    return call(ctx, node)


def _subscript(ctx: FunctionContext, node: ast.Subscript) -> Expr:
    from pypto_core.frontend.subscripts import subscript

    return subscript(ctx, node)


_EXPRESSIONS: dict[type[ast.AST], Callable[..., Expr]] = {
    ast.Name: _name,
    ast.Constant: _constant,
    ast.Attribute: _attribute,
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.BinOp: _binop,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _boolop,
    ast.Call: _call,
    ast.Subscript: _subscript,
}
