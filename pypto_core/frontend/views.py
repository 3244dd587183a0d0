"""``pl.TensorView(...)`` and ``pl.TileView(...)`` in annotations (docs/spec/language.md §3.1)."""

from __future__ import annotations

import ast
from enum import IntEnum
from typing import TypeVar

from pypto_core.frontend.context import FunctionContext, did_you_mean, enum_list, nearest
from pypto_core.frontend.dimensions import read_index, read_index_list, unknown_outside
from pypto_core.frontend.static_eval.values import TypeValue
from pypto_core.frontend.symbols import symbol_value
from pypto_core.frontend.syntax import dotted, int_literal
from pypto_core.ir import (
    CompactMode,
    Expr,
    MemorySpace,
    PadValue,
    TensorLayout,
    TensorView,
    TileView,
    implicit_tile_view,
)

E = TypeVar("E", bound=IntEnum)

_TENSOR_FIELDS = ("valid_shape", "stride", "layout", "pad")
_TILE_FIELDS = ("valid_shape", "stride", "start_offset", "blayout", "slayout", "fractal", "pad", "compact")


def is_view(node: ast.expr, name: str) -> bool:
    """Whether ``node`` is a call of the view constructor ``name``, whatever its prefix."""
    if not isinstance(node, ast.Call):
        return False
    path = dotted(node.func)
    return path is not None and path[-1] == name


def is_tensor_view(ctx: FunctionContext, node: ast.expr) -> bool:
    """Whether ``node`` is a TensorView or the name of one."""
    value = ctx.annotations.lookup(node.id) if isinstance(node, ast.Name) else None
    stored = value.data if value is not None else None
    return is_view(node, "TensorView") or (isinstance(stored, TypeValue) and stored.head == "TensorView")


def _fields(ctx: FunctionContext, node: ast.expr, allowed: tuple[str, ...]) -> dict[str, ast.expr]:
    assert isinstance(node, ast.Call)
    path = dotted(node.func)
    name = path[-1] if path is not None else "view"
    if node.args:
        ctx.fail("view-positional", f"pl.{name} takes keywords only: {', '.join(allowed)}", node.args[0])
    fields: dict[str, ast.expr] = {}
    for keyword in node.keywords:
        if keyword.arg not in allowed:
            given = keyword.arg or "**"
            ctx.fail(
                "view-keyword",
                f"pl.{name} has no field '{given}'{did_you_mean(given, allowed)}; fields are {', '.join(allowed)}",
                keyword,
                name=given,
                suggestion=nearest(given, allowed),
            )
        fields[keyword.arg] = keyword.value
    return fields


def read_tensor_view(ctx: FunctionContext, node: ast.expr) -> TensorView:
    """A TensorView; absent fields have their defaults."""
    given = _fields(ctx, node, _TENSOR_FIELDS)
    return TensorView(
        _list(ctx, given, "stride"),
        _member(ctx, given.get("layout"), TensorLayout.ND, "layout"),
        _list(ctx, given, "valid_shape"),
        _member(ctx, given.get("pad"), PadValue.null, "pad"),
        span=ctx.span(node),
    )


def read_tile_view(
    ctx: FunctionContext, node: ast.expr, shape: tuple[Expr, ...], space: MemorySpace | None
) -> TileView:
    """A TileView; fields that are not written take the implicit values of shape and memory space."""
    given = _fields(ctx, node, _TILE_FIELDS)
    implicit = implicit_tile_view(shape, space)
    fractal = implicit.fractal
    if "fractal" in given:
        value = int_literal(given["fractal"])
        if value is None:
            evaluated = ctx.annotations.evaluate(given["fractal"])
            if evaluated.is_unknown:
                raise unknown_outside(ctx, given["fractal"])
            value = evaluated.data if type(evaluated.data) is int else None
        if value is None:
            ctx.fail("view-fractal", "fractal is an integer number of bytes", given["fractal"])
        fractal = value
    return TileView(
        _list(ctx, given, "valid_shape"),
        _list(ctx, given, "stride"),
        read_index(ctx, given["start_offset"], "start_offset") if "start_offset" in given else None,
        _member(ctx, given.get("blayout"), implicit.blayout, "blayout"),
        _member(ctx, given.get("slayout"), implicit.slayout, "slayout"),
        fractal,
        _member(ctx, given.get("pad"), PadValue.null, "pad"),
        _member(ctx, given.get("compact"), CompactMode.null, "compact"),
        span=ctx.span(node),
    )


def _list(ctx: FunctionContext, given: dict[str, ast.expr], field: str) -> tuple[Expr, ...]:
    return read_index_list(ctx, given[field], field) if field in given else ()


def _member(ctx: FunctionContext, node: ast.expr | None, default: E, field: str) -> E:
    if node is None:
        return default
    cls = type(default)
    path = dotted(node)
    value: object = symbol_value(path) if path is not None else None
    if value is None:
        evaluated = ctx.annotations.evaluate(node)
        if evaluated.is_unknown and (path is None or path[0] not in ("pl", "pld")):
            raise unknown_outside(ctx, node)
        value = evaluated.data
    if not isinstance(value, cls):
        name = path[-1] if path is not None else ctx.text(node)
        code = "layout-unknown" if cls is TensorLayout else "view-enum"
        ctx.fail(
            code,
            f"{field}={ctx.text(node)} is no pl.{cls.__name__}{did_you_mean(name, cls.__members__)}; "
            f"values are {enum_list(cls)}",
            node,
            name=name,
            suggestion=nearest(name, cls.__members__),
        )
    return value
