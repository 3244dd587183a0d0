"""Where consumers want their operands (docs/spec/passes_tensor_to_tile.md §1.3)."""

from __future__ import annotations

from pypto_core.analysis.statements import as_var
from pypto_core.ir import AssignStmt, Call, Expr, MemorySpace, Stmt, Var
from pypto_core.ir.walk import calls_in, walk_stmts
from pypto_core.passes.tensor_to_tile.lowering import VEC
from pypto_core.passes.tensor_to_tile.table import INHERITS_SPACE, required_spaces


def collect_demands(body: Stmt) -> dict[Var, MemorySpace]:
    """The memory space that consumers require of each variable; a request other than Vec overrides Vec."""
    demands: dict[Var, MemorySpace] = {}
    sources: dict[Var, Var] = {}
    for stmt in walk_stmts(body):
        if isinstance(stmt, AssignStmt):
            origin = as_var(_inherited_operand(stmt.value))
            if origin is not None:
                sources[stmt.var] = origin

    def request(var: Var | None, space: MemorySpace) -> None:
        while var is not None:
            known = demands.get(var)
            if known is not None and (known is not VEC or space is VEC):
                return
            demands[var] = space
            var = sources.get(var)

    for call in calls_in(body):
        if isinstance(call, Call):
            for arg, space in zip(call.args, required_spaces(call.op.name)):
                if space is not None:
                    request(as_var(arg), space)
    return demands


def _inherited_operand(value: Expr) -> Expr | None:
    """The operand whose memory space ``value`` shares: the value itself for a copy."""
    if not isinstance(value, Call):
        return value
    return value.args[0] if value.name in INHERITS_SPACE else None
