"""``dst[...] = src``: assembling into tensors and tiles, updating arrays (docs/spec/language.md §4.3)."""

from __future__ import annotations

import ast
from dataclasses import replace

from pypto_core.frontend.context import Fault, FunctionContext, Silent, is_poison
from pypto_core.frontend.expressions import expr, type_words
from pypto_core.frontend.subscripts import Axis, axes, index_value, operator
from pypto_core.ir import (
    UNKNOWN,
    ArrayType,
    AssignStmt,
    ConstInt,
    DataType,
    Expr,
    IterArg,
    MakeTuple,
    Span,
    TensorType,
    TileType,
    Var,
    const_dim,
    dims_equal,
)


def subscript_write(ctx: FunctionContext, node: ast.Assign, target: ast.Subscript) -> None:
    """One subscript assignment."""
    if ctx.strict:
        ctx.fail(
            "subscript-write-ssa", "under strict_ssa write the result of pl.assemble to a new name", target
        )
    if not isinstance(target.value, ast.Name):
        ctx.fail("subscript-write-target", f"'{ctx.text(target.value)}' is no plain name", target.value)
    base = expr(ctx, target.value)
    source = expr(ctx, node.value)
    if is_poison(base) or base.type is UNKNOWN:
        raise Silent
    if isinstance(base.type, ArrayType):
        _array_write(ctx, node, target, base, base.type, source)
    elif isinstance(base.type, TensorType | TileType):
        _shaped_write(ctx, node, target, base, base.type, source)
    else:
        ctx.fail(
            "subscript-write-base",
            f"'{target.value.id}' is {type_words(base.type)}; only tensors, tiles and arrays have elements",
            target.value,
        )


def _rebind(ctx: FunctionContext, target: ast.Subscript, base: Expr, value: Expr) -> None:
    """The base keeps its variable; an iter_arg becomes a new one."""
    assert isinstance(target.value, ast.Name)
    span = ctx.span(target)
    if isinstance(base, Var) and not isinstance(base, IterArg):
        ctx.emit(AssignStmt(base, value, span=span))
        return
    var = Var(target.value.id, value.type, span=ctx.span(target.value))
    ctx.names.bind(target.value.id, var)
    ctx.emit(AssignStmt(var, value, span=span))


def _array_write(
    ctx: FunctionContext, node: ast.Assign, target: ast.Subscript, base: Expr, kind: ArrayType, source: Expr
) -> None:
    if isinstance(target.slice, ast.Tuple | ast.Slice):
        ctx.fail("subscript-write-indices", "an array takes one index", target.slice)
    index = index_value(ctx, target.slice)
    if is_poison(source):
        raise Silent
    if isinstance(source, ConstInt) and source.dtype is DataType.INDEX and kind.dtype.is_int:
        source = source.with_(dtype=kind.dtype)
    _rebind(ctx, target, base, operator(ctx, "array.update_element", [base, index, source], ctx.span(node)))


def _shaped_write(
    ctx: FunctionContext,
    node: ast.Assign,
    target: ast.Subscript,
    base: Expr,
    kind: TensorType | TileType,
    source: Expr,
) -> None:
    found = axes(ctx, target, kind.shape, "subscript-write-indices")
    name = ctx.text(target.value)
    if all(axis.dropped for axis in found):
        indices = ", ".join(ctx.text(a.node) for a in found if a.node is not None)
        whole = isinstance(source.type, TensorType | TileType) and not is_poison(source)
        ctx.fail(
            "element-write",
            f"'{ctx.text(target)}' is one element and '{ctx.text(node.value)}' is not: say with slices where it goes, {name}[a:b, ...] = ..."
            if whole
            else f"one element cannot be assigned: write pl.write({name}, [{indices}], {ctx.text(node.value)})",
            target,
            scalar=not whole,
        )
    if is_poison(source) or source.type is UNKNOWN:
        raise Silent
    level = "tile" if isinstance(kind, TileType) else "tensor"
    given = source.type
    if isinstance(given, TileType) is not isinstance(kind, TileType) or not isinstance(
        given, TensorType | TileType
    ):
        ctx.fail(
            "subscript-write-source",
            f"a {level} takes a {level}, but '{ctx.text(node.value)}' is {type_words(given)}",
            node.value,
        )
    span = ctx.span(node)
    source = _full_rank(ctx, node, found, source, given, level, span)
    offsets = MakeTuple(tuple(axis.offset for axis in found), span=span)
    try:
        written = operator(ctx, f"{level}.assemble", [base, source, offsets], span)
    except Fault as fault:
        data = {"target": name, "value": ctx.text(node.value), **fault.diagnostic.data}
        raise Fault(replace(fault.diagnostic, data=data)) from fault
    _rebind(ctx, target, base, written)


def _full_rank(
    ctx: FunctionContext,
    node: ast.Assign,
    found: list[Axis],
    source: Expr,
    given: TensorType | TileType,
    level: str,
    span: Span,
) -> Expr:
    """Checks the source against the kept axes and gives it the rank of the destination."""
    kept = [axis for axis in found if not axis.dropped]
    shape, valid = list(given.shape), list(given.valid_shape)
    if (
        isinstance(given, TileType)
        and len(kept) < len(shape) == 2
        and all(const_dim(d) == 1 for d in shape[: 2 - len(kept)])
    ):
        shape, valid = shape[2 - len(kept) :], valid[2 - len(kept) :]
    if len(shape) != len(kept):
        ctx.fail(
            "subscript-write-source",
            f"{len(kept)} axes are written, but '{ctx.text(node.value)}' has rank {len(given.shape)}",
            node.value,
        )
    for i, (axis, have, valid_extent) in enumerate(zip(kept, shape, valid)):
        want, got, valid_value = const_dim(axis.extent), const_dim(have), const_dim(valid_extent)
        if want is None or got is None or want == got or valid_value is None or valid_value == want:
            continue
        ctx.fail(
            "subscript-write-source",
            f"axis {i} takes {want} elements, but '{ctx.text(node.value)}' has {got}",
            node.value,
            axis=i,
            want=want,
            got=got,
        )
    if len(kept) == len(found) and len(given.shape) == len(found):
        return source
    remaining, remaining_valid = iter(shape), iter(valid)
    full = tuple(ConstInt(1, span=span) if axis.dropped else next(remaining) for axis in found)
    full_valid = tuple(ConstInt(1, span=span) if axis.dropped else next(remaining_valid) for axis in found)
    args: list[Expr] = [source, MakeTuple(full, span=span)]
    if not dims_equal(full, full_valid):
        args.append(MakeTuple(full_valid, span=span))
    return operator(ctx, f"{level}.reshape", args, span)
