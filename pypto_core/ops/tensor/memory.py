"""Elements, windows and valid regions of tensors (``docs/spec/ops_tensor.md`` §3.5)."""

from __future__ import annotations

from pypto_core.ir import (  # fmt: skip
    DataType,
    Expr,
    PadValue,
    ScalarType,
    TensorType,
    TensorView,
    Type,
)
from pypto_core.ops.kinds import ArgKind
from pypto_core.ops.proofs import const_value
from pypto_core.ops.regions import (
    RegionWrite,
    WindowRead,
    drop_axes,
    parse_drop_dims,
    window_read,
    write_union,
)
from pypto_core.ops.registry import Effect, InheritSpace, KwargType, KwParam, OpCall, Stored, WriteChannel
from pypto_core.ops.shape_rules import show_dim
from pypto_core.ops.tensor.declare import (
    atomic_kw,
    atomic_write,
    const_tuple,
    constant_of,
    dtype_at,
    elements_of,
    flag,
    int_tuple,
    keep_kind,
    literal_tuple,
    operand,
    require_atomic_dtype,
    require_not_mx,
    scalar,
    static_axis,
    tensor,
    tensor_like,
    tensor_op,
    view_of,
)

_SLICE_REMEDY = (
    "Pass clamp=True to cut the window at the end of the source, or a valid_shape that stays inside it."
)


# -- single elements -------------------------------------------------------------------------------------------------


def _check_indices(call: OpCall) -> None:
    rank, given = len(call.tensor(0).shape), len(elements_of(call, 1))
    if rank != given:
        call.fail(
            "op-rank", f"{call.name} indices count must match the tensor rank {rank}, but got {given}", arg=1
        )


def deduce_read(call: OpCall) -> Type:
    """T-READ."""
    _check_indices(call)
    return ScalarType.of(call.tensor(0).dtype)


def deduce_write(call: OpCall) -> Type:
    """T-WRITE: the value has exactly the element dtype; the tensor's own type stays."""
    _check_indices(call)
    element, value = call.tensor(0).dtype, dtype_at(call, 2)
    if value is not element:
        call.fail(
            "op-dtype",
            f"{call.name} requires value dtype to match tensor dtype {element.text}, but got {value.text}",
            arg=2,
            data={"expected": element.printed, "got": value.printed},
        )
    return call.args[0].type


def deduce_dim(call: OpCall) -> Type:
    """T-DIM."""
    static_axis(call, constant_of(call, 1), len(call.exact_tensor(0).shape), arg=1)
    return ScalarType.of(DataType.INDEX)


# -- windows ---------------------------------------------------------------------------------------------------------


def _slice_valid(call: OpCall, shape: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """H-SLICE-VALID: through the window when the ranks agree, else what the author says."""
    source = call.tensor(0)
    offsets = elements_of(call, 2)
    requested = call.literal_tuple(3) if call.has(3) else ()
    if len(shape) == len(source.shape) == len(offsets):
        read = WindowRead(
            source.shape,
            source.valid_shape,
            offsets,
            shape,
            requested or None,
            clamp=bool(call.kw("clamp")),
            remedy=_SLICE_REMEDY,
            offset_arg=2,
            valid_arg=3 if requested else None,
        )
        return window_read(call, read)
    if requested and len(requested) != len(shape):
        call.fail(
            "op-rank",
            f"{call.name} valid_shape has {len(requested)} extents for a window of rank {len(shape)}",
            arg=3,
        )
    return requested or shape


def deduce_slice(call: OpCall) -> Type:
    """T-SLICE: a window keeps the window kind and its buffer, never strides or layout."""
    source = call.tensor(0)
    require_not_mx(call, 0)
    shape = elements_of(call, 1)
    valid = _slice_valid(call, shape)
    if call.has(4):
        axes = parse_drop_dims(call, call.args[4], shape, 4)
        if axes and len(axes) == len(shape):
            call.fail("op-value", f"{call.name} drop_dims cannot erase every dimension", arg=4)
        shape, valid = drop_axes(call, shape, valid, axes, 4)
    pad = call.kw("pad_value")
    if pad is None:
        pad = view_of(source).pad
    return keep_kind(source, shape, TensorView(valid_shape=valid, pad=pad))


def deduce_assemble(call: OpCall) -> Type:
    """T-ASSEMBLE: the target's shape with the union of both valid regions."""
    target, source = call.tensor(0), call.tensor(1)
    if target.dtype is not source.dtype:
        call.fail(
            "op-dtype",
            f"{call.name} requires target and source of the same dtype, but got {target.dtype.text} and {source.dtype.text}",
            arg=1,
            data={"expected": target.dtype.printed, "got": source.dtype.printed},
        )
    require_atomic_dtype(call, target.dtype, "target", 0)
    offsets = elements_of(call, 2)
    valid: tuple[Expr, ...] = ()
    if len(source.shape) == len(target.shape) == len(offsets):
        valid = write_union(
            call,
            RegionWrite(
                target.shape, target.valid_shape, source.shape, source.valid_shape, offsets, offset_arg=2
            ),
        )
    return keep_kind(target, target.shape, TensorView(valid_shape=valid) if valid else None)


# -- valid regions ---------------------------------------------------------------------------------------------------


def _pad_kw(call: OpCall) -> PadValue:
    pad = call.kw("pad_value")
    if pad is PadValue.null:
        call.fail(
            "op-value", f"{call.name} requires pad_value to be zero/max/min, not null", keyword="pad_value"
        )
    assert isinstance(pad, PadValue)
    return pad


def deduce_fillpad(call: OpCall) -> Type:
    """T-FILLPAD: fully valid; memory and the rest of the view stay, its pad field included."""
    source = call.exact_tensor(0)
    _pad_kw(call)
    view = source.tensor_view
    if view is None or not view.valid_shape:
        return source
    return TensorType(source.shape, source.dtype, source.memref, view.with_(valid_shape=()))


def deduce_fillpad_expand(call: OpCall) -> Type:
    """T-FILLPAD-EXPAND: a larger static shape in fresh memory."""
    source = call.exact_tensor(0)
    pad = _pad_kw(call)
    shape = call.literal_tuple(1)
    if len(shape) != len(source.shape):
        call.fail(
            "op-rank",
            f"{call.name} requires a shape of rank {len(source.shape)}, but got {len(shape)}",
            arg=1,
        )
    for axis, (new, old) in enumerate(zip(shape, source.shape)):
        size, before = const_value(new), const_value(old)
        if size is not None and (size <= 0 or (before is not None and size < before)):
            call.fail(
                "op-shape",
                f"{call.name} shape[{axis}]={size} must be >= source dimension {show_dim(old)}",
                arg=1,
            )
    return TensorType(tuple(shape), source.dtype, None, TensorView(valid_shape=tuple(shape), pad=pad))


def deduce_set_validshape(call: OpCall) -> Type:
    """T-SET-VALIDSHAPE: moves nothing; memory and the rest of the view stay."""
    source = call.exact_tensor(0)
    if len(source.shape) != 2:
        call.fail("op-rank", f"{call.name} requires a 2D tensor, but got rank {len(source.shape)}", arg=0)
    for index, what in ((1, "valid_rows"), (2, "valid_cols")):
        value, bound = const_value(call.args[index]), source.shape[index - 1]
        if value is None:
            continue
        if value < 0:
            call.fail("op-value", f"{call.name} {what} must be >= 0, but got {value}", arg=index)
        limit = const_value(bound)
        if limit is not None and value > limit:
            call.fail("op-shape", f"{call.name} {what} ({value}) exceeds tensor bound {limit}", arg=index)
    view = view_of(source).with_(valid_shape=(call.args[1], call.args[2]))
    return TensorType(source.shape, source.dtype, source.memref, view)


def _pad_param(stored: Stored, default: PadValue | None) -> KwParam:
    return KwParam(
        "pad_value", KwargType.PAD_VALUE, default=default, stored=stored, builder_default=default,
        allowed=tuple(PadValue), doc="what lies outside the valid region",
    )  # fmt: skip


tensor_op(
    "tensor.read", "T-READ", deduce_read, (tensor_like("tensor"), int_tuple("indices")), "Reads one element.",
    conversion="C-READ",
)  # fmt: skip
tensor_op(
    "tensor.write", "T-WRITE", deduce_write,
    (tensor_like("tensor", effect=Effect.WRITE), int_tuple("indices"), scalar("value")), "Writes one element.",
    conversion="C-WRITE", effects_declared=True, write_channel=WriteChannel.SCALAR,
)  # fmt: skip
tensor_op(
    "tensor.dim", "T-DIM", deduce_dim, (tensor("tensor"), operand("axis", ArgKind.CONST_INT)),
    "Extent of a tensor along one axis.",
)  # fmt: skip
tensor_op(
    "tensor.slice", "T-SLICE", deduce_slice,
    (tensor_like("input"), int_tuple("shape"), int_tuple("offset"), literal_tuple("valid_shape", optional=True), operand("drop_dims", ArgKind.TUPLE, optional=True)),
    "A window of a tensor.", conversion="C-SLICE", output_memory=InheritSpace(),
    kwargs=(_pad_param(Stored.WHEN_GIVEN, None), flag("clamp", stored=Stored.WHEN_TRUTHY, doc="cut the window at the end of the source")),
)  # fmt: skip
tensor_op(
    "tensor.assemble", "T-ASSEMBLE", deduce_assemble,
    (tensor_like("target", effect=atomic_write), tensor_like("source"), int_tuple("offset")),
    "Writes a tensor into another one at an offset.", conversion="C-ASSEMBLE", effects_declared=True,
    output_reuses_input=0, write_channel=WriteChannel.DMA, kwargs=(atomic_kw(),),
)  # fmt: skip
tensor_op(
    "tensor.fillpad", "T-FILLPAD", deduce_fillpad, (tensor("tensor"),), "Fills everything outside the valid region.",
    conversion="C-FILLPAD", kwargs=(_pad_param(Stored.ALWAYS, PadValue.zero),),
)  # fmt: skip
tensor_op(
    "tensor.fillpad_expand", "T-FILLPAD-EXPAND", deduce_fillpad_expand, (tensor("tensor"), const_tuple("shape")),
    "Copies into a larger shape and fills the rest.", conversion="C-FILLPAD-EXPAND",
    kwargs=(_pad_param(Stored.ALWAYS, PadValue.zero),),
)  # fmt: skip
tensor_op(
    "tensor.set_validshape", "T-SET-VALIDSHAPE", deduce_set_validshape,
    (tensor("tensor"), operand("valid_rows", ArgKind.INDEX_SCALAR), operand("valid_cols", ArgKind.INDEX_SCALAR)),
    "Declares how many rows and columns hold data.", conversion="C-SIMPLE", effects_declared=True,
    output_memory=InheritSpace(), output_reuses_input=0,
)  # fmt: skip
