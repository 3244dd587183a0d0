"""Operators of the ``builtin.tensor.*`` family: collectives with their kernel chosen (``docs/spec/ops_tensor.md`` §5.3).

Only passes make them; a user's program cannot name one.
"""

from __future__ import annotations

from pypto_core.ir import DataType, DistributedTensorType, ReduceOp, TensorType, Type
from pypto_core.ops.pld.checks import (
    check_choice,
    different_expressions,
    distributed_op,
    int32_window,
    result_type,
    signal_vector,
    window,
    window_param,
)
from pypto_core.ops.pld.collectives import (
    check_counted_exchange,
    check_counts,
    check_exchange,
    check_gathered,
    check_signal_rows,
    require_2d,
    require_sum,
)
from pypto_core.ops.proofs import const_value, element_count
from pypto_core.ops.registry import Effect, KwargType, KwParam, OpCall, Param, Stored
from pypto_core.ops.shape_rules import show_shape

_D = DataType
_RING_LIMIT = 16


def _check_dtype(call: OpCall, data: TensorType, allowed: tuple[DataType, ...]) -> None:
    """The ``dtype`` keyword repeats the data's dtype, which the kernel must support."""
    dtype = call.require_kw("dtype", f"Missing kwarg 'dtype' on {call.name}")
    if dtype is not data.dtype:
        call.fail(
            "op-dtype", f"{call.name} dtype must equal the data dtype {data.dtype.text}", keyword="dtype"
        )
    if dtype not in allowed:
        names = " or ".join(d.printed for d in allowed)
        call.fail("op-dtype", f"{call.name} supports only {names}, got {data.dtype.text}", keyword="dtype")


def _rank1_signal(call: OpCall, index: int) -> DistributedTensorType:
    signal = int32_window(call, index, "signal")
    if len(signal.shape) != 1:
        call.fail("op-rank", f"{call.name} signal must have rank 1, got {len(signal.shape)}", arg=index)
    return signal


def deduce_allreduce(call: OpCall) -> Type:
    """T-BUILTIN-ALLREDUCE."""
    check_choice(call, "op", tuple(ReduceOp), "ReduceOp.Sum, Max, Min or Prod")
    _check_dtype(call, window(call, 0, "src"), (_D.FP16, _D.FP32))
    signal = int32_window(call, 1, "signal")
    cores = call.require_kw("core_num", f"Missing kwarg 'core_num' on {call.name}")
    if len(signal.shape) == 1 and cores == 1:
        return result_type(call, 0)
    columns = const_value(signal.shape[1]) if len(signal.shape) == 2 else None
    if columns is None or columns < cores:
        call.fail(
            "op-shape",
            f"{call.name} signal must have rank 1 with core_num=1, or a static second dimension >= core_num={cores}, "
            f"got {show_shape(signal.shape)}",
            arg=1,
        )
    return result_type(call, 0)


def deduce_ring(call: OpCall) -> Type:
    """T-BUILTIN-ALLREDUCE-RING."""
    require_sum(call)
    source = window(call, 0, "src")
    _check_dtype(call, source, (_D.FP32,))
    signal = int32_window(call, 1, "signal")
    ranks = const_value(signal.shape[1]) if len(signal.shape) == 2 else None
    steps = const_value(signal.shape[0]) if len(signal.shape) == 2 else None
    if ranks is None or not 0 < ranks <= _RING_LIMIT or steps != 2 * (ranks - 1) + 1:
        call.fail(
            "op-shape",
            f"{call.name} signal must be [2*(NR-1)+1, NR] with NR <= {_RING_LIMIT}, got {show_shape(signal.shape)}",
            arg=1,
        )
    elements = element_count(source.shape)
    if elements is None or elements % ranks:
        call.fail(
            "op-shape", f"{call.name} src must be static with an element count divisible by {ranks}", arg=0
        )
    return result_type(call, 0)


def deduce_barrier(call: OpCall) -> Type:
    """T-BUILTIN-BARRIER."""
    _rank1_signal(call, 0)
    return result_type(call, 0)


def deduce_broadcast(call: OpCall) -> Type:
    """T-BUILTIN-BROADCAST."""
    root = call.require_kw("root", f"Missing kwarg 'root' on {call.name}")
    if root < 0:
        call.fail("op-value", f"{call.name} root must be >= 0, got {root}", keyword="root")
    _check_dtype(call, window(call, 0, "target"), (_D.FP32,))
    _rank1_signal(call, 1)
    return result_type(call, 0)


def deduce_reduce_scatter(call: OpCall) -> Type:
    """T-BUILTIN-REDUCE-SCATTER."""
    target = window(call, 0, "target")
    require_2d(call, 0, target, "target")
    require_sum(call)
    _check_dtype(call, target, (_D.FP32,))
    _rank1_signal(call, 1)
    return result_type(call, 0)


def deduce_allgather(call: OpCall) -> Type:
    """T-BUILTIN-ALLGATHER."""
    source, target = window(call, 0, "input"), window(call, 1, "target")
    check_gathered(call, source, target)
    different_expressions(call, 0, 1)
    _check_dtype(call, target, (_D.FP32,))
    check_signal_rows(call, signal_vector(call, 2), target, "target")
    return result_type(call, 1)


def deduce_all_to_all(call: OpCall) -> Type:
    """T-BUILTIN-ALL-TO-ALL."""
    source, target = window(call, 0, "input"), window(call, 1, "target")
    check_exchange(call, source, target)
    different_expressions(call, 0, 1)
    _check_dtype(call, target, (_D.FP32,))
    check_signal_rows(call, signal_vector(call, 2), source, "input")
    return result_type(call, 1)


def deduce_all_to_all_v(call: OpCall) -> Type:
    """T-BUILTIN-ALL-TO-ALL-V."""
    source, target = window(call, 0, "input"), window(call, 1, "target")
    check_exchange(call, source, target)
    different_expressions(call, 0, 1)
    _check_dtype(call, target, (_D.FP32,))
    ranks = check_counted_exchange(call, source, target)
    check_counts(call, 3, window(call, 3, "send_counts"), ranks, "send_counts", column=False)
    check_counts(call, 4, window(call, 4, "recv_counts"), ranks, "recv_counts", column=True)
    return result_type(call, 1)


_RW = Effect.READ_WRITE
_DTYPE = KwParam("dtype", KwargType.DTYPE, required=True, stored=Stored.NEVER, doc="dtype of the data")
_OP = KwParam("op", KwargType.INT, required=True, stored=Stored.NEVER, doc="how values combine")


def _window(name: str, effect: Effect = Effect.READ) -> Param:
    return window_param(name, effect=effect)


_INPUT, _WRITTEN, _SIGNAL = _window("input"), _window("target", Effect.WRITE), _window("signal", _RW)
_CORES = KwParam("core_num", KwargType.INT, required=True, stored=Stored.NEVER, doc="cores that take part")
_ROOT = KwParam("root", KwargType.INT, required=True, stored=Stored.NEVER, doc="rank that sends")
for _name, _rule, _deduce, _params, _kwargs, _doc in (
    ("all_to_all", "ALL-TO-ALL", deduce_all_to_all, (_INPUT, _WRITTEN, _SIGNAL), (_DTYPE,), "Row i goes to rank i."),
    ("all_to_all_v", "ALL-TO-ALL-V", deduce_all_to_all_v, (_INPUT, _WRITTEN, _SIGNAL, _window("send_counts"), _window("recv_counts", Effect.WRITE)), (_DTYPE,), "Rows go to ranks by count."),
    ("allgather", "ALLGATHER", deduce_allgather, (_INPUT, _WRITTEN, _SIGNAL), (_DTYPE,), "Collects one chunk per rank."),
    ("allreduce", "ALLREDUCE", deduce_allreduce, (_window("src", _RW), _SIGNAL), (_OP, _DTYPE, _CORES), "Combines the windows of all ranks over a mesh."),
    ("allreduce_ring", "ALLREDUCE-RING", deduce_ring, (_window("src", _RW), _SIGNAL), (_OP, _DTYPE), "Combines the windows of all ranks around a ring."),
    ("barrier", "BARRIER", deduce_barrier, (_SIGNAL,), (), "Waits for every rank."),
    ("broadcast", "BROADCAST", deduce_broadcast, (_window("target", _RW), _SIGNAL), (_ROOT, _DTYPE), "Copies the root's window to every rank."),
    ("reduce_scatter", "REDUCE-SCATTER", deduce_reduce_scatter, (_window("target", _RW), _SIGNAL), (_OP, _DTYPE), "Combines the windows and keeps a share per rank."),
):  # fmt: skip
    distributed_op(
        f"builtin.tensor.{_name}", f"T-BUILTIN-{_rule}", _deduce, _params, _doc, kwargs=_kwargs, internal_only=True,
        effects_declared=True,
    )  # fmt: skip
