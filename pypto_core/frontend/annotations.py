"""Type annotations of the author's language (docs/spec/language.md §3)."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pypto_core.frontend.closure import Closure
from pypto_core.frontend.context import Fault, FunctionContext, Silent, did_you_mean, enum_list, nearest
from pypto_core.frontend.dimensions import read_shape, undefined_names, unknown_outside
from pypto_core.frontend.memrefs import is_memref, read_memref
from pypto_core.frontend.static_eval.values import MemRefDecl, PlSymbol, TypeValue
from pypto_core.frontend.symbols import SINGLETONS, nearest_dtype, symbol_value
from pypto_core.frontend.syntax import dotted, expression_of, int_literal, string_literal
from pypto_core.frontend.views import is_view, read_tensor_view, read_tile_view
from pypto_core.ir import (
    ERROR_TYPE,
    UNKNOWN,
    ArrayType,
    DataType,
    DistributedTensorType,
    MemorySpace,
    MemRef,
    ParamDirection,
    ScalarType,
    TensorLayout,
    TensorType,
    TensorView,
    TileLayout,
    TileType,
    TupleType,
    Type,
)

_TYPE_NAMES = ("Tensor", "DistributedTensor", "Tile", "Scalar", "Array", "Tuple", "tuple")
_WRAPPERS = ("Out", "InOut")
_FULL_FORMS = {
    "Tensor": "pl.Tensor[[rows, cols], pl.FP32]",
    "DistributedTensor": "pld.DistributedTensor[[rows, cols], pl.FP32]",
    "Tile": "pl.Tile[[rows, cols], pl.FP32]",
    "Scalar": "pl.Scalar[pl.INDEX]",
    "TaskId": "pl.Scalar[pl.TASK_ID]",
    "Array": "pl.Array[16, pl.INT32]",
    "Tuple": "pl.Tuple[pl.Scalar[pl.INDEX], pl.Scalar[pl.INDEX]]",
    "tuple": "tuple[pl.Scalar[pl.INDEX], pl.Scalar[pl.INDEX]]",
}


@dataclass(frozen=True, slots=True)
class Annotation:
    """A type as written: ``wrote_view`` tells an explicit default view from an absent one, ``free`` is a type without
    constraint (``pl.Ptr``, a string)."""

    type: Type
    wrote_view: bool = False
    free: bool = False


def writes_type(node: ast.expr) -> bool:
    """Whether an expression is a type with its parts (``pl.Tensor[...]``, ``pl.Out[...]``) or its call form."""
    if not isinstance(node, ast.Subscript | ast.Call):
        return False
    path = dotted(node.value if isinstance(node, ast.Subscript) else node.func)
    return path is not None and path[-1] in (*_TYPE_NAMES, *_WRAPPERS)


def read_param(ctx: FunctionContext, node: ast.expr) -> tuple[Type, ParamDirection]:
    """Type and direction of a parameter annotation."""
    direction, inner = direction_of(node, ctx.annotations)
    if isinstance(inner, ast.Constant):
        raise _no_type(ctx, inner)
    annotation = read_annotation(*wrapped(ctx, inner))
    if isinstance(annotation.type, TupleType):
        ctx.fail("tuple-param", "a parameter cannot be a tuple: write one parameter per element", node)
    if direction is ParamDirection.InOut and isinstance(annotation.type, ScalarType):
        ctx.fail(
            "scalar-inout",
            "a scalar parameter cannot be InOut: pass a one-element tensor, or drop pl.InOut",
            node,
        )
    return annotation.type, direction


def direction_of(node: ast.expr, closure: Closure) -> tuple[ParamDirection, ast.expr]:
    """``pl.Out[T]`` / ``pl.InOut[T]`` taken apart, quoted or not; the name of a stored one stays (see :func:`wrapped`)."""
    node = parsed_string(node)
    if isinstance(node, ast.Subscript):
        head = dotted(node.value)
        if head is not None and head[-1] in _WRAPPERS:
            return ParamDirection[head[-1]], parsed_string(node.slice)
    elif isinstance(node, ast.Name):
        stored = _stored_wrapper(node, closure)
        if stored is not None:
            return ParamDirection[stored[0].head], node
    return ParamDirection.In, node


def wrapped(ctx: FunctionContext, node: ast.expr) -> tuple[FunctionContext, ast.expr]:
    """The type inside the stored ``pl.Out[T]`` that a name stands for, with the context of its place."""
    stored = _stored_wrapper(node, ctx.annotations)
    return (_elsewhere(ctx, stored[0]), stored[1]) if stored is not None else (ctx, node)


def undirected(node: ast.expr, closure: Closure) -> ast.expr:
    """The type of a parameter annotation as written, without its direction."""
    inner = direction_of(node, closure)[1]
    stored = _stored_wrapper(inner, closure)
    return stored[1] if stored is not None else inner


def _stored_wrapper(node: ast.expr, closure: Closure) -> tuple[TypeValue, ast.expr] | None:
    value = closure.lookup(node.id) if isinstance(node, ast.Name) else None
    stored = value.data if value is not None else None
    if isinstance(stored, TypeValue) and stored.head in _WRAPPERS and isinstance(stored.node, ast.Subscript):
        return stored, parsed_string(stored.node.slice)
    return None


def parsed_string(node: ast.expr) -> ast.expr:
    """The expression in a quoted annotation; the node itself when it is no readable quote."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            inner = expression_of(node.value.strip())
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return node
        for child in ast.walk(inner):
            if isinstance(child, ast.expr | ast.keyword):
                ast.copy_location(child, node)
        return inner
    return node


def read_returns(ctx: FunctionContext, node: ast.expr | None) -> tuple[Type, ...]:
    """Return annotation: one type, or the elements of a tuple; nothing for ``None``."""
    if node is None or (isinstance(node, ast.Constant) and node.value is None):
        return ()
    type_ = read_annotation(*wrapped(ctx, direction_of(node, ctx.annotations)[1])).type
    return type_.types if isinstance(type_, TupleType) else (type_,)


def returns_or_error(ctx: FunctionContext, node: ast.expr | None) -> tuple[Type, ...]:
    """:func:`read_returns` with its faults reported; one error type where it cannot be read."""
    try:
        return read_returns(ctx, node)
    except Fault as fault:
        ctx.report(fault)
    except Silent:
        ctx.mark_incomplete()
    return (ERROR_TYPE,)


def read_annotation(ctx: FunctionContext, node: ast.expr) -> Annotation:
    """A type. Raises Fault where it is none, Silent where it depends on an unknown value."""
    if isinstance(node, ast.Subscript | ast.Call):
        head = dotted(node.value if isinstance(node, ast.Subscript) else node.func)
        if head is not None:
            reader = _READERS.get(head[-1])
            if reader is not None:
                return reader(ctx, node, _slots(ctx, node))
            if head[-1] in _WRAPPERS:
                ctx.fail("type-unsupported", f"pl.{head[-1]}[...] is for parameters only", node)
            _unknown_type(ctx, node, head[-1])
    if isinstance(node, ast.Name | ast.Attribute):
        return _named(ctx, node)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return Annotation(UNKNOWN, free=True)
    raise _no_type(ctx, node)


def _no_type(ctx: FunctionContext, node: ast.expr) -> Fault:
    return ctx.fault(
        "type-unsupported",
        f"'{ctx.text(node)}' is not a type; write pl.Tensor[[...], dtype], pl.Tile[...], pl.Scalar[dtype], "
        "pl.Array[extent, dtype] or pl.Tuple[...]",
        node,
    )


def _unknown_type(ctx: FunctionContext, node: ast.expr, name: str) -> None:
    known = (*_TYPE_NAMES, "Out", "InOut")
    ctx.fail(
        "type-unknown",
        f"'{name}' is not a type; types are {', '.join(_TYPE_NAMES[:-1])}{did_you_mean(name, known)}",
        node,
        name=name,
        suggestion=nearest(name, known),
    )


def _named(ctx: FunctionContext, node: ast.Name | ast.Attribute) -> Annotation:
    """A bare name: a singleton type, a stored annotation, or an incomplete type."""
    path = dotted(node)
    if path is None:
        ctx.fail("type-unsupported", f"'{ctx.text(node)}' is not a type", node)
    value = ctx.annotations.lookup(path[0]) if len(path) == 1 else ctx.annotations.evaluate(node)
    if value is not None and isinstance(value.data, TypeValue):
        if value.data.head in _WRAPPERS:
            ctx.fail("type-unsupported", f"pl.{value.data.head}[...] is for parameters only", node)
        return read_annotation(_elsewhere(ctx, value.data), value.data.node)
    last = path[-1]
    if last in SINGLETONS and (len(path) > 1 or value is None or isinstance(value.data, PlSymbol)):
        return Annotation(SINGLETONS[last], free=last in _FREE)
    if last in _FULL_FORMS:
        ctx.fail(
            "type-incomplete", f"'{ctx.text(node)}' needs its parts: {_FULL_FORMS[last]}", node, name=last
        )
    if value is not None and value.is_unknown and len(path) == 1:
        raise Silent
    if len(path) > 1 and path[0] in ("pl", "pld"):
        _unknown_type(ctx, node, last)
    if value is None and len(path) == 1 and not ctx.annotations.complete:
        raise Silent
    scalar = _SCALARS.get(path[0]) if len(path) == 1 else None
    hint = f"; write pl.Scalar[pl.{scalar}]" if scalar else ""
    raise ctx.fault("type-unsupported", f"'{ctx.text(node)}' is not a type{hint}", node)


#: Python's numbers, and the element type that is usually meant.
_SCALARS = {"int": "INT32", "float": "FP32", "bool": "BOOL"}


#: Accepted on assignments as "no constraint".
_FREE = frozenset({"Ptr", "PtrType", "MemRefType", "UnknownType", "WindowBufferType", "CommCtxType"})


def _elsewhere(ctx: FunctionContext, value: TypeValue) -> FunctionContext:
    """The context for an annotation that stands in another place (a type kept in a name)."""
    source = value.site.source
    other = FunctionContext(
        ctx.program,
        ctx.closure,
        ctx.annotations.elsewhere(value.scope, source),
        ctx.dialect,
        source,
        ctx.name,
    )
    other.params, other.used_symbols = ctx.params, ctx.used_symbols
    return other


def _slots(ctx: FunctionContext, node: ast.Subscript | ast.Call) -> list[ast.expr]:
    """Comma-separated parts; the legacy call form has its arguments."""
    if isinstance(node, ast.Call):
        return [*node.args, *(k.value for k in node.keywords)]
    inner = node.slice
    return list(inner.elts) if isinstance(inner, ast.Tuple) else [inner]


def _check_root(ctx: FunctionContext, node: ast.expr, path: tuple[str, ...]) -> None:
    """``torch.float32`` where nothing is called torch."""
    if len(path) < 2 or path[0] in ("pl", "pld") or not ctx.annotations.complete:
        return
    if ctx.annotations.lookup(path[0]) is None and path[0] not in ctx.names:
        known = DataType.by_name.get(path[-1].upper().replace("BFLOAT", "BF").replace("FLOAT", "FP"))
        hint = f": write pl.{known.printed}" if known is not None else ""
        ctx.fail("name-undefined", f"'{path[0]}' is not defined{hint}", node, name=path[0], suggestion=None)


def read_dtype(ctx: FunctionContext, node: ast.expr) -> DataType:
    """``pl.FP32``, ``FP32``, or an outer name that holds a dtype."""
    path = dotted(node)
    if path is not None:
        _check_root(ctx, node, path)
        if path[-1] in DataType.by_name and (len(path) > 1 or ctx.annotations.lookup(path[0]) is None):
            return DataType.by_name[path[-1]]
        value = ctx.annotations.lookup(path[0]) if len(path) == 1 else ctx.annotations.evaluate(node)
        if value is not None and isinstance(value.data, DataType):
            return value.data
        extra = ctx.dialect.keyword_value(ctx, node)
        if isinstance(extra, DataType):
            return extra
        if path[0] not in ("pl", "pld") and value is not None and value.is_unknown:
            raise unknown_outside(ctx, node)
        if value is None and not ctx.annotations.complete:
            raise Silent
    else:
        value = ctx.annotations.evaluate(node)
        if isinstance(value.data, DataType):
            return value.data
        if value.is_unknown and not isinstance(node, ast.Constant):
            raise unknown_outside(ctx, node)
    name = path[-1] if path is not None else ctx.text(node)
    text = string_literal(node)
    meant = DataType.by_name.get(text.upper()) if text is not None else None
    near = nearest_dtype(name)
    hint = (
        f" (write pl.{meant.printed})" if meant is not None else f" (did you mean '{near}'?)" if near else ""
    )
    raise ctx.fault(
        "dtype-unknown",
        f"'{ctx.text(node)}' is not a dtype{hint}; dtypes are pl.FP32, pl.BF16, pl.INT32 ...",
        node,
        name=name,
        suggestion=near,
    )


def _arity(ctx: FunctionContext, node: ast.expr, given: int, low: int, high: int, form: str) -> None:
    if not low <= given <= high:
        ctx.fail(
            "type-arity",
            f"'{ctx.text(node)}' has {given} part{'s' if given != 1 else ''}: write {form}",
            node,
        )


def _scalar(ctx: FunctionContext, node: ast.expr, slots: list[ast.expr]) -> Annotation:
    _arity(ctx, node, len(slots), 1, 1, "pl.Scalar[dtype]")
    return Annotation(ScalarType.of(read_dtype(ctx, slots[0])))


def _tuple(ctx: FunctionContext, node: ast.expr, slots: list[ast.expr]) -> Annotation:
    if isinstance(node, ast.Call):
        if len(slots) != 1 or not isinstance(slots[0], ast.List | ast.Tuple):
            ctx.fail("type-arity", "write pl.Tuple([T1, T2])", node)
        slots = slots[0].elts
    if len(slots) == 1 and isinstance(slots[0], ast.Tuple) and not slots[0].elts:
        slots = []
    types = []
    for slot in slots:
        inner = read_annotation(ctx, slot)
        if isinstance(inner.type, TupleType):
            ctx.fail("tuple-nested", "a tuple type cannot hold a tuple type", slot)
        types.append(inner.type)
    return Annotation(TupleType(tuple(types)))


def _array(ctx: FunctionContext, node: ast.expr, slots: list[ast.expr]) -> Annotation:
    _arity(ctx, node, len(slots), 2, 2, "pl.Array[extent, dtype]")
    extent = int_literal(slots[0])
    if extent is None:
        value = ctx.annotations.evaluate(slots[0])
        if value.is_unknown and not isinstance(slots[0], ast.Constant) and not undefined_names(ctx, slots[0]):
            raise Silent
        if type(value.data) is not int:
            ctx.fail(
                "array-extent",
                f"the extent of an array is a compile-time integer, not '{ctx.text(slots[0])}'",
                slots[0],
            )
        extent = value.data
    dtype = read_dtype(ctx, slots[1])
    if extent <= 0:
        ctx.fail("array-extent", f"the extent of an array must be positive, got {extent}", slots[0])
    if not (dtype.is_int or dtype in (DataType.BOOL, DataType.TASK_ID)):
        ctx.fail(
            "type-unsupported", f"array elements are integers, BOOL or TASK_ID, not {dtype.text}", slots[1]
        )
    return Annotation(ArrayType(dtype, extent))  # type: ignore[arg-type]


def _tensor(ctx: FunctionContext, node: ast.expr, slots: list[ast.expr]) -> Annotation:
    head = dotted(node.value if isinstance(node, ast.Subscript) else node.func)  # type: ignore[attr-defined]
    # A trailing "window_buffer=NAME" of printed text only informs people.
    slots = [
        s
        for i, s in enumerate(slots)
        if i < 2 or not (isinstance(s, ast.Constant) and isinstance(s.value, str))
    ]
    _arity(
        ctx,
        node,
        len(slots),
        2,
        4,
        "pl.Tensor[[dims], dtype], optionally with a layout or TensorView and a MemRef",
    )
    shape = read_shape(ctx, slots[0])
    dtype = read_dtype(ctx, slots[1])
    view: TensorView | None = None
    memref: MemRef | None = None
    wrote_view = False
    if len(slots) > 2:
        third = slots[2]
        if is_memref(ctx, third):
            memref = read_memref(ctx, third)
        else:
            view, wrote_view = _layout_or_view(ctx, third), True
    if len(slots) > 3:
        if memref is not None or not is_memref(ctx, slots[3]):
            ctx.fail("type-arity", "the fourth part of a tensor type is a pl.MemRef(...)", slots[3])
        memref = read_memref(ctx, slots[3])
    kind = DistributedTensorType if head is not None and head[-1] == "DistributedTensor" else TensorType
    return Annotation(_build(ctx, node, lambda: kind(shape, dtype, memref, view)), wrote_view)


def _build(ctx: FunctionContext, node: ast.expr, make: Callable[[], Type]) -> Type:
    """Constructor checks become a fault at the annotation."""
    try:
        return make()
    except ValueError as error:
        ctx.fail("type-unsupported", str(error), node)


def _layout_or_view(ctx: FunctionContext, node: ast.expr) -> TensorView:
    if is_view(node, "TensorView"):
        return read_tensor_view(ctx, node)
    path = dotted(node)
    symbol: Any = symbol_value(path) if path is not None and len(path) > 1 else None
    if symbol is None and path is not None:
        value = ctx.annotations.lookup(path[0]) if len(path) == 1 else ctx.annotations.evaluate(node)
        if value is not None and isinstance(value.data, TypeValue) and value.data.head == "TensorView":
            return read_tensor_view(_elsewhere(ctx, value.data), value.data.node)
        symbol = value.data if value is not None else symbol_value(path)
        if value is not None and value.is_unknown and path[0] not in ("pl", "pld"):
            raise unknown_outside(ctx, node)
    if not isinstance(symbol, TensorLayout):
        name = path[-1] if path is not None else ctx.text(node)
        ctx.fail(
            "layout-unknown",
            f"'{ctx.text(node)}' is not a tensor layout{did_you_mean(name, TensorLayout.__members__)}; layouts are "
            f"{enum_list(TensorLayout)}",
            node,
            name=name,
            suggestion=nearest(name, TensorLayout.__members__),
        )
    if symbol is TensorLayout.DN:
        ctx.fail(
            "layout-dn-shorthand",
            "pl.DN alone does not say how the tensor is stored: write "
            "pl.TensorView(stride=[...], layout=pl.TensorLayout.DN)",
            node,
        )
    return TensorView(layout=symbol)


def _tile(ctx: FunctionContext, node: ast.expr, slots: list[ast.expr]) -> Annotation:
    _arity(
        ctx,
        node,
        len(slots),
        2,
        5,
        "pl.Tile[[dims], dtype], optionally with a memory space, a TileView and a MemRef",
    )
    shape = read_shape(ctx, slots[0])
    dtype = read_dtype(ctx, slots[1])
    memref: MemRef | None = None
    space: MemorySpace | None = None
    view: ast.expr | None = None
    for extra in slots[2:]:
        if is_view(extra, "TileView"):
            if view is not None:
                ctx.fail("tile-extra-duplicate", "a tile type has one TileView", extra)
            view = extra
        elif is_memref(ctx, extra):
            if memref is not None:
                ctx.fail("tile-extra-duplicate", "a tile type has one MemRef", extra)
            memref = read_memref(ctx, extra)
        else:
            found = _space(ctx, extra)
            if space is not None:
                ctx.fail("tile-extra-duplicate", "a tile type has one memory space", extra)
            space = found
    if memref is not None and space is None:
        ctx.fail(
            "tile-memref-needs-space", "a tile with a MemRef also needs its memory space, pl.Mem.X", node
        )
    tile_view = read_tile_view(ctx, view, shape, space) if view is not None else None
    type_ = _build(ctx, node, lambda: TileType(shape, dtype, memref, tile_view, space))
    return Annotation(type_, view is not None)


def _space(ctx: FunctionContext, node: ast.expr) -> MemorySpace:
    path = dotted(node)
    symbol: Any = symbol_value(path) if path is not None else None
    if symbol is None and path is not None:
        value = ctx.annotations.lookup(path[0]) if len(path) == 1 else ctx.annotations.evaluate(node)
        if len(path) >= 2 and path[-2] in ("Mem", "MemorySpace"):
            ctx.fail(
                "memspace-unknown",
                f"pl.Mem has no '{path[-1]}'{did_you_mean(path[-1], MemorySpace.__members__)}; "
                f"memory spaces are {enum_list(MemorySpace)}",
                node,
                name=path[-1],
                suggestion=nearest(path[-1], MemorySpace.__members__),
            )
        symbol = value.data if value is not None else None
        if value is not None and value.is_unknown and path[0] not in ("pl", "pld"):
            raise unknown_outside(ctx, node)
    if isinstance(symbol, MemorySpace):
        return symbol
    if isinstance(symbol, TensorLayout | TileLayout):
        ctx.fail(
            "tile-layout-slot", "a tile takes its layout from pl.TileView(blayout=..., slayout=...)", node
        )
    if isinstance(symbol, MemRefDecl):
        ctx.fail("memref-form", f"'{ctx.text(node)}' is a MemRef", node)
    raise ctx.fault(
        "tile-extra-unsupported",
        f"'{ctx.text(node)}' does not belong into a tile type: it takes pl.Mem.X, pl.TileView(...) and pl.MemRef(...)",
        node,
    )


_READERS: dict[str, Callable[[FunctionContext, Any, list[ast.expr]], Annotation]] = {
    "Tensor": _tensor,
    "DistributedTensor": _tensor,
    "Tile": _tile,
    "Scalar": _scalar,
    "Array": _array,
    "Tuple": _tuple,
    "tuple": _tuple,
}
