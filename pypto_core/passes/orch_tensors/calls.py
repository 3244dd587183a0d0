"""Kernel calls in orchestration functions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pypto_core.analysis.statements import as_var
from pypto_core.ir import AssignStmt, Call, Expr, Stmt, Submit, TupleGetItem, TupleType, Var
from pypto_core.ir.walk import calls_in, walk_stmts
from pypto_core.passes.tensor_to_tile.callers import target_name

Launch = Call | Submit


def launches(body: Stmt) -> Iterator[Launch]:
    """Every call and submit of a program function."""
    for call in calls_in(body):
        if target_name(call) is not None:
            yield call


def definitions(body: Stmt) -> dict[Var, Expr]:
    """Every assigned variable of a body, nested ones included, with its value."""
    return {s.var: s.value for s in walk_stmts(body) if isinstance(s, AssignStmt)}


@dataclass(frozen=True, slots=True)
class Result:
    """Item ``item`` of what ``call`` returns."""

    call: Launch
    item: int


def result_of(expr: Expr, values: dict[Var, Expr]) -> Result | None:
    """The kernel result that ``expr`` is: a call's value, or an item of its tuple."""
    if isinstance(expr, TupleGetItem):
        whole = as_var(expr.tuple)
        call = values.get(whole) if whole is not None else expr.tuple
        if isinstance(call, (Call, Submit)) and target_name(call) is not None:
            return Result(call, expr.index)
        return None
    if isinstance(expr, (Call, Submit)):
        single = not isinstance(expr.type, TupleType)
        return Result(expr, 0) if single and target_name(expr) is not None else None
    var = as_var(expr)
    value = values.get(var) if var is not None else None
    return result_of(value, values) if isinstance(value, (Call, Submit, TupleGetItem)) else None
