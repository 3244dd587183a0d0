"""Loop-invariant Mat operands leave their loop (``docs/spec/passes_tile.md`` 6.3).

ConvertTensorToTileOps marks the global-memory loads that it makes for matrix operands. Where such an operand is the same
in every iteration, fits beside everything else and nobody can write its tensor meanwhile, it is loaded once.
"""

from __future__ import annotations

from collections.abc import Iterable

from pypto_core.analysis.statements import block, trailing_yield
from pypto_core.analysis.uses import defs_of, expr_vars
from pypto_core.backend import ALLOCATION_ALIGNMENT, Backend, align_up, physical_tile_bytes
from pypto_core.ir import (
    AssignStmt,
    Call,
    Expr,
    ForKind,
    ForStmt,
    Function,
    FunctionType,
    IterArg,
    MemorySpace,
    ParamDirection,
    Program,
    Stmt,
    Submit,
    TensorType,
    TileType,
    Var,
    body_stmts,
    called_names,
    calls_in,
    const_dim,
    walk_stmts,
)
from pypto_core.ir.walk import stmt_bodies, walk_exprs
from pypto_core.ops import InheritSpace, OpCategory, find_op
from pypto_core.passes.base import map_functions
from pypto_core.passes.reads import MATMUL_OPERANDS, Read, Reads
from pypto_core.passes.stmt_parts import map_bodies

BRIDGE_ATTR = "__compiler_tensor_to_tile_mat_bridge"
_SPACES = (MemorySpace.Mat, MemorySpace.Left, MemorySpace.Right)
_STORAGE_VIEWS = frozenset({"tensor.slice", "tensor.assemble", "tensor.view"})


def keep_invariant_operands(program: Program, backend: Backend | None) -> Program:
    """``program`` with marked loads hoisted one loop level where that is safe; every mark is removed."""
    callers = _Callers(program)

    def rewrite(function: Function) -> Function:
        if function.func_type is not FunctionType.InCore:
            return function
        if not any(call.attrs and BRIDGE_ATTR in call.attrs for call in calls_in(function.body)):
            return function
        body = function.body
        if backend is not None:
            safe = _safe_params(function, callers)
            if safe:
                body = _Hoister(function, safe, backend).body(body)
        return function.with_(body=_unmarked(body))

    return map_functions(program, rewrite)


def _unmarked(body: Stmt) -> Stmt:
    return block([_unmark(stmt) for stmt in body_stmts(body)], body)


def _unmark(stmt: Stmt) -> Stmt:
    if isinstance(stmt, AssignStmt):
        value = stmt.value
        if isinstance(value, Call) and BRIDGE_ATTR in value.attrs:
            attrs = {key: attr for key, attr in value.attrs.items() if key != BRIDGE_ATTR}
            return stmt.with_(value=value.with_(attrs=attrs))
        return stmt
    return map_bodies(stmt, _unmarked)


# -- which parameters nobody can write during a call -----------------------------------------------------------------


def _safe_params(kernel: Function, callers: _Callers) -> set[Var]:
    """``In`` tensor parameters whose storage is private to every caller and written by no other argument."""
    sites = callers.of(kernel)
    for function, call in sites:
        if not isinstance(call, Call) or function.func_type is not FunctionType.Orchestration:
            return set()
        if callers.of(function):
            return set()
    if not sites:
        return set()
    written = {
        arg
        for call in calls_in(kernel.body)
        if isinstance(call, Call)
        for op in (find_op(call.name),)
        if op is not None
        for position in op.written_args(call.kwargs)
        if position < len(call.args)
        for arg in (call.args[position],)
        if isinstance(arg, Var)
    }
    safe = {
        position
        for position, (param, direction) in enumerate(
            zip(kernel.params, kernel.param_directions, strict=True)
        )
        if direction is ParamDirection.In and isinstance(param.type, TensorType) and param not in written
    }
    for function, call in sites:
        assert isinstance(call, Call)
        safe &= _private_positions(callers.definitions(function), kernel, call)
    return {kernel.params[position] for position in safe}


class _Callers:
    """The calls of every function, each with the function around it, and what their arguments are."""

    def __init__(self, program: Program) -> None:
        self._sites: dict[str, list[tuple[Function, Call | Submit]]] = {}
        self._definitions: dict[Function, dict[Var, Expr]] = {}
        for function in program.functions:
            for call in calls_in(function.body):
                if isinstance(call, Submit) or call.is_function_call:
                    self._sites.setdefault(call.name, []).append((function, call))

    def of(self, function: Function) -> list[tuple[Function, Call | Submit]]:
        return self._sites.get(function.name, [])

    def definitions(self, caller: Function) -> dict[Var, Expr]:
        """The values of the caller's variables; found once for all the kernels that it calls."""
        found = self._definitions.get(caller)
        if found is None:
            found = {s.var: s.value for s in walk_stmts(caller.body) if isinstance(s, AssignStmt)}
            self._definitions[caller] = found
        return found


def _private_positions(definitions: dict[Var, Expr], kernel: Function, call: Call) -> set[int]:
    """Argument positions whose storage the caller created and passes to no written parameter of this call."""
    if len(call.args) != len(kernel.params):
        return set()
    roots = [_root(arg, definitions) for arg in call.args]
    outputs = [
        root
        for root, direction, param in zip(roots, kernel.param_directions, kernel.params, strict=True)
        if direction is not ParamDirection.In and isinstance(param.type, TensorType)
    ]
    if any(root is None for root in outputs):
        return set()
    created = {root for root in roots if root is not None and _is_creation(definitions.get(root))}
    return {position for position, root in enumerate(roots) if root in created and root not in outputs}


def _is_creation(value: Expr | None) -> bool:
    return isinstance(value, Call) and value.name == "tensor.create"


def _root(expr: Expr, definitions: dict[Var, Expr]) -> Var | None:
    """The variable that owns the storage of ``expr``: a creation or a parameter of the caller, None if unknown."""
    while isinstance(expr, Var) and not isinstance(expr, IterArg):
        value = definitions.get(expr)
        if value is None or (isinstance(value, Call) and value.name == "tensor.create"):
            return expr
        if isinstance(value, Call) and value.name in _STORAGE_VIEWS:
            value = value.args[0]
        expr = value
    return None


# -- moving ----------------------------------------------------------------------------------------------------------


class _Hoister:
    def __init__(self, function: Function, safe: set[Var], backend: Backend) -> None:
        self._safe = safe
        self._reads = Reads(function.body)
        self._movable: set[Var] = set()
        self._full: set[MemorySpace] = set(_SPACES) - set(_spaces_with_room(function, backend))
        for stmt in self._reads.definitions():
            if _is_marked_load(stmt.value):
                self._mark_movable(stmt.var)

    def _mark_movable(self, load: Var) -> None:
        chain = self._chain(load)
        if chain is not None:
            self._movable.update(chain)
        elif self._is_panel(load):
            self._movable.add(load)

    def _chain(self, load: Var) -> list[Var] | None:
        """The single-use path from a load to its matmul operand, all of which may move."""
        path = [load]
        while True:
            reads = self._reads.of(path[-1])
            step = self._step(reads[0]) if len(reads) == 1 else None
            if step is None:
                return None
            path.append(step.var)
            if not _is_view(step):
                return path if self._feeds_own_slot(step.var, single=True) else None

    def _is_panel(self, value: Var) -> bool:
        reads = self._reads.of(value)
        for read in reads:
            step = self._step(read)
            if step is None:
                return False
            fed = self._is_panel(step.var) if _is_view(step) else self._feeds_own_slot(step.var, single=False)
            if not fed:
                return False
        return bool(reads)

    @staticmethod
    def _step(read: Read) -> AssignStmt | None:
        """The view, move or extract that reads a value as its source."""
        if read.call is None or read.position != 0 or not isinstance(read.stmt, AssignStmt):
            return None
        return read.stmt if read.call.name in ("tile.transpose_view", "tile.move", "tile.extract") else None

    def _feeds_own_slot(self, operand: Var, *, single: bool) -> bool:
        """Whether a Left/Right tile is read by matmuls alone, in the slot of its space."""
        kind = operand.type
        reads = self._reads.of(operand)
        if not isinstance(kind, TileType) or not reads or (single and len(reads) != 1):
            return False
        return all(_slot(read) is kind.memory_space for read in reads)

    def body(self, body: Stmt) -> Stmt:
        out: list[Stmt] = []
        for stmt in body_stmts(body):
            if isinstance(stmt, ForStmt):
                moved, stmt = self._hoist(stmt)
                out += moved
            out.append(map_bodies(stmt, self.body))
        return block(out, body)

    def _hoist(self, loop: ForStmt) -> tuple[list[Stmt], ForStmt]:
        if not _may_hoist_from(loop):
            return [], loop
        stmts = body_stmts(loop.body)
        inside = set(defs_of(stmts)) | {loop.loop_var, *loop.iter_args}
        last = trailing_yield(loop.body)
        yielded = set(last.values) if last is not None else set()
        moved: list[Stmt] = []
        for stmt in stmts:
            if not isinstance(stmt, AssignStmt):
                break
            if self._can_move(stmt, inside, yielded):
                moved.append(stmt)
                inside.discard(stmt.var)
            elif _has_side_effect(stmt.value):
                break
        if not moved:
            return [], loop
        gone = set(moved)
        return moved, loop.with_(body=block([s for s in stmts if s not in gone], loop.body))

    def _can_move(self, stmt: AssignStmt, inside: set[Var], yielded: set[Expr]) -> bool:
        call, kind = stmt.value, stmt.var.type
        if stmt.var not in self._movable or stmt.var in yielded:
            return False
        if not isinstance(call, Call) or not isinstance(kind, TileType) or kind.memory_space in self._full:
            return False
        if call.name == "tile.load" and call.args[0] not in self._safe:
            return False
        return not any(var in inside for var in expr_vars(call))


def _is_view(stmt: AssignStmt) -> bool:
    return isinstance(stmt.value, Call) and stmt.value.name == "tile.transpose_view"


def _slot(read: Read) -> MemorySpace | None:
    """The space that a matmul reads this operand from."""
    operands = () if read.call is None else MATMUL_OPERANDS.get(read.call.name, ())
    if read.position not in operands:
        return None
    return (MemorySpace.Left, MemorySpace.Right)[operands.index(read.position)]


def _is_marked_load(expr: Expr) -> bool:
    if not isinstance(expr, Call) or expr.name != "tile.load" or not expr.attrs.get(BRIDGE_ATTR):
        return False
    kind = expr.type
    return isinstance(kind, TileType) and kind.memory_space is MemorySpace.Mat


def _may_hoist_from(loop: ForStmt) -> bool:
    start, stop, step = (const_dim(bound) for bound in (loop.start, loop.stop, loop.step))
    if loop.kind is not ForKind.Sequential or start is None or stop is None or step is None:
        return False
    if step <= 0 or start >= stop:
        return False
    return all(_is_plain(call) for call in calls_in(loop))


def _is_plain(call: Call | Submit) -> bool:
    """Neither a function call nor anything that other cores could observe."""
    if isinstance(call, Submit) or call.is_function_call:
        return False
    op = find_op(call.name)
    return op is not None and op.category not in (OpCategory.SYNC, OpCategory.CROSS_CORE)


def _has_side_effect(expr: Expr) -> bool:
    for inner in walk_exprs(expr):
        if isinstance(inner, Call):
            op = find_op(inner.name)
            if op is None or op.written_args(inner.kwargs):
                return True
    return False


def _spaces_with_room(function: Function, backend: Backend) -> Iterable[MemorySpace]:
    """Spaces in which everything the function allocates fits at once, whatever the order."""
    if "system.reserve_buffer" in called_names(function.body):
        return
    totals: dict[MemorySpace, int | None] = dict.fromkeys(_SPACES, 0)
    _sum_owners(function.body, backend, totals, in_pipeline=False)
    for space, total in totals.items():
        if total is not None and total <= backend.mem_size(space):
            yield space


def _sum_owners(
    body: Stmt, backend: Backend, totals: dict[MemorySpace, int | None], *, in_pipeline: bool
) -> None:
    for stmt in body_stmts(body):
        if isinstance(stmt, AssignStmt) and _owns_storage(stmt):
            kind = stmt.var.type
            assert isinstance(kind, TileType)
            space = kind.memory_space
            if space in totals:
                total = totals[space]
                size = physical_tile_bytes(kind.shape, kind.dtype, space, backend)
                if total is None or size is None or in_pipeline:
                    totals[space] = None
                else:
                    totals[space] = total + align_up(size, ALLOCATION_ALIGNMENT)
        nested = in_pipeline or (isinstance(stmt, ForStmt) and stmt.kind is ForKind.Pipeline)
        for inner in stmt_bodies(stmt):
            _sum_owners(inner, backend, totals, in_pipeline=nested)


def _owns_storage(stmt: AssignStmt) -> bool:
    """Whether InitMemRef gives this tile an allocation of its own (9.2)."""
    call = stmt.value
    if not isinstance(stmt.var.type, TileType) or not isinstance(call, Call):
        return False
    op = find_op(call.name)
    if op is None or op.output_reuses_input is not None:
        return False
    views = isinstance(op.output_memory, InheritSpace) and call.name != "tile.transpose"
    return not views and not call.name.startswith("tile.tpop_")
