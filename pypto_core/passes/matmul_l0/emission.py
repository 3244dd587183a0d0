"""Statements of tiled products: the K loop and the output grids (``docs/spec/passes_tile.md`` 4.3, 4.4)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from pypto_core.ir import (
    Call,
    DataType,
    Expr,
    ForKind,
    ForStmt,
    IfStmt,
    IterArg,
    MakeTuple,
    MemorySpace,
    SeqStmts,
    Span,
    Stmt,
    TileType,
    Var,
    YieldStmt,
    dims_equal,
    make_binary,
)
from pypto_core.passes.matmul_l0.analysis import Product, Tiling
from pypto_core.passes.matmul_l0.chooser import Stationarity
from pypto_core.passes.tile_calls import INDEX_TYPE, define, fold_add, index, new_call, tuple_of

_PIPELINE_STAGES = 2


class Code:
    """A statement list under construction; everything carries the span of the product it stands for."""

    def __init__(self, span: Span) -> None:
        self.span = span
        self.stmts: list[Stmt] = []

    def op(self, name: str, op: str, *args: Expr, attrs: Any = None, **kwargs: Any) -> Var:
        """``name = op(*args)``."""
        stmt = define(name, new_call(op, *args, span=self.span, kwargs=kwargs, attrs=attrs))
        self.stmts.append(stmt)
        return stmt.var

    def inner(self) -> Code:
        return Code(self.span)

    def body(self, *yielded: Expr) -> Stmt:
        return SeqStmts.flatten([*self.stmts, YieldStmt(yielded, span=self.span)], self.span)

    def extract(
        self, name: str, source: Expr, row: Expr, col: Expr, shape: tuple[int, int], space: MemorySpace
    ) -> Var:
        return self.op(name, "tile.extract", source, row, col, tuple_of(*shape), target_memory=space)


def _pipeline_attrs(*, overlap: bool, double_buffer_c: bool = False) -> dict[str, Any]:
    attrs: dict[str, Any] = {"pipeline_stages": _PIPELINE_STAGES}
    if not overlap:
        attrs["pipeline_overlap_stores"] = False
    if double_buffer_c:
        attrs["pipeline_double_buffer_c"] = True
    return attrs


class Placer(ABC):
    """Where finished output tiles go: a chain of states of one tensor or tile."""

    initial: Expr

    @abstractmethod
    def place(self, code: Code, tile: Var, row: Expr, col: Expr, chain: Expr, step: int) -> Var:
        """Put ``tile`` at (row, col) of ``chain``; returns the new state."""


class StorePlacer(Placer):
    """Each tile goes to global memory in place of the store of the whole result."""

    def __init__(self, store: Call, tensor: Expr, offsets: Sequence[Expr], name: str) -> None:
        self._store = store
        self._offsets = offsets
        self._name = name
        self.initial = tensor

    def place(self, code: Code, tile: Var, row: Expr, col: Expr, chain: Expr, step: int) -> Var:
        base_row, base_col = self._offsets
        at = tuple_of(fold_add(base_row, row), fold_add(base_col, col))
        call = new_call(
            "tile.store",
            tile,
            at,
            chain,
            span=self._store.span,
            kwargs=self._store.kwargs,
            attrs=self._store.attrs,
        )
        stmt = define(f"{self._name}_t{step}", call)
        code.stmts.append(stmt)
        return stmt.var


class MatPlacer(Placer):
    """Each tile goes into a Mat scratch tile that later products read."""

    def __init__(self, code: Code, name: str, shape: tuple[int, int], dtype: DataType) -> None:
        self._name = f"{name}_mat"
        self.initial = code.op(
            self._name, "tile.create", tuple_of(*shape), dtype=dtype, target_memory=MemorySpace.Mat
        )

    def place(self, code: Code, tile: Var, row: Expr, col: Expr, chain: Expr, step: int) -> Var:
        return code.op(f"{self._name}_t{step}", "tile.assemble", chain, tile, tuple_of(row, col))


class _BiasSource:
    """The bias of one product: resident, moved from Mat, or loaded window by window."""

    def __init__(self, tiling: Tiling) -> None:
        self._product = tiling.product
        self._load = tiling.bias_load

    def window(self, code: Code, name: str, col: Expr, width: int) -> Var | None:
        """The Bias tile for columns ``col`` .. ``col + width``."""
        bias = self._product.bias
        if bias is None or not self._product.bias_in_mat:
            return bias
        source: Expr = bias
        if self._load is not None:
            load = self._load.value
            assert isinstance(load, Call) and isinstance(load.args[1], MakeTuple)
            row, first = load.args[1].elements
            shape = tuple_of(1, width)
            source = code.op(
                f"{name}_mat", "tile.load", load.args[0], tuple_of(row, fold_add(first, col)), shape, shape,
                attrs=load.attrs, **load.kwargs,
            )  # fmt: skip
        return code.op(name, "tile.move", source, target_memory=MemorySpace.Bias)


def _multiply(code: Code, name: str, lhs: Var, rhs: Var, bias: Var | None) -> Var:
    if bias is None:
        return code.op(name, "tile.matmul", lhs, rhs)
    return code.op(name, "tile.matmul_bias", lhs, rhs, bias)


def emit_k_loop(code: Code, tiling: Tiling, base: str, row: int, col: int, shape: tuple[int, int]) -> Var:
    """The output tile of ``shape`` at (row, col), accumulated over K in steps of the chosen k; named after ``base``."""
    return _KLoop(code, tiling, base, index(row), index(col), shape).emit()


class _KLoop:
    def __init__(
        self, code: Code, tiling: Tiling, base: str, row: Expr, col: Expr, shape: tuple[int, int]
    ) -> None:
        self._code, self._tiling, self._product = code, tiling, tiling.product
        self._base, self._row, self._col, self._shape = base, row, col, shape
        self._k = tiling.tile.k
        self._lhs: Var = tiling.product.lhs

    def emit(self) -> Var:
        code, product, base = self._code, self._product, self._base
        depth = product.extents[2]
        full, tail = divmod(depth, self._k)
        init = self._accumulator() if full >= 2 else product.acc
        if product.lhs_in_vec:
            self._lhs = code.op(f"{base}_l0_lmat", "tile.move", self._lhs, target_memory=MemorySpace.Mat)
        bias = _BiasSource(self._tiling).window(code, f"{base}_l0_bias", self._col, self._shape[1])
        if full >= 2:
            assert init is not None
            main = self._loop(init, full * self._k, bias, f"{base}_l0_kmain" if tail else base)
        else:
            main = self._block(index(0), self._k, "0", bias)
        if not tail:
            return main
        at = index(full * self._k)
        lhs, rhs = self._operands(code, at, tail, "at", "bt")
        return code.op(f"{base}_l0_ct", "tile.matmul_acc", main, lhs, rhs)

    def _operands(self, code: Code, at: Expr, depth: int, lhs: str, rhs: str) -> tuple[Var, Var]:
        m, n = self._shape
        name = f"{self._base}_l0_"
        return (
            code.extract(name + lhs, self._lhs, self._row, at, (m, depth), MemorySpace.Left),
            code.extract(name + rhs, self._product.rhs, at, self._col, (depth, n), MemorySpace.Right),
        )

    def _accumulator(self) -> Var:
        """Where the loop starts: the author's accumulator, or a fresh one with the valid extent of the product."""
        if self._product.acc is not None:
            return self._product.acc
        code, name = self._code, f"{self._base}_l0_init"
        shape = tuple_of(*self._shape)
        kwargs = {"dtype": self._product.result_type.dtype, "target_memory": MemorySpace.Acc}
        valid = self._valid_extent()
        if dims_equal(valid, shape.elements):
            return code.op(name, "tile.create", shape, **kwargs)
        storage = code.op(f"{name}_storage", "tile.create", shape, **kwargs)
        return code.op(name, "tile.set_validshape", storage, *valid)

    def _valid_extent(self) -> tuple[Expr, Expr]:
        """Valid rows and columns of the output tile, as the operand windows give them."""
        probe = self._code.inner()
        lhs, rhs = self._operands(probe, index(0), self._k, "a", "b")
        assert isinstance(lhs.type, TileType) and isinstance(rhs.type, TileType)
        return lhs.type.valid_shape[0], rhs.type.valid_shape[1]

    def _loop(self, init: Var, stop: int, bias: Var | None, name: str) -> Var:
        code, base, product = self._code, self._base, self._product
        span = code.span
        ko = Var(f"{base}_l0_ko", INDEX_TYPE, span=span)
        carried = IterArg(f"{base}_l0_c", init.type, init, span=span)
        body = code.inner()
        lhs, rhs = self._operands(body, ko, self._k, "a", "b")
        if product.acc is not None:
            value = body.op(f"{base}_l0_c_acc", "tile.matmul_acc", carried, lhs, rhs)
        else:
            first, later = body.inner(), body.inner()
            start = _multiply(first, f"{base}_l0_c_first", lhs, rhs, bias)
            more = later.op(f"{base}_l0_c_acc", "tile.matmul_acc", carried, lhs, rhs)
            value = Var(f"{base}_l0_c_phi", start.type, span=span)
            body.stmts.append(
                IfStmt(
                    make_binary("eq", ko, index(0)), first.body(start), later.body(more), (value,), span=span
                )
            )
        # The result has the type of what is carried in; InferTileMemorySpace settles where that lives.
        result = Var(name, init.type, span=span)
        code.stmts.append(
            ForStmt(
                ko, index(0), index(stop), index(self._k), (carried,), body.body(value), (result,),
                ForKind.Pipeline, _pipeline_attrs(overlap=True), span=span,
            )
        )  # fmt: skip
        return result

    def _block(self, at: Expr, depth: int, suffix: str, bias: Var | None) -> Var:
        lhs, rhs = self._operands(self._code, at, depth, f"a{suffix}", f"b{suffix}")
        name = f"{self._base}_l0_c{suffix}"
        if self._product.acc is not None:
            return self._code.op(name, "tile.matmul_acc", self._product.acc, lhs, rhs)
        return _multiply(self._code, name, lhs, rhs, bias)


def emit_grid(code: Code, tiling: Tiling, placer: Placer) -> Expr:
    """Every output tile of the product, placed; returns the last state of the placer's chain."""
    if tiling.tile.k < tiling.product.extents[2]:
        return _emit_unrolled_grid(code, tiling, placer)
    return _PipelinedGrid(code, tiling, placer).emit()


def _emit_unrolled_grid(code: Code, tiling: Tiling, placer: Placer) -> Expr:
    tile, (rows, cols, _) = tiling.tile, tiling.product.extents
    chain, step = placer.initial, 0
    for col in range(0, cols, tile.n):
        for row in range(0, rows, tile.m):
            shape = (min(tile.m, rows - row), min(tile.n, cols - col))
            base = f"{tiling.product.result.name_hint}_t{step}"
            part = emit_k_loop(code, tiling, base, row, col, shape)
            chain = placer.place(code, part, index(row), index(col), chain, step)
            step += 1
    return chain


class _PipelinedGrid:
    """Full-K tiles: two nested loops over whole tiles, then the borders one by one."""

    def __init__(self, code: Code, tiling: Tiling, placer: Placer) -> None:
        self._code, self._tiling, self._placer = code, tiling, placer
        self._product: Product = tiling.product
        self._bias = _BiasSource(tiling)
        self._base = tiling.product.result.name_hint

    def emit(self) -> Expr:
        tile, (rows, cols, _) = self._tiling.tile, self._product.extents
        full_rows, full_cols = rows // tile.m * tile.m, cols // tile.n * tile.n
        chain: Expr = self._outer(full_rows, full_cols)
        step = 1
        borders = [
            (full_rows, col, rows - full_rows, min(tile.n, cols - col))
            for col in range(0, cols, tile.n)
            if full_rows < rows
        ]
        if full_cols < cols:
            borders += [(row, full_cols, tile.m, cols - full_cols) for row in range(0, full_rows, tile.m)]
        for row, col, m, n in borders:
            chain = self._border(row, col, m, n, chain, step)
            step += 1
        return chain

    def _outer(self, full_rows: int, full_cols: int) -> Var:
        code, base, tile = self._code, self._base, self._tiling.tile
        span, depth = code.span, self._product.extents[2]
        rows_outer = tile.rows_outer
        loop_var = Var(f"{base}_o", INDEX_TYPE, span=span)
        chain = IterArg(f"{base}_oc", self._placer.initial.type, self._placer.initial, span=span)
        body = code.inner()
        bias = None
        if rows_outer:
            held = body.extract(
                f"{base}_a", self._product.lhs, loop_var, index(0), (tile.m, depth), MemorySpace.Left
            )
            inner_stop, inner_step, stop, step = full_cols, tile.n, full_rows, tile.m
        else:
            held = body.extract(
                f"{base}_b", self._product.rhs, index(0), loop_var, (depth, tile.n), MemorySpace.Right
            )
            bias = self._bias.window(body, f"{base}_bias", loop_var, tile.n)
            inner_stop, inner_step, stop, step = full_rows, tile.m, full_cols, tile.n
        result = self._inner(body, loop_var, held, bias, chain, inner_stop, inner_step)
        out = Var(f"{base}_orv", result.type, span=span)
        output_stays = tile.stationarity is Stationarity.OUTPUT
        code.stmts.append(
            ForStmt(
                loop_var, index(0), index(stop), index(step), (chain,), body.body(result), (out,),
                ForKind.Pipeline if output_stays else ForKind.Sequential,
                _pipeline_attrs(overlap=False) if output_stays else {},
                span=span,
            )
        )  # fmt: skip
        return out

    def _inner(
        self, code: Code, outer_var: Var, held: Var, bias: Var | None, chain: Expr, stop: int, step: int
    ) -> Var:
        base, tile, span = self._base, self._tiling.tile, code.span
        depth = self._product.extents[2]
        loop_var = Var(f"{base}_i", INDEX_TYPE, span=span)
        carried = IterArg(f"{base}_ic", chain.type, chain, span=span)
        body = code.inner()
        if tile.rows_outer:
            rhs = body.extract(
                f"{base}_b", self._product.rhs, index(0), loop_var, (depth, tile.n), MemorySpace.Right
            )
            lhs, row, col = held, outer_var, loop_var
            bias = self._bias.window(body, f"{base}_bias", loop_var, tile.n)
        else:
            lhs = body.extract(
                f"{base}_a", self._product.lhs, loop_var, index(0), (tile.m, depth), MemorySpace.Left
            )
            rhs, row, col = held, loop_var, outer_var
        part = _multiply(body, f"{base}_c", lhs, rhs, bias)
        placed = self._placer.place(body, part, row, col, carried, 0)
        out = Var(f"{base}_irv", placed.type, span=span)
        code.stmts.append(
            ForStmt(
                loop_var, index(0), index(stop), index(step), (carried,), body.body(placed), (out,),
                ForKind.Pipeline, _pipeline_attrs(overlap=False, double_buffer_c=tile.double_buffer_c), span=span,
            )
        )  # fmt: skip
        return out

    def _border(self, row: int, col: int, m: int, n: int, chain: Expr, step: int) -> Var:
        code, base, depth = self._code, self._base, self._product.extents[2]
        lhs = code.extract(
            f"{base}_ta{step}", self._product.lhs, index(row), index(0), (m, depth), MemorySpace.Left
        )
        rhs = code.extract(
            f"{base}_tb{step}", self._product.rhs, index(0), index(col), (depth, n), MemorySpace.Right
        )
        bias = self._bias.window(code, f"{base}_tbias{step}", index(col), n)
        part = _multiply(code, f"{base}_tc{step}", lhs, rhs, bias)
        return self._placer.place(code, part, index(row), index(col), chain, step)
