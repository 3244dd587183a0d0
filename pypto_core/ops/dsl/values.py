"""Values that reach a call of the language, and where they were written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Final, TypeAlias

from pypto_core.ir import (
    ConstInt,
    DataType,
    DistributedTensorType,
    ErrorType,
    Expr,
    MakeTuple,
    ScalarType,
    Span,
    SplitMode,
    TensorType,
    TileType,
)


class Unevaluated:
    """Stands for a value that the frontend could not evaluate; no check may depend on it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNEVALUATED"


UNEVALUATED: Final = Unevaluated()

DslValue: TypeAlias = (
    "Expr | DataType | IntEnum | bool | int | float | str | Sequence[Any] | Unevaluated | None"
)
"""What an argument may be: an IR expression, a Python constant, an enumeration member, a dtype, or a list of these.

A literal in *positional* place arrives as a constant expression (``ConstInt(16)``), a *keyword* value that names no
variable of the kernel as a Python value (``16``): the language tells them apart, a keyword of type int takes a Python
int only.
"""


@dataclass(frozen=True, slots=True)
class CallSite:
    """Where a call stands and what surrounds it.

    ``arg_spans`` / ``keyword_spans``: spans of the written arguments (missing ones fall back to ``span``).
    ``region_split``: mode of the innermost ``pl.split_aiv`` region, None outside. ``target_name``: name that the
    statement assigns the result to (``pld.alloc_window_buffer`` needs it). ``printed``: the text is printed IR, so
    arguments are in IR order and keywords keep the order read.
    """

    span: Span
    arg_spans: Sequence[Span] = ()
    keyword_spans: Mapping[str, Span] = field(default_factory=dict)
    region_split: SplitMode | None = None
    target_name: str | None = None
    printed: bool = False
    attrs: Mapping[str, Any] | None = None
    backend: Any = None

    def span_of(self, origin: int | str | None) -> Span:
        """Span of an argument by index or keyword, else of the call."""
        if isinstance(origin, int) and origin < len(self.arg_spans):
            return self.arg_spans[origin]
        if isinstance(origin, str) and origin in self.keyword_spans:
            return self.keyword_spans[origin]
        return self.span


class DslFault(Exception):
    """A call that the language rejects before any operator rule; ``param`` names the parameter at fault."""

    def __init__(
        self, code: str, text: str, param: str | None = None, data: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.param = param
        self.data: Mapping[str, Any] = data or {}


def is_unevaluated(value: DslValue) -> bool:
    """Whether the value, or anything inside it, is not known or already in error."""
    if isinstance(value, Unevaluated):
        return True
    if isinstance(value, MakeTuple):
        return any(is_unevaluated(element) for element in value.elements)
    if isinstance(value, Expr):
        return isinstance(value.type, ErrorType)
    return isinstance(value, (list, tuple)) and any(is_unevaluated(element) for element in value)


def is_scalar(value: DslValue) -> bool:
    """A Python number or an expression of scalar type."""
    if isinstance(value, Expr):
        return isinstance(value.type, ScalarType)
    return isinstance(value, (int, float)) and not isinstance(value, IntEnum)


def level_of(value: DslValue) -> str | None:
    """``"tensor"`` or ``"tile"`` for an operand of that kind, else None."""
    if isinstance(value, Expr):
        if isinstance(value.type, TensorType):
            return "tensor"
        if isinstance(value.type, TileType):
            return "tile"
    return None


def kind_word(value: DslValue) -> str:
    """An operand in one word, for messages: ``Tensor``, ``Tile``, ``Scalar``, ``ConstFloat``, ``list``."""
    if not isinstance(value, Expr):
        return type(value).__name__
    if type(value).__name__.startswith("Const"):
        return type(value).__name__
    if isinstance(value.type, DistributedTensorType):
        return "DistributedTensor"
    for cls, word in ((TensorType, "Tensor"), (TileType, "Tile"), (ScalarType, "Scalar")):
        if isinstance(value.type, cls):
            return word
    name = getattr(value.type, "name", "") or type(value.type).__name__
    return str(name).removesuffix("Type")


def element_dtype(value: DslValue) -> DataType | None:
    """Element dtype of a tensor, tile, array or scalar expression."""
    if isinstance(value, Expr):
        dtype = getattr(value.type, "dtype", None)
        return dtype if isinstance(dtype, DataType) else None
    return None


def is_index_literal(value: DslValue) -> bool:
    """An integer literal that has not been given a dtype by its author."""
    return isinstance(value, ConstInt) and value.dtype is DataType.INDEX
