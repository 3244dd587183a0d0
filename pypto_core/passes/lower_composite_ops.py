"""LowerCompositeOps: trigonometry and collectives become sequences of primitive calls (``docs/spec/passes_tile.md`` §1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pypto_core.analysis.statements import block
from pypto_core.backend import Backend
from pypto_core.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    Function,
    FunctionType,
    Level,
    Program,
    ReturnStmt,
    Role,
    Stmt,
    body_stmts,
    called_names,
)
from pypto_core.passes.auto_names import NameCounter
from pypto_core.passes.base import Pass, PassContract, map_functions
from pypto_core.passes.composite.allreduce import lower_allreduce
from pypto_core.passes.composite.collectives import (
    lower_all_to_all,
    lower_all_to_all_v,
    lower_allgather,
    lower_barrier,
    lower_broadcast,
    lower_reduce_scatter,
)
from pypto_core.passes.composite.emitter import Emitter
from pypto_core.passes.composite.trig import lower_trig
from pypto_core.passes.stmt_parts import map_bodies

Rule = Callable[[Emitter, Call], Expr]

TRIG_RULES: dict[str, Rule] = {"tile.sin": lower_trig, "tile.cos": lower_trig}
COLLECTIVE_RULES: dict[str, Rule] = {
    "pld.tensor.allreduce": lower_allreduce,
    "pld.tensor.allgather": lower_allgather,
    "pld.tensor.reduce_scatter": lower_reduce_scatter,
    "pld.tensor.barrier": lower_barrier,
    "pld.tensor.broadcast": lower_broadcast,
    "pld.tensor.all_to_all": lower_all_to_all,
    "pld.tensor.all_to_all_v": lower_all_to_all_v,
}

CONTRACT = PassContract.of(function_local=True)


def lower_composite_ops(*, backend: str | Backend | None = None) -> Pass:
    """The pass; its result does not depend on the backend."""
    return Pass("LowerCompositeOps", CONTRACT, lambda program: _run(program))


def _run(program: Program) -> Program:
    return map_functions(program, lower_function)


def lower_function(function: Function) -> Function:
    """``function`` without composite calls; collectives of host orchestration are left to a later pass."""
    on_host = function.level is Level.HOST and (
        function.func_type is FunctionType.Orchestration or function.role is Role.Orchestrator
    )
    rules = TRIG_RULES if on_host else {**TRIG_RULES, **COLLECTIVE_RULES}
    if rules.keys().isdisjoint(called_names(function.body)):
        return function
    return function.with_(body=_Lowering(rules, NameCounter()).body(function.body))


@dataclass(frozen=True, slots=True)
class _Lowering:
    rules: dict[str, Rule]
    counter: NameCounter

    def body(self, body: Stmt) -> Stmt:
        return block([new for stmt in body_stmts(body) for new in self.stmt(stmt)], body)

    def stmt(self, stmt: Stmt) -> list[Stmt]:
        if isinstance(stmt, AssignStmt) and (rule := self._rule(stmt.value)):
            assert isinstance(stmt.value, Call)
            emitter = Emitter(stmt.var.name_hint, self.counter, stmt.value.span)
            value = rule(emitter, stmt.value)
            return [*emitter.stmts, stmt.with_(value=value)]
        if isinstance(stmt, EvalStmt) and (rule := self._rule(stmt.expr)):
            assert isinstance(stmt.expr, Call)
            emitter = Emitter("eval", self.counter, stmt.expr.span)
            rule(emitter, stmt.expr)
            return list(emitter.stmts)
        if isinstance(stmt, ReturnStmt):
            return self._return(stmt)
        return [map_bodies(stmt, self.body)]

    def _rule(self, expr: Expr) -> Rule | None:
        return self.rules.get(expr.name) if isinstance(expr, Call) else None

    def _return(self, stmt: ReturnStmt) -> list[Stmt]:
        before: list[Stmt] = []
        values = list(stmt.values)
        for position, value in enumerate(stmt.values):
            rule = self._rule(value)
            if rule is None:
                continue
            assert isinstance(value, Call)
            emitter = Emitter(f"ret{position}", self.counter, value.span)
            values[position] = emitter.bind("result", rule(emitter, value))
            before += emitter.stmts
        return [*before, stmt.with_(values=tuple(values)) if before else stmt]
