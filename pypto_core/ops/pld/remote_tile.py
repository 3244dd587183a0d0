"""Pushing a tile into a peer's window: its memory rule is the only one in the distributed families."""

from __future__ import annotations

from pypto_core.ir import MemorySpace
from pypto_core.ops.kinds import ArgKind
from pypto_core.ops.pld.checks import distributed_op, window_param
from pypto_core.ops.pld.transfer import deduce_tile_store
from pypto_core.ops.registry import Param, WriteChannel
from pypto_core.ops.tensor.declare import atomic_kw, atomic_write

distributed_op(
    "pld.tile.remote_store",
    "T-REMOTE-STORE",
    deduce_tile_store,
    (
        Param(
            "src_tile",
            ArgKind.TILE,
            memory=(MemorySpace.Vec, MemorySpace.Acc),
            expects="src_tile must be a Tile (a Tensor goes through pld.tensor.remote_store)",
        ),
        window_param("target", effect=atomic_write),
        Param("peer", ArgKind.SCALAR, doc="rank"),
        Param("offsets", ArgKind.LITERAL_TUPLE),
    ),
    "Copies the valid part of a tile into a peer's window.",
    effects_declared=True,
    write_channel=WriteChannel.DMA,
    kwargs=(atomic_kw(),),
)
