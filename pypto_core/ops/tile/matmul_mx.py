"""Products of block-scaled FP8 tiles and their scales (``docs/spec/ops_tile.md`` §4, §9)."""

from __future__ import annotations

from dataclasses import dataclass

from pypto_core.ir import (
    ConstInt,
    DataType,
    Expr,
    MemorySpace,
    TileType,
    TileView,
    TupleType,
    Type,
    effective_tile_view,
)
from pypto_core.ops.proofs import const_value, element_count, provably_equal_extent
from pypto_core.ops.registry import (
    Effect,
    Evidence,
    InheritSpace,
    KwargType,
    KwParam,
    OpCall,
    OpCategory,
    OpDef,
    Stored,
    register,
)
from pypto_core.ops.shape_rules import show_dim, show_shape
from pypto_core.ops.tile.checks import require_dtype, require_rank
from pypto_core.ops.tile.declare import dtype_kw, tile, vec, vector_op
from pypto_core.ops.tile.matmul import ACC_IN_PLACE, BIAS, LHS, RHS, cube_op
from pypto_core.ops.tile_views import COL, NONE_BOX, ROW, stamp_compact

_D = DataType
_M = MemorySpace
GROUP = 32
"""Elements along K that share one scale."""


@dataclass(frozen=True, slots=True)
class _Operand:
    """One data operand with its scale. ``k_axis`` is the axis of the inner dimension."""

    name: str
    data: int
    scale: int
    k_axis: int


def _fail_shape(call: OpCall, index: int, text: str) -> None:
    call.fail("op-shape", f"The operator {call.name} requires {text}", arg=index)


def _check_data(call: OpCall, index: int, name: str) -> TileType:
    data = call.tile(index)
    if data.dtype is not _D.FP8E4M3FN:
        hint = "; cast FP4 data to FP8E4M3FN first" if data.dtype is _D.FP4 else ""
        call.fail(
            "op-dtype",
            f"The operator {call.name} requires {name} dtype FP8E4M3FN, but got {data.dtype.text}{hint}",
            arg=index,
        )
    require_rank(call, index, data, 2, name)
    return data


def _check_k(call: OpCall, part: _Operand, data: TileType) -> None:
    k, valid_k = const_value(data.shape[part.k_axis]), const_value(data.valid_shape[part.k_axis])
    if k is not None and (k <= 0 or k % 64):
        _fail_shape(call, part.data, f"{part.name} physical K divisible by 64, but got {k}")
    if valid_k is not None and valid_k <= 0:
        _fail_shape(call, part.data, f"a positive {part.name} valid K, but got {valid_k}")
    if k is not None and valid_k is not None and -(-valid_k // GROUP) != -(-k // GROUP):
        _fail_shape(
            call,
            part.data,
            f"the {part.name} valid scale-group count to equal the physical one, "
            f"but got {-(-valid_k // GROUP)} and {-(-k // GROUP)}",
        )


def _groups(extent: Expr) -> Expr | None:
    value = const_value(extent)
    return None if value is None else ConstInt(-(-value // GROUP), _D.INDEX)


def check_scale_geometry(
    call: OpCall, name: str, scale_index: int, scale: TileType, data: TileType, k_axis: int
) -> None:
    """A scale tile has one element per K group of its data; compared where both sides are constant."""
    if scale.dtype is not _D.FP8E8M0:
        call.fail(
            "op-dtype",
            f"The operator {call.name} requires {name} dtype FP8E8M0, but got {scale.dtype.text}",
            arg=scale_index,
        )
    require_rank(call, scale_index, scale, 2, name)
    for word, have, want in (
        ("physical", scale.shape, data.shape),
        ("valid", scale.valid_shape, data.valid_shape),
    ):
        for axis, side in enumerate(("rows", "cols")):
            expected = _groups(want[axis]) if axis == k_axis else want[axis]
            need, got = (const_value(expected) if expected is not None else None), const_value(have[axis])
            if need is not None and got is not None and need != got:
                _fail_shape(call, scale_index, f"{name} {word} {side}={need}, but got {got}")


def _mx_product(call: OpCall, first: int) -> TileType:
    """MATMUL_MX over operands ``first .. first + 3``."""
    left = _Operand("lhs", first, first + 1, 1)
    right = _Operand("rhs", first + 2, first + 3, 0)
    lhs, rhs = _check_data(call, left.data, "lhs"), _check_data(call, right.data, "rhs")
    m, n = const_value(lhs.shape[0]), const_value(rhs.shape[1])
    if m is not None and (m <= 0 or m % 16):
        _fail_shape(call, left.data, f"physical M divisible by 16, but got {m}")
    if n is not None and (n <= 0 or n % 32):
        _fail_shape(call, right.data, f"physical N divisible by 32, but got {n}")
    for word, a, b in (
        ("physical", lhs.shape[1], rhs.shape[0]),
        ("valid", lhs.valid_shape[1], rhs.valid_shape[0]),
    ):
        x, y = const_value(a), const_value(b)
        if x is not None and y is not None and x != y:
            _fail_shape(call, right.data, f"matching {word} K, but got {x} and {y}")
    for part, data in ((left, lhs), (right, rhs)):
        _check_k(call, part, data)
        check_scale_geometry(call, f"{part.name}_scale", part.scale, call.tile(part.scale), data, part.k_axis)
    shape = (lhs.shape[0], rhs.shape[1])
    valid = (lhs.valid_shape[0], rhs.valid_shape[1])
    view = TileView(
        valid_shape=valid, blayout=COL, slayout=ROW, fractal=1024, compact=stamp_compact(shape, valid)
    )
    return TileType(shape, _D.FP32, None, view)


def deduce_matmul_mx(call: OpCall) -> Type:
    """MATMUL_MX."""
    return _mx_product(call, 0)


def _require_fp32(call: OpCall, index: int, what: str) -> TileType:
    t = call.tile(index)
    require_rank(call, index, t, 2, what)
    if t.dtype is not _D.FP32:
        call.fail(
            "op-dtype",
            f"The operator {call.name} requires {what} dtype FP32, but got {t.dtype.text}",
            arg=index,
        )
    return t


def _require_extents(
    call: OpCall, index: int, have: tuple[Expr, ...], want: tuple[Expr, ...], what: str
) -> None:
    for a, b in zip(have, want):
        x, y = const_value(a), const_value(b)
        if x is not None and y is not None and x != y:
            _fail_shape(call, index, f"{what} {show_shape(want)}, but got {show_shape(have)}")


def deduce_matmul_mx_acc(call: OpCall) -> Type:
    """MATMUL_MX_ACC: the accumulator matches the product where constant."""
    product = _mx_product(call, 1)
    acc = _require_fp32(call, 0, "acc")
    _require_extents(call, 0, acc.shape, product.shape, "acc physical shape")
    _require_extents(call, 0, acc.valid_shape, product.valid_shape, "acc valid shape")
    return product


def deduce_matmul_mx_bias(call: OpCall) -> Type:
    """MATMUL_MX_BIAS: a bias row as wide as the product."""
    product = _mx_product(call, 0)
    bias = _require_fp32(call, 4, "bias")
    one = ConstInt(1, _D.INDEX)
    _require_extents(call, 4, bias.shape, (one, product.shape[1]), "bias physical shape")
    _require_extents(call, 4, bias.valid_shape, (one, product.valid_shape[1]), "bias valid shape")
    return product


_PAIRS = {(_M.LeftScale, _M.Left): 1, (_M.RightScale, _M.Right): 0}


def deduce_tget_scale_addr(call: OpCall) -> Type:
    """TGET_SCALE_ADDR: the scale tile bound to the address that belongs to ``src``."""
    scale, src = call.tile(0), call.tile(1)
    if src.dtype is not _D.FP8E4M3FN:
        call.fail(
            "op-dtype",
            f"The operator {call.name} requires src dtype FP8E4M3FN, but got {src.dtype.text}",
            arg=1,
        )
    require_rank(call, 1, src, 2, "src")
    if scale.memory_space is None or src.memory_space is None:
        call.fail("op-memory", f"The operator {call.name} requires resolved memory spaces", arg=0)
    k_axis = _PAIRS.get((scale.memory_space, src.memory_space))
    if k_axis is None:
        call.fail(
            "op-memory",
            f"The operator {call.name} requires a LeftScale/Left or RightScale/Right pairing, "
            f"but got {scale.memory_space.name}/{src.memory_space.name}",
            arg=0,
        )
    check_scale_geometry(call, "dst_scale", 0, scale, src, k_axis)
    return TileType(scale.shape, scale.dtype, None, effective_tile_view(scale), scale.memory_space)


# -- quantisation ----------------------------------------------------------------------------------------------------


def _group_axis(call: OpCall) -> int:
    axis: int = call.require_kw("group_axis")
    if axis not in (0, 1):
        call.fail("op-value", f"{call.name} requires group_axis 0 or 1, but got {axis}", keyword="group_axis")
    return axis


def _static_source(call: OpCall) -> tuple[int, int]:
    src = call.tile(0)
    require_rank(call, 0, src, 2, "src")
    require_dtype(call, 0, src.dtype, (_D.FP16, _D.BF16, _D.FP32), "src")
    rows, cols = const_value(src.shape[0]), const_value(src.shape[1])
    if rows is None or cols is None:
        call.fail(
            "op-shape", f"{call.name} requires a static src shape, but got {show_shape(src.shape)}", arg=0
        )
    for axis, (v, s) in enumerate(zip(src.valid_shape, src.shape)):
        if not provably_equal_extent(v, s):
            call.fail(
                "op-shape",
                f"{call.name} requires a fully valid src, but dimension {axis} is valid for "
                f"{show_dim(v)} of {show_dim(s)}",
                arg=0,
                unproven=const_value(v) is None,
            )
    return rows, cols


def _require_multiple(call: OpCall, what: str, extent: int, of: int) -> None:
    if extent <= 0 or extent % of:
        call.fail(
            "op-shape", f"{call.name} requires {what} to be a multiple of {of}, but got {extent}", arg=0
        )


def _dims(*extents: int) -> tuple[Expr, ...]:
    return tuple(ConstInt(e, _D.INDEX) for e in extents)


def deduce_tquant_mx(call: OpCall) -> Type:
    """TQUANT_MX: FP8 data and one FP8E8M0 scale per group of 32 along K."""
    rows, cols = _static_source(call)
    if call.kw("dtype") is not _D.FP8E4M3FN:
        call.fail("op-dtype", f"{call.name} requires dtype FP8E4M3FN", keyword="dtype")
    axis = _group_axis(call)
    _require_multiple(call, "K", cols, 64)
    if axis == 1:
        _require_multiple(call, "M", rows, 16)
        quant, scale_shape, layout = _dims(rows, cols), _dims(rows, cols // GROUP), ROW
    else:
        _require_multiple(call, "N", rows, 32)
        quant, scale_shape, layout = _dims(cols, rows), _dims(cols // GROUP, rows), COL
    data = TileType(quant, _D.FP8E4M3FN, None, TileView(blayout=ROW, slayout=NONE_BOX))
    scale = TileType(scale_shape, _D.FP8E8M0, None, TileView(blayout=layout, slayout=layout, fractal=GROUP))
    return TupleType((data, scale))


def deduce_tquant_mx_raw(call: OpCall) -> Type:
    """TQUANT_MX_RAW: INT8 data and raw UINT8 exponents, with one workspace element per group."""
    rows, cols = _static_source(call)
    axis = _group_axis(call)
    if axis == 1:
        _require_multiple(call, "M", rows, 16)
        _require_multiple(call, "K", cols, GROUP)
        groups, exponents = rows * cols // GROUP, _dims(1, rows * cols // GROUP)
    else:
        _require_multiple(call, "dimension 0", rows, GROUP)
        groups, exponents = rows // GROUP * cols, _dims(rows // GROUP, cols)
    src = call.tile(0)
    for index in (1, 2):
        t, name = call.tile(index), call.param_name(index)
        if t.dtype is not src.dtype:
            call.fail(
                "op-dtype",
                f"{call.name} requires {name} dtype {src.dtype.text}, but got {t.dtype.text}",
                arg=index,
            )
        count = element_count(t.valid_shape)
        if count != groups:
            have = show_shape(t.valid_shape) if count is None else str(count)
            call.fail(
                "op-shape",
                f"{call.name} requires {groups} valid elements in {name}, but got {have}",
                arg=index,
            )
    data = TileType(src.shape, _D.INT8, None, TileView(blayout=ROW, slayout=NONE_BOX))
    scale = TileType(exponents, _D.UINT8, None, TileView(blayout=ROW, slayout=NONE_BOX, fractal=GROUP))
    return TupleType((data, scale))


_SCALED = (LHS, tile("lhs_scale", (_M.LeftScale,)), RHS, tile("rhs_scale", (_M.RightScale,)))
cube_op(
    "tile.matmul_mx", "MATMUL_MX", deduce_matmul_mx, _SCALED, "Product of block-scaled FP8 tiles.",
    evidence=Evidence.UNKNOWN,
)  # fmt: skip
cube_op(
    "tile.matmul_mx_acc", "MATMUL_MX_ACC", deduce_matmul_mx_acc, (ACC_IN_PLACE, *_SCALED),
    "Add a product of block-scaled FP8 tiles to an accumulator.", evidence=Evidence.UNKNOWN,
)  # fmt: skip
cube_op(
    "tile.matmul_mx_bias", "MATMUL_MX_BIAS", deduce_matmul_mx_bias, (*_SCALED, BIAS),
    "Product of block-scaled FP8 tiles plus a bias row.", evidence=Evidence.UNKNOWN,
)  # fmt: skip
register(
    OpDef(
        "tile.tget_scale_addr", OpCategory.TILE, "TGET_SCALE_ADDR", deduce_tget_scale_addr,
        (tile("dst_scale", effect=Effect.WRITE), tile("src")), output_memory=InheritSpace(), output_reuses_input=0,
        doc="Bind a scale tile to the scale memory that belongs to a data tile.",
    )
)  # fmt: skip

_GROUP_AXIS = KwParam(
    "group_axis",
    KwargType.INT,
    required=True,
    stored=Stored.ALWAYS,
    allowed=(0, 1),
    doc="axis that groups run along",
)
vector_op(
    "tile.tquant_mx", "TQUANT_MX", deduce_tquant_mx, (vec("src"),),
    "Quantise to FP8 with one power-of-two scale per 32 elements; gives data and scales.", evidence=Evidence.UNKNOWN,
    inplace_safe=False,
    kwargs=(dtype_kw(required=False, default=_D.FP8E4M3FN, stored=Stored.ALWAYS, allowed=(_D.FP8E4M3FN,)), _GROUP_AXIS),
)  # fmt: skip
vector_op(
    "tile.tquant_mx_raw", "TQUANT_MX_RAW", deduce_tquant_mx_raw, (vec("src"), vec("max"), vec("scaling")),
    "Quantise to raw bytes and exponents, with workspaces of one element per group.", evidence=Evidence.UNKNOWN,
    inplace_safe=False, kwargs=(_GROUP_AXIS,),
)  # fmt: skip
