"""Every read of every variable of one body, with the place it stands at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pypto_core.analysis.uses import expr_vars
from pypto_core.ir import AssignStmt, Call, Expr, Stmt, Var, attr_exprs, body_stmts
from pypto_core.ir.deep import goes_deep
from pypto_core.ir.walk import stmt_bodies, stmt_exprs

MATMUL_OPERANDS: Mapping[str, tuple[int, int]] = {
    "tile.matmul": (0, 1),
    "tile.matmul_bias": (0, 1),
    "tile.matmul_acc": (1, 2),
}
"""Argument positions of (lhs, rhs) of the plain products."""


class Read(NamedTuple):
    """One read: argument ``position`` of the call that ``stmt`` performs, or anything else (``call`` is None)."""

    stmt: Stmt
    call: Call | None
    position: int

    @property
    def is_matmul_operand(self) -> bool:
        return self.call is not None and self.position in MATMUL_OPERANDS.get(self.call.name, ())


class Reads:
    """Reads, definitions and statement lists of a body."""

    def __init__(self, body: Stmt) -> None:
        self._reads: dict[Var, list[Read]] = {}
        self._definitions: dict[Var, AssignStmt] = {}
        self._list_of: dict[Stmt, int] = {}
        self._stmts: list[tuple[Stmt, ...]] = []
        self._collect(body)

    @goes_deep
    def _collect(self, body: Stmt) -> None:
        here = len(self._stmts)
        self._stmts.append(body_stmts(body))
        for stmt in body_stmts(body):
            self._list_of[stmt] = here
            if isinstance(stmt, AssignStmt):
                self._definitions[stmt.var] = stmt
            for root in stmt_exprs(stmt):
                self._collect_expr(stmt, root)
            for inner in stmt_bodies(stmt):
                self._collect(inner)

    def _collect_expr(self, stmt: Stmt, root: Expr) -> None:
        inner: Iterable[Expr] = (root,)
        if isinstance(root, Call):
            for position, arg in enumerate(root.args):
                if isinstance(arg, Var):
                    self._reads.setdefault(arg, []).append(Read(stmt, root, position))
            inner = (*(arg for arg in root.args if not isinstance(arg, Var)), *attr_exprs(root.attrs))
        for expr in inner:
            for var in expr_vars(expr):
                self._reads.setdefault(var, []).append(Read(stmt, None, 0))

    def of(self, var: Var) -> Sequence[Read]:
        """Reads of ``var``, in program order."""
        return self._reads.get(var, ())

    def definition(self, expr: Expr) -> AssignStmt | None:
        """The assignment of a variable; None for parameters, loop results and everything else."""
        return self._definitions.get(expr) if isinstance(expr, Var) else None

    def call_of(self, expr: Expr) -> Call | None:
        """The call that defines a variable."""
        stmt = self.definition(expr)
        return stmt.value if stmt is not None and isinstance(stmt.value, Call) else None

    def definitions(self) -> Sequence[AssignStmt]:
        """Every assignment, in program order."""
        return tuple(self._definitions.values())

    def same_list(self, left: Stmt, right: Stmt) -> bool:
        """Whether two statements stand in one statement list."""
        return self._list_of.get(left) == self._list_of.get(right)

    def only_matmul_operands(self, var: Var) -> bool:
        """Whether ``var`` is read, and at matmul operands alone."""
        reads = self.of(var)
        return bool(reads) and all(read.is_matmul_operand for read in reads)

    def between(self, first: Stmt, last: Stmt) -> Sequence[Stmt] | None:
        """Statements strictly between two statements of one list; None when they are not in one list, in this order."""
        if not self.same_list(first, last):
            return None
        stmts = self._stmts[self._list_of[first]]
        start, stop = stmts.index(first), stmts.index(last)
        return stmts[start + 1 : stop] if start < stop else None

    def following(self, stmt: Stmt) -> Sequence[Stmt]:
        """Statements behind ``stmt`` in its list."""
        stmts = self._stmts[self._list_of[stmt]]
        return stmts[stmts.index(stmt) + 1 :]
