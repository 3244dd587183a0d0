"""Name disambiguation of the printed form (docs/spec/ir.md §4.9)."""

from __future__ import annotations

from collections.abc import Iterable

from pypto_core.ir.expr import IterArg, Var
from pypto_core.ir.node import Node, Stmt
from pypto_core.ir.stmt import ForStmt, WhileStmt
from pypto_core.ir.walk import stmt_defs, stmt_exprs, walk_exprs, walk_stmts


def assign_names(variables: Iterable[Var], taken: Iterable[str] = ()) -> dict[Var, str]:
    """Printed names of distinct variables: unique hints are reserved first, later ones get ``_1``, ``_2`` ..."""
    counts: dict[str, int] = {}
    order = list(variables)
    for var in order:
        counts[var.name_hint] = counts.get(var.name_hint, 0) + 1
    used = {hint for hint, count in counts.items() if count == 1}
    used.update(taken)
    names: dict[Var, str] = {}
    for var in order:
        hint = var.name_hint
        if counts[hint] == 1:
            names[var] = hint
            continue
        name, suffix = hint, 0
        while name in used:
            suffix += 1
            name = f"{hint}_{suffix}"
        used.add(name)
        names[var] = name
    return names


class BodyVars:
    """Definitions and uses of a body in printing order (§1.11): an iter_arg's init value is used right after it."""

    __slots__ = ("defs", "uses")

    def __init__(self, body: Node | None) -> None:
        self.defs: dict[Var, None] = {}
        self.uses: dict[Var, None] = {}
        if isinstance(body, Stmt):
            for stmt in walk_stmts(body):
                self._stmt(stmt)
        elif body is not None:
            self._expr(body)

    def _expr(self, expr: Node) -> None:
        for inner in walk_exprs(expr):  # type: ignore[arg-type]
            if inner.__class__ is Var or inner.__class__ is IterArg:
                self.uses.setdefault(inner)

    def _stmt(self, stmt: Stmt) -> None:
        if isinstance(stmt, ForStmt):
            for var in stmt_defs(stmt):
                self.defs.setdefault(var)
            for arg in stmt.iter_args:
                self._expr(arg.init_value)
            for bound in (stmt.start, stmt.stop, stmt.step):
                self._expr(bound)
        elif isinstance(stmt, WhileStmt):
            for var in stmt_defs(stmt):
                self.defs.setdefault(var)
            for arg in stmt.iter_args:
                self._expr(arg.init_value)
            self._expr(stmt.condition)
        else:
            for var in stmt_defs(stmt):
                self.defs.setdefault(var)
            for expr in stmt_exprs(stmt):
                self._expr(expr)
