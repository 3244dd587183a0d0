"""Other shapes, types and layouts of the same elements (``docs/spec/ops_tensor.md`` §2.8, §3.5)."""

from __future__ import annotations

from collections.abc import Sequence

from pypto_core.ir import (  # fmt: skip
    ConstInt,
    Expr,
    TensorLayout,
    TensorType,
    TensorView,
    Type,
    packed_strides,
)
from pypto_core.ops.kinds import ArgKind
from pypto_core.ops.proofs import (
    add,
    all_dims_equal,
    const_value,
    element_count,
    provably_equal_extent,
    prove_le,
)
from pypto_core.ops.regions import reshape_valid
from pypto_core.ops.registry import InheritSpace, KwargType, KwParam, OpCall, Stored
from pypto_core.ops.shape_rules import is_one, show_dim, show_shape
from pypto_core.ops.tensor.declare import (
    constant_of,
    elements_of,
    fresh,
    int_tuple,
    keep_kind,
    layout_of,
    literal_tuple,
    operand,
    require_not_mx,
    require_rank,
    static_axis,
    tensor,
    tensor_like,
    tensor_op,
    view_of,
)


def is_packed(t: TensorType) -> bool:
    """Whether the elements lie without holes in the order of the layout."""
    view = view_of(t)
    if not view.stride:
        return True
    packed = packed_strides(t.shape, view.layout)
    return packed is not None and all_dims_equal(tuple(packed), view.stride)


def is_full(t: TensorType) -> bool:
    """Whether every element is provably valid."""
    return all(provably_equal_extent(v, s) for v, s in zip(t.valid_shape, t.shape))


def _check_sizes(call: OpCall, source: Sequence[Expr], target: Sequence[Expr], arg: int) -> None:
    before, after = element_count(tuple(source)), element_count(tuple(target))
    if before is not None and after is not None and before != after:
        call.fail(
            "op-shape",
            f"{call.name}: cannot reshape tensor of size {before} into shape with size {after}",
            arg=arg,
        )


# -- reshape ---------------------------------------------------------------------------------------------------------


def deduce_reshape(call: OpCall) -> Type:
    """T-RESHAPE: the valid region must stay a box; the result is ND without strides."""
    source = call.exact_tensor(0)
    require_not_mx(call, 0)
    shape = elements_of(call, 1)
    _check_sizes(call, source.shape, shape, 1)
    view = view_of(source)
    row_major = view.layout is TensorLayout.ND and is_packed(source)
    valid: tuple[Expr, ...] = shape
    if not is_full(source):
        valid = reshape_valid(call, source.valid_shape, source.shape, shape, row_major=row_major)
    if call.has(2):
        valid = _explicit_valid(call, valid)
    return TensorType(shape, source.dtype, None, TensorView(valid_shape=valid, pad=view.pad))


def _explicit_valid(call: OpCall, derived: tuple[Expr, ...]) -> tuple[Expr, ...]:
    explicit = call.literal_tuple(2)
    if len(explicit) != len(derived):
        call.fail(
            "op-rank",
            f"{call.name}: explicit valid_shape has {len(explicit)} extents for rank {len(derived)}",
            arg=2,
        )
    for axis, (given, limit) in enumerate(zip(explicit, derived)):
        if prove_le(ConstInt(0), given) is not True or prove_le(given, limit) is not True:
            call.fail(
                "op-shape",
                f"{call.name}: explicit valid_shape[{axis}]={show_dim(given)} is not provably within the source-derived "
                f"extent {show_dim(limit)}",
                arg=2,
                unproven=const_value(given) is None or const_value(limit) is None,
            )
    return explicit


# -- transpose -------------------------------------------------------------------------------------------------------


def _swapped(values: Sequence[Expr], a: int, b: int) -> tuple[Expr, ...]:
    out = list(values)
    out[a], out[b] = out[b], out[a]
    return tuple(out)


_OTHER_LAYOUT = {TensorLayout.ND: TensorLayout.DN, TensorLayout.DN: TensorLayout.ND}


def deduce_transpose(call: OpCall) -> Type:
    """T-TRANSPOSE: strides move with their axes; swapping the last two toggles ND and DN."""
    source = call.exact_tensor(0)
    rank = len(source.shape)
    first, second = (static_axis(call, constant_of(call, i), rank, arg=i) for i in (1, 2))
    if first == second:
        call.fail(
            "op-value",
            f"{call.name}: axis1 and axis2 must be different, but got axis1={constant_of(call, 1)}, "
            f"axis2={constant_of(call, 2)}",
            arg=2,
        )
    view = view_of(source)
    shape = _swapped(source.shape, first, second)
    strides = view.stride or packed_strides(source.shape, TensorLayout.ND) or ()
    strides = _swapped(strides, first, second)
    layout = view.layout
    if {first, second} == {rank - 2, rank - 1}:
        layout = _OTHER_LAYOUT.get(layout, layout)
    packed = packed_strides(shape, TensorLayout.ND)
    if layout is TensorLayout.ND and packed is not None and all_dims_equal(tuple(packed), strides):
        strides = ()
    valid = call.literal_tuple(3) if call.has(3) else _swapped(source.valid_shape, first, second)
    if len(valid) != rank:
        call.fail("op-rank", f"{call.name}: valid_shape has {len(valid)} extents for rank {rank}", arg=3)
    return TensorType(shape, source.dtype, None, TensorView(strides, layout, valid, view.pad))


# -- view ------------------------------------------------------------------------------------------------------------


def deduce_view(call: OpCall) -> Type:
    """T-VIEW: the same memory under another packed shape or layout; strides are always written out."""
    source = call.tensor(0)
    layout = call.kw("layout")
    if not call.has(1) and layout is None:
        call.fail("op-arity", f"{call.name} requires at least one of shape or layout")
    if not call.has(1):
        return _view_layout(call, source, layout)
    shape = elements_of(call, 1)
    if not is_packed(source):
        call.fail("op-memory", f"{call.name}: shape reinterpret requires a packed source", arg=0)
    _check_sizes(call, source.shape, shape, 1)
    valid = _view_valid(call, source, shape)
    target = layout if layout is not None else TensorLayout.ND
    return _with_strides(call, source, shape, target, valid)


def _with_strides(
    call: OpCall, source: TensorType, shape: tuple[Expr, ...], layout: TensorLayout, valid: tuple[Expr, ...]
) -> Type:
    strides = packed_strides(shape, layout)
    if strides is None:
        call.fail(
            "op-value",
            f"{call.name} has no strides for layout {layout.name} of rank {len(shape)}",
            keyword="layout",
        )
    view = TensorView(tuple(strides), layout, valid, view_of(source).pad)
    return keep_kind(source, shape, view, memref=True)


def _view_layout(call: OpCall, source: TensorType, layout: TensorLayout) -> Type:
    """Layout only: the other order of the last two axes over the same memory."""
    rank = len(source.shape)
    if rank < 2:
        call.fail("op-rank", f"{call.name} with layout requires at least 2 dimensions, but got {rank}", arg=0)
    if layout is layout_of(source):
        return _with_strides(call, source, source.shape, layout, source.valid_shape)
    view = view_of(source)
    shape = _swapped(source.shape, rank - 2, rank - 1)
    valid = _swapped(source.valid_shape, rank - 2, rank - 1)
    if not view.stride:
        return _with_strides(call, source, shape, layout, valid)
    strides = _swapped(view.stride, rank - 2, rank - 1)
    return keep_kind(source, shape, TensorView(strides, layout, valid, view.pad), memref=True)


def _view_valid(call: OpCall, source: TensorType, shape: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """Valid shape of a shape view: a partial source needs an explicit one that covers the same elements."""
    explicit = call.literal_tuple(2) if call.has(2) else ()
    for axis, extent in enumerate(explicit):
        value = const_value(extent)
        if value is not None and value <= 0:
            call.fail(
                "op-value", f"{call.name} valid_shape dimension {axis} must be positive, got {value}", arg=2
            )
    if explicit and len(explicit) != len(shape):
        call.fail(
            "op-rank", f"{call.name} valid_shape has {len(explicit)} extents for rank {len(shape)}", arg=2
        )
    if is_full(source):
        _check_explicit_bounds(call, explicit, shape)
        return explicit or shape
    if not explicit:
        call.fail(
            "op-shape",
            f"{call.name}: shape reinterpret does not support a source with a partial valid_shape "
            f"({show_shape(source.valid_shape)} of {show_shape(source.shape)}); pass the valid_shape of the result",
            arg=0,
        )
    _check_explicit_bounds(call, explicit, shape)
    if not (_is_leading_collapse(source, shape, explicit) or _is_same_prefix(source, shape, explicit)):
        call.fail(
            "op-shape",
            f"{call.name}: valid_shape {show_shape(explicit)} does not cover the same elements as "
            f"{show_shape(source.valid_shape)} of {show_shape(source.shape)}",
            arg=2,
        )
    return explicit


def _check_explicit_bounds(call: OpCall, explicit: Sequence[Expr], shape: Sequence[Expr]) -> None:
    for axis, (given, limit) in enumerate(zip(explicit, shape)):
        if prove_le(given, limit) is False:
            call.fail("op-shape", f"{call.name} valid_shape dimension {axis} ({show_dim(given)}) exceeds {show_dim(limit)}", arg=2)  # fmt: skip


def _is_leading_collapse(source: TensorType, shape: tuple[Expr, ...], valid: tuple[Expr, ...]) -> bool:
    """Leading axes merged into one, trailing axes untouched: valid rows multiply."""
    trailing = len(shape) - 1
    merged = len(source.shape) - trailing
    if merged < 1 or layout_of(source) is not TensorLayout.ND:
        return False
    if trailing and not all_dims_equal(source.shape[merged:], shape[1:]):
        return False
    if trailing and not all(
        provably_equal_extent(a, b) for a, b in zip(source.valid_shape[merged:], valid[1:])
    ):
        return False
    rows = element_count(source.valid_shape[:merged])
    first = const_value(valid[0])
    inner_full = all(
        provably_equal_extent(v, s) for v, s in zip(source.valid_shape[1:merged], source.shape[1:merged])
    )
    return inner_full and (first == rows if rows is not None and first is not None else rows is None)


def _is_same_prefix(source: TensorType, shape: tuple[Expr, ...], valid: tuple[Expr, ...]) -> bool:
    """Both valid regions are the same number of leading elements."""
    before, after = _prefix_length(source.shape, source.valid_shape), _prefix_length(shape, valid)
    return before is not None and before == after


def _prefix_length(shape: Sequence[Expr], valid: Sequence[Expr]) -> int | None:
    """Elements of a valid region that is a prefix in row-major order, None if it is not (or not static)."""
    free = 0
    while free < len(valid) - 1 and is_one(valid[free]):
        free += 1
    if not all(provably_equal_extent(v, s) for v, s in zip(valid[free + 1 :], shape[free + 1 :])):
        return None
    return element_count(tuple(valid))


# -- concat ----------------------------------------------------------------------------------------------------------


def deduce_concat(call: OpCall) -> Type:
    """T-CONCAT: columns of two 2-D tensors side by side."""
    a, b = call.exact_tensor(0), call.exact_tensor(1)
    for index, what in ((0, "src0"), (1, "src1")):
        require_rank(call, index, 2, what)
    if a.dtype is not b.dtype:
        call.fail(
            "op-dtype",
            f"{call.name} requires the same dtype, but got {a.dtype.text} and {b.dtype.text}",
            arg=1,
            data={"expected": a.dtype.printed, "got": b.dtype.printed},
        )
    rows_a, rows_b = const_value(a.shape[0]), const_value(b.shape[0])
    if rows_a is not None and rows_b is not None and rows_a != rows_b:
        call.fail("op-shape", f"{call.name} requires equal rows, but got {rows_a} and {rows_b}", arg=1)
    return fresh((a.shape[0], _sum_columns(a.shape[1], b.shape[1])), a.dtype)


def _sum_columns(a: Expr, b: Expr) -> Expr:
    if isinstance(a, ConstInt) and isinstance(b, ConstInt):
        return ConstInt(a.value + b.value, a.dtype)
    return add(a, b)


tensor_op(
    "tensor.reshape", "T-RESHAPE", deduce_reshape,
    (tensor("input"), int_tuple("shape"), literal_tuple("valid_shape", optional=True)),
    "The same elements under another shape.", conversion="C-SIMPLE", output_memory=InheritSpace(),
)  # fmt: skip
tensor_op(
    "tensor.transpose", "T-TRANSPOSE", deduce_transpose,
    (tensor("input"), operand("axis1", ArgKind.CONST_INT), operand("axis2", ArgKind.CONST_INT), literal_tuple("valid_shape", optional=True)),
    "Swaps two axes by their strides.", conversion="C-TRANSPOSE",
)  # fmt: skip
tensor_op(
    "tensor.view", "T-VIEW", deduce_view,
    (tensor_like("input"), int_tuple("shape", optional=True), literal_tuple("valid_shape", optional=True)),
    "The same memory under another packed shape or layout.", output_memory=InheritSpace(),
    kwargs=(KwParam("layout", KwargType.TENSOR_LAYOUT, stored=Stored.WHEN_GIVEN, allowed=tuple(TensorLayout), doc="layout of the result"),),
)  # fmt: skip
tensor_op(
    "tensor.concat", "T-CONCAT", deduce_concat, (tensor("src0"), tensor("src1")), "Two tensors side by side.",
    conversion="C-SIMPLE",
)  # fmt: skip
