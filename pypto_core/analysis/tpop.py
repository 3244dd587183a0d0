"""Where a tile that was received from the other core comes from."""

from __future__ import annotations

from collections.abc import Iterable

from pypto_core.analysis.lanes import POP_OPS
from pypto_core.analysis.statements import leaf_call, walk_stmts
from pypto_core.ir import AssignStmt, Call, Stmt, Var


def tpop_origins(body: Stmt | list[Stmt], ops: Iterable[str] = POP_OPS) -> dict[Var, Call]:
    """Every variable assigned from a ``tile.tpop_*`` (or one of `ops`) anywhere in `body`, with that call."""
    wanted = frozenset(ops)
    origins: dict[Var, Call] = {}
    for stmt in walk_stmts(body):
        call = leaf_call(stmt)
        if isinstance(stmt, AssignStmt) and call is not None and call.name in wanted:
            origins[stmt.var] = call
    return origins
