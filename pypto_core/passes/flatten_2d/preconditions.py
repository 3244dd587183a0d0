"""What cannot be flattened (``docs/spec/passes_tile.md`` 2.1); looked for before anything is rewritten."""

from __future__ import annotations

from pypto_core.ir import Call, MakeTuple, Stmt, TileType, calls_in, const_dim
from pypto_core.passes.tile_calls import reject
from pypto_core.passes.tile_shapes import collapses_contiguously

_ELEMENTWISE_ADDRESSING = frozenset({"tile.read", "tile.write", "tile.slice"})


def check_flattenable(body: Stmt) -> bool:
    """Whether anything in ``body`` has more than two dimensions.

    Raises:
        PassError: ``tile-rank`` for a tile operation that has no two-dimensional form.
    """
    found = False
    for call in calls_in(body):
        if not isinstance(call, Call) or not call.name.startswith("tile."):
            continue
        for kind in _nd_tiles(call):
            found = True
            _check_static(call, kind)
        first = call.args[0].type if call.args else None
        if isinstance(first, TileType) and first.rank > 2:
            if call.name in _ELEMENTWISE_ADDRESSING:
                reject(
                    "tile-rank",
                    f"FlattenTileNdTo2D: {call.name} is not supported on >2D tiles; reshape the tile of shape rank {first.rank} to two "
                    f"dimensions first",
                    call.span,
                    op=call.name,
                )
            if call.name == "tile.assemble" and len(call.args) == 3:
                _check_assemble(call, first)
    return found


def _nd_tiles(call: Call) -> list[TileType]:
    kinds = (*[arg.type for arg in call.args], call.type)
    return [kind for kind in kinds if isinstance(kind, TileType) and len(kind.shape) > 2]


def _check_static(call: Call, kind: TileType) -> None:
    for axis, dim in enumerate(kind.shape):
        if const_dim(dim) is None:
            reject(
                "tile-rank",
                f"FlattenTileNdTo2D: tile op '{call.name}' has a dynamic (non-constant) dimension {axis} in its >2D tile shape, which "
                f"cannot be merged into two dimensions; make it a constant and narrow it with a valid_shape",
                call.span,
                op=call.name,
                axis=axis,
            )


def _check_assemble(call: Call, target: TileType) -> None:
    source, offset = call.args[1].type, call.args[2]
    if not isinstance(source, TileType) or not isinstance(offset, MakeTuple):
        reject(
            "tile-rank",
            "tile.assemble into a >2D tile needs a tile source and an offset written as a list",
            call.span,
        )
    if len(offset.elements) != target.rank:
        reject(
            "tile-rank",
            f"tile.assemble offset has {len(offset.elements)} elements for a target of rank {target.rank}",
            call.span,
        )
    if source.rank != target.rank:
        reject(
            "tile-rank",
            f"tile.assemble source has rank {source.rank} but the >2D target has rank {target.rank}",
            call.span,
        )
    if not collapses_contiguously(source.shape, target.shape):
        reject(
            "tile-rank",
            "the tile.assemble source does not collapse to a contiguous row band when the tile is flattened to "
            "2D: every axis behind its first partial one must span the whole target",
            call.span,
        )
