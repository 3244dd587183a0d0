"""Which operands the result of an operator must not overwrite (docs/spec/passes_tile.md §9.4)."""

from __future__ import annotations

from pypto_core.backend import Backend
from pypto_core.ir import Call, TileType
from pypto_core.ops import find_op

_CHECKED_ON_A5 = {"tile.prelu": (0, 1)}
"""Operators of which a5 reads the remaining operands before it writes."""


def conflicting_operands(call: Call, chip: Backend | None) -> tuple[int, ...]:
    """Positions of the operands whose memory the result of ``call`` must stay away from."""
    op = find_op(call.name)
    if op is None:
        return ()
    tiles = tuple(index for index, arg in enumerate(call.args) if isinstance(arg.type, TileType))
    if not op.inplace_safe:
        limited = _CHECKED_ON_A5.get(call.name) if chip is not None and chip.arch == "a5" else None
        return tiles if limited is None else tuple(index for index in tiles if index in limited)
    forbidden = set(op.forbid_output_alias)
    if call.name == "tile.cast" and _widens(call):
        forbidden.add(0)
    return tuple(index for index in tiles if index in forbidden)


def _widens(call: Call) -> bool:
    source, result = call.args[0].type, call.type
    return (
        isinstance(source, TileType)
        and isinstance(result, TileType)
        and result.dtype.storage_bits > source.dtype.storage_bits
    )
