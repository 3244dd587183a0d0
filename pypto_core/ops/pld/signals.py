"""Signals between ranks (``docs/spec/ops_tensor.md`` §5.2)."""

from __future__ import annotations

from typing import Any

from pypto_core.ir import UNKNOWN, ConstInt, NotifyOp, Type, WaitCmp
from pypto_core.ops.kinds import ArgKind, is_int_scalar
from pypto_core.ops.pld.checks import (
    check_choice,
    check_offsets,
    distributed_op,
    int32_window,
    scalar,
    window,
    window_param,
)
from pypto_core.ops.registry import Effect, KwargType, KwParam, OpCall, Param, Stored


def deduce_notify(call: OpCall) -> Type:
    """T-NOTIFY."""
    target = window(call, 0, "target")
    scalar(call, 1, "peer")
    check_offsets(call, 2, len(target.shape))
    scalar(call, 3, "value")
    check_choice(call, "op", (0, 1), "NotifyOp.AtomicAdd or NotifyOp.Set")
    return UNKNOWN


def deduce_wait(call: OpCall) -> Type:
    """T-WAIT."""
    signal = window(call, 0, "signal")
    check_offsets(call, 1, len(signal.shape))
    scalar(call, 2, "expected")
    check_choice(call, "cmp", (0, 1), "WaitCmp.Eq or WaitCmp.Ge")
    return UNKNOWN


def deduce_defer_wait(call: OpCall) -> Type:
    """T-DEFER-WAIT: INT32 signals, integer operands, Ge only."""
    signal = int32_window(call, 0, "signal")
    if not signal.shape:
        call.fail("op-rank", f"{call.name} signal must have rank >= 1", arg=0)
    for axis, offset in enumerate(check_offsets(call, 1, len(signal.shape))):
        if not is_int_scalar(offset.type):
            call.fail("op-kind", f"{call.name} offsets[{axis}] must be an integer scalar", arg=1)
    expected = call.args[2]
    if not is_int_scalar(expected.type):
        call.fail("op-kind", f"{call.name} expected must be an integer scalar", arg=2)
    if isinstance(expected, ConstInt) and not 0 <= expected.value <= 2147483647:
        call.fail("op-value", f"{call.name} expected must be in 0..2147483647, got {expected.value}", arg=2)
    check_choice(call, "cmp", (int(WaitCmp.Ge),), "WaitCmp.Ge")
    return UNKNOWN


def _notify_effect(kwargs: Any) -> Effect:
    """Set overwrites; adding (also the meaning of an absent op) reads."""
    return Effect.WRITE if kwargs.get("op") == NotifyOp.Set else Effect.READ_WRITE


_OFFSETS = Param("offsets", ArgKind.LITERAL_TUPLE, doc="one offset per axis of the window")


def _choice(name: str, allowed: tuple[Any, ...], doc: str) -> tuple[KwParam, ...]:
    return (KwParam(name, KwargType.INT, required=True, stored=Stored.ALWAYS, allowed=allowed, doc=doc),)


distributed_op(
    "pld.system.notify", "T-NOTIFY", deduce_notify,
    (window_param("target", effect=_notify_effect), Param("peer", ArgKind.SCALAR), _OFFSETS, Param("value", ArgKind.SCALAR)),
    "Sets or increments a signal of a peer.", no_duplicate=True, effects_declared=True,
    kwargs=_choice("op", tuple(NotifyOp), "AtomicAdd or Set"),
)  # fmt: skip
distributed_op(
    "pld.system.wait", "T-WAIT", deduce_wait,
    (window_param("signal"), _OFFSETS, Param("expected", ArgKind.SCALAR)),
    "Waits for a signal.", effects_declared=True, kwargs=_choice("cmp", tuple(WaitCmp), "Eq or Ge"),
)  # fmt: skip
distributed_op(
    "pld.system.defer_wait", "T-DEFER-WAIT", deduce_defer_wait,
    (window_param("signal"), _OFFSETS, Param("expected", ArgKind.INT_SCALAR)),
    "Waits for a signal at the end of the task.", effects_declared=True, kwargs=_choice("cmp", (WaitCmp.Ge,), "Ge"),
)  # fmt: skip
