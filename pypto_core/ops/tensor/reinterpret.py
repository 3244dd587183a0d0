"""The same bytes as another element type (``docs/spec/ops_tensor.md`` §2.9, H-REINTERPRET)."""

from __future__ import annotations

from pypto_core.ir import (  # fmt: skip
    ConstInt,
    DataType,
    Expr,
    Mul,
    PadValue,
    TensorLayout,
    TensorType,
    TensorView,
    Type,
    dims_equal,
    packed_strides,
)
from pypto_core.ops.kinds import ArgKind
from pypto_core.ops.proofs import const_value, times
from pypto_core.ops.registry import InheritSpace, OpCall
from pypto_core.ops.shape_rules import require_same_bytes, show_dim
from pypto_core.ops.tensor.declare import (
    dtype_kw,
    elements_of,
    layout_of,
    operand,
    require_not_mx,
    tensor,
    tensor_op,
    view_of,
)
from pypto_core.ops.tensor.generators import required_dtype
from pypto_core.ops.tensor.reshape import is_full, is_packed

_D = DataType
_DTYPES = (
    _D.INT8, _D.INT16, _D.INT32, _D.INT64, _D.UINT8, _D.UINT16, _D.UINT32, _D.UINT64, _D.FP16, _D.FP32, _D.BF16,
)  # fmt: skip


def _check_dtypes(call: OpCall, source: DataType, target: DataType) -> None:
    for dtype, what, where in ((source, "source", 0), (target, "target", None)):
        if dtype not in _DTYPES:
            call.fail(
                "op-dtype",
                f"{call.name} does not support {what} dtype {dtype.text}",
                arg=where,
                keyword=None if where == 0 else "dtype",
            )
    if source is target:
        call.fail("op-dtype", f"{call.name} requires source and target dtype to differ, but both are {source.text}", keyword="dtype")  # fmt: skip


def scaled_extent(call: OpCall, extent: Expr, source: DataType, target: DataType, what: str) -> Expr:
    """``extent`` elements of ``source`` counted in ``target``."""
    if source.byte >= target.byte:
        return times(extent, source.byte // target.byte) if source.byte != target.byte else extent
    factor = target.byte // source.byte
    value = const_value(extent)
    if value is not None:
        if value % factor:
            call.fail(
                "op-shape",
                f"{call.name} {what} ({value}) is not divisible by {factor} for the wider target dtype",
                arg=0,
            )
        assert isinstance(extent, ConstInt)
        return ConstInt(value // factor, extent.dtype)
    unscaled = _without_factor(extent, factor)
    if unscaled is None:
        call.fail(
            "op-shape",
            f"{call.name} cannot prove that dynamic {what} ({show_dim(extent)}) is divisible by {factor}",
            arg=0,
            unproven=True,
        )
    return unscaled


def _without_factor(extent: Expr, factor: int) -> Expr | None:
    """``x`` of ``x * factor``."""
    if isinstance(extent, Mul):
        for product, other in ((extent.right, extent.left), (extent.left, extent.right)):
            if const_value(product) == factor:
                return other
    return None


def _axis(call: OpCall, source: TensorType) -> int:
    """The axis whose elements lie next to each other."""
    rank = len(source.shape)
    layout = layout_of(source)
    if layout is TensorLayout.NZ:
        call.fail("op-memory", f"{call.name} does not support a tensor in layout NZ", arg=0)
    if rank < (2 if layout is TensorLayout.DN else 1):
        call.fail("op-rank", f"{call.name} requires more dimensions for layout {layout.name}", arg=0)
    return rank - 2 if layout is TensorLayout.DN else rank - 1


def deduce_reinterpret(call: OpCall) -> Type:
    """T-REINTERPRET."""
    source = call.exact_tensor(0)
    require_not_mx(call, 0)
    target = required_dtype(call)
    _check_dtypes(call, source.dtype, target)
    axis = _axis(call, source)
    for index, dim in enumerate(source.shape):
        value = const_value(dim)
        if value is not None and value <= 0:
            call.fail("op-shape", f"{call.name} shape dimension {index} ({value}) must be positive", arg=0)
    explicit = elements_of(call, 1) if call.has(1) else None
    if explicit is not None and _same_bytes(call, source, explicit, target):
        shape: tuple[Expr, ...] = explicit
        valid = explicit
    else:
        scaled = scaled_extent(call, source.shape[axis], source.dtype, target, f"shape dimension {axis}")
        shape = (*source.shape[:axis], scaled, *source.shape[axis + 1 :])
        extent = source.valid_shape[axis]
        narrowed = scaled_extent(call, extent, source.dtype, target, f"valid_shape dimension {axis}")
        valid = (*source.valid_shape[:axis], narrowed, *source.valid_shape[axis + 1 :])
    return _result(source, shape, valid, target)


def _same_bytes(call: OpCall, source: TensorType, explicit: tuple[Expr, ...], target: DataType) -> bool:
    """Whether an explicit shape differs from the automatic one; then both byte sizes must be static and equal."""
    axis = _axis(call, source)
    automatic: tuple[Expr, ...] | None = None
    value = const_value(source.shape[axis])
    if source.dtype.byte >= target.byte or (
        value is not None and value % (target.byte // source.dtype.byte) == 0
    ):
        scaled = scaled_extent(call, source.shape[axis], source.dtype, target, f"shape dimension {axis}")
        automatic = (*source.shape[:axis], scaled, *source.shape[axis + 1 :])
    if automatic is not None and dims_equal(automatic, explicit):
        return False
    require_same_bytes(call, source.shape, source.dtype, explicit, target)
    if not is_full(source):
        call.fail(
            "op-shape", f"{call.name} cannot preserve a partial valid_shape through an explicit shape", arg=1
        )
    return True


def _result(source: TensorType, shape: tuple[Expr, ...], valid: tuple[Expr, ...], target: DataType) -> Type:
    view = view_of(source)
    strides: tuple[Expr, ...] = ()
    if view.stride and is_packed(source):
        strides = tuple(packed_strides(shape, view.layout) or ())
    pad = PadValue.zero if view.pad is PadValue.zero else PadValue.null
    return TensorType(shape, target, source.memref, TensorView(strides, view.layout, valid, pad))


tensor_op(
    "tensor.reinterpret_view", "T-REINTERPRET", deduce_reinterpret,
    (tensor("data"), operand("shape", ArgKind.INDEX_TUPLE, optional=True)),
    "The same bytes as another element type.", conversion="C-SIMPLE", output_memory=InheritSpace(), kwargs=(dtype_kw(),),
)  # fmt: skip
