"""Operator calls of printed IR: positional arguments in IR order, keywords as stored (docs/spec/ir.md §4.5)."""

from __future__ import annotations

import keyword
from collections.abc import Mapping, Sequence
from typing import Any

from pypto_core.ir import ConstFloat, ConstInt, DataType, Expr, MakeTuple, MemorySpace, ScalarType
from pypto_core.ops.dsl import normalise
from pypto_core.ops.dsl.lowering import keyword_value
from pypto_core.ops.dsl.values import CallSite, DslFault, DslValue
from pypto_core.ops.registry import OpDef, find_op, read_op_call, untyped_op_call

_PADDED_LOAD = "pld.tile._remote_load_with_physical_tail_padding"
_BOUNDARY = ("aiv_shard", "aic_gather")


def operator_of(path: str) -> OpDef | None:
    """The operator that a printed spelling names: ``pl.tile.and_`` is ``tile.and``, ``pld.tensor.put`` is itself."""
    name = path.removeprefix("pl.")
    if name == _PADDED_LOAD:
        return find_op("pld.tile.remote_load")
    if "." not in name:
        return None
    if name.endswith("_") and keyword.iskeyword(name.rpartition(".")[2][:-1]):
        name = name[:-1]
    return find_op(name)


def read_printed_call(
    op: OpDef, path: str, args: Sequence[DslValue], kwargs: Mapping[str, DslValue], site: CallSite
) -> Expr:
    """The call as the text says; raises :class:`~pypto_core.ops.registry.OpError`, or DslFault for a malformed value."""
    operands = [_operand(value, site, index) for index, value in enumerate(args)]
    stored = {key: _stored(op, key, value) for key, value in kwargs.items()}
    _rearrange(op, operands, stored, site)
    leaf = op.name.rpartition(".")[2]
    if path.removeprefix("pl.") == _PADDED_LOAD:
        stored["allow_physical_tail_padding"] = True
    elif op.name == "pld.tensor.alloc_window_buffer":
        stored.setdefault("name", site.target_name or "")
    elif leaf in _BOUNDARY and "split" not in stored and site.region_split is not None:
        stored = {"split": int(site.region_split), **stored}
    if op.name == "system.task_dummy":
        return _dummy_task(stored, site)
    return read_op_call(op.name, operands, stored, attrs=site.attrs, span=site.span, backend=site.backend)


def _operand(value: DslValue, site: CallSite, index: int) -> Expr:
    if isinstance(value, MemorySpace):
        return ConstInt(int(value), DataType.INDEX, span=site.span_of(index))
    return normalise.as_expr(value, site.span_of(index), str(index))


def _stored(op: OpDef, key: str, value: DslValue) -> Any:
    return keyword_value(op, key, value) if key in op.kwarg_by_name else value


def _take(stored: dict[str, Any], key: str, site: CallSite) -> Expr | None:
    """Removes a keyword that stands for a positional argument."""
    return normalise.as_expr(stored.pop(key), site.span_of(key), key) if key in stored else None


def _rearrange(op: OpDef, operands: list[Expr], stored: dict[str, Any], site: CallSite) -> None:
    """Undoes the printer's special forms: arguments that it shows as keywords."""
    leaf = op.name.rpartition(".")[2]
    if leaf == "full" and "value" in stored:
        operands.append(_fill(stored.pop("value"), stored.get("dtype"), site))
    elif leaf == "reinterpret_view":
        _append(operands, _take(stored, "shape", site))
    elif leaf == "gather_row":
        _append(operands, _take(stored, "valid_shape", site))
    elif leaf == "mgather":
        _append(operands, _take(stored, "scratch", site))
        _append(operands, _take(stored, "valid_shape", site))
    elif op.name == "system.syncall" and "gm_workspace" in stored:
        operands.append(
            normalise.as_expr(stored.pop("gm_workspace"), site.span_of("gm_workspace"), "gm_workspace")
        )
        cores = normalise.as_expr(stored.pop("used_cores", 0), site.span_of("used_cores"), "used_cores")
        if not (isinstance(cores, ConstInt) and cores.value == 0):
            operands.append(cores)
        mode = stored.pop("mode", "soft")
        stored["mode"] = mode


def _append(operands: list[Expr], extra: Expr | None) -> None:
    if extra is not None:
        operands.append(extra)


def _fill(value: Any, dtype: Any, site: CallSite) -> Expr:
    number = value.value if isinstance(value, (ConstInt, ConstFloat)) else value
    span = site.span_of("value")
    if not isinstance(dtype, DataType) or isinstance(number, Expr):
        return normalise.as_expr(value, span, "value")
    return (
        ConstInt(number, dtype, span=span)
        if isinstance(number, int)
        else ConstFloat(number, dtype, span=span)
    )


def _dummy_task(stored: dict[str, Any], site: CallSite) -> Expr:
    deps = stored.pop("deps", ())
    if not isinstance(deps, (list, tuple, MakeTuple)):
        raise DslFault("task-dummy-form", "deps must be a list of task ids", "deps")
    edges = deps.elements if isinstance(deps, MakeTuple) else tuple(deps)
    attrs: dict[str, Any] = {"dummy_task": True, "manual_dep_edges": edges, **(site.attrs or {})}
    return untyped_op_call(
        "system.task_dummy", [], stored, result=ScalarType.of(DataType.TASK_ID), attrs=attrs, span=site.span
    )
