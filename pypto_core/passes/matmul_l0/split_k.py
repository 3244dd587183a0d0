"""An author's split-K loop whose output exceeds L0C is cut into one loop per output tile (``docs/spec/passes_tile.md`` 4.6).

The shape looked for, in adjacent statements: an accumulator is created, a pipelined loop over K loads both operands and
multiplies (first step) or accumulates (later steps), and the result is stored.
"""

from __future__ import annotations

from dataclasses import dataclass

from pypto_core.analysis.statements import block
from pypto_core.backend import align_up
from pypto_core.ir import (
    AssignStmt,
    Call,
    Expr,
    ForKind,
    ForStmt,
    IfStmt,
    IterArg,
    MakeTuple,
    MemorySpace,
    ScalarType,
    Stmt,
    TileType,
    Var,
    WhileStmt,
    YieldStmt,
    body_stmts,
    boxed_alignment,
    const_dims,
    substitute,
    tile_layout,
)
from pypto_core.ir.deep import goes_deep
from pypto_core.passes.matmul_l0.analysis import ProductAnalyzer, Tiling
from pypto_core.passes.matmul_l0.emission import Code, StorePlacer
from pypto_core.passes.reads import Reads
from pypto_core.passes.stmt_parts import map_bodies, substitute_header, substitute_loop
from pypto_core.passes.tile_calls import fold_add, index, new_call, rebuild_call, tuple_of


@dataclass(frozen=True, slots=True)
class _SplitK:
    """The matched statements."""

    create: AssignStmt
    loop: ForStmt
    store: AssignStmt
    branch: IfStmt
    first: AssignStmt
    later: AssignStmt
    lhs: Var
    rhs: Var


class SplitKRewriter:
    """Rewrites every match in one function; later reads of the stores follow."""

    def __init__(self, reads: Reads, analyzer: ProductAnalyzer) -> None:
        self._reads = reads
        self._analyzer = analyzer
        self._renamed: dict[Var, Expr] = {}

    def body(self, body: Stmt) -> Stmt:
        stmts = body_stmts(body)
        out: list[Stmt] = []
        position = 0
        while position < len(stmts):
            match = self._match(stmts[position : position + 3])
            tiling = None if match is None else self._tiling(match)
            if match is not None and tiling is not None:
                out += self._split(match, tiling)
                position += 3
                continue
            out.append(self._other(stmts[position]))
            position += 1
        return block(out, body)

    def _other(self, stmt: Stmt) -> Stmt:
        if isinstance(stmt, (ForStmt, WhileStmt)):
            return map_bodies(substitute_loop(stmt, self._renamed), self.body)
        return map_bodies(substitute_header(stmt, self._renamed), self.body)

    # -- matching --------------------------------------------------------------------------------------------------
    def _match(self, stmts: tuple[Stmt, ...]) -> _SplitK | None:
        if len(stmts) != 3:
            return None
        create, loop, store = stmts
        if (
            not isinstance(create, AssignStmt)
            or not isinstance(loop, ForStmt)
            or not isinstance(store, AssignStmt)
        ):
            return None
        if not _is_call(create.value, "tile.create") or loop.kind is not ForKind.Pipeline:
            return None
        if (
            len(loop.iter_args) != 1
            or len(loop.return_vars) != 1
            or loop.iter_args[0].init_value is not create.var
        ):
            return None
        result = loop.return_vars[0]
        if len(self._reads.of(create.var)) != 1 or len(self._reads.of(result)) != 1:
            return None
        call = store.value
        if not isinstance(call, Call) or not is_plain_store(call) or call.args[0] is not result:
            return None
        return self._match_body(create, loop, store)

    def _match_body(self, create: AssignStmt, loop: ForStmt, store: AssignStmt) -> _SplitK | None:
        *setup, branch, last = body_stmts(loop.body) if len(body_stmts(loop.body)) >= 2 else (None, None)
        if not isinstance(branch, IfStmt) or branch.else_body is None or len(branch.return_vars) != 1:
            return None
        if (
            not isinstance(last, YieldStmt)
            or len(last.values) != 1
            or last.values[0] is not branch.return_vars[0]
        ):
            return None
        loads: dict[Expr, Call] = {}
        for stmt in setup:
            if not isinstance(stmt, AssignStmt):
                return None
            if _is_call(stmt.value, "tile.load"):
                assert isinstance(stmt.value, Call)
                loads[stmt.var] = stmt.value
            elif isinstance(stmt.value, Call) or not isinstance(stmt.var.type, ScalarType):
                return None
        arms = [_arm(branch.then_body), _arm(branch.else_body)]
        by_name = {arm.value.name: arm for arm in arms if arm is not None and isinstance(arm.value, Call)}
        first, later = by_name.get("tile.matmul"), by_name.get("tile.matmul_acc")
        if first is None or later is None:
            return None
        assert isinstance(first.value, Call) and isinstance(later.value, Call)
        if len(first.value.args) != 2 or len(later.value.args) != 3:
            return None
        lhs, rhs = first.value.args
        acc, lhs_again, rhs_again = later.value.args
        if acc is not loop.iter_args[0] or lhs is not lhs_again or rhs is not rhs_again or lhs is rhs:
            return None
        if not isinstance(lhs, Var) or not isinstance(rhs, Var):
            return None
        out = create.var.type
        extents = const_dims(out.shape) if isinstance(out, TileType) else None
        left, right = _full_mat_load(loads.get(lhs)), _full_mat_load(loads.get(rhs))
        if extents is None or left is None or right is None:
            return None
        if (left[0], right[1]) != extents or left[1] != right[0]:
            return None
        return _SplitK(create, loop, store, branch, first, later, lhs, rhs)

    def _tiling(self, match: _SplitK) -> Tiling | None:
        assert isinstance(match.first.value, Call)
        product = self._analyzer.candidate(match.first, match.first.value)
        if product is None:
            return None
        tiling = self._analyzer.analyze(product, force_output=True, boxed=True, quiet=True)
        if tiling is None:
            if _box(match.lhs) is None or _box(match.rhs) is None:
                self._analyzer.hint("PH-AT-006", product, "the box layout of an operand is unknown")
            return None
        return None if tiling.whole_output else tiling

    # -- rewriting -------------------------------------------------------------------------------------------------
    def _split(self, match: _SplitK, tiling: Tiling) -> list[Stmt]:
        store = substitute(match.store.value, self._renamed)
        assert isinstance(store, Call) and isinstance(match.store.value, Call)
        offsets, tensor, original = store.args[1], store.args[2], match.store.value.args[2]
        assert isinstance(offsets, MakeTuple) and isinstance(original, (Var, IterArg))
        placer = StorePlacer(store, tensor, offsets.elements, original.name_hint)
        code = Code(match.store.span)
        rows, cols, _ = tiling.product.extents
        chain, step = placer.initial, 0
        for col in range(0, cols, tiling.tile.n):
            for row in range(0, rows, tiling.tile.m):
                shape = (min(tiling.tile.m, rows - row), min(tiling.tile.n, cols - col))
                clone = _Clone(match, self._renamed, f"_mn{step}", row, col, shape)
                part = clone.emit(code)
                chain = placer.place(code, part, index(row), index(col), chain, step)
                step += 1
        self._renamed[match.store.var] = chain
        return code.stmts


class _Clone:
    """One copy of the matched loop, narrowed to an output tile; boxes are kept whole, the valid extent is exact."""

    def __init__(
        self, match: _SplitK, outer: dict[Var, Expr], suffix: str, row: int, col: int, shape: tuple[int, int]
    ) -> None:
        self._match, self._suffix = match, suffix
        self._row, self._col = row, col
        self._rows, self._cols = shape
        lhs_box, rhs_box = _box(match.lhs), _box(match.rhs)
        assert lhs_box is not None and rhs_box is not None
        self._box_rows = align_up(self._rows, lhs_box[0])
        self._box_cols = align_up(self._cols, rhs_box[1])
        self._env: dict[Var, Expr] = dict(outer)

    def emit(self, code: Code) -> Var:
        match = self._match
        init = self._accumulator(code)
        loop = match.loop
        header = substitute_header(loop, self._env)
        assert isinstance(header, ForStmt)
        loop_var = Var(loop.loop_var.name_hint, loop.loop_var.type, span=loop.loop_var.span)
        self._env[loop.loop_var] = loop_var
        carried = IterArg(self._name(loop.iter_args[0]), init.type, init, span=loop.iter_args[0].span)
        self._env[loop.iter_args[0]] = carried
        stmts = [self._stmt(stmt) for stmt in body_stmts(loop.body)]
        last = stmts[-1]
        assert isinstance(last, YieldStmt)
        result = Var(self._name(loop.return_vars[0]), last.values[0].type, span=loop.return_vars[0].span)
        code.stmts.append(
            header.with_(loop_var=loop_var, iter_args=(carried,), body=block(stmts), return_vars=(result,))
        )
        return result

    def _name(self, var: Var) -> str:
        return var.name_hint + self._suffix

    def _accumulator(self, code: Code) -> Var:
        create = self._match.create
        assert isinstance(create.value, Call)
        name = self._name(create.var)
        shape = tuple_of(self._box_rows, self._box_cols)
        partial = (self._box_rows, self._box_cols) != (self._rows, self._cols)
        call = new_call(
            "tile.create", shape, span=create.span, kwargs=create.value.kwargs, attrs=create.value.attrs
        )
        var = Var(f"{name}_storage" if partial else name, call.type, span=create.span)
        code.stmts.append(AssignStmt(var, call, span=create.span))
        if partial:
            return code.op(name, "tile.set_validshape", var, index(self._rows), index(self._cols))
        return var

    def _define(self, stmt: AssignStmt, value: Expr) -> AssignStmt:
        var = Var(self._name(stmt.var), value.type, span=stmt.var.span)
        self._env[stmt.var] = var
        return stmt.with_(var=var, value=value)

    @goes_deep
    def _stmt(self, stmt: Stmt) -> Stmt:
        if isinstance(stmt, AssignStmt):
            value = substitute(stmt.value, self._env)
            if not isinstance(value, Call):
                return self._define(stmt, value)
            if stmt.var is self._match.lhs:
                value = self._narrow(value, 0, self._row, self._rows, self._box_rows)
            elif stmt.var is self._match.rhs:
                value = self._narrow(value, 1, self._col, self._cols, self._box_cols)
            else:
                value = rebuild_call(value, value.args, value.kwargs)
            return self._define(stmt, value)
        if isinstance(stmt, IfStmt):
            new = map_bodies(
                substitute_header(stmt, self._env),
                lambda body: block([self._stmt(s) for s in body_stmts(body)]),
            )
            assert isinstance(new, IfStmt)
            last = body_stmts(new.then_body)[-1]
            assert isinstance(last, YieldStmt)
            phi = Var(self._name(stmt.return_vars[0]), last.values[0].type, span=stmt.return_vars[0].span)
            self._env[stmt.return_vars[0]] = phi
            return new.with_(return_vars=(phi,))
        new_stmt: Stmt = substitute(stmt, self._env)
        return new_stmt

    @staticmethod
    def _narrow(load: Call, axis: int, start: int, extent: int, boxed: int) -> Call:
        source, offsets, shape, valid = load.args
        assert (
            isinstance(offsets, MakeTuple) and isinstance(shape, MakeTuple) and isinstance(valid, MakeTuple)
        )
        at, window, limit = list(offsets.elements), list(shape.elements), list(valid.elements)
        at[axis] = fold_add(at[axis], index(start))
        window[axis] = index(boxed)
        limit[axis] = index(extent)
        return rebuild_call(load, (source, tuple_of(*at), tuple_of(*window), tuple_of(*limit)))


def is_plain_store(call: Call) -> bool:
    """A three-argument store at two literal offsets into a variable."""
    if call.name != "tile.store" or len(call.args) != 3 or not isinstance(call.args[1], MakeTuple):
        return False
    return len(call.args[1].elements) == 2 and isinstance(call.args[2], (Var, IterArg))


def _is_call(expr: Expr, name: str) -> bool:
    return isinstance(expr, Call) and expr.name == name


def _arm(body: Stmt) -> AssignStmt | None:
    """The assignment of a branch that consists of it and the yield of its value."""
    stmts = body_stmts(body)
    if len(stmts) != 2:
        return None
    assign, last = stmts
    if not isinstance(assign, AssignStmt) or not isinstance(last, YieldStmt):
        return None
    return assign if last.values == (assign.var,) else None


def _full_mat_load(load: Call | None) -> tuple[int, ...] | None:
    """Extents of a fully valid, static, two-dimensional load into Mat."""
    if load is None or len(load.args) != 4:
        return None
    kind, shape, valid = load.type, load.args[2], load.args[3]
    if not isinstance(kind, TileType) or kind.memory_space is not MemorySpace.Mat:
        return None
    if not isinstance(shape, MakeTuple) or not isinstance(valid, MakeTuple):
        return None
    extents = const_dims(shape.elements)
    if extents is None or len(extents) != 2 or const_dims(valid.elements) != extents:
        return None
    return extents


def _box(var: Var) -> tuple[int, int] | None:
    assert isinstance(var.type, TileType)
    return boxed_alignment(tile_layout(var.type), var.type.dtype)
