"""C-EXPAND-CLONE: a broadcast copy from global memory to global memory through a tile
(docs/spec/passes_tensor_to_tile.md §1.7)."""

from __future__ import annotations

from pypto_core.ir import ConstInt, Expr, TensorType, TileType, dim_equal
from pypto_core.passes.tensor_to_tile.lowering import (
    VEC,
    Block,
    Converter,
    Lowering,
    load,
    load_whole,
)


def _tensor_operand(low: Lowering, index: int, what: str) -> TensorType:
    kind = low.tensor(index)
    if kind is None:
        got = (
            "TileType" if isinstance(low.args[index].type, TileType) else type(low.args[index].type).__name__
        )
        low.fail(
            "compiler-internal",
            f"tensor.expand_clone conversion: {what} must be TensorType, but got {got}: '{low.written(index)}' is a value "
            "computed in this kernel, and only tensors in global memory can be expanded",
        )
    return kind


def _store(block: Block, tile: Expr, offsets: list[int | Expr], target: Expr) -> Expr:
    return block.op("tile.store", tile, block.dims(offsets), target)


def _broadcast_axis(source: TensorType, target: TensorType) -> int | None:
    for axis, (have, want) in enumerate(zip(source.shape, target.shape, strict=True)):
        if not dim_equal(have, want) and isinstance(have, ConstInt) and have.value == 1:
            return axis
    return None


def _batch(low: Lowering, source: TensorType, target: TensorType) -> Expr:
    """One load, stored once per batch."""
    tile = low.let("expand_clone_input", load_whole(low.args[0], VEC, low.span, source.valid_shape))

    def body(block: Block, index: Expr, carried: Expr) -> Expr:
        return block.let("expand_clone_d0_store", _store(block, tile, [index, 0, 0], carried))

    return low.loop("i", target.shape[0], "expand_clone_acc", low.args[1], "expand_clone_d0_result", body)


def _rows(low: Lowering, source: TensorType, target: TensorType) -> Expr:
    """One row per batch, expanded down the columns."""
    width = source.shape[2]

    def body(block: Block, index: Expr, carried: Expr) -> Expr:
        window = block.dims([1, 1, width])
        valid = block.dims([1, 1, source.valid_shape[2]])
        row = block.let(
            "expand_clone_d1_input",
            load(low.args[0], block.dims([index, 0, 0]), window, valid, VEC, low.span),
        )
        box = block.create("expand_clone_d1_target", [1, *target.shape[1:]], target.dtype)
        column = block.let("expand_clone_d1_col", block.op("tile.col_expand", box, row))
        return block.let("expand_clone_d1_store", _store(block, column, [index, 0, 0], carried))

    return low.loop("i", target.shape[0], "expand_clone_acc", low.args[1], "expand_clone_d1_result", body)


def _columns(low: Lowering, source: TensorType, target: TensorType) -> Expr:
    tile = low.let("expand_clone_input", load_whole(low.args[0], VEC, low.span, source.valid_shape))
    box = low.create("expand_clone_d2_target", target.shape, target.dtype)
    row = low.let("expand_clone_d2_row", low.op("tile.row_expand", box, tile))
    return _store(low, row, [0, 0, 0], low.args[1])


def _copy(low: Lowering, source: TensorType, target: TensorType) -> Expr:
    tile = low.let("expand_clone_input", load_whole(low.args[0], VEC, low.span, source.valid_shape))
    return _store(low, tile, [0, 0, 0], low.args[1])


_BY_AXIS = {0: _batch, 1: _rows, 2: _columns, None: _copy}


def expand_clone(low: Lowering) -> Expr:
    """Both operands are tensors in global memory; the second one is written and becomes an Out parameter."""
    source = _tensor_operand(low, 0, "input")
    target = _tensor_operand(low, 1, "target")
    return _BY_AXIS[_broadcast_axis(source, target)](low, source, target)


CONVERTERS: dict[str, Converter] = {"tensor.expand_clone": expand_clone}
