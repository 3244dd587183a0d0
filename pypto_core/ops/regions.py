"""Valid regions through windows, writes, reshapes and dropped axes (``docs/spec/ops_tile.md`` §2.5 - §2.9).

The rules of ``tile.*`` and ``tensor.*`` are the same; what differs is data: the label in messages, the remedy, and whether a
window must fit as a whole. Errors go through :meth:`OpCall.fail` with code ``op-shape`` (``op-rank`` for ranks).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pypto_core.ir import ConstInt, DataType, Expr, MakeTuple, ScalarType, TupleType, dim_equal
from pypto_core.ir.scalar import make_binary
from pypto_core.ops.proofs import (
    add,
    const_value,
    fold,
    is_integer,
    max_extent,
    min_extent,
    provably_equal_extent,
    provably_zero,
    prove_eq,
    prove_le,
    prove_negative,
    sum_exceeds,
)
from pypto_core.ops.registry import OpCall
from pypto_core.ops.shape_rules import is_one, show_dim, show_shape


def bounds_faults(valid: Sequence[Expr], physical: Sequence[Expr], label: str) -> list[str]:
    """What is provably wrong with ``valid`` as a valid shape of ``physical``; empty when nothing is (§2.5)."""
    if not valid:
        return []
    if len(valid) != len(physical):
        return [f"{label} valid_shape rank mismatch: {len(valid)} extents for {len(physical)} dimensions"]
    faults = []
    for axis, (v, p) in enumerate(zip(valid, physical)):
        if prove_negative(v):
            faults.append(f"{label} valid_shape {axis} has provably negative extent {show_dim(v)}")
        if prove_le(v, p) is False:
            faults.append(
                f"{label} valid_shape {axis} is {show_dim(v)}, "
                f"which provably exceeds physical shape extent {show_dim(p)}"
            )
    return faults


# -- reading through a window ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WindowRead:
    """One read of a window (§2.6). ``requested`` is the caller's valid shape, None if not given; ``exact``: the whole
    window must lie inside the source even when a smaller valid shape is requested; ``clamp``: extents past the end of the
    source are cut off; ``materialize``: a symbolic source extent always appears in the result (remote loads).

    ``offset_arg`` / ``valid_arg`` say which operands of the call to point at.
    """

    source_shape: tuple[Expr, ...]
    source_valid: tuple[Expr, ...]
    offsets: tuple[Expr, ...]
    window: tuple[Expr, ...]
    requested: tuple[Expr, ...] | None = None
    exact: bool = False
    clamp: bool = False
    materialize: bool = False
    remedy: str = ""
    offset_arg: int | None = None
    valid_arg: int | None = None


def window_read(call: OpCall, read: WindowRead) -> tuple[Expr, ...]:
    """Valid shape of what the window sees."""
    rank = len(read.window)
    if len(read.source_shape) != rank or len(read.source_valid) != rank:
        call.fail(
            "op-rank",
            f"{call.name} requires the window and its source to have the same rank",
            arg=read.offset_arg,
        )
    if len(read.offsets) != rank:
        call.fail("op-rank", f"{call.name} requires one offset per window dimension", arg=read.offset_arg)
    if read.requested is not None and len(read.requested) != rank:
        call.fail(
            "op-rank",
            f"{call.name} requires valid_shape and the window to have the same rank",
            arg=read.valid_arg,
        )
    return tuple(_window_axis(call, read, axis) for axis in range(rank))


def _window_axis(call: OpCall, read: WindowRead, axis: int) -> Expr:
    offset, window, source = read.offsets[axis], read.window[axis], read.source_shape[axis]
    valid = read.source_valid[axis]
    requested = read.requested[axis] if read.requested is not None else None
    if prove_negative(offset):
        call.fail(
            "op-shape",
            f"{call.name} offset {axis} is provably negative ({show_dim(offset)}); a window must start inside its source",
            arg=read.offset_arg,
        )
    if requested is not None and prove_le(requested, window) is False:
        call.fail(
            "op-shape",
            f"{call.name} valid_shape {axis} is {show_dim(requested)}, "
            f"which exceeds the window extent {show_dim(window)}",
            arg=read.valid_arg,
        )
    reach = requested if requested is not None and not read.exact else window
    if not read.clamp and sum_exceeds(offset, reach, source):
        call.fail(
            "op-shape",
            f"{call.name} reads past the end of dimension {axis}: offset {show_dim(offset)} + extent "
            f"{show_dim(reach)} exceeds the source extent {show_dim(source)}. {read.remedy}".rstrip(),
            arg=read.offset_arg,
        )
    available = _available(call, read, offset, window, source, valid)
    if requested is None:
        return available
    if read.materialize:
        return min_extent(requested, available)
    # An order that cannot be decided keeps the author's request.
    if not dim_equal(available, window) and prove_le(available, requested):
        return available
    return requested


def _available(call: OpCall, read: WindowRead, offset: Expr, window: Expr, source: Expr, valid: Expr) -> Expr:
    full = dim_equal(valid, source) and not read.clamp
    if full and (not read.materialize or isinstance(valid, ConstInt)):
        return window
    if not is_integer(offset):
        call.fail("op-kind", f"{call.name} offset must be an integer scalar", arg=read.offset_arg)
    return min_extent(remaining(valid, offset), window)


def remaining(valid: Expr, offset: Expr) -> Expr:
    """Valid cells at and after ``offset``: never negative."""
    if provably_zero(offset):
        return valid
    return fold(make_binary("sub", make_binary("max", valid, offset), offset))


# -- writing into a region -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RegionWrite:
    """One write of a box into a target (§2.7). ``exact``: the physical source must fit (assemble), else its valid
    part (store)."""

    target_shape: tuple[Expr, ...]
    target_valid: tuple[Expr, ...]
    source_shape: tuple[Expr, ...]
    source_valid: tuple[Expr, ...]
    offsets: tuple[Expr, ...]
    exact: bool = False
    remedy: str = ""
    offset_arg: int | None = None


def write_union(call: OpCall, write: RegionWrite) -> tuple[Expr, ...]:
    """Valid shape of the target after the write: the smallest box that covers both, if there is one."""
    rank = len(write.target_shape)
    for extents in (write.target_valid, write.source_shape, write.source_valid, write.offsets):
        if len(extents) != rank:
            call.fail(
                "op-rank",
                f"{call.name} requires source, offsets and target to have the same rank",
                arg=write.offset_arg,
            )
    target, source, offsets = write.target_valid, write.source_valid, write.offsets
    _check_write_bounds(call, write)
    if any(provably_zero(v) for v in source):
        return target
    at_origin = all(provably_zero(o) for o in offsets)
    if any(provably_zero(v) for v in target):
        if not at_origin:
            call.fail(
                "op-shape",
                f"{call.name}: the target valid region is empty, so the write must start at the origin, "
                f"but it starts at {show_shape(offsets)}",
                arg=write.offset_arg,
            )
        return source
    if all(dim_equal(v, s) or prove_eq(v, s) for v, s in zip(target, write.target_shape)):
        return target
    far = [source[i] if provably_zero(offsets[i]) else add(offsets[i], source[i]) for i in range(rank)]
    growing = [i for i in range(rank) if prove_le(far[i], target[i]) is not True]
    if not growing:
        return target
    if at_origin and all(prove_le(t, s) for t, s in zip(target, source)):
        return source
    if len(growing) > 1:
        axes = ", ".join(map(str, growing[:-1])) + f" and {growing[-1]}"
        call.fail(
            "op-shape",
            f"{call.name} grows the valid region along dimensions {axes} at once: "
            f"the union of {show_shape(target)} and the written box is an L-shape, not a box",
            arg=write.offset_arg,
        )
    return _grow_along(call, write, growing[0], far)


def _check_write_bounds(call: OpCall, write: RegionWrite) -> None:
    reach = write.source_shape if write.exact else write.source_valid
    for axis, offset in enumerate(write.offsets):
        if prove_negative(offset):
            call.fail(
                "op-shape",
                f"{call.name} offset {axis} is provably negative ({show_dim(offset)})",
                arg=write.offset_arg,
            )
        extent, target = reach[axis], write.target_shape[axis]
        if sum_exceeds(offset, extent, target):
            call.fail(
                "op-shape",
                f"{call.name} writes past the end of dimension {axis}: offset {show_dim(offset)} + extent "
                f"{show_dim(extent)} exceeds the target extent {show_dim(target)}. {write.remedy}".rstrip(),
                arg=write.offset_arg,
            )


def _grow_along(call: OpCall, write: RegionWrite, axis: int, far: list[Expr]) -> tuple[Expr, ...]:
    target, source, offsets = write.target_valid, write.source_valid, write.offsets
    if prove_le(offsets[axis], target[axis]) is not True:
        call.fail(
            "op-shape",
            f"{call.name} leaves a gap in dimension {axis}: the write starts at {show_dim(offsets[axis])}, which is "
            f"not provably at or before the target valid extent {show_dim(target[axis])}",
            arg=write.offset_arg,
            unproven=True,
        )
    for other in range(len(target)):
        if other == axis:
            continue
        if not provably_zero(offsets[other]):
            call.fail(
                "op-shape",
                f"{call.name} grows dimension {axis}, so it must span dimension {other} from the origin, but it starts "
                f"at {show_dim(offsets[other])} (the union would be an L-shape)",
                arg=write.offset_arg,
                unproven=True,
            )
        if prove_eq(source[other], target[other]) is not True:
            call.fail(
                "op-shape",
                f"{call.name} grows dimension {axis}, so it must span dimension {other} as the target does, but it "
                f"covers {show_dim(source[other])} of {show_dim(target[other])} (the union would be an L-shape)",
                arg=write.offset_arg,
                unproven=True,
            )
    grown = min_extent(max_extent(target[axis], far[axis]), write.target_shape[axis])
    return (*target[:axis], grown, *target[axis + 1 :])


# -- reshape ---------------------------------------------------------------------------------------------------------


def reshape_valid(
    call: OpCall,
    valid: tuple[Expr, ...],
    shape: tuple[Expr, ...],
    new_shape: tuple[Expr, ...],
    *,
    row_major: bool,
) -> tuple[Expr, ...]:
    """Valid shape of ``shape`` seen as ``new_shape`` (§2.8)."""
    head = f"{call.name}: cannot reshape {show_shape(shape)} to {show_shape(new_shape)}"
    if not shape or not new_shape:
        call.fail("op-rank", f"{head}: both need at least one dimension", arg=0 if not shape else 1)
    if all(provably_equal_extent(v, s) for v, s in zip(valid, shape)):
        return new_shape
    if any(provably_zero(v) for v in valid):
        return tuple(ConstInt(0, DataType.INDEX) for _ in new_shape)
    mapped = _map_unit_axes(valid, shape, new_shape)
    if mapped is not None:
        return mapped
    if not row_major:
        call.fail(
            "op-shape", f"{head}: its valid region is partial and the source is not stored row-major", arg=0
        )
    return _fold_prefix(call, head, valid, shape, new_shape)


def _map_unit_axes(
    valid: tuple[Expr, ...], shape: tuple[Expr, ...], new_shape: tuple[Expr, ...]
) -> tuple[Expr, ...] | None:
    """Valid shape when the reshape only inserts and erases unit axes."""
    failed: set[tuple[int, int]] = set()

    def align(i: int, j: int) -> tuple[Expr, ...] | None:
        if i == len(shape) and j == len(new_shape):
            return ()
        if (i, j) in failed:
            return None
        if i < len(shape) and j < len(new_shape) and prove_eq(shape[i], new_shape[j]):
            rest = align(i + 1, j + 1)
            if rest is not None:
                return (valid[i], *rest)
        if i < len(shape) and is_one(shape[i]) and provably_equal_extent(valid[i], shape[i]):
            rest = align(i + 1, j)
            if rest is not None:
                return rest
        if j < len(new_shape) and is_one(new_shape[j]):
            rest = align(i, j + 1)
            if rest is not None:
                return (new_shape[j], *rest)
        failed.add((i, j))
        return None

    return align(0, 0)


def _fold_prefix(
    call: OpCall, head: str, valid: tuple[Expr, ...], shape: tuple[Expr, ...], new_shape: tuple[Expr, ...]
) -> tuple[Expr, ...]:
    """A valid prefix of rows in row-major order, as a box of the new shape."""
    free = 0
    while free < len(valid) - 1 and is_one(valid[free]):
        free += 1
    for axis in range(free + 1, len(valid)):
        if not provably_equal_extent(valid[axis], shape[axis]):
            runtime = const_value(valid[axis]) is None or const_value(shape[axis]) is None
            remark = ", which is not known to be all of it" if runtime else ""
            call.fail(
                "op-shape",
                f"{head}: Dimension {axis} is valid for {show_dim(valid[axis])} of {show_dim(shape[axis])}{remark}, "
                f"so the valid elements would be scattered",
                arg=0,
                unproven=runtime,
            )
    trailing = _static_product(call, head, shape[free + 1 :], 0)
    suffix = [_static_product(call, head, new_shape[j + 1 :], 1) for j in range(len(new_shape))]
    outer = [const_value(d) for d in new_shape]
    _static_product(call, head, new_shape, 1)
    extent = const_value(valid[free])
    if extent is not None:
        prefix = extent * trailing
        for j, size in enumerate(suffix):
            room = outer[j]
            if prefix % size == 0 and room is not None and prefix // size <= room:
                return _box(new_shape, j, ConstInt(prefix // size, DataType.INDEX))
        call.fail("op-shape", f"{head}: its {prefix} valid elements are not a box of the new shape", arg=0)
    rows = const_value(shape[free])
    if rows is not None:
        for j, size in enumerate(suffix):
            room = outer[j]
            if size == trailing and room is not None and rows <= room:
                return _box(new_shape, j, valid[free])
    raise call.error(
        "op-shape", f"{head}: its valid region has a runtime number of rows ({show_dim(valid[free])})", arg=0
    )


def _box(shape: tuple[Expr, ...], axis: int, extent: Expr) -> tuple[Expr, ...]:
    ones = tuple(ConstInt(1, DataType.INDEX) for _ in range(axis))
    return (*ones, extent, *shape[axis + 1 :])


def _static_product(call: OpCall, head: str, dims: Sequence[Expr], arg: int) -> int:
    """Product of extents of operand ``arg``, which all have to be constants."""
    total = 1
    for dim in dims:
        value = const_value(dim)
        if value is None:
            call.fail(
                "op-shape",
                f"{head}: its valid region is partial and {show_dim(dim)} is a runtime extent",
                arg=arg,
                unproven=True,
            )
        total *= value
    return total


# -- dropped axes ----------------------------------------------------------------------------------------------------


def parse_drop_dims(call: OpCall, arg: Expr, shape: tuple[Expr, ...], arg_index: int) -> tuple[int, ...]:
    """Axes that a ``drop_dims`` operand selects, sorted (§2.9)."""
    if type(arg) is not MakeTuple:
        call.fail(
            "op-value",
            f"{call.name} drop_dims must be a MakeTuple of compile-time int constants",
            arg=arg_index,
        )
    axes: list[int] = []
    for element in arg.elements:
        axis = const_value(element)
        if axis is None:
            call.fail("op-value", f"{call.name} drop_dims must be a compile-time int constant", arg=arg_index)
        head = f"{call.name} drop_dims index {axis}"
        if not 0 <= axis < len(shape):
            call.fail("op-value", f"{head} is out of range for rank {len(shape)}", arg=arg_index)
        if axis in axes:
            call.fail("op-value", f"{head} is repeated", arg=arg_index)
        if not is_one(shape[axis]):
            call.fail(
                "op-shape",
                f"{head} must select a static unit dimension (rank reduction only erases size-1 dims), "
                f"but dim {axis} is {show_dim(shape[axis])}",
                arg=arg_index,
            )
        axes.append(axis)
    return tuple(sorted(axes))


def drop_axes(
    call: OpCall, shape: tuple[Expr, ...], valid: tuple[Expr, ...], axes: tuple[int, ...], arg_index: int
) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
    """Shape and valid shape without ``axes``, each of which must provably be valid for its one element."""
    for axis in axes:
        if prove_eq(valid[axis], ConstInt(1, DataType.INDEX)) is not True and not is_one(valid[axis]):
            call.fail(
                "op-shape",
                f"{call.name} cannot drop dimension {axis}: its valid extent is {show_dim(valid[axis])}, not 1",
                arg=arg_index,
                unproven=const_value(valid[axis]) is None,
            )
    keep = [i for i in range(len(shape)) if i not in axes]
    return tuple(shape[i] for i in keep), tuple(valid[i] for i in keep)


# -- literal tuples --------------------------------------------------------------------------------------------------


def const_shape(call: OpCall, index: int) -> tuple[ConstInt, ...]:
    """Operand ``index`` as a literal tuple of positive constants (§2.10)."""
    out: list[ConstInt] = []
    for i, element in enumerate(call.literal_tuple(index)):
        if not isinstance(element, ConstInt):
            call.fail(
                "op-value",
                f"{call.name} {call.param_name(index)}[{i}] must be a compile-time constant (ConstInt), "
                f"but got {show_dim(element)}",
                arg=index,
                unproven=True,
            )
        if element.value <= 0:
            call.fail(
                "op-value",
                f"{call.name} {call.param_name(index)}[{i}] must be positive, but got {element.value}",
                arg=index,
            )
        out.append(element)
    if not out:
        call.fail("op-rank", f"{call.name} requires non-empty shape", arg=index)
    return tuple(out)


def index_tuple(call: OpCall, index: int, what: str) -> None:
    """Every element of tuple operand ``index`` is an INT64, UINT64 or INDEX scalar (§2.10)."""
    t = call.args[index].type
    if not isinstance(t, TupleType):
        call.fail("op-kind", f"{call.name} {what} must be a tuple", arg=index)
    for i, element in enumerate(t.types):
        if not isinstance(element, ScalarType):
            call.fail("op-kind", f"{call.name} {what} tuple element {i} must be ScalarType", arg=index)
        if not element.dtype.is_index_like:
            call.fail(
                "op-dtype",
                f"{call.name} {what} tuple element {i} must have dtype INT64, UINT64, or INDEX, "
                f"but got {element.dtype.text}",
                arg=index,
            )
