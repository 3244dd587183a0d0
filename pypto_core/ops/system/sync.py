"""Barriers, flags and cross-core synchronisation (``docs/spec/ops_tile.md`` §6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pypto_core.ir import UNKNOWN, DataType, Type
from pypto_core.ops.kinds import ArgKind
from pypto_core.ops.proofs import const_value
from pypto_core.ops.registry import (
    Effect,
    KwargType,
    KwParam,
    OpCall,
    OpCategory,
    OpDef,
    Param,
    Stored,
    register,
)
from pypto_core.ops.shape_rules import show_shape
from pypto_core.ops.tile.cross_core import deduce_unknown
from pypto_core.ops.tile.declare import operand, scalar

_D = DataType
PIPE_CODES = tuple(range(8))
_PIPE_LEGAL = "MTE1 0, MTE2 1, MTE3 2, M 3, V 4, S 5, FIX 6, ALL 7"


def deduce_set_ffts(call: OpCall) -> Type:
    """SET_FFTS: a static INT64 workspace of 256 elements or more, and no attributes."""
    if call.kwargs:
        call.fail("op-keyword", f"{call.name} does not accept attributes", keyword=next(iter(call.kwargs)))
    workspace = call.tensor(0)
    if workspace.dtype is not _D.INT64:
        call.fail(
            "op-dtype", f"{call.name} requires an INT64 workspace, but got {workspace.dtype.text}", arg=0
        )
    if len(workspace.shape) != 1:
        call.fail(
            "op-rank", f"{call.name} requires a 1D workspace, but got rank {len(workspace.shape)}", arg=0
        )
    length = const_value(workspace.shape[0])
    if length is None or length < 256:
        call.fail(
            "op-shape",
            f"{call.name} requires a workspace with a static length of at least 256, "
            f"but got {show_shape(workspace.shape)}",
            arg=0,
        )
    return UNKNOWN


def deduce_cross_core_sync(call: OpCall) -> Type:
    """XCORE_SYNC: exactly one event, static or dynamic, on one pipe."""
    if len(call.args) > 1:
        call.fail("op-arity", f"{call.name} takes at most one argument, but got {len(call.args)}", arg=1)
    pipe = call.require_kw("pipe", f"{call.name} requires a pipe attribute")
    if pipe not in PIPE_CODES:
        call.fail("op-value", f"{call.name} requires pipe in 0..7, but got {pipe}", keyword="pipe")
    event = call.kwargs.get("event_id")
    if event is not None and not 0 <= event <= 13:
        call.fail(
            "op-value",
            f"{call.name}: event_id {event} is outside the user-available range [0, 13]",
            keyword="event_id",
        )
    mode = call.kwargs.get("ffts_mode")
    if mode is not None and not 0 <= mode <= 2:
        call.fail("op-value", f"{call.name} requires ffts_mode in 0..2, but got {mode}", keyword="ffts_mode")
    core = call.kwargs.get("core_type")
    if core is not None and core not in ("aic", "aiv"):
        call.fail(
            "op-value", f"{call.name} requires core_type aic or aiv, but got '{core}'", keyword="core_type"
        )
    if (event is not None) == bool(call.args):
        call.fail(
            "op-keyword",
            f"{call.name} requires exactly one static event_id attribute or dynamic event-id operand",
            keyword="event_id",
        )
    if call.args and call.scalar(0).dtype is not _D.INDEX:
        got = call.scalar(0).dtype.text
        call.fail("op-dtype", f"{call.name} requires an INDEX event-id operand, but got {got}", arg=0)
    return UNKNOWN


def _plain(name: str, doc: str, params: tuple[Param, ...] = (), kwargs: tuple[KwParam, ...] = ()) -> None:
    register(
        OpDef(
            f"system.{name}",
            OpCategory.SYNC,
            "UNKNOWN",
            deduce_unknown,
            params,
            kwargs,
            check_arity=False,
            doc=doc,
        )
    )


def _pipe_kw(name: str, doc: str) -> KwParam:
    return KwParam(
        name,
        KwargType.INT,
        required=True,
        stored=Stored.ALWAYS,
        allowed=PIPE_CODES,
        legal=_PIPE_LEGAL,
        doc=doc,
    )


def _syncall_effect(kwargs: Mapping[str, Any]) -> Effect:
    """Only the soft form counts in the workspace."""
    return Effect.READ_WRITE if kwargs.get("mode") == "soft" else Effect.READ


_FLAG = (
    _pipe_kw("set_pipe", "pipe that raises the flag"),
    _pipe_kw("wait_pipe", "pipe that waits for it"),
    KwParam("event_id", KwargType.INT, required=True, stored=Stored.ALWAYS, doc="flag number"),
)
_plain("sync_src", "Raise a flag for another pipe.", kwargs=_FLAG)
_plain("sync_dst", "Wait for a flag of another pipe.", kwargs=_FLAG)
_plain("bar_all", "Wait until every pipe has finished.")
_plain("bar_m", "Wait until the cube pipe has finished.")
_plain("bar_v", "Wait until the vector pipe has finished.")
_plain("fence", "Order memory accesses before and after.")
_plain(
    "cacheinvalid", "Drop cached data of a tensor region, or all of it.",
    (
        operand("tensor", ArgKind.TENSOR_LIKE, optional=True),
        operand("shapes", ArgKind.TUPLE, optional=True),
        operand("offsets", ArgKind.TUPLE, optional=True),
    ),
)  # fmt: skip
_plain(
    "syncall", "Synchronise all cores of the launch.",
    (
        operand("gm_workspace", ArgKind.TENSOR_LIKE, optional=True, effect=_syncall_effect),
        scalar("used_cores", optional=True),
    ),
    (
        KwParam(
            "core_type", KwargType.STR, default="mix", stored=Stored.ALWAYS, builder_default="mix",
            allowed=("aiv_only", "aic_only", "mix"), doc="which cores take part",
        ),
        KwParam("mode", KwargType.STR, allowed=("hard", "soft"), doc="by hardware flags or through memory"),
    ),
)  # fmt: skip

_EVENT = KwParam("event_id", KwargType.INT, legal="0..13; or give the event as operand", doc="event number")
_CORE = KwParam("core_type", KwargType.STR, allowed=("aic", "aiv"), doc="core that runs the call")
_FFTS = KwParam("ffts_mode", KwargType.INT, allowed=(0, 1, 2), doc="range of the signal")
for _name, _kwargs, _doc in (
    (
        "sync_set",
        (_pipe_kw("pipe", "pipe to signal from"), _EVENT, _FFTS, _CORE),
        "Signal an event to the peer core.",
    ),
    (
        "sync_wait",
        (_pipe_kw("pipe", "pipe that waits"), _EVENT, _CORE),
        "Wait for an event of the peer core.",
    ),
):
    register(
        OpDef(
            f"system.{_name}", OpCategory.CROSS_CORE, "XCORE_SYNC", deduce_cross_core_sync,
            (scalar("event_id_dyn", optional=True),), _kwargs, doc=_doc,
        )
    )  # fmt: skip
register(
    OpDef(
        "system.set_ffts", OpCategory.CROSS_CORE, "SET_FFTS", deduce_set_ffts, (operand("workspace", ArgKind.TENSOR_LIKE),),
        effects_declared=True, doc="Give the synchronisation unit its workspace.",
    )
)  # fmt: skip
