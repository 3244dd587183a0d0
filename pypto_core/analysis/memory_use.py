"""What is said about a kernel that needs more on-chip memory than there is (docs/spec/passes_tile.md §9.5)."""

from __future__ import annotations

from pypto_core.ir import Function, MemorySpace, calls_in

RESERVE = "system.reserve_buffer"
_PIPES = ("system.aic_initialize_pipe", "system.aiv_initialize_pipe")


def over_capacity(function: Function, space: MemorySpace, used: int, limit: int, floor: int) -> str:
    """The message; ``floor`` is the first byte behind the buffers that are reserved in ``space`` (sizes in bytes)."""
    text = f"{space.name} buffer usage ({used} bytes) exceeds platform limit ({limit} bytes)"
    if not floor:
        return text
    text += f". The first {floor} bytes of that space are reserved by {RESERVE}, so tiles are allocated above them"
    if any(call.name in _PIPES for call in calls_in(function.body)):
        text += (
            " — this is the cross-core pipe ring. Lower its depth with "
            "optimizations=[pl.cross_core_slot(slot_num=N)] on the enclosing pl.at(...), or shrink the tile that crosses "
            "the cube/vector boundary"
        )
    return text
