"""Subscripts: tuple elements, array elements, reads and slices of tensors and tiles (docs/spec/language.md §5.4)."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from pypto_core.arith import Analyzer
from pypto_core.frontend.context import Fault, FunctionContext, Silent, is_poison
from pypto_core.frontend.expressions import binary, expr, scalar_operand, type_words
from pypto_core.frontend.partly_known import UNKNOWN_TENSOR, PartlyKnown
from pypto_core.frontend.syntax import int_literal
from pypto_core.ir import (
    UNKNOWN,
    ArrayType,
    ConstInt,
    Expr,
    MakeTuple,
    ScalarType,
    Span,
    TensorType,
    TileType,
    TupleGetItem,
    TupleType,
    Var,
    const_dim,
    make_binary,
)
from pypto_core.ops.registry import OpError, create_op_call


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis of a subscript: where it starts, how much it takes, whether a scalar index drops it."""

    offset: Expr
    extent: Expr
    dropped: bool
    node: ast.expr | None
    upper: Expr | None = None


def subscript(ctx: FunctionContext, node: ast.Subscript) -> Expr:
    """``base[...]`` in value position. Raises Fault or Silent."""
    special = ctx.dialect.subscript(ctx, node)
    if special is not None:
        return special
    base = expr(ctx, node.value)
    if isinstance(base.type, PartlyKnown):
        return _partly_known(ctx, node, base, base.type)
    if is_poison(base) and not isinstance(base.type, TupleType):
        raise Silent
    kind = base.type
    if kind is UNKNOWN:
        raise Silent
    if isinstance(kind, TupleType):
        return _tuple_element(ctx, node, base, kind)
    if isinstance(kind, ArrayType):
        return _array_element(ctx, node, base)
    if isinstance(kind, TensorType | TileType):
        return _shaped(ctx, node, base, kind)
    raise ctx.fault(
        "subscript-base", f"'{ctx.text(node.value)}' is {type_words(kind)}, which has no elements", node
    )


def _partly_known(ctx: FunctionContext, node: ast.Subscript, base: Expr, kind: PartlyKnown) -> Expr:
    """A part of something without dtype: its shape is known where that of the whole is."""
    ctx.mark_incomplete()
    if kind.like is None:
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if not any(isinstance(part, ast.Slice) for part in parts):
            raise Silent  # an element, or a slice of fewer dimensions
        return Var("part", UNKNOWN_TENSOR, span=ctx.span(node))
    try:
        part = _shaped(ctx, node, Var("whole", kind.like, span=base.span), kind.like)
    except Fault as fault:
        if fault.diagnostic.code.startswith("op-"):
            raise Silent from fault  # it may be about the dtype
        raise
    if not isinstance(part.type, TensorType | TileType):
        raise Silent
    return Var("part", PartlyKnown(part.type), span=ctx.span(node))


def _tuple_element(ctx: FunctionContext, node: ast.Subscript, base: Expr, kind: TupleType) -> Expr:
    index = int_literal(node.slice)
    if index is None:
        ctx.fail("tuple-index", "the index of a tuple is an integer literal", node.slice)
    if not 0 <= index < len(kind.types):
        ctx.fail(
            "tuple-index",
            f"index {index} is out of range: the tuple has {len(kind.types)} elements",
            node.slice,
        )
    if isinstance(base, MakeTuple):
        return base.elements[index]
    return TupleGetItem(base, index, span=ctx.span(node))


def _array_element(ctx: FunctionContext, node: ast.Subscript, base: Expr) -> Expr:
    if isinstance(node.slice, ast.Tuple | ast.Slice):
        ctx.fail("subscript-indices", "an array takes one index", node.slice)
    index = index_value(ctx, node.slice)
    return operator(ctx, "array.get_element", [base, index], ctx.span(node))


def operator(
    ctx: FunctionContext, name: str, args: list[Expr], span: Span, kwargs: dict[str, object] | None = None
) -> Expr:
    """An operator call that a subscript stands for."""
    try:
        return create_op_call(name, args, kwargs or {}, span=span, backend=ctx.program.backend)
    except OpError as error:
        if error.unproven and ctx.program.unknown_dims:
            raise Silent from error
        raise Fault(ctx.program.softened(error.diagnostic, args)) from error


def axes(
    ctx: FunctionContext, node: ast.Subscript, shape: tuple[Expr, ...], code: str = "subscript-indices"
) -> list[Axis]:
    """The axes that a subscript of something with ``shape`` names; missing trailing ones are whole."""
    parts = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    if len(parts) > len(shape):
        ctx.fail(
            code, f"{len(parts)} indices for '{ctx.text(node.value)}', which has rank {len(shape)}", node
        )
    span = ctx.span(node)
    result: list[Axis] = []
    failed = False
    for part, extent in zip(parts, shape):
        try:
            result.append(_axis(ctx, part, extent, span))
        except Fault as fault:
            ctx.report(fault)
            failed = True
    if failed:
        raise Silent
    for extent in shape[len(parts) :]:
        result.append(Axis(ConstInt(0, span=span), extent, False, None))
    return result


def _axis(ctx: FunctionContext, part: ast.expr, extent: Expr, span: Span) -> Axis:
    if not isinstance(part, ast.Slice):
        if isinstance(part, ast.Constant) and part.value is Ellipsis:
            ctx.fail("subscript-indices", "'...' is not supported: write ':' for each axis", part)
        index = index_value(ctx, part, extent)
        return Axis(index, ConstInt(1, span=span), True, part)
    if part.step is not None:
        ctx.fail("slice-step", "a slice takes no step", part.step)
    lower = index_value(ctx, part.lower, extent) if part.lower is not None else ConstInt(0, span=span)
    if part.upper is None:
        if isinstance(lower, ConstInt) and lower.value == 0:
            return Axis(lower, extent, False, part)
        return Axis(lower, Analyzer().simplify(make_binary("sub", extent, lower, span)), False, part)
    upper = index_value(ctx, part.upper, extent)
    size = Analyzer().simplify(binary(ctx, "sub", upper, lower, part.upper))
    return Axis(lower, size, False, part, upper)


def index_value(ctx: FunctionContext, node: ast.expr, extent: Expr | None = None) -> Expr:
    """An index or a bound. Raises Fault or Silent."""
    index = expr(ctx, node)
    if is_poison(index) or index.type is UNKNOWN:
        raise Silent
    index = (
        scalar_operand(ctx, index, node, ast.Add(), node) if not isinstance(index.type, ScalarType) else index
    )
    if isinstance(index.type, ScalarType) and not index.type.dtype.is_int:
        ctx.fail(
            "subscript-indices",
            f"an index is an integer, but '{ctx.text(node)}' is {type_words(index.type)}",
            node,
        )
    if isinstance(index, ConstInt) and index.value < 0:
        ctx.fail(
            "negative-index",
            f"{index.value} does not count from the end here: write the extent minus {-index.value}",
            node,
            value=index.value,
            extent=const_dim(extent) if extent is not None else None,
        )
    return index


def _shaped(ctx: FunctionContext, node: ast.Subscript, base: Expr, kind: TensorType | TileType) -> Expr:
    found = axes(ctx, node, kind.shape)
    span = ctx.span(node)
    level = "tile" if isinstance(kind, TileType) else "tensor"
    if all(axis.dropped for axis in found):
        offsets = MakeTuple(tuple(axis.offset for axis in found), span=span)
        return operator(ctx, f"{level}.read", [base, offsets], span)
    if isinstance(kind, TileType):
        return _tile_slice(ctx, node, base, kind, found)
    args: list[Expr] = [
        base,
        MakeTuple(tuple(axis.extent for axis in found), span=span),
        MakeTuple(tuple(axis.offset for axis in found), span=span),
    ]
    dropped = [i for i, axis in enumerate(found) if axis.dropped]
    if dropped:
        args.append(MakeTuple((), span=span))
        args.append(MakeTuple(tuple(ConstInt(i, span=span) for i in dropped), span=span))
    return operator(ctx, "tensor.slice", args, span)


def _tile_slice(
    ctx: FunctionContext, node: ast.Subscript, base: Expr, kind: TileType, found: list[Axis]
) -> Expr:
    span = ctx.span(node)
    extents: list[Expr] = []
    valid: list[Expr] = []
    dynamic = False
    for i, axis in enumerate(found):
        if axis.node is not None and not axis.dropped and not isinstance(axis.offset, ConstInt):
            ctx.fail(
                "tile-dynamic-lower",
                f"'{ctx.text(axis.node)}': the lower bound of a tile slice is a constant; slice the tensor instead, "
                "or use pl.tile.slice",
                axis.node,
            )
        size = const_dim(axis.extent)
        if size is None and not axis.dropped:
            whole = const_dim(kind.shape[i])
            lower = axis.offset
            if whole is None or not isinstance(lower, ConstInt) or axis.upper is None:
                extents.append(axis.extent)
                valid.append(axis.extent)
                continue
            dynamic = True
            extents.append(ConstInt(whole - lower.value, span=span))
            bound = make_binary("min", axis.upper, kind.valid_shape[i], span)
            valid.append(
                Analyzer().simplify(make_binary("max", make_binary("sub", bound, lower, span), 0, span))
            )
            continue
        if size is not None and size <= 0 and axis.node is not None:
            ctx.fail("tile-slice-extent", f"'{ctx.text(axis.node)}' takes {size} elements", axis.node)
        extents.append(axis.extent)
        valid.append(axis.extent)
    dropped = [i for i, axis in enumerate(found) if axis.dropped]
    shape = [e for i, e in enumerate(extents) if i not in dropped]
    if len(shape) < 2 and dropped:
        # The operator puts unit axes in front (docs/spec/ops_tile.md, SLICE).
        shape = [ConstInt(1)] * (2 - len(shape)) + shape
        from pypto_core.frontend.wording import dims_text

        ctx.warn(
            "tile-subscript-promoted",
            f"'{ctx.text(node)}' is a tile of at least two dimensions: {dims_text(tuple(shape))}",
            node,
        )
    args: list[Expr] = [
        base,
        MakeTuple(tuple(extents), span=span),
        MakeTuple(tuple(axis.offset for axis in found), span=span),
    ]
    if dynamic or dropped:
        args.append(MakeTuple(tuple(valid) if dynamic else (), span=span))
    if dropped:
        args.append(MakeTuple(tuple(ConstInt(i, span=span) for i in dropped), span=span))
    return operator(ctx, "tile.slice", args, span)
