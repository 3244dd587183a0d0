"""StampTfreeSplit: every ``system.tfree_*`` names the split and pipe id of the tpop whose slot it returns.

Runs before SkewCrossCorePipeline clones the pairs, so that each free still names its tpop's variable
(docs/spec/passes_split.md §13).
"""

from __future__ import annotations

from typing import Any

from pypto_core.analysis.lanes import FREE_OPS
from pypto_core.analysis.statements import as_var, leaf_call
from pypto_core.analysis.tpop import tpop_origins
from pypto_core.diagnostics import PassError
from pypto_core.ir import AssignStmt, Call, EvalStmt, Expr, Function, Stmt, Var
from pypto_core.ir.rewrite import Rewriter
from pypto_core.ir.walk import called_names
from pypto_core.passes.base import Pass, PassContract, map_functions
from pypto_core.passes.split_axis.rejections import reject
from pypto_core.verify.tfree_faults import POP_OF_FREE, freed_name, no_origin, received, wrong_direction

CONTRACT = PassContract.of(required="SplitIncoreOrch", function_local=True)


def stamp_tfree_split(*, backend: Any = None) -> Pass:
    """The pass; its result depends on no backend."""
    return Pass("StampTfreeSplit", CONTRACT, lambda program: map_functions(program, stamp_function))


def stamp_function(function: Function) -> Function:
    """One function with stamped frees.

    Raises:
        PassError: ``tfree-no-tpop``, ``tfree-direction`` or ``tfree-id-mismatch`` at the free.
    """
    if FREE_OPS.isdisjoint(called_names(function.body)):
        return function
    body = _Stamp(tpop_origins(function.body)).rewrite(function.body)
    return function.with_(body=body)


class _Stamp(Rewriter):
    def __init__(self, pops: dict[Var, Call]) -> None:
        self.pops = pops

    def rewrite_Expr(self, expr: Expr) -> Expr:
        return expr

    def rewrite_AssignStmt(self, stmt: AssignStmt) -> Stmt:
        return stmt

    def rewrite_EvalStmt(self, stmt: EvalStmt) -> Stmt:
        call = leaf_call(stmt)
        if call is None or call.name not in FREE_OPS or not call.args:
            return stmt
        return stmt.with_(expr=self.stamped(call))

    def stamped(self, free: Call) -> Call:
        var = as_var(free.args[0])
        pop = self.pops.get(var) if var is not None else None
        if pop is None:
            raise PassError(no_origin(free, free.span, "R-TFREE-ORIGIN"))
        pop_id, free_id = pop.kwargs.get("id"), free.kwargs.get("id")
        if POP_OF_FREE[free.name] != pop.name:
            raise PassError(wrong_direction(free, pop, free.span, "R-TFREE-DIR"))
        if free_id is not None and free_id != (pop_id or 0):
            raise _other_pipe(free, pop)
        kwargs: dict[str, Any] = {"split": pop.kwargs.get("split", 0)}
        if pop_id is not None or free_id is not None:
            kwargs["id"] = pop_id if pop_id is not None else free_id
        return free if list(kwargs.items()) == list(free.kwargs.items()) else free.with_(kwargs=kwargs)


def _other_pipe(free: Call, pop: Call) -> PassError:
    free_id, pop_id = free.kwargs["id"], pop.kwargs.get("id", 0)
    return reject(
        "R-TFREE-ID",
        "tfree-id-mismatch",
        f"'{free.name}' frees pipe id {free_id}, but '{freed_name(free)}' was received from pipe id {pop_id}; make the ids agree",
        free.span,
        received(free, pop),
        op=free.name,
        free_id=free_id,
        pop_id=pop_id,
    )
