"""C-GATHER on Ascend950: the last dimension in one flat gather (docs/spec/passes_tensor_to_tile.md §1.7.1)."""

from __future__ import annotations

from collections.abc import Callable

from pypto_core.ir import DataType, Expr, TensorType, TileType, Var
from pypto_core.passes.tensor_to_tile.flat_index import ramp, row_bases
from pypto_core.passes.tensor_to_tile.lowering import Block, Lowering, number

_INT16_REACH = 32768
"""Number of elements that an INT16 flat index can address."""

_LANE_MULTIPLE = 8
"""Rows whose length is a multiple of this are numbered by a division of one long ramp."""

ReadBox = Callable[[Block, Expr, "list[int | Expr]", "list[int]"], Expr]


def flat_gather(low: Lowering, read_box: ReadBox, data: tuple[int, ...], index: tuple[int, ...]) -> Expr:
    """One ``tile.gather`` whose indices address the whole source."""
    rank = len(data)
    rows = 1
    for extent in index[:-1]:
        rows *= extent
    columns, width = index[-1], data[-1]
    source = _flattened(low, read_box, 0, (*index[:-1], width), rows, "gather_inp")
    if isinstance(low.args[0].type, TileType):
        # A slice keeps the pitch of its source; flat addresses need rows back to back.
        kind = source.type
        assert isinstance(kind, TileType)
        alloc = low.create("gather_src_alloc", (rows, width), kind.dtype)
        source = low.let("gather_src_copy", low.op("tile.assemble", alloc, source, low.zeros(2)))
    which = _flattened(low, read_box, 1, index, rows, "gather_idx")
    address = which if rows == 1 else _addresses(low, which, rows, columns, width)
    scratch = low.create("gather_tmp", (rows, columns), DataType.INT32)
    result = low.let("gather", low.op("tile.gather", source, address, scratch))
    if rank == 2:
        return result
    return low.let("gather_out", low.op("tile.reshape", result, low.dims([rows, columns])))


def _flattened(
    low: Lowering, read_box: ReadBox, arg: int, shape: tuple[int, ...], rows: int, name: str
) -> Var:
    """Argument ``arg`` as a rank-2 tile."""
    raw = read_box(low, low.args[arg], [0] * len(shape), list(shape))
    if len(shape) == 2:
        return low.let(name, raw)
    tile = low.let(f"{name}_raw", raw)
    return low.let(name, low.op("tile.reshape", tile, low.dims([rows, shape[-1]])))


def _addresses(low: Lowering, which: Expr, rows: int, columns: int, width: int) -> Expr:
    kind = which.type
    assert isinstance(kind, (TileType, TensorType))
    narrow = kind.dtype is DataType.INT16
    if narrow:
        if rows * width > _INT16_REACH:
            low.fail(
                "op-shape",
                f"tensor.gather: an INT16 index reaches {_INT16_REACH} elements, but the source has {rows} x {width}; "
                "use an INT32 index",
            )
        which = low.let("gather_idx_i32", low.op("tile.cast", which, target_type=DataType.INT32, mode=0))
    if columns % _LANE_MULTIPLE == 0:
        line = ramp(low, "gather_lin", rows * columns)
        grid = low.let("gather_lin2d", low.op("tile.reshape", line, low.dims([rows, columns])))
        ids = low.let("gather_row_ids", low.op("tile.divs", grid, number(columns, DataType.INT32)))
        base = low.let("gather_row_base", low.op("tile.muls", ids, number(width, DataType.INT32)))
        address = low.let("gather_flat_idx", low.op("tile.add", which, base))
    else:
        base = row_bases(low, "gather", rows, width)
        address = low.let("gather_flat_idx", low.op("tile.row_expand_add", which, base))
    if not narrow:
        return address
    return low.let("gather_flat_cast", low.op("tile.cast", address, target_type=DataType.INT16, mode=0))
