"""Checks that operators on windows share (``docs/spec/ops_tensor.md`` §5.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pypto_core.ir import (
    ConstInt,
    DataType,
    DistributedTensorType,
    Expr,
    ScalarType,
    TensorType,
    TileType,
    Type,
    dim_equal,
)
from pypto_core.ops.kinds import ArgKind, type_name
from pypto_core.ops.proofs import const_value
from pypto_core.ops.registry import Effect, EffectRule, OpCall, OpCategory, OpDef, Param, register
from pypto_core.ops.shape_rules import is_one, show_dim, show_shape
from pypto_core.ops.tensor.declare import Deduce

INT32 = DataType.INT32


def distributed_op(
    name: str, rule: str, deduce: Deduce, params: tuple[Param, ...], doc: str, **flags: Any
) -> OpDef:
    """Registers one operator of the distributed families."""
    return register(OpDef(name, OpCategory.DISTRIBUTED, rule, deduce, params, doc=doc, **flags))


def window_param(name: str, *, optional: bool = False, effect: EffectRule = Effect.READ) -> Param:
    """A window operand."""
    expects = f"{name} must be a DistributedTensor (window-bound)"
    return Param(name, ArgKind.WINDOW, optional, effect=effect, expects=expects)


# -- operands --------------------------------------------------------------------------------------------------------


def window(call: OpCall, index: int, name: str) -> DistributedTensorType:
    """Operand ``index`` as a window."""
    t = call.args[index].type
    if not isinstance(t, DistributedTensorType):
        call.fail(
            "op-kind",
            f"{call.name} {name} must be a DistributedTensor (window-bound), got {type_name(t)}",
            arg=index,
        )
    return t


def tensor_like(call: OpCall, index: int, name: str) -> TensorType:
    """Operand ``index`` as a tensor or window."""
    t = call.args[index].type
    if not isinstance(t, TensorType):
        call.fail(
            "op-kind",
            f"{call.name} {name} must be a Tensor or DistributedTensor, got {type_name(t)}",
            arg=index,
        )
    return t


def scalar(call: OpCall, index: int, name: str) -> ScalarType:
    """Operand ``index`` as a scalar; raises ``op-kind``."""
    t = call.args[index].type
    if not isinstance(t, ScalarType):
        call.fail("op-kind", f"{call.name} {name} must be a scalar, got {type_name(t)}", arg=index)
    return t


def int32_window(call: OpCall, index: int, name: str) -> DistributedTensorType:
    """A signal or count window."""
    t = window(call, index, name)
    if t.dtype is not INT32:
        call.fail("op-dtype", f"{call.name} {name} must have dtype INT32, got {t.dtype.text}", arg=index)
    return t


def signal_vector(call: OpCall, index: int) -> DistributedTensorType:
    """D-SIGNAL12: INT32, rank 1, or rank 2 with one column."""
    t = int32_window(call, index, "signal")
    rank = len(t.shape)
    if rank != 1 and not (rank == 2 and is_one(t.shape[1])):
        call.fail(
            "op-rank", f"{call.name} signal must be [NR] or [NR, 1], but got {show_shape(t.shape)}", arg=index
        )
    return t


def same_dtype(call: OpCall, a: TensorType, b: TensorType, names: str, arg: int) -> None:
    """Both have one element type; raises ``op-dtype``."""
    if a.dtype is not b.dtype:
        call.fail(
            "op-dtype",
            f"{call.name} {names} must have the same dtype, got {a.dtype.text} and {b.dtype.text}",
            arg=arg,
        )


def different_expressions(call: OpCall, a: int, b: int) -> None:
    """Input and target are not the very same expression."""
    if call.args[a] is call.args[b]:
        call.fail("op-value", f"{call.name} input and target must not be the same tensor", arg=b)


def refuted_equal(a: Expr, b: Expr) -> bool:
    """Both constant and different."""
    return isinstance(a, ConstInt) and isinstance(b, ConstInt) and a.value != b.value


# -- shapes and regions ----------------------------------------------------------------------------------------------


def check_shapes(call: OpCall, dst: TensorType, src: TensorType, *, region: bool) -> None:
    """D-SHAPES: equal ranks, positive extents; without a region the shapes agree."""
    if not dst.shape or len(dst.shape) != len(src.shape):
        call.fail(
            "op-rank",
            f"{call.name} dst and src must have the same rank >= 1, got {len(dst.shape)} and {len(src.shape)}",
            arg=2,
        )
    for index, t, what in ((0, dst, "dst"), (2, src, "src")):
        for axis, dim in enumerate(t.shape):
            value = const_value(dim)
            if value is not None and value <= 0:
                call.fail(
                    "op-shape",
                    f"{call.name} {what} dimension {axis} must be positive, got {value}",
                    arg=index,
                )
    if region:
        return
    for axis, (a, b) in enumerate(zip(dst.shape, src.shape)):
        if refuted_equal(a, b):
            call.fail(
                "op-shape",
                f"{call.name} dst and src must have the same static shape; dimension {axis} differs "
                f"({show_dim(a)} and {show_dim(b)})",
                arg=2,
            )
        if not (isinstance(a, ConstInt) and isinstance(b, ConstInt)) and not dim_equal(a, b):
            call.fail(
                "op-shape",
                f"{call.name} full-slice dst and src must have the same shape; dimension {axis} is {show_dim(a)} and {show_dim(b)}",
                arg=2,
                unproven=True,
            )


def check_region(call: OpCall, dst: TensorType, src: TensorType, at: int) -> tuple[Expr, ...]:
    """D-REGION: offsets and extents at operands ``at``, ``at + 1``, ``at + 2``; returns the extents."""
    dst_offsets, src_offsets, shape = (call.literal_tuple(at + k) for k in range(3))
    rank = len(dst.shape)
    for position, values, what in ((at, dst_offsets, "dst_offsets"), (at + 1, src_offsets, "src_offsets"), (at + 2, shape, "shape")):  # fmt: skip
        if len(values) != rank:
            call.fail(
                "op-rank", f"{call.name} {what} must have {rank} entries, got {len(values)}", arg=position
            )
    for axis in range(rank):
        extent = const_value(shape[axis])
        if extent is not None and extent <= 0:
            call.fail(
                "op-shape", f"{call.name} shape dimension {axis} must be positive, got {extent}", arg=at + 2
            )
        for position, offsets, t, what in ((at, dst_offsets, dst, "dst"), (at + 1, src_offsets, src, "src")):
            _check_region_axis(
                call, axis, extent, const_value(offsets[axis]), const_value(t.shape[axis]), what, position
            )
    return shape


def _check_region_axis(
    call: OpCall, axis: int, extent: int | None, offset: int | None, dim: int | None, what: str, position: int
) -> None:
    if offset is not None and offset < 0:
        call.fail("op-shape", f"{call.name} {what}_offsets[{axis}] must be >= 0, got {offset}", arg=position)
    if extent is not None and offset is not None and dim is not None and offset + extent > dim:
        call.fail(
            "op-shape",
            f"{call.name} {what} subregion dimension {axis} exceeds {what} shape: {offset} + {extent} > {dim}",
            arg=position,
        )


def check_chunks(call: OpCall, transfer: Sequence[Expr]) -> None:
    """D-CHUNK: what bounds the staging tile of a transfer."""
    rows, cols = call.kw("chunk_rows"), call.kw("chunk_cols")
    for name, value in (("chunk_rows", rows), ("chunk_cols", cols)):
        if value < 0:
            call.fail("op-value", f"{call.name} {name} must be >= 0, got {value}", keyword=name)
    dynamic_rows = any(const_value(d) is None for d in transfer[:-1])
    for dynamic, name, value in ((dynamic_rows, "chunk_rows", rows), (const_value(transfer[-1]) is None, "chunk_cols", cols)):  # fmt: skip
        if dynamic and value == 0:
            call.fail(
                "op-value",
                f"{call.name}: a transfer of shape {show_shape(transfer)} needs a static {name} to bound the VEC staging tile",
                keyword=name,
                unproven=True,
            )
    if call.kw("pipeline") and not (rows > 0 and cols > 0):
        call.fail(
            "op-value",
            f"{call.name}: pipeline=True requires both chunk_rows>0 and chunk_cols>0 (double-buffering needs a chunked "
            "transfer to ping-pong between two staging tiles)",
            keyword="pipeline",
        )


def check_stage(call: OpCall, index: int, dtype: DataType, transfer: Sequence[Expr]) -> TileType:
    """D-STAGE: a 2-D tile of the destination's dtype that fits the flattened transfer."""
    t = call.args[index].type
    if not isinstance(t, TileType):
        call.fail("op-kind", f"{call.name} stage must be a Tile, got {type_name(t)}", arg=index)
    if t.dtype is not dtype:
        call.fail("op-dtype", f"{call.name} stage dtype must be {dtype.text}, got {t.dtype.text}", arg=index)
    if len(t.shape) != 2:
        call.fail("op-rank", f"{call.name} stage must be 2D, got rank {len(t.shape)}", arg=index)
    leading: int | None = 1
    for dim in transfer[:-1]:
        value = const_value(dim)
        leading = None if leading is None or value is None else leading * value
    for axis, limit in enumerate((leading, const_value(transfer[-1]))):
        size = const_value(t.shape[axis])
        if size is None or size <= 0:
            call.fail(
                "op-shape", f"{call.name} stage dimension {axis} must be a positive constant", arg=index
            )
        if limit is not None and size > limit:
            call.fail(
                "op-shape",
                f"{call.name} stage dimension {axis} ({size}) exceeds the transfer ({limit})",
                arg=index,
            )
    return t


def check_push(call: OpCall, extent: Sequence[Expr], offsets: Sequence[Expr], target: TensorType) -> None:
    """D-PUSH: the pushed box, its last two axes, lies in the peer's region."""
    if len(extent) < 2:
        call.fail("op-rank", f"{call.name} requires a source of rank >= 2, got {len(extent)}", arg=0)
    for axis, dim in enumerate(extent[:-2]):
        value = const_value(dim)
        if value is not None and value != 1:
            call.fail(
                "op-shape", f"{call.name} leading source dimension {axis} must be 1, got {value}", arg=0
            )
    rank = len(target.shape)
    if rank < 2:
        call.fail("op-rank", f"{call.name} requires a target of rank >= 2, got {rank}", arg=1)
    for axis in range(rank):
        offset, limit = const_value(offsets[axis]), const_value(target.shape[axis])
        size = 1 if axis < rank - 2 else const_value(extent[axis - rank])
        if offset is not None and offset < 0:
            call.fail("op-shape", f"{call.name} offsets[{axis}] must be >= 0, got {offset}", arg=3)
        if offset is not None and limit is not None and size is not None and offset + size > limit:
            call.fail(
                "op-shape",
                f"{call.name} push exceeds the peer's target region in dimension {axis}: {offset} + {size} > {limit}",
                arg=3,
            )


def check_offsets(call: OpCall, index: int, rank: int) -> tuple[Expr, ...]:
    """A literal tuple of one offset per axis."""
    offsets = call.literal_tuple(index)
    if len(offsets) != rank:
        call.fail("op-rank", f"{call.name} offsets must have {rank} entries, got {len(offsets)}", arg=index)
    return offsets


def check_choice(call: OpCall, keyword: str, allowed: Sequence[int], phrase: str) -> int:
    """A required enumerated keyword."""
    value: int = call.require_kw(keyword, f"Missing kwarg '{keyword}' on {call.name}")
    if value not in allowed:
        call.fail("op-value", f"{call.name} {keyword} must be {phrase}, got {value}", keyword=keyword)
    return value


def result_type(call: OpCall, index: int) -> Type:
    """The type of an operand, which the call returns."""
    return call.args[index].type
