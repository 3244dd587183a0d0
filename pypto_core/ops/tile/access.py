"""Single elements of a tile, and rows or elements of a tensor picked by index (``docs/spec/ops_tile.md`` §4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pypto_core.ir import (
    ConstInt,
    DataType,
    Expr,
    MakeTuple,
    MemorySpace,
    ScalarType,
    TensorLayout,
    TensorType,
    TileType,
    TileView,
    TupleType,
    Type,
    dim_equal,
    packed_strides,
)
from pypto_core.ops.kinds import ArgKind, is_int_scalar
from pypto_core.ops.proofs import const_value, element_count, is_integer
from pypto_core.ops.regions import bounds_faults
from pypto_core.ops.registry import (
    Effect,
    Evidence,
    KwargType,
    KwParam,
    OpCall,
    OpCategory,
    OpDef,
    RowMajorNeed,
    SpaceFromKwarg,
    Stored,
    WriteChannel,
    register,
)
from pypto_core.ops.shape_rules import is_one, show_dim, show_shape
from pypto_core.ops.tile.checks import INT_8_32, require_dtype
from pypto_core.ops.tile.declare import operand, scalar, tile, vec, vector_op
from pypto_core.ops.tile_views import COL, ROW

_D = DataType
_M = MemorySpace
_MGATHER_DTYPES = (*INT_8_32, _D.FP16, _D.BF16, _D.FP32, _D.FP8E4M3FN, _D.FP8E5M2, _D.HF8)


# -- elements --------------------------------------------------------------------------------------------------------


def _check_indices(call: OpCall, t: TileType) -> None:
    indices = call.args[1].type
    assert isinstance(indices, TupleType)
    if len(indices.types) != len(t.shape):
        call.fail(
            "op-rank",
            f"The operator {call.name}: indices count {len(indices.types)} does not match tile rank {len(t.shape)}",
            arg=1,
        )
    for i, element in enumerate(indices.types):
        if not is_int_scalar(element):
            call.fail(
                "op-kind", f"The operator {call.name} requires index {i} to be an integer scalar", arg=1
            )


def deduce_read(call: OpCall) -> Type:
    """READ: one element."""
    t = call.tile(0)
    _check_indices(call, t)
    return ScalarType.of(t.dtype)


def deduce_write(call: OpCall) -> Type:
    """WRITE: one element; the tile's own type."""
    t = call.tile(0)
    _check_indices(call, t)
    if call.scalar(2).dtype is not t.dtype:
        call.fail(
            "op-dtype",
            f"The operator {call.name} requires a value of dtype {t.dtype.text}, but got {call.scalar(2).dtype.text}",
            arg=2,
        )
    return t


# -- scatter to and gather from global memory ------------------------------------------------------------------------


def deduce_mscatter(call: OpCall) -> Type:
    """MSCATTER: every element of ``src`` to a flat position of the tensor."""
    src, idx, target = call.tile(0), call.tile(1), call.tensor(2)
    require_dtype(call, 0, src.dtype, (_D.FP16, _D.FP32, _D.INT16, _D.INT32), "src")
    require_dtype(call, 1, idx.dtype, (_D.INT32,), "idx")
    if len(idx.shape) != len(src.shape):
        call.fail(
            "op-rank",
            f"The operator {call.name} requires idx of rank {len(src.shape)}, but got {len(idx.shape)}",
            arg=1,
        )
    for axis, (a, b) in enumerate(zip(src.shape, idx.shape)):
        x, y = const_value(a), const_value(b)
        if x is not None and y is not None and x != y:
            call.fail(
                "op-shape",
                f"The operator {call.name} requires idx dimension {axis} to be {x}, but got {y}",
                arg=1,
            )
    if not target.shape:
        call.fail("op-rank", f"The operator {call.name} requires a tensor of rank >= 1", arg=2)
    if target.dtype is not src.dtype:
        call.fail(
            "op-dtype",
            f"The operator {call.name} requires tensor dtype {src.dtype.text}, but got {target.dtype.text}",
            arg=2,
        )
    return target


def deduce_mgather(call: OpCall) -> Type:
    """MGATHER: rows (coalesce 0) or elements (coalesce 1) of a tensor, into vector or matrix memory."""
    mem = call.tensor(0)
    if not mem.shape:
        call.fail("op-rank", f"The operator {call.name} requires mem of rank >= 1", arg=0)
    require_dtype(call, 0, mem.dtype, _MGATHER_DTYPES, "mem")
    for name, top in (("coalesce", 1), ("gather_oob", 3)):
        if not 0 <= call.kw(name) <= top:
            call.fail(
                "op-value",
                f"The operator {call.name} requires {name} in 0..{top}, but got {call.kw(name)}",
                keyword=name,
            )
    target = call.kw("target_memory")
    if target not in (_M.Vec, _M.Mat):
        call.fail(
            "op-memory",
            f"The operator {call.name} requires target_memory Vec or Mat",
            keyword="target_memory",
        )
    by_element = bool(call.kw("coalesce"))
    if target is _M.Mat:
        return _gather_to_mat(call, mem, by_element)
    if len(call.args) != 2:
        call.fail("op-arity", f"The operator {call.name} permits scratch only for Mat elem mode", arg=2)
    return _gather_to_vec(call, mem, by_element)


def _gather_to_vec(call: OpCall, mem: TensorType, by_element: bool) -> Type:
    idx = call.tile(1)
    require_dtype(call, 1, idx.dtype, (_D.INT32,), "idx")
    if len(idx.shape) != 2:
        call.fail(
            "op-rank",
            f"The operator {call.name} requires a 2D idx tile, but got rank {len(idx.shape)}",
            arg=1,
        )
    if by_element:
        shape, valid = idx.shape, idx.valid_shape
    else:
        axis = _index_vector_axis(call, idx.shape, both_ways=True)
        if len(mem.shape) < 2:
            call.fail("op-rank", f"The operator {call.name} row mode requires mem of rank >= 2", arg=0)
        shape, valid = (idx.shape[axis], mem.shape[-1]), (idx.valid_shape[axis], mem.shape[-1])
    return TileType(shape, mem.dtype, None, TileView(valid_shape=valid, blayout=ROW))


def _index_vector_axis(call: OpCall, shape: tuple[Expr, ...], *, both_ways: bool) -> int:
    """Axis along which a static ``[1, R]`` (or ``[R, 1]``) index vector runs."""
    if len(shape) == 2 and all(const_value(d) is not None for d in shape):
        if is_one(shape[0]):
            return 1
        if both_ways and is_one(shape[1]):
            return 0
    form = "[1, R] or [R, 1]" if both_ways else "[1, R]"
    raise call.error(
        "op-shape",
        f"The operator {call.name} row mode requires a {form} idx shape, but got {show_shape(shape)}",
        arg=1,
    )


def _is_plain_nd(t: TensorType) -> bool:
    view = t.tensor_view
    return view is None or view.layout is TensorLayout.ND


def _gather_to_mat(call: OpCall, mem: TensorType, by_element: bool) -> Type:
    idx = call.tensor(1)
    for index, t in ((0, mem), (1, idx)):
        if not _is_plain_nd(t):
            call.fail(
                "op-memory",
                f"The operator {call.name} requires an ND {call.param_name(index)} tensor",
                arg=index,
            )
    require_dtype(call, 1, idx.dtype, (_D.INT32,), "idx")
    if len(idx.shape) != 2:
        call.fail(
            "op-rank",
            f"The operator {call.name} requires a 2D idx tensor, but got rank {len(idx.shape)}",
            arg=1,
        )
    if by_element:
        shape = idx.shape
        if any(const_value(d) is None for d in shape):
            call.fail(
                "op-shape",
                f"The operator {call.name} requires a static idx shape, but got {show_shape(shape)}",
                arg=1,
            )
        _check_scratch(call, mem, shape)
        valid_arg = 3
    else:
        axis = _index_vector_axis(call, idx.shape, both_ways=False)
        if len(mem.shape) < 2:
            call.fail("op-rank", f"The operator {call.name} row mode requires mem of rank >= 2", arg=0)
        shape = (idx.shape[axis], mem.shape[-1])
        valid_arg = 2
    rows, cols = const_value(shape[0]), const_value(shape[1])
    width = 32 // mem.dtype.byte
    if rows is not None and rows % 16:
        call.fail(
            "op-shape",
            f"The operator {call.name} to Mat requires rows divisible by 16, but got {rows}",
            arg=1,
        )
    if cols is not None and cols % width:
        call.fail(
            "op-shape",
            f"The operator {call.name} to Mat requires columns divisible by {width}, but got {cols}",
            arg=1,
        )
    valid = _mat_valid(call, valid_arg, shape)
    return TileType(shape, mem.dtype, None, TileView(valid_shape=valid, blayout=COL, slayout=ROW))


def _check_scratch(call: OpCall, mem: TensorType, shape: tuple[Expr, ...]) -> None:
    if not call.has(2):
        call.fail("op-arity", f"The operator {call.name} in Mat elem mode requires a scratch tensor")
    if call.args[2] is call.args[0] or call.args[2] is call.args[1]:
        call.fail("op-value", f"The operator {call.name} requires scratch to differ from mem and idx", arg=2)
    space = call.tensor(2)
    if space.dtype is not mem.dtype:
        call.fail(
            "op-dtype",
            f"The operator {call.name} requires scratch dtype {mem.dtype.text}, but got {space.dtype.text}",
            arg=2,
        )
    strides = space.tensor_view.stride if space.tensor_view is not None else ()
    packed = packed_strides(space.shape, TensorLayout.ND)
    contiguous = not strides or (packed is not None and all(dim_equal(a, b) for a, b in zip(strides, packed)))
    if not _is_plain_nd(space) or not contiguous:
        call.fail("op-memory", f"The operator {call.name} requires a contiguous ND scratch tensor", arg=2)
    have, need = element_count(space.shape), element_count(shape)
    if have is None or need is None or have < need:
        call.fail(
            "op-shape",
            f"The operator {call.name} requires a static scratch of at least {need} elements",
            arg=2,
        )


def _mat_valid(call: OpCall, index: int, shape: tuple[Expr, ...]) -> tuple[Expr, ...]:
    given = call.args[index] if call.has(index) else None
    if given is None:
        return ()
    if type(given) is not MakeTuple:
        call.wrong_kind(index, ArgKind.LITERAL_TUPLE)
    valid = given.elements
    if len(valid) != 2:
        call.fail(
            "op-rank",
            f"The operator {call.name} requires a 2D valid_shape, but got rank {len(valid)}",
            arg=index,
        )
    for axis, (v, s) in enumerate(zip(valid, shape)):
        extent, bound = const_value(v), const_value(s)
        if extent is None or extent <= 0 or (bound is not None and extent > bound):
            call.fail(
                "op-value",
                f"The operator {call.name} requires 0 < valid_shape[{axis}] <= {show_dim(s)} as a compile-time constant, "
                f"but got {show_dim(v)}",
                arg=index,
                unproven=extent is None,
            )
    return valid


def deduce_gather_row(call: OpCall) -> Type:
    """GATHER_ROW: a box of a tensor into a box of a tile that exists; the offsets are not read."""
    dst, src = call.tile(0), call.exact_tensor(1)
    if src.dtype is not dst.dtype:
        call.fail(
            "op-dtype",
            f"The operator {call.name} requires src dtype {dst.dtype.text}, but got {src.dtype.text}",
            arg=1,
        )
    shapes = call.literal_tuple(4)
    for i, dim in enumerate(shapes):
        if not isinstance(dim, ConstInt):
            call.fail(
                "op-value",
                f"The operator {call.name} requires shapes[{i}] to be a compile-time constant, but got {show_dim(dim)}",
                arg=4,
                unproven=True,
            )
    if call.has(5):
        _check_gather_row_valid(call, shapes)
    return dst


def _check_gather_row_valid(call: OpCall, shapes: tuple[Expr, ...]) -> None:
    valid = call.literal_tuple(5)
    if len(valid) != len(shapes):
        call.fail(
            "op-rank",
            f"The operator {call.name} valid_shape rank mismatch: got {len(valid)} extents for {len(shapes)} dimensions",
            arg=5,
        )
    for i, extent in enumerate(valid):
        if not is_integer(extent):
            call.fail(
                "op-kind",
                f"The operator {call.name} requires valid_shape[{i}] to be an integer scalar",
                arg=5,
            )
        if call.kw("transpose") and const_value(extent) is None:
            call.fail(
                "op-value",
                f"The operator {call.name} with transpose=True requires a static valid_shape, but got {show_dim(extent)}",
                arg=5,
            )
    faults = bounds_faults(valid, shapes, call.name)
    if faults:
        call.fail("op-shape", "; ".join(faults), arg=5)


def _scratch_effect(kwargs: Mapping[str, Any]) -> Effect:
    """Operand 2 of mgather is scratch (written) in Mat element mode, else a valid shape."""
    elements_to_mat = kwargs.get("target_memory") is _M.Mat and kwargs.get("coalesce") == 1
    return Effect.WRITE if elements_to_mat else Effect.READ


register(
    OpDef(
        "tile.read", OpCategory.TILE, "READ", deduce_read, (vec("tile"), operand("indices", ArgKind.TUPLE)),
        doc="Read one element of a tile.",
    )
)  # fmt: skip
vector_op(
    "tile.write", "WRITE", deduce_write,
    (vec("tile", effect=Effect.READ_WRITE), operand("indices", ArgKind.TUPLE), scalar("value")),
    "Write one element of a tile; gives the tile.", evidence=Evidence.UNKNOWN,
)  # fmt: skip
register(
    OpDef(
        "tile.mscatter", OpCategory.TILE, "MSCATTER", deduce_mscatter,
        (vec("src"), vec("idx"), operand("output_tensor", ArgKind.TENSOR_LIKE, effect=Effect.WRITE)),
        output_reuses_input=2, write_channel=WriteChannel.DMA, backend_row_major=RowMajorNeed((0, 1), output=False),
        doc="Scatter the elements of a tile into a tensor by index; gives the tensor.",
    )
)  # fmt: skip
register(
    OpDef(
        "tile.mgather", OpCategory.TILE, "MGATHER", deduce_mgather,
        (
            operand("mem", ArgKind.TENSOR_LIKE),
            operand("idx", ArgKind.TILE_OR_TENSOR),
            operand("scratch", ArgKind.ANY, optional=True, effect=_scratch_effect, doc="workspace in Mat element mode"),
            operand("valid_shape", ArgKind.ANY, optional=True),
        ),
        (
            KwParam(
                "coalesce", KwargType.INT, default=0, stored=Stored.ALWAYS, builder_default=0, allowed=(0, 1),
                legal="row 0, elem 1", doc="gather whole rows or single elements",
            ),
            KwParam(
                "target_memory", KwargType.MEMORY_SPACE, default=_M.Vec, builder_default=_M.Vec,
                stored=Stored.WHEN_NOT_DEFAULT, allowed=(_M.Vec, _M.Mat), doc="memory of the result",
            ),
            KwParam(
                "gather_oob", KwargType.INT, default=0, builder_default=0, stored=Stored.WHEN_TRUTHY,
                allowed=(0, 1, 2, 3), legal="undefined 0, clamp 1, wrap 2, zero 3", doc="what an index past the end gives",
            ),
        ),
        output_memory=SpaceFromKwarg(default=_M.Vec), write_channel=WriteChannel.DMA, inplace_safe=False,
        doc="Gather rows or elements of a tensor by index.",
    )
)  # fmt: skip
register(
    OpDef(
        "tile.gather_row", OpCategory.TILE, "GATHER_ROW", deduce_gather_row,
        (
            tile("dst", effect=Effect.READ_WRITE),
            operand("src", ArgKind.TENSOR),
            operand("dst_offset", ArgKind.TUPLE),
            operand("src_offset", ArgKind.TUPLE),
            operand("shapes", ArgKind.LITERAL_TUPLE),
            operand("valid_shape", ArgKind.LITERAL_TUPLE, optional=True),
        ),
        (
            KwParam(
                "transpose", KwargType.BOOL, default=False, stored=Stored.ALWAYS, builder_default=False,
                doc="write the box transposed",
            ),
        ),
        output_reuses_input=0, doc="Copy a box of a tensor into a box of a tile; gives the tile.",
    )
)  # fmt: skip
