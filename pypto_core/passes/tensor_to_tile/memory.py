"""Allocation, access and layout: C-CREATE, C-CREATE-L1, C-READ, C-WRITE, C-SLICE, C-ASSEMBLE, C-FILLPAD,
C-FILLPAD-EXPAND, C-TRANSPOSE, C-REINTERPRET, C-GATHER-ROW (docs/spec/passes_tensor_to_tile.md §1.7)."""

from __future__ import annotations

from pypto_core.ir import (
    AtomicType,
    ConstInt,
    Expr,
    MakeTuple,
    TensorLayout,
    TensorType,
    TupleGetItem,
    TupleType,
)
from pypto_core.ops import OpCall, OpError, get_op
from pypto_core.ops.regions import WindowRead, window_read
from pypto_core.passes.tensor_to_tile.lowering import (
    MAT,
    VEC,
    Converter,
    Lowering,
    load,
    load_whole,
    pass_error,
)


def elements(expr: Expr) -> tuple[Expr, ...]:
    """Elements of a tuple operand, literal or not."""
    if isinstance(expr, MakeTuple):
        return expr.elements
    kind = expr.type
    assert isinstance(kind, TupleType)
    return tuple(TupleGetItem(expr, i, span=expr.span) for i in range(len(kind.types)))


def create(low: Lowering) -> Expr:
    """C-CREATE: a Vec tile; layout, manual_dep and init_value mean nothing on a core."""
    shape = low.args[0]
    dtype = low.kwargs["dtype"]
    if low.backend is not None:
        count = 1
        for dim in elements(shape):
            count *= dim.value if isinstance(dim, ConstInt) else 0
        size, capacity = dtype.storage_bytes(count), low.backend.mem_size(VEC)
        if capacity and size > capacity:
            low.fail(
                "compiler-internal",
                f"tensor.create: tile size ({size} bytes) exceeds buffer capacity ({capacity} bytes) "
                f"for memory space {VEC.name}",
            )
    return low.op("tile.create", shape, dtype=dtype, target_memory=VEC)


def create_l1(low: Lowering) -> Expr:
    """C-CREATE-L1: a Mat tile."""
    kwargs = {"dtype": low.kwargs["dtype"], "target_memory": MAT}
    if "transpose" in low.kwargs:
        kwargs["transpose"] = low.kwargs["transpose"]
    return low.op("tile.create", low.args[0], **kwargs)


def read_write(low: Lowering) -> Expr:
    """C-READ, C-WRITE: a tile is accessed on the core, a tensor in global memory."""
    if low.tile(0) is not None:
        return low.same(*low.args, **low.kwargs)
    return low.call.with_(args=low.args)


def _slice_valid(low: Lowering, source: TensorType) -> tuple[Expr, ...]:
    """H-SLICE-VALID: the valid operand of the load that replaces a slice, at full rank."""
    window, offsets = elements(low.args[1]), elements(low.args[2])
    requested = elements(low.args[3]) if len(low.args) > 3 else ()
    if not len(window) == len(offsets) == source.rank:
        return requested or window
    call = OpCall(get_op("tensor.slice"), low.args, low.kwargs, low.span, low.backend)
    read = WindowRead(
        source_shape=source.shape,
        source_valid=source.valid_shape,
        offsets=offsets,
        window=window,
        requested=requested or None,
        clamp=bool(low.kwargs.get("clamp", False)),
    )
    try:
        return window_read(call, read)
    except OpError as error:
        found = error.diagnostic
        raise pass_error(found.code, found.message, low.span, op=low.name) from error


def slice_(low: Lowering) -> Expr:
    """C-SLICE: a load of the window from global memory, ``tile.slice`` of a tile. The pad value of a load is lost."""
    source = low.tensor(0)
    drop = elements(low.args[4]) if len(low.args) > 4 else ()
    if source is None:
        kwargs = {"pad_value": low.kwargs["pad_value"]} if "pad_value" in low.kwargs else {}
        return low.op("tile.slice", *low.args, **kwargs)
    valid = low.dims(_slice_valid(low, source))
    call = load(low.args[0], low.args[2], low.args[1], valid, low.space, low.span)
    if not drop:
        return call
    window = elements(low.args[1])
    dropped = {axis.value % len(window) for axis in drop if isinstance(axis, ConstInt)}
    reduced = [dim for axis, dim in enumerate(window) if axis not in dropped]
    name = "slice_load" if low.space is VEC else f"{low.result_name}_full_rank"
    return low.op("tile.reshape", low.let(name, call), low.dims(reduced))


def assemble(low: Lowering) -> Expr:
    """C-ASSEMBLE (target, source, offset): what it becomes depends on where target and source live."""
    target, source, offset = low.args[:3]
    atomic = low.kwargs.get("atomic", 0) == AtomicType.Add
    if low.tile(0) is None:
        if low.tile(1) is not None:
            return low.op("tile.store", source, offset, target, **low.kwargs)
        if atomic:
            low.fail(
                "op-kind",
                f"tensor.assemble with atomic=AtomicType.Add requires a tile source (a value computed in this kernel), "
                f"but '{low.written(1)}' is in global memory",
            )
        return low.call.with_(args=low.args)
    if atomic:
        low.fail(
            "op-kind",
            "tensor.assemble with atomic=AtomicType.Add requires a global-memory destination (a function output "
            f"tensor), but '{low.written(0)}' is a value on the core",
        )
    if low.tensor(1) is not None:
        source = low.let("assemble_src", load_whole(source, VEC, low.span))
    return low.op("tile.assemble", target, source, offset)


def _pad_source(low: Lowering, name: str) -> Expr:
    """The source as a tile: one still in global memory is loaded with its own valid shape."""
    source = low.tensor(0)
    if source is None:
        return low.args[0]
    return low.let(name, load_whole(low.args[0], VEC, low.span, source.valid_shape))


def fillpad(low: Lowering) -> Expr:
    """C-FILLPAD."""
    return low.op("tile.fillpad", _pad_source(low, "fillpad_src"), **low.kwargs)


def fillpad_expand(low: Lowering) -> Expr:
    """C-FILLPAD-EXPAND."""
    return low.op("tile.fillpad_expand", _pad_source(low, "fillpad_expand_src"), low.args[1], **low.kwargs)


def transpose(low: Lowering) -> Expr:
    """C-TRANSPOSE: an explicit valid shape has no place in the tile form."""
    return low.op("tile.transpose", *low.args[:3])


def reinterpret_view(low: Lowering) -> Expr:
    """C-SIMPLE with a condition: the author's source is laid out ND."""
    source = low.call.args[0].type
    view = source.tensor_view if isinstance(source, TensorType) else None
    if view is not None and view.layout is not TensorLayout.ND:
        low.fail(
            "op-kind",
            f"tensor.reinterpret_view in a kernel requires an ND source, but '{low.written(0)}' is {view.layout.name}",
        )
    return low.same(*low.args, **low.kwargs)


def gather_row(low: Lowering) -> Expr:
    """C-GATHER-ROW: rows of a global tensor copied into an accumulator tile."""
    return low.same(*low.args, **low.kwargs)


CONVERTERS: dict[str, Converter] = {
    "tensor.create": create,
    "tensor.create_l1": create_l1,
    "tensor.read": read_write,
    "tensor.write": read_write,
    "tensor.slice": slice_,
    "tensor.assemble": assemble,
    "tensor.fillpad": fillpad,
    "tensor.fillpad_expand": fillpad_expand,
    "tensor.transpose": transpose,
    "tensor.reinterpret_view": reinterpret_view,
    "tensor.gather_row": gather_row,
}
