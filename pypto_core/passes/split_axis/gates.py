"""Two questions asked of every halved call, and the absolute-index rule (docs/spec/passes_split.md §5).

Condition 1: does the operator, fed with the operands that the final substitution installs, deduce the halved shape?
Condition 2: an operand that the deducer never reads must be lane-local, broadcast or declared lane-invariant.
"""

from __future__ import annotations

from pypto_core.analysis.lanes import const_value
from pypto_core.analysis.names import describe, written_text
from pypto_core.analysis.split_axis import is_broadcast_on
from pypto_core.ir import Call, ConstInt, Expr, TileType, TupleType, Type, Var, dim_equal
from pypto_core.ops.registry import LaneKind, OpError, deduce_type, find_op, get_op
from pypto_core.passes.split_axis.extents import half, halve_tile, replace_at
from pypto_core.passes.split_axis.hazard import transpose_hazard
from pypto_core.passes.split_axis.rejections import operand_label, reject
from pypto_core.passes.split_axis.state import SplitState

_SHAPE_DESCRIBING = frozenset(
    {"tile.full", "tile.create", "tile.slice", "tile.reshape", "tile.reinterpret_view"}
)
_ABSOLUTE = frozenset({LaneKind.INDEX_ADDRESSED_SOURCE, LaneKind.ABSOLUTE_INDEXED_DESTINATION})


def _deduce(call: Call, args: tuple[Expr, ...]) -> Type:
    return deduce_type(get_op(call.name), args, call.kwargs, span=call.span)


def _same_shape(a: Type, b: Type) -> bool:
    return (
        isinstance(a, TileType)
        and isinstance(b, TileType)
        and len(a.shape) == len(b.shape)
        and all(dim_equal(x, y) for x, y in zip(a.shape, b.shape))
    )


def check_absolute_indices(call: Call, state: SplitState) -> None:
    """Refuse a partitioned operand that the call addresses at absolute positions (§5.3).

    Raises:
        PassError: ``split-absolute-index``.
    """
    op = find_op(call.name)
    if op is None:
        return
    for position, kind in op.lane_invariant.items():
        if kind not in _ABSOLUTE or position >= len(call.args):
            continue
        info = state.operand_info(call.args[position])
        if info is None:
            continue
        role = "reads" if kind is LaneKind.INDEX_ADDRESSED_SOURCE else "writes"
        raise reject(
            "R-ABSOLUTE",
            "split-absolute-index",
            f"'{call.name}' {role} {operand_label(call, position, state.made)} at ABSOLUTE indices, but the split gave each lane only "
            f"half of it on dim {info.dim}; make that tile outside the split region and pass it in",
            call.span,
            op=call.name,
            operand=position,
            dim=info.dim,
        )


def check_halved(
    original: Call, rewritten: tuple[Expr, ...], halved: Type, dim: int, state: SplitState, target: Var
) -> None:
    """Both conditions for the halved node `original` with arguments `rewritten` and result type `halved`; `target` is
    the variable that it makes.

    Raises:
        PassError: ``split-full-width-operand`` or ``split-axis-map``.
    """
    if find_op(original.name) is None or not isinstance(halved, TileType):
        return
    args = tuple(state.probe(arg) for arg in rewritten)
    rank = len(halved.shape)
    try:
        deduced: Type | None = _deduce(original, args)
    except OpError:
        deduced = None
    if deduced is None or not _same_shape(deduced, halved):
        offender = _full_width_operand(original, dim, rank, state, None)
        if original.name == "tile.transpose":
            whole = "" if offender is None else _whole(original, offender, dim, rank, state)
            raise transpose_hazard(original, target.name_hint, dim, state.mode, "the split", operand=whole)
        if offender is not None:
            raise _full_width(original, offender, dim, rank, state)
        raise reject(
            "R-AXIS-MAP",
            "split-axis-map",
            f"'{original.name}' does not carry the split axis to dim {dim} of its result, so its halves would not be "
            f"the lanes' halves; move the operator out of the split",
            original.span,
            op=original.name,
            dim=dim,
        )
    blind = _full_width_operand(original, dim, rank, state, (args, deduced))
    if blind is not None:
        raise _full_width(original, blind, dim, rank, state)


def _operand_axis(call: Call, position: int, dim: int, rank: int) -> tuple[TileType, int]:
    """A tile operand and its axis that lies under axis `dim` of a result of `rank` axes."""
    operand = call.args[position].type
    assert isinstance(operand, TileType)
    return operand, len(operand.shape) - (rank - dim)


def _whole(call: Call, position: int, dim: int, rank: int, state: SplitState) -> str:
    operand, axis = _operand_axis(call, position, dim, rank)
    return (
        f"{operand_label(call, position, state.made)}, which is full-width: both lanes would read all "
        f"{written_text(operand.shape[axis])} cells of its dim {axis} while the result is halved"
    )


def _full_width(call: Call, position: int, dim: int, rank: int, state: SplitState) -> Exception:
    operand, axis = _operand_axis(call, position, dim, rank)
    extent = operand.shape[axis]
    return reject(
        "R-OPERAND",
        "split-full-width-operand",
        f"'{call.name}' reads {_whole(call, position, dim, rank, state)}; load or slice it inside the split region, or "
        f"shard it",
        call.span,
        op=call.name,
        operand=position,
        name=describe(call.args[position], call.span),
        shape=tuple(written_text(e) for e in operand.shape),
        extent=const_value(extent),
        dim=axis,
    )


def _full_width_operand(
    call: Call, dim: int, rank: int, state: SplitState, probe: tuple[tuple[Expr, ...], Type] | None
) -> int | None:
    """First operand that no rule allows at full width (§5.2).

    `probe` is the accepted argument list with its deduced type; with it, operands whose extent the deducer pins pass.
    """
    op = find_op(call.name)
    if op is None or call.name in _SHAPE_DESCRIBING:
        return None
    invariant = op.lane_invariant
    for position, arg in enumerate(call.args):
        if not isinstance(arg.type, TileType) or position in invariant:
            continue
        axis = len(arg.type.shape) - (rank - dim)
        if is_broadcast_on(arg.type, dim, rank) or not 0 <= axis < len(arg.type.shape):
            continue
        if state.operand_info(arg) is not None:
            continue
        if probe is not None and _pinned(call, position, axis, *probe):
            continue
        return position
    return None


def _pinned(call: Call, position: int, axis: int, args: tuple[Expr, ...], deduced: Type) -> bool:
    """Whether the deducer reads this operand's extent: doubling it makes it refuse or answer differently."""
    tile = args[position].type
    assert isinstance(tile, TileType)
    extent = tile.shape[axis]
    if not isinstance(extent, ConstInt):
        return False
    doubled = TileType(
        replace_at(tile.shape, axis, ConstInt(extent.value * 2, extent.dtype)),
        tile.dtype,
        None,
        None,
        tile.memory_space,
    )
    try:
        other = _deduce(call, replace_at(args, position, Var("operand", doubled, span=args[position].span)))
    except OpError:
        return True
    return not _same_shape(other, deduced)


def halved_tuple_type(call: Call, args: tuple[Expr, ...], state: SplitState) -> TupleType:
    """Result type of a tuple operator over partitioned operands; each element follows its own axis (§5.5).

    Raises:
        PassError: ``split-tuple-refused`` when the operator refuses the halved operands, ``split-tuple-stationary`` when
            an element does not move on exactly one axis.
    """
    assert isinstance(call.type, TupleType)
    try:
        deduced = _deduce(call, tuple(state.probe(arg) for arg in args))
    except OpError as error:
        raise reject(
            "R-TUPLE-REFUSED",
            "split-tuple-refused",
            f"'{call.name}' returns a tuple and refuses the lanes' halves of its operands: {error.diagnostic.message}; "
            f"move the operator out of the split",
            call.span,
            op=call.name,
        ) from error
    assert isinstance(deduced, TupleType)
    elements: list[Type] = []
    for position, (before, after) in enumerate(zip(call.type.types, deduced.types)):
        axis = _single_halved_axis(before, after)
        if axis is None:
            raise reject(
                "R-TUPLE-STATIONARY",
                "split-tuple-stationary",
                f"element {position} of the tuple that '{call.name}' returns does not halve with its operands: neither lane "
                f"would hold the whole answer; move the operator out of the split",
                call.span,
                op=call.name,
                element=position,
            )
        elements.append(halve_tile(before, axis, state.lane, state.stride))
    return TupleType(tuple(elements))


def _single_halved_axis(before: Type, after: Type) -> int | None:
    if not isinstance(before, TileType) or not isinstance(after, TileType):
        return None
    if len(before.shape) != len(after.shape):
        return None
    moved = [i for i, (a, b) in enumerate(zip(before.shape, after.shape)) if not dim_equal(a, b)]
    if len(moved) != 1:
        return None
    axis = moved[0]
    return axis if dim_equal(half(before.shape[axis]), after.shape[axis]) else None
