"""Which memory space every tile variable of a function lives in (``docs/spec/passes_tile.md`` 6.1, 6.2 phases 0 to 2)."""

from __future__ import annotations

from pypto_core.analysis.statements import leaf_call, trailing_yield
from pypto_core.ir import (
    AssignStmt,
    Call,
    Expr,
    ForStmt,
    Function,
    IfStmt,
    IterArg,
    MemorySpace,
    Stmt,
    TensorType,
    TileType,
    Var,
    WhileStmt,
    body_stmts,
    walk_stmts,
)
from pypto_core.ir.deep import goes_deep
from pypto_core.ir.walk import stmt_bodies
from pypto_core.ops import FixedSpace, InheritSpace, SpaceFromKwarg, find_op
from pypto_core.passes.tile_calls import reject

_VEC = MemorySpace.Vec


def constrained_args(call: Call) -> list[tuple[int, Expr, tuple[MemorySpace, ...]]]:
    """Positions and arguments of ``call`` that only some spaces may hold, with those spaces."""
    op = find_op(call.op.name)
    if op is None:
        return []
    args, given = call.args, len(call.args)
    return [(position, args[position], spaces) for position, spaces in op.placed if position < given]


class SpaceMap:
    """Spaces of tile variables, and the moves that the constraints ask for."""

    def __init__(self, function: Function) -> None:
        self.spaces: dict[Var, MemorySpace] = {}
        self.needed: set[tuple[Var, MemorySpace]] = set()
        self._demand: dict[Var, MemorySpace] = {}
        for param in function.params:
            if isinstance(param.type, TileType):
                reject(
                    "compiler-internal",
                    f"parameter '{param.name_hint}' of kernel '{function.name}' is a tile; kernels take tensors and scalars",
                    param.span,
                )
        self._collect_demand(function.body)
        self._visit(function.body)
        self._collect_needs(function.body)

    def of(self, expr: Expr) -> MemorySpace | None:
        """The space of a variable, None where unknown."""
        return self.spaces.get(expr) if isinstance(expr, Var) else None

    # -- phase 0 ---------------------------------------------------------------------------------------------------
    def _collect_demand(self, body: Stmt) -> None:
        edges: list[tuple[Var, Var]] = []
        for stmt in walk_stmts(body):
            call = leaf_call(stmt)
            if call is None:
                continue
            for _, arg, allowed in constrained_args(call):
                if type(arg) is Var:
                    self._want(arg, allowed[0])
            if isinstance(stmt, AssignStmt) and _inherits(call):
                source = next((a for a in call.args if _is_memory_var(a)), None)
                if isinstance(source, Var):
                    edges.append((stmt.var, source))
        for result, source in reversed(edges):
            wanted = self._demand.get(result)
            if wanted is not None:
                self._want(source, wanted)

    def _want(self, var: Var, space: MemorySpace) -> None:
        """The first demand counts, except that any special space outranks Vec."""
        have = self._demand.get(var)
        if have is None or (have is _VEC and space is not _VEC):
            self._demand[var] = space

    # -- phase 1 ---------------------------------------------------------------------------------------------------
    def _visit(self, body: Stmt) -> None:
        for stmt in body_stmts(body):
            if isinstance(stmt, AssignStmt):
                self._assign(stmt)
            elif isinstance(stmt, (ForStmt, WhileStmt)):
                self._loop(stmt)
            elif isinstance(stmt, IfStmt):
                self._if(stmt)
            else:
                for inner in stmt_bodies(stmt):
                    self._visit(inner)

    def _assign(self, stmt: AssignStmt) -> None:
        if not isinstance(stmt.var.type, TileType):
            return
        value = stmt.value
        if isinstance(value, Call):
            self.spaces[stmt.var] = self._call_space(stmt.var, value)
        elif isinstance(value, Var):
            space = self.spaces.get(value)
            if space is not None:
                self.spaces[stmt.var] = space

    def _call_space(self, var: Var, call: Call) -> MemorySpace:
        if not call.name.startswith("tile."):
            return _VEC
        op = find_op(call.name)
        rule = None if op is None else op.output_memory
        if rule is None:
            own = call.type.memory_space if isinstance(call.type, TileType) else None
            return _VEC if own is None or own is MemorySpace.DDR else own
        if isinstance(rule, FixedSpace):
            return rule.space
        if isinstance(rule, SpaceFromKwarg):
            stated = call.kwargs.get(rule.kwarg, rule.default)
            if isinstance(stated, MemorySpace):
                return stated
            wanted = self._demand.get(var)
            if rule.retargetable and wanted in (_VEC, MemorySpace.Mat):
                return wanted
        known = (self.spaces.get(arg) for arg in call.args if isinstance(arg, Var))
        return next((space for space in known if space is not None), _VEC)

    def _loop(self, stmt: ForStmt | WhileStmt) -> None:
        for arg in stmt.iter_args:
            if isinstance(arg.type, TileType):
                space = self.of(arg.init_value)
                if space is None:
                    space = arg.type.memory_space
                if space is not None:
                    self.spaces[arg] = space
        self._visit(stmt.body)
        last = trailing_yield(stmt.body)
        if last is None:
            return
        # What the body carries decides: an accumulator created in Vec becomes an Acc tile.
        for result, arg, value in zip(stmt.return_vars, stmt.iter_args, last.values):
            space = self.of(value) if type(value) is Var else None
            if space is None or not isinstance(result.type, TileType):
                continue
            self.spaces[result] = self.spaces[arg] = space
            init = arg.init_value
            if type(init) is Var and isinstance(init.type, TileType):
                self.spaces[init] = space

    @goes_deep
    def _if(self, stmt: IfStmt) -> None:
        self._visit(stmt.then_body)
        if stmt.else_body is not None:
            self._visit(stmt.else_body)
        then = trailing_yield(stmt.then_body)
        orelse = None if stmt.else_body is None else trailing_yield(stmt.else_body)
        for position, phi in enumerate(stmt.return_vars):
            if not isinstance(phi.type, TileType):
                continue
            known = {
                space
                for last in (then, orelse)
                if last is not None and position < len(last.values)
                for space in (self.of(last.values[position]),)
                if space is not None
            }
            if len(known) == 1:
                self.spaces[phi] = known.pop()
            elif not known and phi.type.memory_space is not None:
                self.spaces[phi] = phi.type.memory_space

    # -- phase 2 ---------------------------------------------------------------------------------------------------
    def _collect_needs(self, body: Stmt) -> None:
        for stmt in walk_stmts(body):
            call = leaf_call(stmt)
            if call is None:
                continue
            for _, arg, allowed in constrained_args(call):
                if type(arg) is Var and arg in self.spaces and self.spaces[arg] not in allowed:
                    self.needed.add((arg, allowed[0]))


def _inherits(call: Call) -> bool:
    op = find_op(call.name)
    return op is not None and isinstance(op.output_memory, InheritSpace)


def _is_memory_var(expr: Expr) -> bool:
    return isinstance(expr, (Var, IterArg)) and isinstance(expr.type, (TileType, TensorType))
