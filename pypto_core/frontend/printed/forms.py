"""Operator calls whose printed arguments are rearranged (docs/spec/ir.md §4.5, special forms); here they are undone."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pypto_core.frontend.printed.types import read_dtype
from pypto_core.frontend.syntax import int_literal
from pypto_core.ir import ConstFloat, ConstInt, Expr

if TYPE_CHECKING:
    from pypto_core.frontend.printed.reader import FunctionReader


def elements(node: ast.expr | None) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.List | ast.Tuple) else []


def var_list(reader: FunctionReader, node: ast.expr) -> tuple[Expr, ...]:
    return tuple(reader.expr(e) for e in elements(node))


_Form = Callable[
    ["FunctionReader", str, "list[Expr]", "dict[str, ast.expr]", "dict[str, Any]", "dict[str, Any]"], str
]


def _full(
    reader: FunctionReader, name: str, args: list[Expr], given: dict[str, ast.expr], _: Any, __: Any
) -> str:
    if "value" in given and "dtype" in given:
        value = reader.expr(given.pop("value"))
        dtype = read_dtype(reader, given["dtype"])
        if isinstance(value, ConstInt | ConstFloat):  # printed bare whatever its dtype
            value = value.with_(dtype=dtype)
        args.append(value)
    return name


def _keyword_argument(key: str) -> _Form:
    def form(
        reader: FunctionReader, name: str, args: list[Expr], given: dict[str, ast.expr], _: Any, __: Any
    ) -> str:
        if key in given:
            args.append(reader.expr(given.pop(key)))
        return name

    return form


def _mgather(
    reader: FunctionReader, name: str, args: list[Expr], given: dict[str, ast.expr], _: Any, __: Any
) -> str:
    for key in ("scratch", "valid_shape"):
        if key in given:
            args.append(reader.expr(given.pop(key)))
    return name


def _syncall(
    reader: FunctionReader, name: str, args: list[Expr], given: dict[str, ast.expr], kwargs: Any, _: Any
) -> str:
    if "gm_workspace" not in given:
        return name
    mode = given.pop("mode")
    args.append(reader.expr(given.pop("gm_workspace")))
    used = given.pop("used_cores", None)
    if used is not None and int_literal(used) != 0:
        args.append(reader.expr(used))
    given["mode"] = mode  # stored order: core_type, mode
    return name


def _task_dummy(
    reader: FunctionReader, name: str, _: Any, given: dict[str, ast.expr], __: Any, attrs: dict[str, Any]
) -> str:
    rest = dict(attrs)
    attrs.clear()
    attrs["dummy_task"] = True
    attrs["manual_dep_edges"] = var_list(reader, given.pop("deps")) if "deps" in given else ()
    attrs.update(rest)
    return name


def _remote_load(_: Any, name: str, __: Any, ___: Any, kwargs: dict[str, Any], ____: Any) -> str:
    kwargs["allow_physical_tail_padding"] = True
    return "pld.tile.remote_load"


def _window_buffer(
    reader: FunctionReader, name: str, _: Any, given: Any, kwargs: dict[str, Any], __: Any
) -> str:
    if reader.target is not None and "name" not in given:
        kwargs["name"] = reader.target
    return name


def _boundary(
    reader: FunctionReader, name: str, _: Any, given: dict[str, ast.expr], kwargs: dict[str, Any], __: Any
) -> str:
    """Inside a lane region the printer drops ``split``; its value is the region's mode."""
    if reader.region is not None and "split" not in given:
        kwargs["split"] = int(reader.region)
    return name


SPECIAL_FORMS: dict[str, _Form] = {
    "tile.full": _full,
    "tensor.full": _full,
    "tile.reinterpret_view": _keyword_argument("shape"),
    "tensor.reinterpret_view": _keyword_argument("shape"),
    "tile.gather_row": _keyword_argument("valid_shape"),
    "tensor.gather_row": _keyword_argument("valid_shape"),
    "tile.mgather": _mgather,
    "system.syncall": _syncall,
    "system.task_dummy": _task_dummy,
    "pld.tile._remote_load_with_physical_tail_padding": _remote_load,
    "pld.tensor.alloc_window_buffer": _window_buffer,
    "tile.aiv_shard": _boundary,
    "tile.aic_gather": _boundary,
    "tensor.aiv_shard": _boundary,
    "tensor.aic_gather": _boundary,
}
