"""P2 and P4: kernels learn the strides of the tensors that their parameters are cut from
(docs/spec/passes_tensor_to_tile.md Part 2)."""

from __future__ import annotations

from pypto_core.analysis.statements import as_var
from pypto_core.ir import (
    AssignStmt,
    Call,
    ConstInt,
    EvalStmt,
    Expr,
    ParamDirection,
    TensorLayout,
    TensorType,
    TensorView,
    Var,
)
from pypto_core.ir.types import const_dims
from pypto_core.ir.walk import walk_stmts
from pypto_core.passes.orch_tensors.calls import definitions, launches, result_of
from pypto_core.passes.orch_tensors.kernels import (
    Functions,
    is_kernel,
    is_orchestration,
    out_mapping,
    retype_params,
)
from pypto_core.passes.tensor_to_tile.callers import target_name

Strides = tuple[int, ...]


def trailing_strides(parent: Expr, rank: int) -> Strides | None:
    """The last ``rank`` row-major strides of a parent tensor; None when its shape is not static or too short."""
    kind = parent.type
    dims = const_dims(kind.shape) if isinstance(kind, TensorType) else None
    if dims is None or rank > len(dims):
        return None
    strides = [1]
    for extent in reversed(dims[1:]):
        strides.append(strides[-1] * extent)
    return tuple(reversed(strides[:rank]))


def strided(var: Var, strides: Strides) -> Var:
    """``var`` as a piece of a larger row-major tensor; any other view it had is replaced."""
    kind = var.type
    assert isinstance(kind, TensorType)
    view = TensorView(tuple(ConstInt(s) for s in strides), TensorLayout.ND)
    return var.with_(type=kind.with_(tensor_view=view))


def _apply(functions: Functions, found: dict[str, dict[int, Strides]]) -> None:
    for name, by_param in found.items():
        function = functions[name]
        new = {function.params[i]: strided(function.params[i], s) for i, s in by_param.items()}
        functions[name] = retype_params(function, new)


def apply_assemble_strides(functions: Functions) -> None:
    """P2: an Out parameter whose result is assembled into a parent gets the parent's trailing strides; of several
    parents the last one seen counts."""
    found: dict[str, dict[int, Strides]] = {}
    for function in functions.values():
        if not is_orchestration(function):
            continue
        values = definitions(function.body)
        for stmt in walk_stmts(function.body):
            call = (
                stmt.value
                if isinstance(stmt, AssignStmt)
                else stmt.expr
                if isinstance(stmt, EvalStmt)
                else None
            )
            if not (isinstance(call, Call) and call.name == "tensor.assemble"):
                continue
            result = result_of(call.args[1], values)
            callee = functions.get(result.call.op.name) if result is not None else None
            if result is None or callee is None or not is_kernel(callee):
                continue
            out = out_mapping(callee).get(result.item)
            if out is None:
                continue
            kind = callee.params[out].type
            strides = trailing_strides(call.args[0], kind.rank) if isinstance(kind, TensorType) else None
            if strides is not None:
                found.setdefault(callee.name, {})[out] = strides
    _apply(functions, found)


def apply_slice_strides(functions: Functions) -> None:
    """P4: an In parameter that receives a slice gets the trailing strides of the sliced tensor; parents that disagree
    give none, and a parameter with strides keeps them."""
    seen: dict[str, dict[int, set[Strides]]] = {}
    for function in functions.values():
        if not is_orchestration(function):
            continue
        values = definitions(function.body)
        for call in launches(function.body):
            callee = functions.get(target_name(call) or "")
            if callee is None or not is_kernel(callee):
                continue
            for index, (arg, param, direction) in enumerate(
                zip(call.args, callee.params, callee.param_directions)
            ):
                var = as_var(arg)
                value = values.get(var) if var is not None else None
                kind = param.type
                if direction is not ParamDirection.In or not isinstance(kind, TensorType):
                    continue
                if not (isinstance(value, Call) and value.name == "tensor.slice") or _has_strides(kind):
                    continue
                strides = trailing_strides(value.args[0], kind.rank)
                if strides is not None:
                    seen.setdefault(callee.name, {}).setdefault(index, set()).add(strides)
    agreed = {
        name: {index: next(iter(s)) for index, s in by_param.items() if len(s) == 1}
        for name, by_param in seen.items()
    }
    _apply(functions, agreed)


def _has_strides(kind: TensorType) -> bool:
    return kind.tensor_view is not None and bool(kind.tensor_view.stride)
