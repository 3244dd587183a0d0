"""Collective operations over windows (``docs/spec/ops_tensor.md`` §5.2)."""

from __future__ import annotations

from pypto_core.ir import DataType, DistributedTensorType, ReduceOp, TensorType, Type, dim_equal
from pypto_core.ops.kinds import ArgKind
from pypto_core.ops.pld.checks import (
    INT32,
    check_choice,
    different_expressions,
    distributed_op,
    int32_window,
    refuted_equal,
    result_type,
    same_dtype,
    signal_vector,
    tensor_like,
    window,
    window_param,
)
from pypto_core.ops.proofs import const_value
from pypto_core.ops.registry import Effect, KwargType, KwParam, OpCall, Param, Stored
from pypto_core.ops.shape_rules import is_one, show_dim, show_shape
from pypto_core.ops.tensor.declare import int_kw

_FLOATS = (DataType.FP16, DataType.FP32)


def deduce_allreduce(call: OpCall) -> Type:
    """T-ALLREDUCE."""
    target = window(call, 0, "target")
    if target.dtype not in _FLOATS:
        call.fail(
            "op-dtype", f"{call.name} target dtype must be FP16 or FP32, got {target.dtype.text}", arg=0
        )
    if call.has(1):
        int32_window(call, 1, "signal")
    check_choice(call, "op", tuple(ReduceOp), "ReduceOp.Sum, Max, Min or Prod")
    cores = call.require_kw("core_num", f"Missing kwarg 'core_num' on {call.name}")
    if cores <= 0:
        call.fail("op-value", f"{call.name} core_num must be > 0, got {cores}", keyword="core_num")
    return result_type(call, 0)


def deduce_barrier(call: OpCall) -> Type:
    """T-BARRIER."""
    int32_window(call, 0, "signal")
    return result_type(call, 0)


def deduce_broadcast(call: OpCall) -> Type:
    """T-BROADCAST."""
    window(call, 0, "target")
    int32_window(call, 1, "signal")
    root = call.require_kw("root", f"Missing kwarg 'root' on {call.name}")
    if root < 0:
        call.fail("op-value", f"{call.name} root must be >= 0, got {root}", keyword="root")
    return result_type(call, 0)


def deduce_reduce_scatter(call: OpCall) -> Type:
    """T-REDUCE-SCATTER."""
    target = window(call, 0, "target")
    require_2d(call, 0, target, "target")
    int32_window(call, 1, "signal")
    require_sum(call)
    return result_type(call, 0)


def require_sum(call: OpCall) -> None:
    """Only Sum is lowered so far."""
    op = call.require_kw("op", f"Missing kwarg 'op' on {call.name}")
    if op != ReduceOp.Sum:
        call.fail("op-value", f"{call.name} op must be ReduceOp.Sum (Max / Min / Prod lowerings are not yet implemented)", keyword="op")  # fmt: skip


def require_2d(call: OpCall, index: int, t: TensorType, name: str) -> None:
    if len(t.shape) != 2:
        call.fail("op-rank", f"{call.name} {name} must be 2D, got rank {len(t.shape)}", arg=index)


def check_gathered(call: OpCall, source: TensorType, target: DistributedTensorType) -> None:
    """[1, SIZE] into [NR, SIZE]."""
    require_2d(call, 0, source, "input")
    first = const_value(source.shape[0])
    if first is not None and first != 1:
        call.fail(
            "op-shape",
            f"{call.name} input must be [1, SIZE] (this rank's single chunk), got first dim {first}",
            arg=0,
        )
    require_2d(call, 1, target, "target")
    same_dtype(call, source, target, "input and target", 1)
    check_size(call, source, target)


def check_size(call: OpCall, source: TensorType, target: TensorType) -> None:
    """Rows of both have the same length, written the same way."""
    if not dim_equal(source.shape[1], target.shape[1]):
        call.fail(
            "op-shape",
            f"{call.name} input and target must have the same SIZE, got {show_dim(source.shape[1])} and {show_dim(target.shape[1])}",
            arg=1,
            unproven=not refuted_equal(source.shape[1], target.shape[1]),
        )


def check_signal_rows(call: OpCall, signal: TensorType, other: TensorType, name: str) -> None:
    """One signal per rank."""
    if refuted_equal(signal.shape[0], other.shape[0]):
        call.fail(
            "op-shape",
            f"{call.name} signal first dimension ({show_dim(signal.shape[0])}) must equal {name} first dimension "
            f"({show_dim(other.shape[0])})",
            arg=2,
        )


def deduce_allgather(call: OpCall) -> Type:
    """T-ALLGATHER."""
    source, target = tensor_like(call, 0, "input"), window(call, 1, "target")
    check_gathered(call, source, target)
    different_expressions(call, 0, 1)
    check_signal_rows(call, signal_vector(call, 2), target, "target")
    return result_type(call, 1)


def check_exchange(call: OpCall, source: TensorType, target: DistributedTensorType) -> None:
    """Two matrices of one dtype and row length."""
    require_2d(call, 0, source, "input")
    require_2d(call, 1, target, "target")
    same_dtype(call, source, target, "input and target", 1)
    if refuted_equal(source.shape[0], target.shape[0]):
        call.fail(
            "op-shape",
            f"{call.name} input and target must have the same first dimension, got {show_shape(source.shape)} and "
            f"{show_shape(target.shape)}",
            arg=1,
        )
    check_size(call, source, target)


def deduce_all_to_all(call: OpCall) -> Type:
    """T-ALL2ALL."""
    source, target = tensor_like(call, 0, "input"), window(call, 1, "target")
    check_exchange(call, source, target)
    different_expressions(call, 0, 1)
    check_signal_rows(call, signal_vector(call, 2), source, "input")
    return result_type(call, 1)


def check_counted_exchange(call: OpCall, source: TensorType, target: DistributedTensorType) -> int:
    """Signal, counts and the division of the target among the ranks; returns the number of ranks."""
    signal = int32_window(call, 2, "signal")
    if len(signal.shape) != 2 or not is_one(signal.shape[1]):
        call.fail("op-rank", f"{call.name} signal must be [NR, 1], got {show_shape(signal.shape)}", arg=2)
    ranks, rows = const_value(signal.shape[0]), const_value(target.shape[0])
    if ranks is None or rows is None or ranks <= 0 or rows % ranks:
        call.fail(
            "op-shape",
            f"{call.name} requires static NR > 0 dividing the target's first dimension, got NR={show_dim(signal.shape[0])} "
            f"and {show_dim(target.shape[0])}",
            arg=1 if ranks is not None and ranks > 0 else 2,
            unproven=ranks is None or rows is None,
        )
    return ranks


def check_counts(call: OpCall, index: int, t: TensorType, ranks: int, name: str, *, column: bool) -> None:
    """One INT32 count per rank, as [NR, 1] (or [NR])."""
    if t.dtype is not INT32:
        call.fail("op-dtype", f"{call.name} {name} must have dtype INT32, got {t.dtype.text}", arg=index)
    matrix = len(t.shape) == 2 and is_one(t.shape[1])
    if not matrix and (column or len(t.shape) != 1):
        wanted = "[NR, 1]" if column else "[NR] or [NR, 1]"
        call.fail("op-rank", f"{call.name} {name} must be {wanted}, got {show_shape(t.shape)}", arg=index)
    if const_value(t.shape[0]) != ranks:
        call.fail(
            "op-shape",
            f"{call.name} {name} must have static first dimension {ranks}, got {show_dim(t.shape[0])}",
            arg=index,
            unproven=const_value(t.shape[0]) is None,
        )


def deduce_all_to_all_v(call: OpCall) -> Type:
    """T-ALL2ALLV."""
    source, target = tensor_like(call, 0, "input"), window(call, 1, "target")
    check_exchange(call, source, target)
    ranks = check_counted_exchange(call, source, target)
    check_counts(call, 3, tensor_like(call, 3, "send_counts"), ranks, "send_counts", column=False)
    check_counts(call, 4, window(call, 4, "recv_counts"), ranks, "recv_counts", column=True)
    return result_type(call, 1)


_RW = Effect.READ_WRITE
_INPUT = Param("input", ArgKind.TENSOR_LIKE)
_TARGET = window_param("target", effect=_RW)
_WRITTEN = window_param("target", effect=Effect.WRITE)
_SIGNAL = window_param("signal", effect=_RW)
_SUM = int_kw("op", required=True, builder_default=ReduceOp.Sum, allowed=(ReduceOp.Sum,), doc="Sum")

distributed_op(
    "pld.tensor.allreduce", "T-ALLREDUCE", deduce_allreduce,
    (_TARGET, window_param("signal", optional=True, effect=_RW)), "Combines the windows of all ranks.",
    effects_declared=True,
    kwargs=(
        int_kw("op", required=True, builder_default=ReduceOp.Sum, allowed=tuple(ReduceOp), doc="how values combine"),
        KwParam("mode", KwargType.STR, default="mesh", stored=Stored.ALWAYS, builder_default="mesh", allowed=("mesh", "ring"), doc="topology"),
        int_kw("core_num", required=True, builder_default=1, doc="cores that take part"),
    ),
)  # fmt: skip
distributed_op("pld.tensor.barrier", "T-BARRIER", deduce_barrier, (_SIGNAL,), "Waits for every rank.", effects_declared=True)  # fmt: skip
distributed_op(
    "pld.tensor.broadcast", "T-BROADCAST", deduce_broadcast, (_TARGET, _SIGNAL), "Copies the root's window to every rank.",
    effects_declared=True, kwargs=(int_kw("root", required=True, doc="rank that sends"),),
)  # fmt: skip
distributed_op(
    "pld.tensor.reduce_scatter", "T-REDUCE-SCATTER", deduce_reduce_scatter, (_TARGET, _SIGNAL),
    "Combines the windows and keeps a share per rank.", effects_declared=True, kwargs=(_SUM,),
)  # fmt: skip
distributed_op(
    "pld.tensor.allgather", "T-ALLGATHER", deduce_allgather, (_INPUT, _WRITTEN, _SIGNAL), "Collects one chunk per rank.",
    effects_declared=True,
)  # fmt: skip
distributed_op(
    "pld.tensor.all_to_all", "T-ALL2ALL", deduce_all_to_all, (_INPUT, _WRITTEN, _SIGNAL), "Row i goes to rank i.",
    effects_declared=True,
)  # fmt: skip
distributed_op(
    "pld.tensor.all_to_all_v", "T-ALL2ALLV", deduce_all_to_all_v,
    (_INPUT, _WRITTEN, _SIGNAL, Param("send_counts", ArgKind.TENSOR_LIKE), window_param("recv_counts", effect=Effect.WRITE)),
    "Rows go to ranks by count.", effects_declared=True,
)  # fmt: skip
