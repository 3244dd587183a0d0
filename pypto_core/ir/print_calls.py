"""Calls that print in a form of their own (docs/spec/ir.md §4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pypto_core.ir import expr as E
from pypto_core.ir.enums import MemorySpace
from pypto_core.ir.print_text import format_float

if TYPE_CHECKING:
    from pypto_core.ir.print_expr import ExprPrinter

Special = Callable[["ExprPrinter", E.Call], "str | None"]
"""Prints a call; None where the usual form is right."""


def _full(p: ExprPrinter, call: E.Call) -> str | None:
    if len(call.args) < 2:
        return None
    value = call.args[1]
    if isinstance(value, E.ConstInt):
        text = str(value.value)
    elif isinstance(value, E.ConstFloat):
        text = format_float(value.value)
    else:
        text = p.expr(value)
    dtype = call.kwargs.get("dtype")
    kwargs = [] if dtype is None else [f"dtype={p.kwarg_value(call.op.name, 'dtype', dtype)}"]
    kwargs.append(f"value={text}")
    kwargs += p.kwargs_of(call, drop="dtype")
    return p.op_call(call, call.op.name, [p.expr(call.args[0])], kwargs)


def _reinterpret_view(p: ExprPrinter, call: E.Call) -> str:
    kwargs = p.kwargs_of(call)
    if len(call.args) > 1:
        kwargs.append(f"shape={p.expr(call.args[1])}")
    return p.op_call(call, call.op.name, [p.expr(call.args[0])], kwargs)


def _alloc(p: ExprPrinter, call: E.Call) -> str | None:
    first = call.args[0] if call.args else None
    if not isinstance(first, E.ConstInt):
        return None
    args = [f"{p.prefix}.Mem.{MemorySpace(first.value).name}", *(p.expr(a) for a in call.args[1:])]
    return p.op_call(call, call.op.name, args, p.kwargs_of(call))


def _syncall(p: ExprPrinter, call: E.Call) -> str | None:
    if call.kwargs.get("mode") != "soft":
        return p.op_call(call, call.op.name, [p.expr(a) for a in call.args], p.kwargs_of(call, drop="mode"))
    if len(call.args) not in (1, 2):
        return None
    used = p.expr(call.args[1]) if len(call.args) == 2 else "0"
    kwargs = [
        'mode="soft"',
        f'core_type="{call.kwargs["core_type"]}"',
        f"gm_workspace={p.expr(call.args[0])}",
        f"used_cores={used}",
    ]
    return p.op_call(call, call.op.name, [], kwargs)


def _gather_row(p: ExprPrinter, call: E.Call) -> str | None:
    if len(call.args) != 6:
        return None
    args = [p.expr(a) for a in call.args[:5]]
    return p.op_call(call, call.op.name, args, [f"valid_shape={p.expr(call.args[5])}", *p.kwargs_of(call)])


def _mgather(p: ExprPrinter, call: E.Call) -> str | None:
    names = ("scratch", "valid_shape") if call.kwargs.get("coalesce") == 1 else ("valid_shape",)
    args = [p.expr(a) for a in call.args[:2]]
    extra = [f"{name}={p.expr(a)}" for name, a in zip(names, call.args[2:], strict=False)]
    return p.op_call(call, call.op.name, args, extra + p.kwargs_of(call))


def _remote_load(p: ExprPrinter, call: E.Call) -> str | None:
    if not call.kwargs.get("allow_physical_tail_padding"):
        return None
    name = "pld.tile._remote_load_with_physical_tail_padding"
    args = [p.expr(a) for a in call.args]
    return p.op_call(call, name, args, p.kwargs_of(call, drop="allow_physical_tail_padding"))


def _task_dummy(p: ExprPrinter, call: E.Call) -> str:
    deps = p.exprs([d for d in call.attrs.get("manual_dep_edges", ()) if d is not None])
    attrs = {k: v for k, v in call.attrs.items() if k not in ("manual_dep_edges", "dummy_task")}
    parts = [*(p.expr(a) for a in call.args), f"deps=[{deps}]", *p.kwargs_of(call), *p.attrs_of(attrs)]
    return f"{p.op_name(call.op.name)}({', '.join(parts)})"


def _alloc_window(p: ExprPrinter, call: E.Call) -> str:
    return p.op_call(call, call.op.name, [p.expr(a) for a in call.args], p.kwargs_of(call, drop="name"))


SPECIAL_CALLS: dict[str, Special] = {
    "tile.full": _full,
    "tensor.full": _full,
    "tile.reinterpret_view": _reinterpret_view,
    "tensor.reinterpret_view": _reinterpret_view,
    "tile.alloc": _alloc,
    "tensor.alloc": _alloc,
    "system.syncall": _syncall,
    "tile.gather_row": _gather_row,
    "tensor.gather_row": _gather_row,
    "tile.mgather": _mgather,
    "pld.tile.remote_load": _remote_load,
    "system.task_dummy": _task_dummy,
    "pld.tensor.alloc_window_buffer": _alloc_window,
}
