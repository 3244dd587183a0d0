"""What a scope body takes from outside and what it gives back (docs/spec/passes_front.md §9.4)."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pypto_core import ir
from pypto_core.ir.deep import goes_deep
from pypto_core.ir.walk import expr_vars

STORE = "tile.store"
STORE_TARGET = 2


class _Capture:
    """Upward-exposed uses in first-read order."""

    def __init__(self) -> None:
        self.inputs: dict[ir.Var, None] = {}
        self._defined: set[ir.Var] = set()
        #: Of these, what the branch around the place defines; all when there is none.
        self._here: set[ir.Var] = self._defined

    def _define(self, variables: Iterable[ir.Var]) -> None:
        new = [var for var in variables if var not in self._defined]
        self._defined.update(new)
        self._here.update(new)

    def _read(self, expr: ir.Expr) -> None:
        for var in expr_vars(expr):
            if var not in self._defined:
                self.inputs.setdefault(var)

    def visit(self, stmt: ir.Stmt) -> None:
        match stmt:
            case ir.SeqStmts():
                for inner in stmt.stmts:
                    self.visit(inner)
            case ir.ForStmt():
                for arg in stmt.iter_args:
                    self._read(arg.init_value)
                self._define((stmt.loop_var, *stmt.return_vars, *stmt.iter_args))
                for bound in (stmt.start, stmt.stop, stmt.step):
                    self._read(bound)
                self.visit(stmt.body)
            case ir.WhileStmt():
                for arg in stmt.iter_args:
                    self._read(arg.init_value)
                self._define((*stmt.return_vars, *stmt.iter_args))
                self._read(stmt.condition)
                self.visit(stmt.body)
            case ir.IfStmt():
                self._branch(stmt)
            case _:
                for expr in ir.stmt_exprs(stmt):
                    self._read(expr)
                self._define(ir.stmt_defs(stmt))
                for body in ir.stmt_bodies(stmt):
                    self.visit(body)

    @goes_deep
    def _branch(self, stmt: ir.IfStmt) -> None:
        self._read(stmt.condition)
        self._define(stmt.return_vars)
        outer = self._here
        outcomes = []
        for body in (stmt.then_body, stmt.else_body):
            self._here = set()
            if body is not None:
                self.visit(body)
            outcomes.append(self._here)
            self._defined -= self._here
        self._here = outer
        self._define(outcomes[0] & outcomes[1])


def captured(body: ir.Stmt) -> tuple[ir.Var, ...]:
    """Variables that ``body`` reads before defining them, in the order of their first reading."""
    capture = _Capture()
    capture.visit(body)
    return tuple(capture.inputs)


def store_call(stmt: ir.Stmt) -> ir.Call | None:
    """The ``tile.store`` that a statement performs, else None."""
    value = (
        stmt.value
        if isinstance(stmt, ir.AssignStmt)
        else stmt.expr
        if isinstance(stmt, ir.EvalStmt)
        else None
    )
    return value if isinstance(value, ir.Call) and value.name == STORE else None


def store_target(call: ir.Call) -> ir.Var | None:
    """Destination of a ``tile.store`` when it is an exact Var (a loop-carried value does not count)."""
    if len(call.args) <= STORE_TARGET:
        return None
    target = call.args[STORE_TARGET]
    return target if type(target) is ir.Var else None


def store_targets(body: ir.Stmt) -> tuple[ir.Var, ...]:
    """Destinations of the stores in ``body``, in first-encounter order."""
    found: dict[ir.Var, None] = {}
    for call in ir.calls_in(body):
        if isinstance(call, ir.Call) and call.name == STORE:
            target = store_target(call)
            if target is not None:
                found.setdefault(target)
    return tuple(found)


def last_mentions(stmts: Sequence[ir.Stmt]) -> dict[ir.Var, int]:
    """Each variable that the statements define or read, and the position of the last one that does."""
    last: dict[ir.Var, int] = {}
    for position, stmt in enumerate(stmts):
        last.update(dict.fromkeys(ir.collect_defs(stmt), position))
        last.update(dict.fromkeys(ir.collect_uses(stmt), position))
    return last


@dataclass(frozen=True, slots=True)
class Later:
    """Variables mentioned behind a position of a statement list, or behind the list (``outer``).

    A view of what :func:`last_mentions` found once for the list: each scope in it asks about a position of its own.
    """

    last: Mapping[ir.Var, int]
    position: int
    end: int
    outer: Later | None = None

    @staticmethod
    def of(variables: Iterable[ir.Var], outer: Later | None = None) -> Later:
        """``variables``, and those of ``outer``."""
        found = dict.fromkeys(variables, 0)
        return Later(found, -1, 0 if found else -1, outer)

    def __contains__(self, var: object) -> bool:
        at: Later | None = self
        while at is not None:
            if at.last.get(var, -1) > at.position:  # type: ignore[call-overload]
                return True
            at = at.outer
        return False

    def __bool__(self) -> bool:
        return self.end > self.position or bool(self.outer)


@dataclass(frozen=True, slots=True)
class Outputs:
    """Results of a scope: ordinary definitions, stored buffers, and aliases of stored buffers."""

    ordinary: tuple[ir.Var, ...]
    stored: tuple[ir.Var, ...]
    aliases: dict[ir.Var, ir.Var]


def outputs(
    body: ir.Stmt, used: Container[ir.Var], inputs: tuple[ir.Var, ...], *, exports_stores: bool
) -> Outputs:
    """Results of ``body`` given the variables ``used`` after it. ``exports_stores`` is False for Hierarchy scopes."""
    captured_vars = frozenset(inputs)
    targets = tuple(t for t in store_targets(body) if t in captured_vars)
    aliases: dict[ir.Var, ir.Var] = {}
    for stmt in ir.walk_stmts(body):
        call = store_call(stmt)
        if call is not None and isinstance(stmt, ir.AssignStmt):
            target = store_target(call)
            if target in captured_vars and target is not None:
                aliases[stmt.var] = target
    ordinary = tuple(
        v for v in ir.collect_defs(body) if v in used and v not in aliases and v not in captured_vars
    )
    # Reverse first-encounter order: what the compiler is observed to do with its unordered set (§0.8).
    return Outputs(ordinary, tuple(reversed(targets)) if exports_stores else (), aliases)
