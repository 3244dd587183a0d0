"""Element-wise, broadcast and reduction operators: C-SIMPLE, C-BCAST-BIN, C-DIV, C-MINMAX, C-CMP, C-XOR, C-RSQRT,
C-ROW-REDUCE, C-ARG-REDUCE (docs/spec/passes_tensor_to_tile.md §1.7)."""

from __future__ import annotations

from pypto_core.ir import ConstInt, DataType, Expr, ScalarType, TensorType, TileType
from pypto_core.ops.proofs import prove_eq, prove_le
from pypto_core.ops.shape_rules import promote
from pypto_core.passes.tensor_to_tile.lowering import Converter, Lowering

_ROW_REDUCE_COLUMNS = 128
"""Narrowest scratch tile of a row reduction, in elements."""


def simple(low: Lowering) -> Expr:
    """C-SIMPLE: the tile operator of the same name, same arguments, same keywords."""
    return low.same(*low.args, **low.kwargs)


def _is_column(kind: TileType) -> bool:
    last = kind.shape[-1]
    return isinstance(last, ConstInt) and last.value == 1


def _row_vector_operand(low: Lowering) -> int | None:
    """Which of two rank-2 tiles is the ``[M, 1]`` vector against a wider one; None without such a broadcast."""
    left, right = low.tile(0), low.tile(1)
    if left is None or right is None or left.rank != 2 or right.rank != 2:
        return None
    narrow = (_is_column(left), _is_column(right))
    return narrow.index(True) if narrow in ((True, False), (False, True)) else None


def broadcast_binary(low: Lowering) -> Expr:
    """C-BCAST-BIN: a matrix and a column vector become ``row_expand_<op>``, the wider operand always first.

    The reference swaps the operands of ``vector - matrix`` too; its text is what we reproduce.
    """
    narrow = _row_vector_operand(low)
    if narrow is None:
        return low.same(*low.args, **low.kwargs)
    return low.op(f"tile.row_expand_{low.leaf}", low.args[1 - narrow], low.args[narrow])


def divide(low: Lowering) -> Expr:
    """C-DIV: operands brought to one dtype, then ``row_expand_div`` or ``div``."""
    args = list(low.args)
    left, right = low.tile(0), low.tile(1)
    if left is not None and right is not None and left.dtype is not right.dtype:
        common = promote(left.dtype, right.dtype)
        for index, (kind, side) in enumerate(((left, "lhs"), (right, "rhs"))):
            if kind.dtype is not common:
                cast = low.op("tile.cast", args[index], target_type=common, mode=2)
                args[index] = low.let(f"div_{side}_cast", cast)
    narrow = _row_vector_operand(low)
    if narrow == 0:
        low.fail(
            "compiler-internal",
            "tensor.div cannot lower a row-vector lhs broadcast: pto.trowexpanddiv implements only matrix / row-vector, and "
            f"'{low.written(0)}' has one column where '{low.written(1)}' has more; take the reciprocal of the matrix and multiply",
        )
    if narrow == 1 and not low.kwargs.get("high_precision", False):
        matrix, vector = args[0].type, args[1].type
        assert isinstance(matrix, TileType) and isinstance(vector, TileType)
        covers = prove_le(matrix.valid_shape[0], vector.valid_shape[0]) is True
        single = prove_eq(vector.valid_shape[1], ConstInt(1)) is True
        if covers and single and matrix.dtype in (DataType.FP16, DataType.FP32):
            return low.op("tile.row_expand_div", args[0], args[1])
    return low.op("tile.div", *args, **low.kwargs)


def min_max(low: Lowering) -> Expr:
    """C-MINMAX: the scalar form has its own tile operator."""
    scalar = isinstance(low.args[1].type, ScalarType)
    return low.op(f"tile.{low.leaf}s" if scalar else f"tile.{low.leaf}", *low.args, **low.kwargs)


def compare(low: Lowering) -> Expr:
    """C-CMP: a packed mask, blended into a 0/1 tile of the result's dtype."""
    scalar = isinstance(low.args[1].type, ScalarType)
    mask = low.let("cmp_mask", low.op("tile.cmps" if scalar else "tile.cmp", *low.args, **low.kwargs))
    result = low.call.type
    assert isinstance(result, TensorType)
    one = low.full("cmp_one", result.shape, result.dtype, 1)
    zero = low.full("cmp_zero", result.shape, result.dtype, 0)
    return low.op("tile.sel", mask, one, zero, select_scratch(low, "cmp_tmp"))


def select_scratch(low: Lowering, name: str) -> Expr:
    """The fixed scratch operand of ``tile.sel``."""
    return low.create(name, (1, 32), DataType.UINT8)


def exclusive_or(low: Lowering) -> Expr:
    """C-XOR: the tile form takes a scratch tile like its first operand."""
    left = low.tile(0)
    if left is None:
        return low.same(*low.args, **low.kwargs)
    return low.same(*low.args, low.create("xor_tmp", left.shape, left.dtype), **low.kwargs)


def reciprocal_root(low: Lowering) -> Expr:
    """C-RSQRT: high precision is a second operand, not a keyword."""
    source = low.tile(0)
    if source is None or not low.kwargs.get("high_precision", False):
        return low.op("tile.rsqrt", low.args[0])
    return low.op("tile.rsqrt", low.args[0], low.create("rsqrt_tmp", source.shape, source.dtype))


def row_reduce(low: Lowering) -> Expr:
    """C-ROW-REDUCE: scratch of the input's shape, at least 128 columns wide; axis and keep_dim are implied."""
    source = low.tile(0)
    if source is None:
        return low.same(*low.args)
    shape = list(source.shape)
    last = shape[-1]
    if len(shape) >= 2 and not (isinstance(last, ConstInt) and last.value >= _ROW_REDUCE_COLUMNS):
        shape[-1] = ConstInt(_ROW_REDUCE_COLUMNS)
    return low.same(low.args[0], low.create("tmp_tile", shape, source.dtype))


def arg_reduce(low: Lowering) -> Expr:
    """C-ARG-REDUCE: scratch of exactly the input's shape and dtype."""
    source = low.tile(0)
    if source is None:
        return low.same(*low.args)
    return low.same(low.args[0], low.create("tmp_tile", source.shape, source.dtype))


_SIMPLE = """
adds subs muls divs fmod fmods neg abs recip exp log sin cos sqrt cast and ands or ors not shl shls shr shrs
part_add part_mul part_max part_min
row_expand row_expand_add row_expand_sub row_expand_mul row_expand_div row_expand_max row_expand_min row_expand_expdif
col_expand col_expand_add col_expand_sub col_expand_mul col_expand_div col_expand_max col_expand_min col_expand_expdif
expands concat set_validshape full ci random reshape reinterpret_view
col_sum col_max col_min col_prod sort32 mrgsort_format1 gather_mask get_block_idx get_subblock_idx get_block_num
"""

CONVERTERS: dict[str, Converter] = {
    **{f"tensor.{leaf}": simple for leaf in _SIMPLE.split()},
    **{f"tensor.{leaf}": broadcast_binary for leaf in ("add", "sub", "mul")},
    "tensor.div": divide,
    **{f"tensor.{leaf}": min_max for leaf in ("maximum", "minimum")},
    "tensor.cmp": compare,
    **{f"tensor.{leaf}": exclusive_or for leaf in ("xor", "xors")},
    "tensor.rsqrt": reciprocal_root,
    **{f"tensor.{leaf}": row_reduce for leaf in ("row_max", "row_sum", "row_min", "row_prod")},
    **{f"tensor.{leaf}": arg_reduce for leaf in ("row_argmax", "row_argmin", "col_argmax", "col_argmin")},
}

__all__ = ["CONVERTERS", "select_scratch", "simple"]
