"""StampTfreeSplit: every ``system.tfree_*`` names the split and pipe id of the tpop whose slot it returns.

Runs before SkewCrossCorePipeline clones the pairs, so that each free still names its tpop's variable
(docs/spec/passes_split.md §13).
"""

from __future__ import annotations

from typing import Any

from pypto_core.analysis.lanes import FREE_OPS
from pypto_core.analysis.names import describe
from pypto_core.analysis.statements import as_var, leaf_call
from pypto_core.analysis.tpop import tpop_origins
from pypto_core.diagnostics import PassError, Related
from pypto_core.ir import Call, EvalStmt, Function, Stmt, Var
from pypto_core.ir.visitor import Rewriter
from pypto_core.passes.base import Pass, PassContract, map_functions
from pypto_core.passes.split_axis.rejections import reject

CONTRACT = PassContract.of(required="SplitIncoreOrch", function_local=True)

_POP_OF_FREE = {
    "system.tfree_to_aic": "tile.tpop_from_aic",
    "system.tfree_to_aiv": "tile.tpop_from_aiv",
}


def stamp_tfree_split(*, backend: Any = None) -> Pass:
    """The pass; its result depends on no backend."""
    return Pass("StampTfreeSplit", CONTRACT, lambda program: map_functions(program, stamp_function))


def stamp_function(function: Function) -> Function:
    """One function with stamped frees.

    Raises:
        PassError: ``tfree-no-tpop``, ``tfree-direction`` or ``tfree-id-mismatch`` at the free.
    """
    body = _Stamp(tpop_origins(function.body)).rewrite(function.body)
    return function.with_(body=body)


class _Stamp(Rewriter):
    def __init__(self, pops: dict[Var, Call]) -> None:
        self.pops = pops

    def rewrite_EvalStmt(self, stmt: EvalStmt) -> Stmt:
        call = leaf_call(stmt)
        if call is None or call.name not in FREE_OPS or not call.args:
            return stmt
        return stmt.with_(expr=self.stamped(call))

    def stamped(self, free: Call) -> Call:
        var = as_var(free.args[0])
        pop = self.pops.get(var) if var is not None else None
        if pop is None:
            raise _no_origin(free)
        pop_id, free_id = pop.kwargs.get("id"), free.kwargs.get("id")
        if _POP_OF_FREE[free.name] != pop.name:
            raise _wrong_direction(free, pop)
        if free_id is not None and free_id != (pop_id or 0):
            raise _other_pipe(free, pop)
        kwargs: dict[str, Any] = {"split": pop.kwargs.get("split", 0)}
        if pop_id is not None or free_id is not None:
            kwargs["id"] = pop_id if pop_id is not None else free_id
        return free if list(kwargs.items()) == list(free.kwargs.items()) else free.with_(kwargs=kwargs)


def _name(free: Call) -> str:
    return describe(free.args[0], free.span)


def _received(free: Call, pop: Call) -> tuple[Related, ...]:
    return (Related(f"'{_name(free)}' was received here", pop.span),)


def _no_origin(free: Call) -> PassError:
    return reject(
        "R-TFREE-ORIGIN",
        "tfree-no-tpop",
        f"'{free.name}' returns the slot of '{_name(free)}', which is not the result of a tpop; free the variable that the "
        f"tpop was assigned to",
        free.span,
        op=free.name,
        name=_name(free),
    )


def _wrong_direction(free: Call, pop: Call) -> PassError:
    return reject(
        "R-TFREE-DIR",
        "tfree-direction",
        f"'{free.name}' returns a slot of '{_POP_OF_FREE[free.name]}', but '{_name(free)}' was received by '{pop.name}'; "
        f"use '{_free_of(pop.name)}'",
        free.span,
        _received(free, pop),
        op=free.name,
        pop=pop.name,
        fix=_free_of(pop.name),
    )


def _other_pipe(free: Call, pop: Call) -> PassError:
    free_id, pop_id = free.kwargs["id"], pop.kwargs.get("id", 0)
    return reject(
        "R-TFREE-ID",
        "tfree-id-mismatch",
        f"'{free.name}' frees pipe id {free_id}, but '{_name(free)}' was received from pipe id {pop_id}; make the ids agree",
        free.span,
        _received(free, pop),
        op=free.name,
        free_id=free_id,
        pop_id=pop_id,
    )


def _free_of(pop: str) -> str:
    return next(free for free, name in _POP_OF_FREE.items() if name == pop)
