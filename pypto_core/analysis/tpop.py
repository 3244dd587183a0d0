"""Where a tile that was received from the other core comes from."""

from __future__ import annotations

from collections.abc import Iterable

from pypto_core.analysis.lanes import POP_OPS
from pypto_core.analysis.statements import leaf_call, walk_stmts
from pypto_core.ir import AssignStmt, Call, Stmt, Var
from pypto_core.ir.walk import called_names


def tpop_origins(body: Stmt, ops: Iterable[str] = POP_OPS) -> dict[Var, Call]:
    """Every variable assigned from a ``tile.tpop_*`` (or one of `ops`) anywhere in `body`, with that call."""
    wanted = frozenset(ops)
    origins: dict[Var, Call] = {}
    if wanted.isdisjoint(called_names(body)):
        return origins
    for stmt in walk_stmts(body):
        call = leaf_call(stmt)
        if call is not None and call.op.name in wanted and isinstance(stmt, AssignStmt):
            origins[stmt.var] = call
    return origins
