"""Types, views and memory references of printed text (docs/spec/ir.md §4.6)."""

from __future__ import annotations

import ast
from enum import IntEnum
from typing import TYPE_CHECKING, TypeVar

from pypto_core.frontend.printed.faults import PrintedFault
from pypto_core.frontend.symbols import SINGLETONS, symbol_value
from pypto_core.frontend.syntax import dotted, int_literal, string_literal
from pypto_core.ir import (
    PTR,
    UNKNOWN,
    ArrayType,
    CompactMode,
    ConstInt,
    DataType,
    DistributedTensorType,
    Expr,
    MemorySpace,
    MemRef,
    PadValue,
    ParamDirection,
    ScalarType,
    TensorLayout,
    TensorType,
    TensorView,
    TileType,
    TileView,
    TupleType,
    Type,
    Var,
    implicit_tile_view,
)

if TYPE_CHECKING:
    from pypto_core.frontend.printed.reader import FunctionReader


def read_param_type(reader: FunctionReader, node: ast.expr) -> tuple[Type, ParamDirection]:
    """Type and direction of a parameter annotation."""
    if isinstance(node, ast.Subscript):
        head = dotted(node.value)
        if head is not None and head[-1] in ("Out", "InOut"):
            return reader.type(node.slice), ParamDirection[head[-1]]
    return reader.type(node), ParamDirection.In


def read_return_types(reader: FunctionReader, node: ast.expr | None) -> tuple[Type, ...]:
    """``-> T`` or ``-> tuple[T, ...]``."""
    if node is None:
        return ()
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "tuple":
        return tuple(reader.type(element) for element in slots(node))
    return (reader.type(node),)


def slots(node: ast.Subscript) -> list[ast.expr]:
    """The comma-separated parts of a subscript."""
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


def read_type(reader: FunctionReader, node: ast.expr) -> Type:
    """A printed type. Raises PrintedFault for anything that the printer never writes."""
    if isinstance(node, ast.Subscript):
        head = dotted(node.value)
        handler = _SUBSCRIPTED.get(head[-1]) if head is not None else None
        if handler is not None:
            return handler(reader, node)
    else:
        head = dotted(node)
        if head is not None and head[-1] in SINGLETONS:
            return SINGLETONS[head[-1]]
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return UNKNOWN
    raise PrintedFault("type-unsupported", f"'{reader.source.source(node)}' is not a type", node)


def read_dtype(reader: FunctionReader, node: ast.expr) -> DataType:
    path = dotted(node)
    dtype = DataType.by_name.get(path[-1]) if path is not None else None
    if dtype is None:
        raise PrintedFault("dtype-unknown", f"'{reader.source.source(node)}' is not a dtype", node)
    return dtype


def _scalar(reader: FunctionReader, node: ast.Subscript) -> Type:
    return ScalarType.of(read_dtype(reader, node.slice))


def _tuple(reader: FunctionReader, node: ast.Subscript) -> Type:
    return TupleType(tuple(reader.type(element) for element in slots(node)))


def _array(reader: FunctionReader, node: ast.Subscript) -> Type:
    extent, dtype = slots(node)
    return ArrayType(read_dtype(reader, dtype), reader.dim(extent))


def _dims(reader: FunctionReader, node: ast.expr) -> tuple[Expr, ...]:
    if not isinstance(node, ast.List | ast.Tuple):
        raise PrintedFault("shape-form", "a shape is a list of dimensions", node)
    return tuple(reader.dim(element) for element in node.elts)


def _tensor(reader: FunctionReader, node: ast.Subscript) -> Type:
    parts = slots(node)
    head = dotted(node.value)
    shape, dtype = _dims(reader, parts[0]), read_dtype(reader, parts[1])
    memref: MemRef | None = None
    view: TensorView | None = None
    for extra in parts[2:]:
        if isinstance(extra, ast.Constant):
            continue  # "window_buffer=NAME" informs people only
        name = _head_name(extra)
        if name == "TensorView":
            view = _tensor_view(reader, extra)
        elif name == "MemRef":
            memref = read_memref(reader, extra)
        else:
            layout = _symbol(extra)
            if not isinstance(layout, TensorLayout):
                raise PrintedFault(
                    "layout-unknown", f"'{reader.source.source(extra)}' is not a layout", extra
                )
            view = TensorView(layout=layout)
    if head is not None and head[-1] == "DistributedTensor":
        return DistributedTensorType(shape, dtype, memref, view)
    return TensorType(shape, dtype, memref, view)


def _tile(reader: FunctionReader, node: ast.Subscript) -> Type:
    parts = slots(node)
    shape, dtype = _dims(reader, parts[0]), read_dtype(reader, parts[1])
    memref: MemRef | None = None
    space: MemorySpace | None = None
    view: ast.expr | None = None
    for extra in parts[2:]:
        name = _head_name(extra)
        if name == "TileView":
            view = extra
        elif name == "MemRef":
            memref = read_memref(reader, extra)
        else:
            symbol = _symbol(extra)
            if not isinstance(symbol, MemorySpace):
                raise PrintedFault(
                    "memspace-unknown", f"'{reader.source.source(extra)}' is no memory space", extra
                )
            space = symbol
    tile_view = _tile_view(reader, view, shape, space) if view is not None else None
    return TileType(shape, dtype, memref, tile_view, space)


def _head_name(node: ast.expr) -> str:
    if isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Call):
        path = dotted(node.func)
        return path[-1] if path is not None else ""
    return ""


def _symbol(node: ast.expr) -> object:
    path = dotted(node)
    return symbol_value(path) if path is not None else None


def _keywords(node: ast.expr) -> dict[str, ast.expr]:
    assert isinstance(node, ast.Call)
    return {k.arg: k.value for k in node.keywords if k.arg is not None}


def _tensor_view(reader: FunctionReader, node: ast.expr) -> TensorView:
    given = _keywords(node)
    layout, pad = given.get("layout"), given.get("pad")
    return TensorView(
        _dims(reader, given["stride"]) if "stride" in given else (),
        _member(layout, TensorLayout.ND),
        _dims(reader, given["valid_shape"]) if "valid_shape" in given else (),
        _member(pad, PadValue.null),
    )


def _tile_view(
    reader: FunctionReader, node: ast.expr, shape: tuple[Expr, ...], space: MemorySpace | None
) -> TileView:
    given = _keywords(node)
    implicit = implicit_tile_view(shape, space)
    fractal = int_literal(given.get("fractal"))
    return TileView(
        _dims(reader, given["valid_shape"]) if "valid_shape" in given else (),
        _dims(reader, given["stride"]) if "stride" in given else (),
        reader.dim(given["start_offset"]) if "start_offset" in given else None,
        _member(given.get("blayout"), implicit.blayout),
        _member(given.get("slayout"), implicit.slayout),
        fractal if fractal is not None else implicit.fractal,
        _member(given.get("pad"), PadValue.null),
        _member(given.get("compact"), CompactMode.null),
    )


E = TypeVar("E", bound=IntEnum)


def _member(node: ast.expr | None, default: E) -> E:
    if node is None:
        return default
    value = _symbol(node)
    if not isinstance(value, type(default)):
        raise PrintedFault("view-enum", f"expected a {type(default).__name__}", node)
    return value


def read_memref(reader: FunctionReader, node: ast.expr) -> MemRef:
    """``pl.MemRef(base, offset, size[, slots=N])[index]`` or the pinned form ``pl.MemRef("name"[, slots=N])``."""
    index: Expr | None = None
    if isinstance(node, ast.Subscript):
        index = reader.dim(node.slice)
        node = node.value
    assert isinstance(node, ast.Call)
    slot_count = int_literal(_keywords(node).get("slots")) or 1
    base = _memref_base(reader, node.args[0])
    if len(node.args) == 1:
        return MemRef(base, ConstInt(0, DataType.INT64), 0, True, slot_count, index)
    size = int_literal(node.args[2])
    if len(node.args) != 3 or size is None:
        raise PrintedFault("memref-form", "a MemRef is written (base, byte_offset, size)", node)
    return MemRef(base, reader.expr(node.args[1]), size, False, slot_count, index)


def _memref_base(reader: FunctionReader, node: ast.expr) -> Var:
    name = string_literal(node)
    if name is None:
        if not isinstance(node, ast.Name):
            raise PrintedFault("memref-form", "the base of a MemRef is a name", node)
        return reader.names.in_body(node.id)
    found = reader.names.vars.get(name)
    if found is not None and found.type is PTR:
        return found
    return reader.names.bases.setdefault(name, Var(name, PTR))


_SUBSCRIPTED = {
    "Tensor": _tensor,
    "DistributedTensor": _tensor,
    "Tile": _tile,
    "Scalar": _scalar,
    "Array": _array,
    "Tuple": _tuple,
    "tuple": _tuple,
}
