"""CanonicalizeTileSlice: windows that an instruction cannot address become copies (``docs/spec/passes_tile.md`` §5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import gcd

from pypto_core.analysis.names import written_name
from pypto_core.analysis.statements import block
from pypto_core.backend import Backend
from pypto_core.ir import (
    Add,
    AssignStmt,
    Call,
    ConstBool,
    ConstFloat,
    ConstInt,
    EvalStmt,
    Expr,
    ForStmt,
    Function,
    IterArg,
    MakeTuple,
    MemorySpace,
    Mul,
    ScalarType,
    Span,
    Stmt,
    Sub,
    TileLayout,
    TileType,
    Var,
    WhileStmt,
    YieldStmt,
    body_stmts,
    const_dim,
    effective_tile_view,
    map_tuple,
    substitute,
    walk_stmts,
)
from pypto_core.ir.deep import goes_deep
from pypto_core.ir.walk import stmt_exprs, walk_exprs
from pypto_core.passes.base import Pass, PassContract, map_functions
from pypto_core.passes.stmt_parts import map_bodies, substitute_header, substitute_loop
from pypto_core.passes.tile_calls import (
    define,
    fold_add,
    keep_memref,
    new_call,
    rebuild_call,
    reject,
    retyped,
    tuple_of,
)

_PROPERTIES = "SSAForm SplitIncoreOrch IncoreTileOps TileOps2D NormalizedStmtStructure"
CONTRACT = PassContract.of(_PROPERTIES, _PROPERTIES, function_local=True)

ALIGNMENT_BITS = 256
_COL_EXPAND = frozenset(
    f"tile.col_expand_{op}" for op in ("mul", "add", "div", "sub", "max", "min", "expdif")
)
_MATMUL_OPERANDS: dict[str, dict[int, MemorySpace]] = {
    "tile.matmul": {0: MemorySpace.Left, 1: MemorySpace.Right},
    "tile.matmul_bias": {0: MemorySpace.Left, 1: MemorySpace.Right},
    "tile.matmul_acc": {1: MemorySpace.Left, 2: MemorySpace.Right},
}
_ACCUMULATORS: dict[str, int] = {"tile.matmul_acc": 0, "tile.gemv_acc": 0, "tile.matmul_mx_acc": 0}
_CONSTANTS = (ConstInt, ConstFloat, ConstBool)


def canonicalize_tile_slice(*, backend: str | Backend | None = None) -> Pass:
    """The pass; its result does not depend on the backend."""
    return Pass(
        "CanonicalizeTileSlice", CONTRACT, lambda program: map_functions(program, canonicalize_function)
    )


def canonicalize_function(function: Function) -> Function:
    """``function`` without unaddressable windows.

    Raises:
        PassError: ``acc-row-window`` for an accumulator that is a row window of a larger L0C tile.
    """
    if not function.func_type.is_incore:
        return function
    windows = collect_windows(function.body)
    if not windows.slices:
        return function
    body = _Canonicalizer(windows).body(function.body)
    return function.with_(body=_drop_unread(body, windows.slices))


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """A slice seen from the tile that owns the storage: offsets in elements of ``base``."""

    base: Var
    base_type: TileType
    row: Expr
    col: Expr
    type: TileType


class Windows:
    """Slices and scalar definitions of one function."""

    def __init__(self) -> None:
        self.slices: dict[Var, Window] = {}
        self.any_windows: dict[Var, Window] = {}
        self.scalars: dict[Var, Expr] = {}
        self._constants: dict[Var, Expr] = {}

    def add(self, stmt: AssignStmt) -> None:
        var, value = stmt.var, stmt.value
        if isinstance(value, _CONSTANTS):
            self._constants[var] = value
        elif isinstance(value, (Var, IterArg)) and value in self._constants:
            self._constants[var] = self._constants[value]
        if isinstance(var.type, ScalarType):
            self.scalars[var] = value
        if not isinstance(value, Call):
            return
        name = value.op.name
        if name == "tile.slice":
            if len(value.args) == 3:
                self._add_slice(self.slices, var, value)
            if len(value.args) >= 3:
                self._add_slice(self.any_windows, var, value)
        elif name in _ACCUMULATORS:
            self._check_accumulator(value)

    def _add_slice(self, table: dict[Var, Window], var: Var, call: Call) -> None:
        source, offset = call.args[0], call.args[2]
        if not isinstance(source, (Var, IterArg)) or not isinstance(offset, MakeTuple):
            return
        if len(offset.elements) != 2 or not isinstance(var.type, TileType):
            return
        row, col = (self._known(e) for e in offset.elements)
        parent = table.get(source)
        if parent is not None:
            table[var] = Window(
                parent.base, parent.base_type, fold_add(parent.row, row), fold_add(parent.col, col), var.type
            )
        elif isinstance(source.type, TileType):
            table[var] = Window(source, source.type, row, col, var.type)

    def _known(self, expr: Expr) -> Expr:
        return self._constants.get(expr, expr) if isinstance(expr, Var) else expr

    def _check_accumulator(self, call: Call) -> None:
        position = _ACCUMULATORS.get(call.name)
        if position is None or position >= len(call.args):
            return
        acc = call.args[position]
        window = self.any_windows.get(acc) if isinstance(acc, Var) else None
        if window is None:
            return
        base, part = window.base_type, window.type
        if base.rank != 2 or part.rank != 2:
            return
        view = effective_tile_view(base)
        if base.memory_space is not MemorySpace.Acc and view.blayout is not TileLayout.col_major:
            return
        rows, cols, base_rows = (const_dim(d) for d in (*part.shape, base.shape[0]))
        if view.fractal != 1024 or rows is None or cols is None or base_rows is None:
            return
        col = const_dim(window.col)
        if rows == base_rows or (cols <= 16 and col is not None and col >= 0 and col % 16 + cols <= 16):
            return
        _reject_accumulator(call.name, window, rows, cols, base_rows, call.span)


def _reject_accumulator(op: str, window: Window, rows: int, cols: int, base_rows: int, span: Span) -> None:
    base_cols = const_dim(window.base_type.shape[1])
    name = written_name(window.base.name_hint, span)
    wide = f"{rows}x{-(-base_rows // rows) * cols}" if rows else "a wider tile"
    reject(
        "acc-row-window",
        f"{op}: the accumulator is a {rows}x{cols} row window of a {base_rows}x{base_cols if base_cols is not None else '?'} "
        f"Acc (L0C) tile, which is not contiguous in L0C's block layout and cannot be a matmul destination — L0C stores blocks "
        f"of 16 columns, and a window of fewer rows of '{name}' skips part of every block. Slice the accumulator along "
        f"columns instead: allocate {wide} and use tile.slice(acc, [{rows}, {cols}], [0, i * {cols}]).",
        span,
        rows=rows,
        cols=cols,
        base_rows=base_rows,
    )


def collect_windows(body: Stmt) -> Windows:
    """Every slice of a body with the tile that owns its storage; checks accumulators on the way (5.3)."""
    windows = Windows()
    for stmt in walk_stmts(body):
        if isinstance(stmt, AssignStmt):
            windows.add(stmt)
    return windows


class _Alignment:
    """Whether the first byte of a window is provably a multiple of 32 bytes from the start of its space."""

    def __init__(self, scalars: dict[Var, Expr]) -> None:
        self._scalars = scalars

    def is_aligned(self, window: Window) -> bool:
        bits = window.base_type.dtype.storage_bits
        total = self._base_bits(window.base_type)
        if total is None:
            return False
        col = const_dim(window.col)
        if col is not None:
            total += col * bits
        elif self._multiple(window.col) * bits % ALIGNMENT_BITS:
            return False
        row = const_dim(window.row)
        if row != 0:
            base_cols = const_dim(window.base_type.shape[-1])
            if base_cols is None:
                return False
            stride = base_cols * bits
            if row is not None:
                total += row * stride
            elif self._multiple(window.row) * stride % ALIGNMENT_BITS:
                return False
        return total % ALIGNMENT_BITS == 0

    @staticmethod
    def _base_bits(kind: TileType) -> int | None:
        if kind.memref is None:
            return 0
        offset = const_dim(kind.memref.byte_offset)
        return None if offset is None else max(offset, 0) * 8

    def _multiple(self, expr: Expr, seen: frozenset[Var] = frozenset()) -> int:
        """A number (a power-of-two part up to 256) that provably divides ``expr``."""
        if isinstance(expr, ConstInt):
            return gcd(expr.value % ALIGNMENT_BITS, ALIGNMENT_BITS)
        if isinstance(expr, Var):
            definition = self._scalars.get(expr)
            if definition is None or expr in seen:
                return 1
            return self._multiple(definition, seen | {expr})
        if isinstance(expr, (Add, Sub)):
            return gcd(self._multiple(expr.left, seen), self._multiple(expr.right, seen))
        if isinstance(expr, Mul):
            return gcd(self._multiple(expr.left, seen) * self._multiple(expr.right, seen), ALIGNMENT_BITS)
        return 1


class _Canonicalizer:
    def __init__(self, windows: Windows) -> None:
        self._slices = windows.slices
        self._alignment = _Alignment(windows.scalars)
        self._renamed: dict[Var, Expr] = {}

    @goes_deep
    def body(self, body: Stmt) -> Stmt:
        return block([new for stmt in body_stmts(body) for new in self._stmt(stmt)], body)

    def _stmt(self, stmt: Stmt) -> list[Stmt]:
        if isinstance(stmt, AssignStmt):
            return self._assign(stmt)
        if isinstance(stmt, EvalStmt):
            value = substitute(stmt.expr, self._renamed)
            before, new = self._call(value) if isinstance(value, Call) else ([], value)
            return [*before, stmt.with_(expr=new)]
        if isinstance(stmt, YieldStmt):
            last: YieldStmt = substitute(stmt, self._renamed)
            before, values = self._extracts(last.values, stmt.span, self._is_unaligned)
            return [*before, last.with_(values=values)]
        if isinstance(stmt, (ForStmt, WhileStmt)):
            return self._loop(stmt)
        new = substitute_header(stmt, self._renamed)
        return [map_bodies(new, self.body)]

    # -- statements ------------------------------------------------------------------------------------------------
    def _assign(self, stmt: AssignStmt) -> list[Stmt]:
        value: Expr = substitute(stmt.value, self._renamed)
        if isinstance(value, Call):
            before, new = self._call(value)
            return [*before, self._define(stmt, new)]
        if isinstance(value, Var) and self._is_unaligned(value):
            return [self._define(stmt, self._extract(value, MemorySpace.Vec, stmt.span))]
        return [stmt.with_(value=value)]

    def _define(self, stmt: AssignStmt, value: Expr) -> Stmt:
        if value is stmt.value:
            return stmt
        var = retyped(stmt.var, keep_memref(value.type, stmt.var.type))
        if var is not stmt.var:
            self._renamed[stmt.var] = var
            if stmt.var in self._slices:
                self._slices[var] = self._slices[stmt.var]
        return stmt.with_(var=var, value=value)

    def _loop(self, stmt: ForStmt | WhileStmt) -> list[Stmt]:
        loop = substitute_loop(stmt, self._renamed)
        before: list[Stmt] = []

        def carried(arg: IterArg) -> IterArg:
            init = arg.init_value
            if not isinstance(init, Var) or not self._is_unaligned(init):
                return arg
            extract = self._bind(init, MemorySpace.Vec, stmt.span)
            before.append(extract)
            return arg.with_(init_value=extract.var)

        iter_args = map_tuple(loop.iter_args, carried)
        for old, was, new in zip(stmt.iter_args, loop.iter_args, iter_args, strict=True):
            if new is not was:
                self._renamed[old] = self._renamed[was] = new
        loop = loop.with_(iter_args=iter_args)
        if before and isinstance(loop, WhileStmt):
            loop = loop.with_(condition=substitute(loop.condition, self._renamed))
        return [*before, loop.with_(body=self.body(loop.body))]

    # -- calls -----------------------------------------------------------------------------------------------------
    def _call(self, call: Call) -> tuple[list[Stmt], Call]:
        if call.name == "tile.extract":
            return [], self._fold_extract(call)
        if call.name == "tile.slice":
            return [], call
        for rule in (self._matmul, self._col_expand, self._unaligned):
            before, new = rule(call)
            if before:
                return before, new
        return [], call

    def _fold_extract(self, call: Call) -> Call:
        source, row, col, *rest = call.args
        window = self._slices.get(source) if isinstance(source, Var) else None
        if window is None:
            return call
        base = self._base(window)
        return rebuild_call(call, (base, fold_add(row, window.row), fold_add(col, window.col), *rest))

    def _matmul(self, call: Call) -> tuple[list[Stmt], Call]:
        operands = _MATMUL_OPERANDS.get(call.name, {})
        before: list[Stmt] = []
        args = list(call.args)
        for position, space in operands.items():
            arg = args[position]
            if isinstance(arg, Var) and self._space(arg) is MemorySpace.Mat:
                extract = self._bind(arg, space, call.span)
                before.append(extract)
                args[position] = extract.var
        return before, rebuild_call(call, args)

    def _col_expand(self, call: Call) -> tuple[list[Stmt], Call]:
        if call.name not in _COL_EXPAND or len(call.args) != 2:
            return [], call
        before, args = self._extracts(call.args, call.span, self._is_scattered)
        return before, rebuild_call(call, args)

    def _unaligned(self, call: Call) -> tuple[list[Stmt], Call]:
        before, args = self._extracts(call.args, call.span, self._is_unaligned)
        return before, rebuild_call(call, args)

    def _extracts(
        self, values: Sequence[Expr], span: Span, wanted: Callable[[Var], bool]
    ) -> tuple[list[Stmt], tuple[Expr, ...]]:
        before: list[Stmt] = []
        out: list[Expr] = []
        for value in values:
            if isinstance(value, Var) and wanted(value):
                extract = self._bind(value, MemorySpace.Vec, span)
                before.append(extract)
                value = extract.var
            out.append(value)
        return before, tuple(out) if before else tuple(values)

    # -- windows ---------------------------------------------------------------------------------------------------
    def _space(self, var: Var) -> MemorySpace | None:
        """Space of a slice; DDR for anything that is none, so that no rule applies."""
        window = self._slices.get(var)
        return MemorySpace.DDR if window is None else window.type.memory_space

    def _is_vector(self, var: Var) -> bool:
        space = self._space(var)
        return space is None or space is MemorySpace.Vec

    def _is_unaligned(self, var: Var) -> bool:
        return self._is_vector(var) and not self._alignment.is_aligned(self._slices[var])

    def _is_scattered(self, var: Var) -> bool:
        """A window whose rows do not follow one another, or whose place is known only at run time."""
        if not self._is_vector(var):
            return False
        window = self._slices[var]
        if const_dim(window.row) is None or const_dim(window.col) is None:
            return True
        rows, cols = (const_dim(d) for d in window.type.shape)
        base_cols = const_dim(window.base_type.shape[-1])
        return rows is None or cols is None or base_cols is None or not (rows == 1 or cols == base_cols)

    def _base(self, window: Window) -> Expr:
        """The tile that owns the storage, as it is now: its type changed where it was computed from a copied window."""
        return self._renamed.get(window.base, window.base)

    def _extract(self, var: Var, space: MemorySpace, span: Span) -> Call:
        window = self._slices[var]
        return new_call(
            "tile.extract",
            self._base(window),
            window.row,
            window.col,
            tuple_of(*window.type.shape),
            span=span,
            kwargs={"target_memory": space},
        )

    def _bind(self, var: Var, space: MemorySpace, span: Span) -> AssignStmt:
        return define(f"{var.name_hint}_textract", self._extract(var, space, span))


def _drop_unread(body: Stmt, slices: dict[Var, Window]) -> Stmt:
    """``body`` without the slices that nothing reads, whatever became unread by that included."""
    while True:
        read = {e for stmt in walk_stmts(body) for root in stmt_exprs(stmt) for e in walk_exprs(root)}
        dead = {
            stmt
            for stmt in walk_stmts(body)
            if isinstance(stmt, AssignStmt) and stmt.var in slices and stmt.var not in read
        }
        if not dead:
            return body
        body = _without(body, dead)


def _without(body: Stmt, dead: set[AssignStmt]) -> Stmt:
    kept = [map_bodies(s, lambda inner: _without(inner, dead)) for s in body_stmts(body) if s not in dead]
    return block(kept, body)
