"""CallDirectionsResolved: calls say what they do with each argument (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.diagnostics import Diagnostic
from pypto_core.verify.base import Context, Finding, Verifier, author_name, best_span

RULE = "CallDirectionsResolved"
_report = Finding(RULE)

_A = ir.ArgDirection
_ALLOWED: dict[ir.ParamDirection, frozenset[ir.ArgDirection]] = {
    ir.ParamDirection.In: frozenset((_A.Input, _A.NoDep)),
    ir.ParamDirection.InOut: frozenset((_A.InOut, _A.OutputExisting, _A.NoDep)),
    ir.ParamDirection.Out: frozenset((_A.Output, _A.OutputExisting, _A.InOut, _A.NoDep)),
}
_WRAPPERS = (ir.FunctionType.Group, ir.FunctionType.Spmd)
_RANK = {ir.ParamDirection.In: 0, ir.ParamDirection.Out: 1, ir.ParamDirection.InOut: 2}


def _fault(call: ir.Call | ir.Submit, callee: ir.Function | None) -> str | None:
    directions = call.arg_directions
    if len(directions) != len(call.args):
        return f"has {len(directions)} argument directions for {len(call.args)} arguments"
    for i, (arg, direction) in enumerate(zip(call.args, directions, strict=True)):
        is_tensor = isinstance(arg.type, ir.TensorType)
        if is_tensor and direction is _A.Scalar:
            return f"marks tensor argument {i} as Scalar"
        if not is_tensor and direction is not _A.Scalar:
            return f"marks non-tensor argument {i} as {direction.name}"
        if is_tensor and callee is not None and i < len(callee.param_directions):
            declared = callee.param_directions[i]
            if direction not in _ALLOWED[declared]:
                return f"passes argument {i} as {direction.name} to a parameter that is {declared.name}"
    return None


def _effective(function: ir.Function, program: ir.Program) -> dict[ir.Var, ir.ParamDirection]:
    """Directions that the calls of a wrapper give its parameters."""
    found = dict.fromkeys(function.params, ir.ParamDirection.In)
    for call in ir.calls_in(function.body):
        callee = program.get_function(call.name) if isinstance(call.op, ir.GlobalVar) else None
        if callee is None:
            continue
        for arg, direction in zip(call.args, callee.param_directions, strict=False):
            if isinstance(arg, ir.Var) and arg in found and _RANK[direction] > _RANK[found[arg]]:
                found[arg] = direction
    return found


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    for call in ir.calls_in(function.body):
        if not isinstance(call.op, ir.GlobalVar) or not call.args:
            continue
        fault = _fault(call, context.program.get_function(call.name))
        if fault is not None:
            yield _report(
                "call-directions",
                0,
                f"Call of '{call.name}' in function '{function.name}' {fault}",
                best_span(call.span, function.span),
            )
    if function.func_type not in _WRAPPERS:
        return
    effective = _effective(function, context.program)
    for param, declared in zip(function.params, function.param_directions, strict=True):
        if isinstance(param.type, ir.TensorType) and effective[param] is not declared:
            yield _report(
                "call-directions",
                0,
                f"Wrapper '{function.name}' declares parameter '{author_name(param)}' as {declared.name}, but its "
                f"calls use it as {effective[param].name}",
                function.span,
            )


VERIFIER = Verifier("CallDirectionsResolved", RULE, check)
