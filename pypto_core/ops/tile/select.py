"""Comparison and selection: packed predicate masks (``docs/spec/ops_tile.md`` §3)."""

from __future__ import annotations

from pypto_core.ir import DataType, Expr, TileType, Type
from pypto_core.ops.proofs import cdiv, prove_le, round_up, times
from pypto_core.ops.registry import Evidence, KwargType, KwParam, OpCall, Stored
from pypto_core.ops.shape_rules import promote, show_dim
from pypto_core.ops.tile.binary import broadcast_tiles
from pypto_core.ops.tile.checks import INT_8_32, require_dtype, require_rank, require_same_box
from pypto_core.ops.tile.declare import scalar, scratch, vec, vector_op
from pypto_core.ops.tile_views import inherit_layout, like, passthrough

_D = DataType
_SIGNED_FORM = {_D.UINT8: _D.INT8, _D.UINT16: _D.INT16, _D.UINT32: _D.INT32}
CMP_TYPE = KwParam(
    "cmp_type", KwargType.INT, required=True, stored=Stored.ALWAYS, builder_default=0, allowed=tuple(range(6)),
    legal="eq 0, ne 1, lt 2, le 3, gt 4, ge 5", doc="which comparison",
)  # fmt: skip


def _mask_type(call: OpCall, logical: tuple[Expr, ...]) -> Type:
    """EW_CMP: one bit per element, rows of bytes rounded up to 32; always UINT8."""
    call.require_kw("cmp_type", f"The operator {call.name} requires 'cmp_type' attribute")
    first = call.tile(0)
    if not logical or not first.shape:
        call.fail("op-rank", f"The operator {call.name} requires operands with at least one dimension", arg=0)
    shape = (*logical[:-1], round_up(cdiv(logical[-1], 8), 32))
    valid = (*first.valid_shape[:-1], cdiv(first.valid_shape[-1], 8))
    return TileType(shape, _D.UINT8, None, inherit_layout(first, valid))


def deduce_cmp(call: OpCall) -> Type:
    """EW_CMP on two tiles."""
    return _mask_type(call, broadcast_tiles(call, 0, 1))


def deduce_cmps(call: OpCall) -> Type:
    """EW_CMP with a scalar."""
    return _mask_type(call, call.tile(0).shape)


def deduce_prelu(call: OpCall) -> Type:
    """EW_PRELU: FP16 or FP32, slope of the same box, 2-D scratch."""
    src, slope, tmp = (call.tile(i) for i in range(3))
    require_dtype(call, 0, src.dtype, (_D.FP16, _D.FP32), "tile")
    if slope.dtype is not src.dtype:
        call.fail(
            "op-dtype",
            f"The operator {call.name} requires slope to have the same dtype as the tile, "
            f"but got {src.dtype.text} and {slope.dtype.text}",
            arg=1,
        )
    require_rank(call, 0, src, 2, "tile")
    require_same_box(call, 1, slope, src)
    require_rank(call, 2, tmp, 2, "tmp")
    return passthrough(src)


def deduce_sel(call: OpCall) -> Type:
    """EW_SEL: shape and dtype of the two sources; mask and scratch are not read."""
    lhs, rhs = call.tile(1), call.tile(2)
    return like(lhs, broadcast_tiles(call, 1, 2), lhs.valid_shape, promote(lhs.dtype, rhs.dtype))


def deduce_sels(call: OpCall) -> Type:
    """EW_SELS: the mask must provably cover the valid elements of the source."""
    mask, src, tmp, value = call.tile(0), call.tile(1), call.tile(2), call.scalar(3)
    for index, (t, what) in enumerate(((mask, "mask"), (src, "src"), (tmp, "tmp"))):
        require_rank(call, index, t, 2, what)
    require_dtype(call, 0, mask.dtype, INT_8_32, "mask")
    require_dtype(call, 1, src.dtype, (*INT_8_32, _D.FP16, _D.FP32), "src")
    expected = _SIGNED_FORM.get(src.dtype, src.dtype)
    if value.dtype is not expected:
        call.fail(
            "op-dtype",
            f"The operator {call.name} requires scalar dtype {expected.text} for src dtype {src.dtype.text}, "
            f"but got {value.dtype.text}",
            arg=3,
        )
    rows = prove_le(src.valid_shape[0], mask.valid_shape[0])
    if rows is not True:
        call.fail(
            "op-shape",
            f"The operator {call.name} requires mask carrier rows to cover the src valid rows, "
            f"but got {show_dim(mask.valid_shape[0])} for {show_dim(src.valid_shape[0])}",
            arg=0,
            unproven=rows is None,
        )
    packed = times(mask.valid_shape[1], mask.dtype.byte)
    cols = prove_le(cdiv(src.valid_shape[1], 8), packed)
    if cols is not True:
        call.fail(
            "op-shape",
            f"The operator {call.name} requires the mask to hold at least ceil(src valid columns / 8) packed bytes, "
            f"but got {show_dim(packed)} for {show_dim(src.valid_shape[1])} columns",
            arg=0,
            unproven=cols is None,
        )
    return passthrough(src)


vector_op(
    "tile.cmp", "EW_CMP", deduce_cmp, (vec("lhs"), vec("rhs")),
    "Compare two tiles; the result is a packed mask, one bit per element.", kwargs=(CMP_TYPE,),
)  # fmt: skip
vector_op(
    "tile.cmps", "EW_CMP", deduce_cmps, (vec("lhs"), scalar("rhs")),
    "Compare a tile with a scalar; the result is a packed mask, one bit per element.", row_major=(0,), kwargs=(CMP_TYPE,),
)  # fmt: skip
vector_op(
    "tile.prelu", "EW_PRELU", deduce_prelu, (vec("tile"), vec("slope"), scratch()),
    "Rectifier with a slope per element.", row_major=(0, 1, 2), evidence=Evidence.UNKNOWN, inplace_safe=False,
)  # fmt: skip
vector_op(
    "tile.sel", "EW_SEL", deduce_sel, (vec("mask"), vec("lhs"), vec("rhs"), scratch()),
    "lhs where the packed mask has a 1 bit, rhs elsewhere.", row_major=(0, 1, 2, 3), evidence=Evidence.UNKNOWN,
    forbid_output_alias=(0, 3),
)  # fmt: skip
vector_op(
    "tile.sels", "EW_SELS", deduce_sels, (vec("mask"), vec("src"), scratch(), scalar("scalar")),
    "src where the packed mask has a 1 bit, the scalar elsewhere.", row_major=(0, 1, 2, 3), forbid_output_alias=(0,),
)  # fmt: skip
