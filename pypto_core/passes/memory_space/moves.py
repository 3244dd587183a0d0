"""Rewriting a function to the decided spaces: types, moves and load targets (``docs/spec/passes_tile.md`` 6.2 phase 3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pypto_core.analysis.statements import block
from pypto_core.backend import Backend
from pypto_core.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    ForStmt,
    IfStmt,
    MemorySpace,
    Stmt,
    TileLayout,
    TileType,
    Type,
    Var,
    WhileStmt,
    body_stmts,
    effective_tile_view,
    implicit_tile_view,
    map_attrs,
    substitute,
)
from pypto_core.ir.rewrite import Substitution
from pypto_core.ops import SpaceFromKwarg, find_op
from pypto_core.passes.memory_space.spaces import SpaceMap, constrained_args
from pypto_core.passes.stmt_parts import map_bodies, substitute_header
from pypto_core.passes.tile_calls import define, keep_memref, new_call, rebuild_call, retyped

_ROW_MAJOR = {"blayout": TileLayout.row_major, "slayout": TileLayout.none_box}


class MoveInserter:
    """One function; a move is made once per variable and space in a statement list and seen in the lists inside it."""

    def __init__(self, spaces: SpaceMap, backend: Backend | None) -> None:
        self._spaces = spaces
        self._has_layout_rules = backend is not None
        self._renamed: dict[Var, Expr] = {}
        self._renaming = Substitution(self._renamed)
        self._open: list[dict[tuple[Var, MemorySpace], Var]] = []

    def body(self, body: Stmt) -> Stmt:
        self._open.append({})
        out = block([new for stmt in body_stmts(body) for new in self._stmt(stmt)], body)
        self._open.pop()
        return out

    # -- statements ------------------------------------------------------------------------------------------------
    def _stmt(self, stmt: Stmt) -> list[Stmt]:
        if isinstance(stmt, AssignStmt):
            return self._assign(stmt)
        if isinstance(stmt, EvalStmt):
            if isinstance(stmt.expr, Call):
                before, call = self._call(stmt.expr)
                return [*before, stmt.with_(expr=call)]
            return [self._renaming.rewrite(stmt)]
        if isinstance(stmt, (ForStmt, WhileStmt)):
            return [self._loop(stmt)]
        if isinstance(stmt, IfStmt):
            new = map_bodies(substitute_header(stmt, self._renamed), self.body)
            return [new.with_(return_vars=self._defs(stmt.return_vars))]
        return [map_bodies(substitute_header(stmt, self._renamed), self.body)]

    def _assign(self, stmt: AssignStmt) -> list[Stmt]:
        value = stmt.value
        if not isinstance(value, Call):
            return [stmt.with_(value=substitute(value, self._renamed), var=self._def(stmt.var))]
        before, call = self._call(value)
        call = self._retarget(stmt.var, call)
        kind = stmt.var.type
        if call is not value and isinstance(call.type, TileType):
            kind = keep_memref(call.type, stmt.var.type)
        var = self._def(stmt.var, kind)
        if call is value and var is stmt.var:
            return [*before, stmt]
        return [*before, AssignStmt(var, call, span=stmt.span, leading_comments=stmt.leading_comments)]

    def _loop(self, stmt: ForStmt | WhileStmt) -> Stmt:
        header = substitute_header(stmt, self._renamed)
        iter_args = []
        for arg in stmt.iter_args:
            new = arg.with_(
                init_value=substitute(arg.init_value, self._renamed), type=self._placed(arg, arg.type)
            )
            if new is not arg:
                self._renamed[arg] = new
            iter_args.append(new)
        if isinstance(header, WhileStmt):
            header = header.with_(condition=substitute(header.condition, self._renamed))
        if any(new is not old for new, old in zip(iter_args, stmt.iter_args, strict=True)):
            header = header.with_(iter_args=tuple(iter_args))
        new_stmt = map_bodies(header, self.body)
        return new_stmt.with_(return_vars=self._defs(stmt.return_vars))

    # -- definitions -----------------------------------------------------------------------------------------------
    def _def(self, var: Var, kind: Type | None = None) -> Var:
        new = retyped(var, self._placed(var, var.type if kind is None else kind))
        if new is not var:
            self._renamed[var] = new
        return new

    def _defs(self, variables: tuple[Var, ...]) -> tuple[Var, ...]:
        new = tuple(self._def(var) for var in variables)
        return variables if all(a is b for a, b in zip(new, variables, strict=True)) else new

    def _placed(self, var: Var, kind: Type) -> Type:
        """``kind`` in the decided space; a tile that changes space takes that space's own layout."""
        space = self._spaces.of(var)
        if space is None or not isinstance(kind, TileType) or kind.memory_space is space:
            return kind
        view = kind.tile_view
        if view is not None:
            own = implicit_tile_view(kind.shape, space)
            view = view.with_(blayout=own.blayout, slayout=own.slayout, fractal=own.fractal)
        return TileType(kind.shape, kind.dtype, kind.memref, view, space)

    # -- calls -----------------------------------------------------------------------------------------------------
    def _call(self, call: Call) -> tuple[list[Stmt], Call]:
        before: list[Stmt] = []
        args: Sequence[Expr] = self._renaming.rewrite_all(call.args)
        for position, arg, allowed in constrained_args(call) if self._spaces.needed else ():
            if type(arg) is not Var or (arg, allowed[0]) not in self._spaces.needed:
                continue
            if self._spaces.of(arg) in allowed:
                continue
            moved = self._find(arg, allowed[0])
            if moved is None:
                moved = self._move(call, position, arg, allowed[0], before)
            args = [*args[:position], moved, *args[position + 1 :]]
        new = rebuild_call(call, args)
        if new.attrs:
            new = new.with_(attrs=map_attrs(new.attrs, self._renaming.rewrite))
        return before, new

    def _find(self, var: Var, space: MemorySpace) -> Var | None:
        for made in reversed(self._open):
            if (var, space) in made:
                return made[var, space]
        return None

    def _move(self, call: Call, position: int, arg: Var, space: MemorySpace, before: list[Stmt]) -> Var:
        source: Expr = self._renamed.get(arg, arg)
        kwargs: dict[str, Any] = {"target_memory": space}
        if self._spaces.of(arg) is MemorySpace.Acc and space is MemorySpace.Vec:
            kwargs.update(_ROW_MAJOR)
        elif self._wants_row_major(call, position):
            kwargs["blayout"] = TileLayout.row_major
            if space is MemorySpace.Vec:
                kwargs["slayout"] = TileLayout.none_box
        name = f"{arg.name_hint}_{space.name}"
        stmt = define(name, new_call("tile.move", source, span=call.span, kwargs=kwargs))
        before.append(stmt)
        self._open[-1][arg, space] = stmt.var
        return stmt.var

    def _wants_row_major(self, call: Call, position: int) -> bool:
        op = find_op(call.name)
        need = None if op is None or not self._has_layout_rules else op.backend_row_major
        return need is not None and position in need.inputs

    def _retarget(self, var: Var, call: Call) -> Call:
        """State the decided space on a load or create that says otherwise, or nothing."""
        op = find_op(call.name)
        rule = None if op is None else op.output_memory
        if not isinstance(rule, SpaceFromKwarg) or not rule.retargetable:
            return call
        space = self._spaces.of(var)
        if space is None or call.kwargs.get(rule.kwarg) is space:
            return call
        kind = call.type
        if isinstance(kind, TileType):
            own = implicit_tile_view(kind.shape, space)
            view = effective_tile_view(kind).with_(
                blayout=own.blayout, slayout=own.slayout, fractal=own.fractal
            )
            kind = TileType(kind.shape, kind.dtype, kind.memref, view, space)
        return call.with_(kwargs={**call.kwargs, rule.kwarg: space}, type=kind)
