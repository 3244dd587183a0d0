"""Windows over peer memory and the communication context (``docs/spec/ops_tensor.md`` §5.2)."""

from __future__ import annotations

from pypto_core.ir import COMM_CTX, PTR, DataType, DistributedTensorType, ScalarType, Type
from pypto_core.ops.kinds import ArgKind
from pypto_core.ops.pld.checks import distributed_op, window_param
from pypto_core.ops.registry import KwargType, KwParam, OpCall, Param, Stored
from pypto_core.ops.tensor.declare import dtype_keyword


def deduce_alloc(call: OpCall) -> Type:
    """T-WIN-ALLOC: bytes; the name comes from the assignment."""
    if not call.require_kw("name", f"Missing kwarg 'name' on {call.name}"):
        call.fail(
            "op-value",
            f"{call.name} requires a non-empty name: assign the buffer to a plain name",
            keyword="name",
        )
    return PTR


def deduce_window(call: OpCall) -> Type:
    """T-WINDOW: the buffer is bound later."""
    call.require_kw("dtype", f"Missing kwarg 'dtype' on {call.name}")
    return DistributedTensorType(call.literal_tuple(1), dtype_keyword(call, "dtype", DataType.FP32))


def deduce_world_size(call: OpCall) -> Type:
    """T-WORLD-SIZE."""
    return ScalarType.of(DataType.INT64)


def _no_keywords(call: OpCall) -> None:
    if call.kwargs:
        call.fail("op-keyword", f"{call.name} takes no keywords", keyword=next(iter(call.kwargs)))


def deduce_context(call: OpCall) -> Type:
    """T-COMM-CTX."""
    _no_keywords(call)
    return COMM_CTX


def deduce_context_scalar(call: OpCall) -> Type:
    """T-COMM-SCALAR."""
    _no_keywords(call)
    return ScalarType.of(DataType.INT32)


distributed_op(
    "pld.tensor.alloc_window_buffer", "T-WIN-ALLOC", deduce_alloc, (Param("size", ArgKind.ANY, doc="bytes"),),
    "Reserves peer-visible memory.",
    kwargs=(KwParam("name", KwargType.STR, required=True, stored=Stored.ALWAYS, doc="buffer name, from the assignment"),),
)  # fmt: skip
distributed_op(
    "pld.tensor.window", "T-WINDOW", deduce_window, (Param("buf", ArgKind.PTR), Param("shape", ArgKind.LITERAL_TUPLE)),
    "A tensor over a window buffer.",
    kwargs=(KwParam("dtype", KwargType.DTYPE, required=True, stored=Stored.ALWAYS, doc="element type"),),
)  # fmt: skip
distributed_op("pld.system.world_size", "T-WORLD-SIZE", deduce_world_size, (), "Number of ranks.")
distributed_op(
    "pld.system.get_comm_ctx", "T-COMM-CTX", deduce_context, (window_param("dist_tensor"),),
    "Communication context of a window.",
)  # fmt: skip
for _name, _doc in (("rank", "Rank of this device."), ("nranks", "Number of ranks.")):
    distributed_op(
        f"pld.system.{_name}", "T-COMM-SCALAR", deduce_context_scalar, (Param("ctx", ArgKind.COMM_CTX),), _doc
    )
