"""Operators of the ``prefetch.*`` family: asynchronous loads into the cache (``docs/spec/ops_tensor.md`` §6)."""

from __future__ import annotations

from pypto_core.ir import (
    ASYNC_EVENT,
    ASYNC_SESSION,
    PREFETCH_ASYNC_CONTEXT,
    ConstInt,
    DataType,
    ScalarType,
    Type,
)
from pypto_core.ops.kinds import ArgKind
from pypto_core.ops.registry import CoreAffinity, OpCall, OpCategory, OpDef, Param, register
from pypto_core.ops.shape_rules import show_shape


def deduce_context(call: OpCall) -> Type:
    """T-PREFETCH-CTX."""
    return PREFETCH_ASYNC_CONTEXT


def deduce_prefetch(call: OpCall) -> Type:
    """T-PREFETCH: a contiguous static region of global memory, named by a variable."""
    if call.kwargs:
        call.fail("op-keyword", f"{call.name} takes no keywords", keyword=next(iter(call.kwargs)))
    shape = call.tensor(0).shape
    flat = bool(shape) and all(isinstance(d, ConstInt) for d in shape)
    if not flat or not all(isinstance(d, ConstInt) and d.value == 1 for d in shape[:-1]):
        call.fail(
            "op-shape",
            f"{call.name} requires a flat contiguous logical 1D GM region (static, every dimension but the last 1), "
            f"but got {show_shape(shape)}",
            arg=0,
        )
    return ASYNC_EVENT


def deduce_session(call: OpCall) -> Type:
    """T-PREFETCH-SESSION."""
    return ASYNC_SESSION


def deduce_wait(call: OpCall) -> Type:
    """T-PREFETCH-WAIT."""
    return ScalarType.of(DataType.BOOL)


_CTX = Param(
    "ctx",
    ArgKind.PREFETCH_CTX,
    doc="context of prefetch.make_context",
    expects="expects ctx to be a PrefetchAsyncContext (output of prefetch.make_context)",
)
_SRC = Param(
    "src",
    ArgKind.TENSOR_LIKE_VAR,
    doc="flat region",
    expects="expects src to be a variable holding a GM Tensor (prefetch reads global memory)",
)
_EVENT = Param(
    "event",
    ArgKind.ASYNC_EVENT,
    doc="event of prefetch.async_prefetch",
    expects="expects event to be an AsyncEvent (output of prefetch.async_prefetch)",
)
_SESSION = Param(
    "session",
    ArgKind.ASYNC_SESSION,
    doc="session of prefetch.session",
    expects="expects session to be an AsyncSession (output of prefetch.session)",
)
for _name, _rule, _deduce, _params, _doc in (
    ("make_context", "T-PREFETCH-CTX", deduce_context, (), "Context for prefetches."),
    ("async_prefetch", "T-PREFETCH", deduce_prefetch, (_SRC, _CTX), "Starts a prefetch."),
    ("session", "T-PREFETCH-SESSION", deduce_session, (_CTX,), "Session that waits for prefetches."),
    ("wait", "T-PREFETCH-WAIT", deduce_wait, (_EVENT, _SESSION), "Waits for one prefetch."),
):
    register(
        OpDef(
            f"prefetch.{_name}",
            OpCategory.PREFETCH,
            _rule,
            _deduce,
            _params,
            affinity=CoreAffinity.VECTOR,
            doc=_doc,
        )
    )
