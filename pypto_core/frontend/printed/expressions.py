"""Expressions and calls of printed text (docs/spec/ir.md §4.4, §4.5), special forms undone."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from keyword import iskeyword
from typing import TYPE_CHECKING, Any

from pypto_core.frontend.printed.faults import PrintedFault
from pypto_core.frontend.printed.forms import SPECIAL_FORMS, elements, var_list
from pypto_core.frontend.printed.types import read_dtype
from pypto_core.frontend.symbols import symbol_value
from pypto_core.frontend.syntax import dotted, int_literal, string_literal
from pypto_core.ir import (
    UNKNOWN,
    Abs,
    Add,
    And,
    BinaryExpr,
    BitAnd,
    BitNot,
    BitOr,
    BitShiftLeft,
    BitShiftRight,
    BitXor,
    Call,
    Cast,
    ConstBool,
    ConstFloat,
    ConstInt,
    DataType,
    Eq,
    Expr,
    FloatDiv,
    FloorDiv,
    FloorMod,
    Ge,
    GlobalVar,
    Gt,
    Le,
    Lt,
    MakeTuple,
    Max,
    MemorySpace,
    Min,
    Mul,
    Ne,
    Neg,
    Not,
    Op,
    Or,
    Pow,
    ScalarType,
    Span,
    SplitMode,
    Sub,
    Submit,
    TupleGetItem,
    TupleType,
    Type,
)
from pypto_core.ops.registry import OpError, create_op_call, is_registered

if TYPE_CHECKING:
    from pypto_core.frontend.printed.reader import FunctionReader

_BINARY: dict[type[ast.operator], type[BinaryExpr]] = {
    ast.Add: Add,
    ast.Sub: Sub,
    ast.Mult: Mul,
    ast.FloorDiv: FloorDiv,
    ast.Div: FloatDiv,
    ast.Mod: FloorMod,
    ast.Pow: Pow,
    ast.BitAnd: BitAnd,
    ast.BitOr: BitOr,
    ast.BitXor: BitXor,
    ast.LShift: BitShiftLeft,
    ast.RShift: BitShiftRight,
}
_COMPARE: dict[type[ast.cmpop], type[BinaryExpr]] = {
    ast.Eq: Eq,
    ast.NotEq: Ne,
    ast.Lt: Lt,
    ast.LtE: Le,
    ast.Gt: Gt,
    ast.GtE: Ge,
}
ROUNDING_MODES = ("none", "rint", "round", "floor", "ceil", "trunc", "odd")
_SPECIAL_FLOATS = {"inf": math.inf, "nan": math.nan}


def read_expr(reader: FunctionReader, node: ast.expr, type_: Type | None = None) -> Expr:
    """An expression; ``type_`` is the annotation of the statement when ``node`` is its whole value."""
    handler = _EXPRESSIONS.get(node.__class__)
    if handler is None:
        raise PrintedFault("expr-unsupported", f"'{reader.source.source(node)}' has no meaning here", node)
    result: Expr = handler(reader, node, type_)
    return result


def _name(reader: FunctionReader, node: ast.Name, _: Type | None) -> Expr:
    names = reader.names
    if reader.in_type:
        return names.in_type(node.id)
    if node.id in _SPECIAL_FLOATS and node.id not in names.hints:
        return ConstFloat(_SPECIAL_FLOATS[node.id], span=reader.source.span(node))
    return names.in_body(node.id)


def _constant(reader: FunctionReader, node: ast.Constant, _: Type | None) -> Expr:
    return _number(node.value, reader.source.span(node), node)


def _number(value: object, span: Span, node: ast.expr) -> Expr:
    kind = type(value)
    if kind is int:
        return ConstInt(value, span=span)  # type: ignore[arg-type]
    if kind is float:
        return ConstFloat(value, span=span)  # type: ignore[arg-type]
    if kind is bool:
        return ConstBool(value, span=span)  # type: ignore[arg-type]
    if value is None:
        return Call(Op.get("system.task_invalid"), (), type=ScalarType.of(DataType.TASK_ID), span=span)
    raise PrintedFault("constant-unsupported", f"{value!r} is no scalar constant", node)


def _unary(reader: FunctionReader, node: ast.UnaryOp, _: Type | None) -> Expr:
    span = reader.source.span(node)
    if isinstance(node.op, ast.USub):
        inner = node.operand
        if isinstance(inner, ast.Constant) and type(inner.value) in (int, float):
            return _number(-inner.value, span, node)  # type: ignore[operator]
        if isinstance(inner, ast.Name) and inner.id in _SPECIAL_FLOATS and inner.id not in reader.names.hints:
            return ConstFloat(-_SPECIAL_FLOATS[inner.id], span=span)
        operand = reader.expr(inner)
        return Neg(operand, dtype_of(operand), span=span)
    operand = reader.expr(node.operand)
    if isinstance(node.op, ast.Not):
        return Not(operand, DataType.BOOL, span=span)
    if isinstance(node.op, ast.Invert):
        return BitNot(operand, dtype_of(operand), span=span)
    raise PrintedFault("unary-unsupported", "unary '+' is never printed", node)


def dtype_of(expr: Expr) -> DataType:
    """dtype of a scalar; INDEX for a free variable, of which the text says nothing."""
    kind = expr.type
    return kind.dtype if isinstance(kind, ScalarType) else DataType.INDEX


def _binary_expr(cls: type[BinaryExpr], left: Expr, right: Expr, span: Span) -> BinaryExpr:
    """Casts are printed, so none are added here; the dtype is the wider operand's, the left one's when equally wide."""
    a, b = dtype_of(left), dtype_of(right)
    return cls(left, right, b if b.bits > a.bits else a, span=span)


def _binop(reader: FunctionReader, node: ast.BinOp, _: Type | None) -> Expr:
    cls = _BINARY.get(type(node.op))
    if cls is None:
        raise PrintedFault("binop-unsupported", "this operator is never printed", node)
    return _binary_expr(cls, reader.expr(node.left), reader.expr(node.right), reader.source.span(node))


def _compare(reader: FunctionReader, node: ast.Compare, _: Type | None) -> Expr:
    span = reader.source.span(node)
    result = reader.expr(node.left)
    for op, right in zip(node.ops, node.comparators, strict=True):  # a chain is a left-nested comparison here
        cls = _COMPARE.get(type(op))
        if cls is None:
            raise PrintedFault("compare-unsupported", "this comparison is never printed", node)
        result = cls(result, reader.expr(right), DataType.BOOL, span=span)
    return result


def _boolop(reader: FunctionReader, node: ast.BoolOp, _: Type | None) -> Expr:
    cls = And if isinstance(node.op, ast.And) else Or
    span = reader.source.span(node)
    result = reader.expr(node.values[0])
    for value in node.values[1:]:
        result = cls(result, reader.expr(value), DataType.BOOL, span=span)
    return result


def _list(reader: FunctionReader, node: ast.List | ast.Tuple, _: Type | None) -> Expr:
    return MakeTuple(tuple(reader.expr(e) for e in node.elts), span=reader.source.span(node))


def _subscript(reader: FunctionReader, node: ast.Subscript, _: Type | None) -> Expr:
    index = int_literal(node.slice)
    of = reader.expr(node.value)
    if index is None or not isinstance(of.type, TupleType) or not 0 <= index < len(of.type.types):
        raise PrintedFault("tuple-index", f"'{reader.source.source(node)}' is no tuple element", node)
    return TupleGetItem(of, index, span=reader.source.span(node))


def _call(reader: FunctionReader, node: ast.Call, type_: Type | None) -> Expr:
    path = dotted(node.func)
    if path is None:
        raise PrintedFault("call-unsupported", f"'{reader.source.source(node)}' cannot be called", node)
    if path[0] == "self" and len(path) == 2:
        return _function_call(reader, node, path[1], type_)
    special = _SPECIAL_CALLS.get(path)
    if special is not None:
        return special(reader, node, type_)
    return _op_call(reader, node, path, type_)


def _const(reader: FunctionReader, node: ast.Call, _: Type | None) -> Expr:
    span = reader.source.span(node)
    dtype = read_dtype(reader, node.args[1])
    value = reader.expr(node.args[0])
    if isinstance(value, ConstInt):
        return ConstInt(value.value, dtype, span=span)
    if isinstance(value, ConstFloat):
        return ConstFloat(value.value, dtype, span=span)
    raise PrintedFault("const-form", "pl.const takes a numeric literal", node)


def _min_max(cls: type[BinaryExpr]) -> Callable[[FunctionReader, ast.Call, Type | None], Expr]:
    def read(reader: FunctionReader, node: ast.Call, _: Type | None) -> Expr:
        left, right = node.args
        return _binary_expr(cls, reader.expr(left), reader.expr(right), reader.source.span(node))

    return read


def _cast(reader: FunctionReader, node: ast.Call, _: Type | None) -> Expr:
    return Cast(reader.expr(node.args[0]), read_dtype(reader, node.args[1]), span=reader.source.span(node))


def _abs(reader: FunctionReader, node: ast.Call, _: Type | None) -> Expr:
    operand = reader.expr(node.args[0])
    return Abs(operand, dtype_of(operand), span=reader.source.span(node))


# --- calls of functions -------------------------------------------------------------------------------------------


def _function_call(reader: FunctionReader, node: ast.Call, name: str, type_: Type | None) -> Expr:
    args = tuple(reader.expr(a) for a in node.args)
    attrs: dict[str, Any] = {}
    for keyword in node.keywords:
        if keyword.arg == "device":
            attrs["device"] = reader.expr(keyword.value)
        elif keyword.arg == "attrs":
            attrs.update(read_attrs(reader, keyword.value))
        else:
            raise PrintedFault("kernel-keyword", f"keyword '{keyword.arg}' on a function call", keyword.value)
    if type_ is None:
        type_ = reader.result_type(name)
    return Call(GlobalVar(name), args, attrs=attrs, type=type_, span=reader.source.span(node))


def _submit(reader: FunctionReader, node: ast.Call, type_: Type | None) -> Expr:
    callee = dotted(node.args[0]) if node.args else None
    if callee is None:
        raise PrintedFault("submit-form", "the first argument of a submit is the function", node)
    args = tuple(reader.expr(a) for a in node.args[1:])
    given = {k.arg: k.value for k in node.keywords}
    attrs: dict[str, Any] = {}
    if "dumps" in given:
        attrs["dump_vars"] = var_list(reader, given["dumps"])
    if "attrs" in given:
        attrs.update(read_attrs(reader, given["attrs"]))
    if type_ is None:
        results = reader.result_type(callee[-1])
        many = results.types if isinstance(results, TupleType) else () if results is UNKNOWN else (results,)
        type_ = TupleType((*many, ScalarType.of(DataType.TASK_ID)))
    return Submit(
        GlobalVar(callee[-1]),
        args,
        tuple(reader.expr(d) for d in elements(given.get("deps"))),
        attrs=attrs,
        type=type_,
        core_num=reader.expr(given["core_num"]) if "core_num" in given else None,
        sync_start=_flag(given.get("sync_start")),
        allow_early_resolve=_flag(given.get("allow_early_resolve")),
        predicate=reader.expr(given["predicate"]) if "predicate" in given else None,
        span=reader.source.span(node),
    )


def _flag(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


# --- attribute values (ir.md §4.8, language.md §8.4) ----------------------------------------------------------------


def read_attrs(reader: FunctionReader, node: ast.expr) -> dict[str, Any]:
    """``{"key": value, ...}`` in written order; lists become tuples, ``split`` an int."""
    if not isinstance(node, ast.Dict):
        raise PrintedFault("call-attrs", "attributes are a dict literal", node)
    attrs: dict[str, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        name = string_literal(key)
        if name is None:
            raise PrintedFault("call-attrs", "attribute keys are strings", node)
        attrs[name] = _attr_value(reader, value)
        if isinstance(attrs[name], SplitMode):
            attrs[name] = int(attrs[name])
    return attrs


def _attr_value(reader: FunctionReader, node: ast.expr) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    number = _signed_number(node)
    if number is not None:
        return number
    path = dotted(node)
    if path is not None and len(path) > 1:
        symbol = symbol_value(path)
        if symbol is not None:
            return symbol
    if isinstance(node, ast.List | ast.Tuple):
        return tuple(_attr_value(reader, e) for e in node.elts)
    return reader.expr(node)


def _signed_number(node: ast.expr) -> int | float | None:
    if (
        isinstance(node, ast.UnaryOp)
        and isinstance(node.op, ast.USub)
        and isinstance(node.operand, ast.Constant)
    ):
        value = node.operand.value
        if type(value) is int or type(value) is float:
            return -value
    return None


# --- operator calls -------------------------------------------------------------------------------------------------


def op_name(path: tuple[str, ...]) -> str:
    """IR operator behind a printed callee: ``pl.`` dropped, ``pld.`` kept, a keyword's trailing ``_`` undone."""
    leaf = path[-1]
    if len(path) > 1 and leaf.endswith("_") and iskeyword(leaf[:-1]):
        leaf = leaf[:-1]
    names = (*path[:-1], leaf)
    return ".".join(names[1:] if path[0] == "pl" else names)


def _op_call(reader: FunctionReader, node: ast.Call, path: tuple[str, ...], type_: Type | None) -> Expr:
    name = op_name(path)
    span = reader.source.span(node)
    args = [_argument(reader, a) for a in node.args]
    given = {k.arg: k.value for k in node.keywords if k.arg is not None}
    attrs = read_attrs(reader, given.pop("attrs")) if "attrs" in given else {}
    kwargs: dict[str, Any] = {}
    form = SPECIAL_FORMS.get(name)
    if form is not None:
        name = form(reader, name, args, given, kwargs, attrs)
    for key, value in given.items():
        kwargs[key] = _kwarg(reader, name, key, value)
    if type_ is None:
        type_ = _deduced(name, tuple(args), kwargs, span)
    return Call(Op.get(name), tuple(args), kwargs, attrs, type_, span=span)


def _argument(reader: FunctionReader, node: ast.expr) -> Expr:
    if isinstance(node, ast.Attribute):
        path = dotted(node)
        symbol = symbol_value(path) if path is not None else None
        if isinstance(symbol, MemorySpace):
            return ConstInt(int(symbol), span=reader.source.span(node))
    return reader.expr(node)


def _deduced(name: str, args: tuple[Expr, ...], kwargs: dict[str, Any], span: Span) -> Type:
    """Type of a call without annotation: what the operator's rule says, unknown when it says nothing."""
    if not is_registered(name):
        return UNKNOWN
    try:
        return create_op_call(name, args, kwargs, span=span).type
    except (OpError, ValueError, TypeError):
        return UNKNOWN


def _kwarg(reader: FunctionReader, name: str, key: str, node: ast.expr) -> Any:
    if isinstance(node, ast.Constant):
        value = node.value
        if key == "mode" and value in ROUNDING_MODES and not name.startswith("pld."):
            return ROUNDING_MODES.index(value)
        return value
    number = _signed_number(node)
    if number is not None:
        return number
    path = dotted(node)
    if path is not None:
        if path[-1] in _SPECIAL_FLOATS and len(path) == 1:
            return _SPECIAL_FLOATS[path[0]]
        if len(path) > 1 and path[-2] in ("PipeType", "AtomicType"):
            symbol = symbol_value(path)
            return int(symbol) if isinstance(symbol, int) else symbol
        symbol = symbol_value(path)
        if symbol is not None:
            return symbol
    raise PrintedFault("op-bad-arguments", f"'{reader.source.source(node)}' is no keyword value", node)


_SPECIAL_CALLS: dict[tuple[str, ...], Callable[[FunctionReader, ast.Call, Type | None], Expr]] = {
    ("pl", "const"): _const,
    ("pl", "min"): _min_max(Min),
    ("pl", "max"): _min_max(Max),
    ("pl", "cast"): _cast,
    ("abs",): _abs,
    ("pl", "submit"): _submit,
    ("pl", "spmd_submit"): _submit,
}

_EXPRESSIONS: dict[type[ast.AST], Callable[..., Expr]] = {
    ast.Name: _name,
    ast.Constant: _constant,
    ast.UnaryOp: _unary,
    ast.BinOp: _binop,
    ast.Compare: _compare,
    ast.BoolOp: _boolop,
    ast.List: _list,
    ast.Tuple: _list,
    ast.Subscript: _subscript,
    ast.Call: _call,
}
