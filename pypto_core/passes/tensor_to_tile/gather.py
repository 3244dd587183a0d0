"""C-GATHER without a flat gather: row by row (docs/spec/passes_tensor_to_tile.md §1.7.1)."""

from __future__ import annotations

from pypto_core.ir import ConstInt, DataType, Expr, IterArg, TensorType, TileType, Var
from pypto_core.ir.scalar import make_binary
from pypto_core.passes.tensor_to_tile.gather_flat import flat_gather
from pypto_core.passes.tensor_to_tile.lowering import VEC, Block, Converter, Lowering, load

_PLANE_DTYPES = (DataType.FP32, DataType.INT32)


def read_box(block: Block, source: Expr, offsets: list[int | Expr], shape: list[int]) -> Expr:
    """A box of ``source``: a load from global memory, a slice of a tile."""
    at, box = block.dims(offsets), block.dims(shape)
    if isinstance(source.type, TileType):
        return block.op("tile.slice", source, box, at, box)
    return load(source, at, box, box, VEC, block.span)


def gather(low: Lowering) -> Expr:
    """C-GATHER: last dimension for rank 2 and 3, any dimension for rank 3."""
    source, index = low.args[0].type, low.args[1].type
    assert isinstance(source, (TensorType, TileType)) and isinstance(index, (TensorType, TileType))
    data, rows = low.static(source, "the input"), low.static(index, "the index")
    rank = len(data)
    dim = low.kwargs["dim"] % rank
    if dim == rank - 1 and rank in (2, 3):
        if low.backend is not None and low.backend.arch == "a5":
            return flat_gather(low, read_box, data, rows)
        return _rows_2d(low, data, rows) if rank == 2 else _rows_3d(low, data, rows)
    if rank != 3:
        low.fail(
            "op-value",
            f"tensor.gather: unsupported (rank, dim) combination, got rank={rank} norm_dim={dim}; gather along the last "
            "dimension, or along any dimension of a rank-3 tensor",
        )
    return _planes(low, source.dtype, data, rows, dim)


def _gather_row(block: Block, source: Expr, index: Expr, columns: int) -> Var:
    scratch = block.create("gather_row_tmp", (1, columns), DataType.INT32)
    return block.let("gather_row", block.op("tile.gather", source, index, scratch))


def _dtype(low: Lowering) -> DataType:
    kind = low.args[0].type
    assert isinstance(kind, (TensorType, TileType))
    return kind.dtype


def _rows_2d(low: Lowering, data: tuple[int, ...], index: tuple[int, ...]) -> Expr:
    rows, columns = index
    acc = low.create("gather_acc_init", index, _dtype(low))

    def body(block: Block, lv: Var, carried: IterArg) -> Expr:
        source = block.let("gather_inp_row", read_box(block, low.args[0], [lv, 0], [1, data[1]]))
        which = block.let("gather_idx_row", read_box(block, low.args[1], [lv, 0], [1, columns]))
        row = _gather_row(block, source, which, columns)
        return block.let("gather_asmbl", block.op("tile.assemble", carried, row, block.dims([lv, 0])))

    return low.loop("gather_lv", rows, "gather_ia", acc, "gather_rv", body)


def _raw_row(
    block: Block, source: Expr, offsets: list[int | Expr], columns: int, names: tuple[str, str]
) -> Var:
    """A row of a rank-3 value, flattened to rank 2."""
    raw = block.let(names[0], read_box(block, source, offsets, [1, 1, columns]))
    return block.let(names[1], block.op("tile.reshape", raw, block.dims([1, columns])))


def _rows_3d(low: Lowering, data: tuple[int, ...], index: tuple[int, ...]) -> Expr:
    outer, inner, columns = index
    acc = low.create("gather_outer_acc_init", (outer, inner * columns), _dtype(low))

    def outer_body(block: Block, i: Var, carried: IterArg) -> Expr:
        inner_acc = block.create("gather_inner_acc_init", (inner, columns), _dtype(low))

        def inner_body(inside: Block, j: Var, rows: IterArg) -> Expr:
            at: list[int | Expr] = [i, j, 0]
            source = _raw_row(inside, low.args[0], at, data[2], ("gather_inp_raw", "gather_inp_row"))
            which = _raw_row(inside, low.args[1], at, columns, ("gather_idx_raw", "gather_idx_row"))
            row = _gather_row(inside, source, which, columns)
            call = inside.op("tile.assemble", rows, row, inside.dims([j, 0]))
            return inside.let("gather_inner_asmbl", call)

        plane = block.loop(
            "gather_inner_lv", inner, "gather_inner_ia", inner_acc, "gather_inner_rv", inner_body
        )
        flat = block.let(
            "gather_inner_flat", block.op("tile.reshape", plane, block.dims([1, inner * columns]))
        )
        call = block.op("tile.assemble", carried, flat, block.dims([i, 0]))
        return block.let("gather_outer_asmbl", call)

    result = low.loop("gather_outer_lv", outer, "gather_outer_ia", acc, "gather_outer_rv", outer_body)
    # The rank-3 result leaves as a rank-2 tile; the store keeps its two offsets.
    return low.let("gather_out", low.op("tile.reshape", result, low.dims([outer * inner, columns])))


def _planes(low: Lowering, dtype: DataType, data: tuple[int, ...], index: tuple[int, ...], dim: int) -> Expr:
    """Along dimension 0 or 1 of a rank-3 value: each row is gathered from a flattened plane."""
    if dtype not in _PLANE_DTYPES:
        low.fail(
            "op-dtype",
            f"tensor.gather along dimension {dim} of a rank-3 tensor supports FP32 and INT32 data only, but got {dtype.text}",
        )
    outer, inner, columns = index
    extent, width = data[dim], data[2]
    start = ConstInt(0, DataType.INT32)
    steps = low.let("gather_range", low.op("tile.ci", start, low.dims([1, columns]), dtype=DataType.INT32))
    acc = low.create("gather_main_acc_init", (outer * inner, columns), dtype)

    def body(block: Block, lv: Var, carried: IterArg) -> Expr:
        i = make_binary("floordiv", lv, inner, low.span)
        j = make_binary("mod", lv, inner, low.span)
        at: list[int | Expr] = [0, j, 0] if dim == 0 else [i, 0, 0]
        box = [extent, 1, width] if dim == 0 else [1, extent, width]
        raw = block.let("gather_inp_raw", read_box(block, low.args[0], at, box))
        plane = block.let("gather_inp_2d", block.op("tile.reshape", raw, block.dims([extent, width])))
        flat = block.let("gather_inp_flat", block.op("tile.reshape", plane, block.dims([1, extent * width])))
        which = _raw_row(
            block,
            low.args[1],
            [make_binary("floordiv", lv, inner, low.span), make_binary("mod", lv, inner, low.span), 0],
            columns,
            ("gather_idx_raw", "gather_idx_row"),
        )
        scaled = block.let("gather_idx_s", block.op("tile.muls", which, ConstInt(width, DataType.INT32)))
        address = block.let("gather_fidx", block.op("tile.add", scaled, steps))
        row = _gather_row(block, flat, address, columns)
        call = block.op("tile.assemble", carried, row, block.dims([lv, 0]))
        return block.let("gather_main_asmbl", call)

    result = low.loop("gather_main_lv", outer * inner, "gather_main_ia", acc, "gather_main_rv", body)
    return low.let("gather_out", low.op("tile.reshape", result, low.dims([outer * inner, columns])))


CONVERTERS: dict[str, Converter] = {"tensor.gather": gather}
