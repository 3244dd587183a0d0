"""Kernels that register waits instead of waiting (docs/spec/passes_split.md §10.1)."""

from __future__ import annotations

from pypto_core.analysis.affinity import Affinity, rollup
from pypto_core.analysis.statements import block, leaf_call, stmts_of, walk_stmts
from pypto_core.ir import Call, Function, FunctionType, Program, ReturnStmt, Submit
from pypto_core.ir.walk import called_names, calls_in
from pypto_core.passes.outline.waiters import DEFER_WAIT, check_waiter_body
from pypto_core.passes.split_axis.rejections import reject

_LAUNCH_ATTRS = ("core_num", "sync_start")
_FORBIDDEN = ("allow_early_resolve", "predicate", *_LAUNCH_ATTRS)


def audit_deferred_waits(program: Program) -> None:
    """Check every function that registers a deferred wait, and every launch of it.

    Raises:
        PassError: ``deferred-waiter`` naming the function and what it must not have.
    """
    for function in program.functions:
        wait = _first_wait(function)
        if wait is not None:
            _audit(program, function, wait)


def _first_wait(function: Function) -> Call | None:
    if DEFER_WAIT not in called_names(function.body):
        return None
    for stmt in walk_stmts(function.body):
        call = leaf_call(stmt)
        if call is not None and call.name == DEFER_WAIT:
            return call
    return None


def _refuse(function: Function, text: str, call: Call | Submit | None) -> Exception:
    span = call.span if call is not None and call.span.is_valid else function.span
    return reject(
        "deferred-wait", "deferred-waiter", f"'{function.name}' {text}", span, function=function.name
    )


def _audit(program: Program, function: Function, wait: Call) -> None:
    if not function.attrs.get("deferred_completion_waiter"):
        raise _refuse(
            function, f"calls {DEFER_WAIT} but lacks the attribute deferred_completion_waiter", wait
        )
    if function.func_type not in (FunctionType.InCore, FunctionType.AIV):
        raise _refuse(function, f"calls {DEFER_WAIT} and must be an InCore or AIV function", wait)
    for name in _LAUNCH_ATTRS:
        if name in function.attrs:
            raise _refuse(function, f"registers deferred waits and must not carry {name}", wait)
    if rollup(stmts_of(function.body)) in (Affinity.CUBE, Affinity.MIXED):
        raise _refuse(function, "registers deferred waits and must not do cube work", wait)
    stmts = stmts_of(function.body)
    if stmts and isinstance(stmts[-1], ReturnStmt) and not stmts[-1].values:
        stmts = stmts[:-1]
    check_waiter_body(block(stmts, function.body), function.span)
    launches = 0
    for caller in program.functions:
        for call in calls_in(caller.body):
            if call.name != function.name:
                continue
            launches += 1
            if caller.func_type is not FunctionType.Orchestration:
                raise _refuse(
                    function,
                    f"registers deferred waits and is launched by '{caller.name}', which is no Orchestration function",
                    call,
                )
            found = _forbidden(call)
            if found is not None:
                raise _refuse(
                    function, f"registers deferred waits and must not be launched with {found}", call
                )
    if not launches:
        raise _refuse(function, "registers deferred waits but no Orchestration function launches it", wait)


def _forbidden(call: Call | Submit) -> str | None:
    for name in _FORBIDDEN:
        value = getattr(call, name, None) if isinstance(call, Submit) else call.attrs.get(name)
        if value is not None and value is not False:
            return name
    return None
