"""Which core runs a call, for colours and ranks."""

from __future__ import annotations

from pypto_core.analysis.affinity import (
    Affinity,
    MoveDirection,
    classify_call_affinity,
    classify_move_direction,
)
from pypto_core.analysis.lanes import BOUNDARY_OPS, POP_OPS, PUSH_OPS
from pypto_core.ir import Call, MemorySpace
from pypto_core.ops.dsl import DslCallable, documentation_of

_WORDS = {"cube": "cube", "vector": "vector", "transfer": "boundary"}


def core_of(callee: DslCallable, call: Call | None) -> str:
    """``cube``, ``vector``, ``boundary``, or empty for what runs on any core or on none.

    ``call`` is the call itself where it could be read: a ``pl.load`` into Mat is cube work, a move between the cores a boundary.
    """
    if call is not None and call.name.startswith("tile."):
        if call.name in BOUNDARY_OPS or call.name in PUSH_OPS or call.name in POP_OPS:
            return "boundary"
        if classify_move_direction(call) is not MoveDirection.NONE:
            return "boundary"
        affinity = classify_call_affinity(call)
        if affinity is Affinity.CUBE:
            return "cube"
        if affinity is Affinity.VECTOR:
            return "vector"
    return _WORDS.get(documentation_of(callee.namespace, callee.name).core, "")


def core_of_space(space: MemorySpace | None) -> str:
    """The core that works on a memory space; empty for global memory and where nothing is known."""
    if space is None or space is MemorySpace.DDR:
        return ""
    return "vector" if space is MemorySpace.Vec else "cube"
