"""AutoTileMatmulL0: products are cut into tiles that fit the cube core's L0 buffers (``docs/spec/passes_tile.md`` §4).

In order: split-K loops of the author are cut along M and N, author pipelines that gain from a second accumulator are chosen,
then every statement list is walked and products and casts are rewritten. A product that stays as it is gets a hint.
"""

from __future__ import annotations

from dataclasses import dataclass

from pypto_core.analysis.names import written_name
from pypto_core.analysis.statements import block
from pypto_core.backend import Backend, get_backend, physical_tile_bytes
from pypto_core.ir import (
    AssignStmt,
    Call,
    DataType,
    Expr,
    ForStmt,
    Function,
    IterArg,
    MakeTuple,
    MemorySpace,
    Program,
    Stmt,
    TileType,
    Var,
    WhileStmt,
    body_stmts,
    called_names,
    const_dims,
    substitute,
)
from pypto_core.passes.base import Pass, PassContract, map_functions
from pypto_core.passes.matmul_l0.analysis import Product, ProductAnalyzer, Tiling, is_load
from pypto_core.passes.matmul_l0.chooser import Stationarity
from pypto_core.passes.matmul_l0.emission import Code, MatPlacer, StorePlacer, emit_grid, emit_k_loop
from pypto_core.passes.matmul_l0.hints import HintSink, ignore_hint, make_hint
from pypto_core.passes.matmul_l0.pipeline_marks import loops_to_mark, marked
from pypto_core.passes.matmul_l0.split_k import SplitKRewriter, is_plain_store
from pypto_core.passes.reads import MATMUL_OPERANDS, Reads
from pypto_core.passes.stmt_parts import map_bodies, substitute_header, substitute_loop
from pypto_core.passes.tile_calls import index

_PROPERTIES = "SSAForm SplitIncoreOrch IncoreTileOps TileOps2D NormalizedStmtStructure"
CONTRACT = PassContract.of(_PROPERTIES, _PROPERTIES, function_local=True)
_RINT = 1
_LOW_PRECISION = (DataType.BF16, DataType.FP16)


def auto_tile_matmul_l0(*, backend: str | Backend | None = None, on_hint: HintSink = ignore_hint) -> Pass:
    """The pass for one chip; performance hints go to ``on_hint`` and never stop it."""
    chip = get_backend(backend)

    def run(program: Program) -> Program:
        return map_functions(program, lambda function: tile_function(function, chip, on_hint))

    return Pass("AutoTileMatmulL0", CONTRACT, run)


def tile_function(function: Function, chip: Backend | None, on_hint: HintSink = ignore_hint) -> Function:
    """``function`` with its products tiled.

    Raises:
        PassError: ``matmul-operand-too-large`` for an operand that the author placed in Left or Right and that does not fit.
    """
    if not function.func_type.is_incore:
        return function
    if MATMUL_OPERANDS.keys().isdisjoint(called_names(function.body)):
        return function
    reads = Reads(function.body)
    split = SplitKRewriter(reads, ProductAnalyzer(chip, reads, on_hint)).body(function.body)
    if split is not function.body:
        function = function.with_(body=split)
        reads = Reads(split)
    marks = frozenset() if chip is None else loops_to_mark(function, reads, chip)
    walker = _Walker(chip, reads, on_hint, marks)
    return function.with_(body=walker.body(function.body))


@dataclass(frozen=True, slots=True)
class _Deferred:
    """A product whose tiles are stored where its result would have been stored."""

    tiling: Tiling
    code_at: AssignStmt


class _Walker:
    def __init__(
        self, chip: Backend | None, reads: Reads, on_hint: HintSink, marks: frozenset[ForStmt]
    ) -> None:
        self._chip = chip
        self._reads = reads
        self._on_hint = on_hint
        self._marks = marks
        self._analyzer = ProductAnalyzer(chip, reads, on_hint)
        self._renamed: dict[Var, Expr] = {}
        self._deferred: dict[Stmt, _Deferred] = {}
        self._dropped: set[Stmt] = set()

    def body(self, body: Stmt) -> Stmt:
        out: list[tuple[Stmt, Stmt]] = []
        for stmt in body_stmts(body):
            out += [(stmt, new) for new in self._stmt(stmt)]
        return block([new for old, new in out if old not in self._dropped], body)

    def _stmt(self, stmt: Stmt) -> list[Stmt]:
        if stmt in self._deferred:
            return self._store_tiles(self._deferred[stmt])
        if isinstance(stmt, AssignStmt):
            return self._assign(stmt)
        if isinstance(stmt, (ForStmt, WhileStmt)):
            new = substitute_loop(stmt, self._renamed)
            if stmt in self._marks and isinstance(new, ForStmt):
                new = marked(new)
            return [map_bodies(new, self.body)]
        return [map_bodies(substitute_header(stmt, self._renamed), self.body)]

    def _assign(self, stmt: AssignStmt) -> list[Stmt]:
        if stmt in self._dropped:
            return []
        value: Expr = substitute(stmt.value, self._renamed)
        new: list[Stmt] | None = None
        if isinstance(value, Call):
            if value.name == "tile.cast":
                new = self._cast(stmt, value)
            elif value.name in MATMUL_OPERANDS:
                new = self._product(stmt, value)
        if new is None:
            new = [stmt if value is stmt.value else stmt.with_(value=value)]
        return new

    # -- casts -----------------------------------------------------------------------------------------------------
    def _cast(self, stmt: AssignStmt, call: Call) -> list[Stmt] | None:
        """A cast between two products becomes a transfer into a Mat tile of the new type (4.5)."""
        source, kind, result = call.args[0], call.args[0].type, call.type
        if self._chip is None or not isinstance(kind, TileType) or not isinstance(result, TileType):
            return None
        if kind.memory_space is not MemorySpace.Acc or not isinstance(source, (Var, IterArg)):
            return None
        extents = const_dims(result.shape)
        size = physical_tile_bytes(kind.shape, kind.dtype, MemorySpace.Acc, self._chip)
        if (
            extents is None
            or len(extents) != 2
            or size is None
            or size > self._chip.mem_size(MemorySpace.Acc)
        ):
            return None
        if not self._reads.only_matmul_operands(stmt.var):
            return None
        if not _is_foldable(call):
            name = written_name(stmt.var.name_hint, call.span)
            self._on_hint(
                make_hint(
                    "PH-AT-010",
                    f"the cast of '{name}' between two products stays on the vector core: only fp32 to bf16 or fp16 with "
                    f"mode 'rint' is done on the way into Mat",
                    call.span,
                )
            )
            return None
        code = Code(call.span)
        placer = MatPlacer(code, source.name_hint, (extents[0], extents[1]), result.dtype)
        self._renamed[stmt.var] = placer.place(code, source, index(0), index(0), placer.initial, 0)
        return code.stmts

    # -- products --------------------------------------------------------------------------------------------------
    def _product(self, stmt: AssignStmt, call: Call) -> list[Stmt] | None:
        product = self._analyzer.candidate(stmt, call)
        tiling = None if product is None else self._analyzer.analyze(product)
        if product is None or tiling is None:
            return None
        if tiling.whole_output:
            code = Code(call.span)
            m, n, _ = product.extents
            self._renamed[stmt.var] = emit_k_loop(code, tiling, stmt.var.name_hint, 0, 0, (m, n))
            return code.stmts
        return self._through_mat(tiling) or self._at_store(tiling)

    def _through_mat(self, tiling: Tiling) -> list[Stmt] | None:
        """Tiles meet in a Mat scratch tile when products alone read the result (4.2)."""
        product = tiling.product
        target, dtype = product.result, product.result_type.dtype
        cast = self._folded_cast(product)
        if cast is not None:
            target = cast.var
            assert isinstance(cast.value, Call) and isinstance(cast.value.type, TileType)
            dtype = cast.value.type.dtype
        if not self._reads.only_matmul_operands(target) or product.acc is not None or product.lhs_in_vec:
            return None
        assert self._chip is not None
        if self._chip.requires_low_precision_mat_scratch and dtype not in _LOW_PRECISION:
            self._analyzer.hint(
                "PH-AT-009",
                product,
                f"its {dtype.text} output would pass through Mat, which on {self._chip.arch} takes bf16 or fp16 tiles only",
            )
            return None
        m, n, _ = product.extents
        if m * n * dtype.byte > self._chip.mem_size(MemorySpace.Mat):
            self._analyzer.hint("PH-AT-006", product, "its whole output does not fit in Mat")
            return None
        if tiling.tile.stationarity is not Stationarity.OUTPUT:
            again = self._analyzer.analyze(product, force_output=True)
            if again is None:
                return None
            tiling = again
        code = Code(product.call.span)
        placer = MatPlacer(code, product.result.name_hint, (m, n), dtype)
        final = emit_grid(code, tiling, placer)
        self._renamed[target] = final
        self._renamed[product.result] = final
        if cast is not None:
            self._dropped.add(cast)
        self._drop_bias_load(tiling)
        return code.stmts

    def _folded_cast(self, product: Product) -> AssignStmt | None:
        """The cast that alone reads the result and can happen on the way into Mat."""
        reads = self._reads.of(product.result)
        if len(reads) != 1:
            return None
        cast, call = reads[0].stmt, reads[0].call
        if call is None or not _is_foldable(call) or not isinstance(cast, AssignStmt):
            return None
        same_list = self._reads.same_list(cast, product.stmt)
        return cast if same_list and self._reads.only_matmul_operands(cast.var) else None

    def _at_store(self, tiling: Tiling) -> list[Stmt] | None:
        """Tiles go straight to global memory when a store is all that reads the result (4.2)."""
        product = tiling.product
        if product.acc is not None or product.lhs_in_vec:
            why = (
                "it accumulates into a given tile"
                if product.acc is not None
                else "its left operand sits in Vec"
            )
            self._analyzer.hint("PH-AT-006", product, f"its output is cut along M or N, and {why}")
            return None
        reads = self._reads.of(product.result)
        store = reads[0].stmt if len(reads) == 1 else None
        call = reads[0].call if len(reads) == 1 else None
        if (
            not isinstance(store, AssignStmt)
            or call is None
            or not is_plain_store(call)
            or call.args[0] is not product.result
            or not self._reads.same_list(store, product.stmt)
        ):
            self._analyzer.hint(
                "PH-AT-006",
                product,
                "its output is cut into tiles, which needs one store to global memory or products as the only readers",
            )
            return None
        if tiling.bias_load is not None:
            following = self._reads.following(product.stmt)
            if next((stmt for stmt in following if not is_load(stmt)), None) is not store:
                self._analyzer.hint(
                    "PH-AT-011",
                    product,
                    "statements between it and its store keep the bias load from being repeated",
                )
                return None
        self._drop_bias_load(tiling)
        self._deferred[store] = _Deferred(tiling, store)
        return []

    def _store_tiles(self, deferred: _Deferred) -> list[Stmt]:
        store = deferred.code_at
        call = substitute(store.value, self._renamed)
        assert isinstance(call, Call) and isinstance(store.value, Call)
        offsets, tensor, original = call.args[1], call.args[2], store.value.args[2]
        assert isinstance(offsets, MakeTuple) and isinstance(original, (Var, IterArg))
        code = Code(deferred.tiling.product.call.span)
        placer = StorePlacer(call, tensor, offsets.elements, original.name_hint)
        self._renamed[store.var] = emit_grid(code, deferred.tiling, placer)
        return code.stmts

    def _drop_bias_load(self, tiling: Tiling) -> None:
        if tiling.bias_load is not None:
            self._dropped.add(tiling.bias_load)


def _is_foldable(call: Call) -> bool:
    source, target = call.args[0].type, call.type
    return (
        call.name == "tile.cast"
        and isinstance(source, TileType)
        and isinstance(target, TileType)
        and source.dtype is DataType.FP32
        and target.dtype in _LOW_PRECISION
        and call.kwargs.get("mode") == _RINT
    )
