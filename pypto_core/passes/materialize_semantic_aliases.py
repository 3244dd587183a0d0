"""MaterializeSemanticAliases: what a loop carries is computed in place (docs/spec/passes_tile.md §9.3).

InitMemRef lets a carried value lie where it starts; the value that the body yields for it lies elsewhere. Where that is safe,
the producer of the yielded value is made to write into the carried buffer.
"""

from __future__ import annotations

from dataclasses import dataclass

from pypto_core.analysis.statements import as_var, trailing_yield
from pypto_core.backend import Backend, get_backend
from pypto_core.ir import (
    AssignStmt,
    Call,
    Expr,
    ForStmt,
    Function,
    FunctionType,
    IfStmt,
    MemorySpace,
    MemRef,
    Stmt,
    TileType,
    Type,
    Var,
    WhileStmt,
    body_stmts,
    walk_stmts,
)
from pypto_core.ir.deep import goes_deep
from pypto_core.ir.walk import collect_uses, stmt_bodies, stmt_defs, stmt_exprs
from pypto_core.ops import find_op
from pypto_core.passes.allocation.conflicts import conflicting_operands
from pypto_core.passes.allocation.references import (
    memref_of,
    retyped_function,
    reused_operand,
    same_place,
    viewed_operand,
    with_memref,
)
from pypto_core.passes.base import Pass, PassContract, map_functions

CONTRACT = PassContract.of(
    "SplitIncoreOrch IncoreTileOps HasMemRefs TileOps2D NormalizedStmtStructure",
    "NormalizedStmtStructure",
    function_local=True,
)


def materialize_semantic_aliases(*, backend: str | Backend | None = None) -> Pass:
    """The pass for one chip, which says what an operator may overwrite."""
    chip = get_backend(backend)
    return Pass(
        "MaterializeSemanticAliases",
        CONTRACT,
        lambda program: map_functions(program, lambda f: alias_function(f, chip)),
    )


def alias_function(function: Function, chip: Backend | None = None) -> Function:
    """``function`` with carried values computed in place where possible; itself when nothing can move."""
    if function.func_type is FunctionType.Orchestration:
        return function
    aliases = _Aliases(function, chip)
    for stmt in walk_stmts(function.body):
        if isinstance(stmt, ForStmt) and stmt.iter_args:
            aliases.loop(stmt)
    return retyped_function(function, aliases.types)


@dataclass(frozen=True, slots=True)
class _Target:
    """Where a carried value lies."""

    memref: MemRef
    space: MemorySpace | None


_Branches = dict[Stmt, int]
"""If statements around a statement -> the branch that it stands in."""


class _Aliases:
    def __init__(self, function: Function, chip: Backend | None) -> None:
        self.chip = chip
        self.types: dict[Var, Type] = {}
        self._producers: dict[Var, Stmt] = {}
        self._places: dict[Stmt, int] = {}
        self._reads: dict[Var, list[Stmt]] = {}
        self._branches: dict[Stmt, _Branches] = {}
        self._number(function.body, {})

    @goes_deep
    def _number(self, body: Stmt, branches: _Branches) -> None:
        for stmt in body_stmts(body):
            self._places[stmt] = len(self._places)
            self._branches[stmt] = branches
            for var in stmt_defs(stmt):
                self._producers[var] = stmt
            for expr in stmt_exprs(stmt):
                for var in collect_uses(expr):
                    self._reads.setdefault(var, []).append(stmt)
            for number, inner in enumerate(stmt_bodies(stmt)):
                self._number(inner, {**branches, stmt: number} if isinstance(stmt, IfStmt) else branches)

    def memref(self, var: Var) -> MemRef | None:
        return memref_of(self.types.get(var, var.type))

    def loop(self, stmt: ForStmt) -> None:
        """Pushes the memory of every carried value onto what the body yields for it."""
        ended = trailing_yield(stmt.body)
        if ended is None:
            return
        for arg, value in zip(stmt.iter_args, ended.values):
            memref, kind = self.memref(arg), arg.type
            if memref is not None and isinstance(kind, TileType):
                self.push(value, _Target(memref, kind.memory_space), stmt)

    def push(self, value: Expr, target: _Target, loop: Stmt) -> bool:
        """Whether ``value`` lies at ``target`` now; nothing moves when it cannot."""
        before = dict(self.types)
        moved = self._push(value, target, loop)
        if not moved:
            self.types = before
        return moved

    def _push(self, value: Expr, target: _Target, loop: Stmt) -> bool:
        var = as_var(value)
        kind = None if var is None else self.types.get(var, var.type)
        if var is None or not isinstance(kind, TileType):
            return False
        here = memref_of(kind)
        if here is not None and same_place(here, target.memref):
            return True
        producer = self._producers.get(var)
        if isinstance(producer, AssignStmt):
            moved = self._push_result(producer, target, loop)
        elif isinstance(producer, IfStmt):
            moved = self._push_phi(producer, producer.return_vars.index(var), target, loop)
        elif isinstance(producer, (ForStmt, WhileStmt)) and var in producer.return_vars:
            moved = self._push_loop(producer, producer.return_vars.index(var), target, loop)
        else:
            moved = False
        if moved:
            self.types[var] = with_memref(kind, target.memref)
        return moved

    def _push_phi(self, stmt: IfStmt, position: int, target: _Target, loop: Stmt) -> bool:
        values = [_yielded(body, position) for body in stmt_bodies(stmt)]
        moved = [value is not None and self.push(value, target, loop) for value in values]
        return all(moved)

    def _push_loop(self, stmt: ForStmt | WhileStmt, position: int, target: _Target, loop: Stmt) -> bool:
        arg = stmt.iter_args[position]
        if not self.push(arg.init_value, target, loop):
            return False
        self.types[arg] = with_memref(self.types.get(arg, arg.type), target.memref)
        value = _yielded(stmt.body, position)
        if value is not None:
            self.push(value, target, stmt)
        return True

    def _push_result(self, stmt: AssignStmt, target: _Target, loop: Stmt) -> bool:
        call = stmt.value
        if not isinstance(call, Call):
            return False  # A copy lies where its source lies.
        followed = 0 if call.name == "tile.set_validshape" else reused_operand(call)
        if followed is not None:
            return self.push(call.args[followed], target, loop)
        if viewed_operand(call) is not None:
            return False
        space = _own_space(call)
        if space is not None and target.space is not space:
            return False
        for index in conflicting_operands(call, self.chip):
            var = as_var(call.args[index])
            memref = None if var is None else self.memref(var)
            if memref is not None and memref.base is target.memref.base:
                return False
        return not self._read_later(target, stmt, loop)

    def _read_later(self, target: _Target, producer: Stmt, loop: Stmt) -> bool:
        """Whether something in ``target`` is read in ``loop`` after ``producer`` has run."""
        inside = {stmt for stmt in walk_stmts(loop) if self._places[stmt] > self._places[producer]}
        for var, readers in self._reads.items():
            memref = self.memref(var)
            if memref is not None and memref.base is target.memref.base:
                if any(reader in inside and not self._exclude(reader, producer) for reader in readers):
                    return True
        return False

    def _exclude(self, left: Stmt, right: Stmt) -> bool:
        """Whether two statements stand in different branches of one if."""
        other = self._branches[right]
        return any(other.get(stmt, number) != number for stmt, number in self._branches[left].items())


def _yielded(body: Stmt, position: int) -> Expr | None:
    """What ``body`` yields at ``position``, None where it yields less (an if that mixes ``pl.yield_`` and assignments)."""
    ended = trailing_yield(body)
    return ended.values[position] if ended is not None and position < len(ended.values) else None


def _own_space(call: Call) -> MemorySpace | None:
    op = find_op(call.name)
    return None if op is None else op.output_memory_of(call.kwargs)
