"""Result types that are known already: most calls of a long kernel repeat the types of another one.

A deduction function marked :func:`of_types` looks at nothing of its call but the operator, the types of the operands and the
keywords. So do the checks before it, as long as every operand is asked for a kind of type (:data:`TYPE_KINDS`), which the
registry makes sure of. The result for equal types is then an equal type, and need not be worked out again. A refusal is: its
text and place are those of the call's own operands.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from itertools import count
from typing import Any

from pypto_core.ir import ConstInt, Expr, ScalarType, TensorType, TileType, Type
from pypto_core.ir.span import UNKNOWN_SPAN
from pypto_core.ops.call import OpCall
from pypto_core.ops.declaration import OpDef
from pypto_core.ops.kinds import ArgKind

Deduce = Callable[[OpCall], Type]

#: Kinds of operands that are told by their type alone.
TYPE_KINDS = frozenset((ArgKind.TILE, ArgKind.SCALAR))
#: Entries of each table; one that is full starts again.
LIMIT = 4096

_marked: set[Deduce] = set()
_numbers: dict[Hashable, int] = {}
_next_number = count(1).__next__
_results: dict[Hashable, Type] = {}


def of_types(deduce: Deduce) -> Deduce:
    """Declares that ``deduce`` reads only the types of the operands, and the keywords."""
    _marked.add(deduce)
    return deduce


def reads_types_only(op: OpDef) -> bool:
    """Whether the result of ``op`` depends on nothing but operand types and keywords."""
    return op.deduce in _marked


def call_key(op: OpDef, args: tuple[Expr, ...], kwargs: Mapping[str, Any]) -> Hashable | None:
    """Equal for calls with the same result, None for one that has to be looked at."""
    if op.deduce not in _marked or (
        kwargs and not op.kwarg_by_name
    ):  # Keywords that nobody declared may be anything.
        return None
    types: list[Hashable] = []
    for arg in args:
        type_ = arg.type
        if type_.__class__ is TileType:
            if type_.memref is not None:
                return None
            types.append(_number(type_))
        elif type_.__class__ is ScalarType:
            types.append(type_.dtype)
        else:
            return None
    return (op.name, *types, *kwargs.items())


def known_type(key: Hashable) -> Type | None:
    """The type that was deduced for such a call, if one was."""
    return _results.get(key)


def keep_type(key: Hashable, result: Type) -> Type:
    """Remember what was deduced for such a call: the type for this call too, without the places of its numbers, which are none of
    another call's."""
    placeless = _placeless(result)
    _put(_results, key, placeless)
    return placeless


def _placeless(kind: Type) -> Type:
    if not isinstance(kind, TileType | TensorType):
        return kind
    kind = kind.with_(shape=_numbers_alone(kind.shape))
    if isinstance(kind, TensorType):
        return kind
    view = kind.tile_view
    if view is None:
        return kind
    start = None if view.start_offset is None else _numbers_alone((view.start_offset,))[0]
    return kind.with_(
        tile_view=view.with_(
            valid_shape=_numbers_alone(view.valid_shape),
            stride=_numbers_alone(view.stride),
            start_offset=start,
            span=UNKNOWN_SPAN,
        )
    )


def _numbers_alone(extents: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """Extents with constants that stand nowhere; the same where none stands anywhere."""
    if not any(e.__class__ is ConstInt and e.span.chunk is not None for e in extents):
        return extents
    return tuple(e.with_(span=UNKNOWN_SPAN) if e.__class__ is ConstInt else e for e in extents)


def _put(table: dict[Hashable, Any], key: Hashable, value: Any) -> Any:
    if len(table) >= LIMIT:
        table.clear()
    return table.setdefault(key, value)


def _number(tile: TileType) -> int:
    """A number that only tiles of equal type have; remembered on the type."""
    try:
        return tile.number
    except AttributeError:
        pass
    view = tile.tile_view
    parts: tuple[Hashable, ...] = (tile.dtype, tile.memory_space, *map(_extent, tile.shape))
    if view is not None:
        parts = (
            parts, view.blayout, view.slayout, view.fractal, view.pad, view.compact,
            tuple(map(_extent, view.valid_shape)), tuple(map(_extent, view.stride)), view.start_offset,
        )  # fmt: skip
    # A number is never given twice, so one that outlives its entry is of no other type.
    number: int = _numbers.get(parts) or _put(_numbers, parts, _next_number())
    object.__setattr__(tile, "number", number)
    return number


def _extent(extent: Expr) -> Hashable:
    """A constant by value; anything else is equal to itself alone."""
    return (extent.value, extent.dtype) if extent.__class__ is ConstInt else extent
