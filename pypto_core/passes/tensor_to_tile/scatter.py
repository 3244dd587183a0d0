"""C-SCATTER, C-SCATTER-MASK, C-SCATTER-UPDATE: a scatter into zeros, blended into the input by a scattered mask
(docs/spec/passes_tensor_to_tile.md §1.7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from pypto_core.ir import DataType, Expr, TensorType, TileType
from pypto_core.passes.tensor_to_tile.elementwise import select_scratch
from pypto_core.passes.tensor_to_tile.flat_index import ramp, row_bases
from pypto_core.passes.tensor_to_tile.lowering import Converter, Lowering, number

_MASK_DTYPE = {4: DataType.FP32, 2: DataType.FP16, 1: DataType.INT8}
_INT16_LIMIT = 32767
_NOT_EQUAL = 1
"""``cmp_type`` of ``!=``."""


class _Names(NamedTuple):
    """What the tiles of one scatter are called."""

    zeros: str
    values: str
    unhit: str
    ones: str
    mask: str
    hit: str
    scratch: str


_SCATTER = _Names(
    "scatter_values_zero", "scatter_values", "scatter_mask_zero", "scatter_ones", "scatter_mask", "scatter_pred",
    "scatter_sel_tmp",
)  # fmt: skip
_MASKED = _Names(
    "scatter_mask_values_zero", "scatter_mask_values", "scatter_mask_mask_zero", "scatter_mask_ones",
    "scatter_mask_mask", "scatter_mask_pred", "scatter_mask_sel_tmp",
)  # fmt: skip
_UPDATE = _Names("su_v0", "su_vals", "su_m0", "su_ones", "su_mask", "su_pred", "su_tmp")


def _mask_dtype(low: Lowering, dtype: DataType) -> DataType:
    found = _MASK_DTYPE.get(dtype.byte)
    if found is None:
        low.fail("op-dtype", f"{low.name} has no mask for elements of {dtype.text}")
    return found


def _tile_operand(low: Lowering, index: int) -> TileType:
    kind = low.tile(index)
    if kind is None:
        low.fail("op-kind", f"{low.name}: '{low.written(index)}' is not a tensor or tile value")
    return kind


def _to(low: Lowering, name: str, value: Expr, dtype: DataType) -> Expr:
    return low.let(name, low.op("tile.cast", value, target_type=dtype, mode=0))


def _scattered(
    low: Lowering, names: _Names, target: int, source: int, into: Callable[[Expr, Expr], Expr]
) -> Expr:
    """Operand ``source`` scattered over operand ``target``: ``into`` scatters values, and a mask of ones, into zeros; where the mask
    was hit the values count, elsewhere the old ones."""
    old, new = _tile_operand(low, target), _tile_operand(low, source)
    dtype = _mask_dtype(low, old.dtype)
    zeros = low.full(names.zeros, old.shape, old.dtype, 0)
    values = low.let(names.values, into(zeros, low.args[source]))
    unhit = low.full(names.unhit, old.shape, dtype, 0)
    ones = low.full(names.ones, new.shape, dtype, 1)
    mask = low.let(names.mask, into(unhit, ones))
    hit = low.let(names.hit, low.op("tile.cmps", mask, number(0, dtype), cmp_type=_NOT_EQUAL))
    return low.op("tile.sel", hit, values, low.args[target], select_scratch(low, names.scratch))


def scatter(low: Lowering) -> Expr:
    """C-SCATTER (input, index, src): column indices become flat ones unless there is a single row."""
    target, index = _tile_operand(low, 0), _tile_operand(low, 1)
    rows = low.static(index, "the index")[0]
    columns = low.static(target, "the input")[1]
    flat = low.args[1]
    if rows > 1:
        narrow = index.dtype is DataType.INT16
        wide = _to(low, "scatter_idx_i32", flat, DataType.INT32) if narrow else flat
        base = row_bases(low, "scatter", rows, columns)
        flat = low.let("scatter_flat_idx", low.op("tile.row_expand_add", wide, base))
        if narrow:
            flat = _to(low, "scatter_flat_cast", flat, DataType.INT16)
    return _scattered(low, _SCATTER, 0, 2, lambda zeros, values: low.op("tile.scatter", zeros, values, flat))


def scatter_mask(low: Lowering) -> Expr:
    """C-SCATTER-MASK (input, dst): the pattern says which columns the input fills."""
    source, target = _tile_operand(low, 0), _tile_operand(low, 1)
    low.static(source, "the input")
    low.static(target, "the destination")
    return _scattered(
        low, _MASKED, 1, 0, lambda zeros, values: low.op("tile.scatter_mask", zeros, values, **low.kwargs)
    )


def scatter_update(low: Lowering) -> Expr:
    """C-SCATTER-UPDATE (input, index, src): whole rows of ``src`` replace the rows that ``index`` names."""
    for operand in (low.args[0], low.args[2]):
        kind = operand.type
        if isinstance(kind, (TensorType, TileType)) and kind.rank != 2:
            low.fail(
                "op-rank",
                f"{low.name}: only 2D input/src is currently supported in lowering, but got rank {kind.rank}",
            )
    target, index, source = (_tile_operand(low, i) for i in range(3))
    total, width = low.static(target, "the input")
    rows = low.static(source, "src")[0]
    column = ramp(low, "su_col", width)
    template = low.full("su_tmpl", (rows, width), DataType.INT32, 0)
    columns = low.let("su_col_nd", low.op("tile.col_expand", template, column))
    which = low.args[1]
    if index.dtype is not DataType.INT32:
        which = _to(low, "su_idx_i32", which, DataType.INT32)
    flat_rows = low.let("su_idx_flat", low.op("tile.reshape", which, low.dims([rows, 1])))
    base = low.let("su_row_base", low.op("tile.muls", flat_rows, number(width, DataType.INT32)))
    flat: Expr = low.let("su_flat_idx", low.op("tile.row_expand_add", columns, base))
    if target.dtype.byte < 4:
        if total * width > _INT16_LIMIT:
            low.fail(
                "op-shape",
                f"{low.name}: the input has {total} x {width} elements, exceeding the i16 flat-index limit of "
                f"{_INT16_LIMIT} that applies to {target.dtype.text} data",
            )
        flat = _to(low, "su_flat_idx_cast", flat, DataType.INT16)
    return _scattered(low, _UPDATE, 0, 2, lambda zeros, values: low.op("tile.scatter", zeros, values, flat))


CONVERTERS: dict[str, Converter] = {
    "tensor.scatter": scatter,
    "tensor.scatter_mask": scatter_mask,
    "tensor.scatter_update": scatter_update,
    "tile.scatter_update": scatter_update,
}
