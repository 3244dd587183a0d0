"""What the language makes of written arguments before an operator sees them (docs/spec/ops_tile.md §7).

Every function takes a value and returns the IR expression or keyword value that the call stores; it raises
:class:`DslFault` when the value cannot be one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any, Final

from pypto_core.ir import (
    ConstBool,
    ConstFloat,
    ConstInt,
    DataType,
    Expr,
    MakeTuple,
    PadValue,
    ScalarType,
    Span,
    TupleType,
)
from pypto_core.ops.dsl.values import DslFault, DslValue, is_index_literal, kind_word

CAST_MODES: Final = ("none", "rint", "round", "floor", "ceil", "trunc", "odd")
COMPARISONS: Final = ("eq", "ne", "lt", "le", "gt", "ge")
COALESCE_MODES: Final = ("row", "elem")
OUT_OF_RANGE_MODES: Final = ("undefined", "clamp", "wrap", "zero")

_DTYPE_BY_CODE: Final[Mapping[int, DataType]] = {d.code: d for d in DataType.by_name.values()}


def as_expr(value: DslValue, span: Span, param: str) -> Expr:
    """A value as an expression: int INDEX, float FP32, bool BOOL, list a tuple; an enumeration member its number."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, bool):
        return ConstBool(value, span=span)
    if isinstance(value, int):
        return ConstInt(int(value), DataType.INDEX, span=span)
    if isinstance(value, float):
        return ConstFloat(value, DataType.FP32, span=span)
    if isinstance(value, (list, tuple)):
        return as_dims(value, span, param)
    raise DslFault("op-bad-arguments", f"argument '{param}' cannot be {_shown(value)}", param)


def _shown(value: DslValue) -> str:
    return repr(value) if isinstance(value, str) or value is None else f"a {type(value).__name__}"


def as_dims(value: DslValue, span: Span, param: str) -> Expr:
    """A list as a tuple of its elements; a tuple-typed expression as it is."""
    if isinstance(value, (list, tuple)):
        return MakeTuple(tuple(as_expr(element, span, param) for element in value), span=span)
    if isinstance(value, MakeTuple):
        return value.with_(span=span) if not value.span.is_valid else value
    if isinstance(value, Expr) and isinstance(value.type, TupleType):
        return value
    raise DslFault(
        "op-kind", f"argument '{param}' must be a list of extents, but got {kind_word(value)}", param
    )


def as_indices(value: DslValue, span: Span, param: str) -> Expr:
    """Like :func:`as_dims`; a lone scalar stands for a list of one."""
    if isinstance(value, Expr) and isinstance(value.type, ScalarType):
        return MakeTuple((value,), span=span)
    if isinstance(value, int):
        return MakeTuple((as_expr(value, span, param),), span=span)
    return as_dims(value, span, param)


def typed_constant(value: int | float, dtype: DataType, span: Span) -> Expr:
    """A Python number as a constant of ``dtype``; a fractional number for an integer dtype stays FP32."""
    if dtype.is_float:
        return ConstFloat(float(value), dtype, span=span)
    if isinstance(value, float):
        return ConstFloat(value, DataType.FP32, span=span)
    return ConstInt(int(value), dtype, span=span)


def restamped(value: DslValue, dtype: DataType | None, span: Span, param: str) -> Expr:
    """A literal (or untyped integer constant) in ``dtype``; every other expression as it is."""
    if dtype is not None:
        if is_index_literal(value):
            assert isinstance(value, ConstInt)
            return typed_constant(value.value, dtype, value.span if value.span.is_valid else span)
        if isinstance(value, (int, float)) and not isinstance(value, (bool, IntEnum)):
            return typed_constant(value, dtype, span)
    return as_expr(value, span, param)


def scalar_operand(value: DslValue, dtype: DataType | None, span: Span, param: str) -> Expr:
    """The scalar operand of an element-wise operation on elements of ``dtype``."""
    result = restamped(value, dtype, span, param)
    if not isinstance(result, ConstInt) and isinstance(result.type, ScalarType):
        if result.type.dtype is DataType.INDEX:
            target = dtype.printed if dtype is not None else "FP32"
            raise DslFault(
                "index-scalar-operand",
                f"Scalar operand has dtype `index`: cast it explicitly, pl.cast(..., pl.{target})",
                param,
                {"dtype": target},
            )
    return result


def select_scalar(value: DslValue, dtype: DataType | None, span: Span, param: str) -> Expr:
    """The scalar of ``sels``: constants take the tile's dtype, unsigned ones as the signed integer of that width."""
    number: int | float | None = None
    if isinstance(value, (ConstInt, ConstFloat)):
        number = value.value
    elif isinstance(value, (int, float)) and not isinstance(value, (bool, IntEnum)):
        number = value
    if number is None or dtype is None:
        return scalar_operand(value, dtype, span, param)
    at = value.span if isinstance(value, Expr) and value.span.is_valid else span
    if dtype.is_float:
        return ConstFloat(float(number), dtype, span=at)
    if isinstance(number, float):
        if not number.is_integer():
            raise DslFault(
                "op-dtype",
                f"argument '{param}' must be an integer for {dtype.text} elements, but got {number}",
                param,
            )
        number = int(number)
    if dtype.is_unsigned_int:
        half = 1 << (dtype.bits - 1)
        wrapped = (number + half) % (2 * half) - half
        return ConstInt(wrapped, DataType.by_name[dtype.printed[1:]], span=at)
    return ConstInt(number, dtype, span=at)


def integer_of(value: DslValue) -> DslValue:
    """The Python int behind an integer constant; anything else unchanged (the operator's keyword check decides)."""
    return value.value if isinstance(value, ConstInt) else value


# -- keyword values ----------------------------------------------------------------------------------------------


def _named(value: DslValue, names: Sequence[str], what: str, param: str) -> Any:
    if isinstance(value, str):
        if value in names:
            return names.index(value)
        raise DslFault(
            "op-value",
            f"Invalid {what} '{value}'. Expected one of {list(names)}.",
            param,
            {"expected": tuple(names)},
        )
    if isinstance(value, int) and not isinstance(value, bool) and not 0 <= value < len(names):
        raise DslFault(
            "op-value",
            f"Invalid {what} {int(value)}. Expected 0 to {len(names) - 1} or one of {list(names)}.",
            param,
        )
    return value


def cast_mode(value: DslValue, param: str) -> Any:
    """Rounding mode by name or number."""
    return _named(value, CAST_MODES, "rounding mode", param)


def comparison(value: DslValue, param: str) -> Any:
    """Comparison by name or number."""
    return _named(value, COMPARISONS, "comparison", param)


def coalesce_mode(value: DslValue, param: str) -> Any:
    return _named(value, COALESCE_MODES, "coalesce mode", param)


def out_of_range_mode(value: DslValue, param: str) -> Any:
    return _named(value, OUT_OF_RANGE_MODES, "out-of-range mode", param)


def dtype_value(value: DslValue, param: str) -> Any:
    """A dtype, or the dtype behind its number."""
    if isinstance(value, int) and not isinstance(value, bool):
        return _DTYPE_BY_CODE.get(int(value), value)
    return value


def pad_value(value: DslValue, param: str) -> Any:
    """``PadValue``, or the one that 0, inf or -inf stands for."""
    number = value.value if isinstance(value, (ConstInt, ConstFloat)) else value
    if isinstance(number, PadValue):
        return number
    if isinstance(number, (int, float)) and not isinstance(number, (bool, IntEnum)):
        if number == 0:
            return PadValue.zero
        if math.isinf(number):
            return PadValue.max if number > 0 else PadValue.min
        raise DslFault(
            "op-value", f"pad_value must be 0, inf, -inf or a pl.PadValue, but got {number}", param
        )
    raise DslFault(
        "op-value", f"pad_value must be a pl.PadValue, 0, inf or -inf, but got {kind_word(value)}", param
    )
