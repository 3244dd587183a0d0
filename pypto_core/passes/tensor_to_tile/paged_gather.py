"""C-PAGED-GATHER: rows of a paged pool, one copy per index (docs/spec/passes_tensor_to_tile.md §1.7)."""

from __future__ import annotations

from pypto_core.ir import Call, ConstInt, DataType, Expr, IterArg, MemorySpace, TensorType, TileType, Var
from pypto_core.ir.scalar import make_binary, make_cast
from pypto_core.passes.tensor_to_tile.lowering import MAT, Block, Converter, Lowering


def _read(block: Block, tensor: Expr, position: Expr) -> Call:
    """``tensor.read`` of element ``position`` of a rank-1 tensor or of the only row of a rank-2 one."""
    kind = tensor.type
    assert isinstance(kind, (TensorType, TileType))
    indices = block.dims([0] * (kind.rank - 1) + [position])
    return block.op("tensor.read", tensor, indices)


def paged_gather(low: Lowering) -> Expr:
    """C-PAGED-GATHER: one row copy per index; the page table turns logical rows into physical ones."""
    source, indices, table = low.args
    data, positions = source.type, indices.type
    assert isinstance(data, (TensorType, TileType)) and isinstance(positions, (TensorType, TileType))
    kwargs, span = low.kwargs, low.span
    block_size, size, count = kwargs["block_size"], kwargs["size"], kwargs["max_indices"]
    transposed = bool(kwargs.get("is_trans", False))
    space: MemorySpace = kwargs.get("space", MAT)
    rows = low.let("pg_rows", low.op("tensor.dim", indices, ConstInt(positions.rank - 1)))
    if transposed:
        acc = low.create("paged_gather_acc", (size, count), data.dtype, space, transpose=True)
    else:
        acc = low.create("paged_gather_acc", (count, size), data.dtype, space)

    def body(block: Block, i: Var, carried: IterArg) -> Expr:
        raw = block.let("pg_idx_raw", _read(block, indices, i))
        logical = block.let("pg_idx", make_cast(raw, DataType.INDEX, span))
        page = block.let("pg_blk", make_binary("floordiv", logical, block_size, span))
        rest = block.let("pg_rem", make_binary("mod", logical, block_size, span))
        page_raw = block.let("pg_pblk_raw", _read(block, table, page))
        physical = block.let("pg_pblk", make_cast(page_raw, DataType.INDEX, span))
        start = make_binary("mul", physical, block_size, span)
        row = block.let("pg_phys", make_binary("add", start, rest, span))
        at: list[int | Expr] = [0, i] if transposed else [i, 0]
        call = block.op(
            "tile.gather_row",
            carried,
            source,
            block.dims(at),
            block.dims([row, kwargs.get("col_off", 0)]),
            block.dims([1, size]),
            transpose=transposed,
        )
        return block.let("pg_row", call)

    return low.loop("pg_i", rows, "paged_gather_iter", acc, "paged_gather_result", body)


CONVERTERS: dict[str, Converter] = {"tensor.paged_gather": paged_gather}
