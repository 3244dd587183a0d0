"""Deciding whether and how one matrix product is tiled for L0 (``docs/spec/passes_tile.md`` 4.1)."""

from __future__ import annotations

from dataclasses import dataclass

from pypto_core.analysis.names import is_invented, written_name
from pypto_core.backend import Backend, physical_tile_bytes
from pypto_core.ir import (
    AssignStmt,
    Call,
    Expr,
    IterArg,
    MakeTuple,
    MemorySpace,
    Stmt,
    TileType,
    Var,
    boxed_alignment,
    const_dims,
    tile_layout,
)
from pypto_core.passes.auto_names import base_name
from pypto_core.passes.matmul_l0.chooser import (
    FRACTAL,
    BiasLimits,
    L0Problem,
    L0Tile,
    NoLegalTileError,
    choose_l0_tile,
)
from pypto_core.passes.matmul_l0.hints import HintSink, make_hint
from pypto_core.passes.reads import Reads
from pypto_core.passes.tile_calls import reject

_ARITY = {"tile.matmul": 2, "tile.matmul_acc": 3, "tile.matmul_bias": 3}
_SLOTS = (("left", MemorySpace.Left, "L0A"), ("right", MemorySpace.Right, "L0B"))


@dataclass(frozen=True, slots=True)
class Product:
    """A candidate: ``result = [acc +] lhs @ rhs [+ bias]`` with static two-dimensional operands."""

    stmt: AssignStmt
    call: Call
    lhs: Var
    rhs: Var
    acc: Var | None
    bias: Var | None

    @property
    def result(self) -> Var:
        return self.stmt.var

    @property
    def lhs_type(self) -> TileType:
        return _tile(self.lhs)

    @property
    def rhs_type(self) -> TileType:
        return _tile(self.rhs)

    @property
    def result_type(self) -> TileType:
        assert isinstance(self.call.type, TileType)
        return self.call.type

    @property
    def lhs_in_vec(self) -> bool:
        return self.lhs_type.memory_space is MemorySpace.Vec

    @property
    def bias_in_mat(self) -> bool:
        return self.bias is not None and _tile(self.bias).memory_space is MemorySpace.Mat

    @property
    def extents(self) -> tuple[int, int, int]:
        """M, N, K in elements."""
        lhs, rhs = const_dims(self.lhs_type.shape), const_dims(self.rhs_type.shape)
        assert lhs is not None and rhs is not None
        return lhs[0], rhs[1], lhs[1]


@dataclass(frozen=True, slots=True)
class Tiling:
    """A product with the tile chosen for it; ``bias_load`` is the load whose window each tile repeats for itself."""

    product: Product
    tile: L0Tile
    bias_load: AssignStmt | None = None

    @property
    def whole_output(self) -> bool:
        m, n, _ = self.product.extents
        return self.tile.m == m and self.tile.n == n


def _tile(var: Var) -> TileType:
    assert isinstance(var.type, TileType)
    return var.type


def _tile_var(expr: Expr) -> Var | None:
    return expr if isinstance(expr, (Var, IterArg)) and isinstance(expr.type, TileType) else None


class ProductAnalyzer:
    """Analyses products of one function on one chip; hints go to ``on_hint``."""

    def __init__(self, backend: Backend | None, reads: Reads, on_hint: HintSink) -> None:
        self._backend = backend
        self._reads = reads
        self._on_hint = on_hint

    def hint(self, number: str, product: Product, why: str) -> None:
        """Tell why ``product`` stays as it is."""
        name, span = product.result.name_hint, product.call.span
        who = "" if is_invented(name, span) else f" '{written_name(name, span)}'"
        self._on_hint(make_hint(number, f"{product.call.name}{who} is not tiled for L0: {why}", span))

    # -- candidates ------------------------------------------------------------------------------------------------
    def candidate(self, stmt: AssignStmt, call: Call) -> Product | None:
        """The product that ``call`` performs, if it has a shape the pass looks at."""
        if _ARITY.get(call.name) != len(call.args):
            return None
        variables = [_tile_var(arg) for arg in call.args]
        if any(var is None for var in variables) or not isinstance(call.type, TileType):
            return None
        known = [var for var in variables if var is not None]
        if call.name == "tile.matmul_acc":
            product = Product(stmt, call, known[1], known[2], known[0], None)
            acc = _tile(known[0])
            if acc.rank != 2 or acc.memory_space not in (MemorySpace.Acc, MemorySpace.Vec, None):
                return None
        else:
            product = Product(stmt, call, known[0], known[1], None, known[2] if len(known) == 3 else None)
        self._check_resident(product)
        if not _has_usable_bias(product):
            return None
        if product.lhs_type.memory_space not in (MemorySpace.Mat, MemorySpace.Vec):
            return None
        if product.rhs_type.memory_space is not MemorySpace.Mat:
            return None
        if any(t.rank != 2 or const_dims(t.shape) is None for t in (product.lhs_type, product.rhs_type)):
            return None
        return product

    def _check_resident(self, product: Product) -> None:
        """An operand that the author placed in L0 must fit there: it is not cut any more."""
        if self._backend is None:
            return
        for operand, (side, space, buffer) in zip((product.lhs, product.rhs), _SLOTS, strict=True):
            kind = _tile(operand)
            if kind.memory_space is not space:
                continue
            size = physical_tile_bytes(kind.shape, kind.dtype, space, self._backend)
            capacity = self._backend.mem_size(space)
            if size is None or not capacity or size <= capacity:
                continue
            definition = self._reads.definition(operand)
            span = operand.span if definition is None else definition.span
            name = base_name(operand.name_hint) or operand.name_hint
            extents = list(const_dims(kind.shape) or ())
            op = product.call.name
            reject(
                "matmul-operand-too-large",
                f"{op} {side} operand '{name}' is already resident in {space.name} ({buffer}) with physical shape {extents} "
                f"and dtype {kind.dtype.text}, requiring {size} bytes, but the active backend provides {capacity} bytes. "
                f"AutoTileMatmulL0 does not retile operands already placed in Left or Right. Keep this operand in Mat and pass it "
                f"directly to {op} so that it is cut into L0 tiles, or manually extract a smaller {space.name} tile.",
                span,
                operand=name,
                required=size,
                available=capacity,
            )

    # -- tiles -----------------------------------------------------------------------------------------------------
    def analyze(
        self, product: Product, *, force_output: bool = False, boxed: bool = False, quiet: bool = False
    ) -> Tiling | None:
        """The tiling of ``product``, None when it stays as it is (a hint says why unless nothing is wrong).

        ``force_output`` keeps the accumulator in L0 while operands stream; ``boxed`` cuts at box boundaries of the operands;
        ``quiet`` gives no hints.
        """
        backend = self._backend
        if backend is None:
            reject(
                "compiler-internal",
                f"{product.call.name} on Mat operands is tiled for a chip, and no backend is configured",
                product.call.span,
            )
        why = self._obstacle(product, backend)
        problem = None if why else self._problem(product, backend, force_output=force_output, boxed=boxed)
        if isinstance(problem, tuple):
            why = problem
        if why is not None or problem is None or isinstance(problem, tuple):
            if why is not None and not quiet:
                self.hint(why[0], product, why[1])
            return None
        m, n, k = product.extents
        try:
            tile = choose_l0_tile(problem)
        except NoLegalTileError as none:
            if not quiet:
                self.hint("PH-AT-005", product, str(none))
            return None
        if (tile.m, tile.n, tile.k) == (m, n, k):
            return None
        bias_load = None
        if product.bias is not None and tile.n < n:
            if not product.bias_in_mat:
                if not quiet:
                    self.hint("PH-AT-006", product, "its bias already sits in Bias and cannot be cut along N")
                return None
            bias_load = self._reloadable_bias(product)
            if bias_load is None:
                if not quiet:
                    self.hint(
                        "PH-AT-011",
                        product,
                        "its bias would have to be loaded tile by tile, and its load cannot be repeated",
                    )
                return None
        return Tiling(product, tile, bias_load)

    def _obstacle(self, product: Product, backend: Backend) -> tuple[str, str] | None:
        """The first reason of 4.1 (4 to 6) against tiling."""
        if product.bias is not None and product.lhs_type.memory_space is not MemorySpace.Mat:
            return "PH-AT-011", "with a bias the left operand has to come from Mat"
        dtypes = (product.lhs_type.dtype, product.rhs_type.dtype, product.result_type.dtype)
        small = next((dtype for dtype in dtypes if dtype.bits % 8), None)
        if small is not None:
            return "PH-AT-003", f"elements of {small.text} are not whole bytes"
        if product.bias is not None and product.bias_in_mat:
            bias, result = _tile(product.bias).dtype, product.result_type.dtype
            if not backend.supports_mat_to_bias_move(bias, result):
                return "PH-AT-011", f"a {bias.text} bias cannot be moved into a {result.text} bias table"
        return None

    def _problem(
        self, product: Product, backend: Backend, *, force_output: bool, boxed: bool
    ) -> L0Problem | tuple[str, str]:
        m, n, k = product.extents
        align_m = align_n = align_k = FRACTAL
        limits = BiasLimits()
        result_bytes = product.result_type.dtype.byte
        if product.bias is not None or boxed:
            boxes = _boxes(product)
            if boxes is None:
                if boxed:
                    return "PH-AT-006", "the box layout of an operand is unknown, so its output cannot be cut"
                return "PH-AT-011", "the box layout of an operand is unknown"
            (box_m, box_k_lhs), (box_k_rhs, box_n) = boxes
            align_m, align_n = max(FRACTAL, box_m), max(FRACTAL, box_n)
            if product.bias is not None:
                align_k = max(FRACTAL, box_k_lhs, box_k_rhs)
        if product.bias is not None:
            table = backend.mem_size(MemorySpace.Bias) // result_bytes
            if table < FRACTAL or m % align_m or n % align_n or k % align_k:
                return (
                    "PH-AT-011",
                    "its extents are not multiples of the operand boxes, or the bias table is too small",
                )
            if product.bias_in_mat:
                limits = BiasLimits(table, table // 2, table // 4)
            else:
                limits = BiasLimits(min_n=n)
        if k % align_k:
            return "PH-AT-007", f"K = {k} is not a multiple of {align_k}; pad K to use the L0 tiling"
        return L0Problem(
            m,
            n,
            k,
            product.lhs_type.dtype.byte,
            product.rhs_type.dtype.byte,
            result_bytes,
            l0a=backend.mem_size(MemorySpace.Left),
            l0b=backend.mem_size(MemorySpace.Right),
            l0c=backend.mem_size(MemorySpace.Acc),
            l0c_align_m=backend.l0c_m_alignment(product.result_type.dtype),
            cost=backend.l0_cost_model,
            align_m=align_m,
            align_n=align_n,
            align_k=align_k,
            bias=limits,
            allow_a_stationary=not force_output,
            allow_b_stationary=not force_output,
        )

    def _reloadable_bias(self, product: Product) -> AssignStmt | None:
        """The load of the bias, when every tile may load its own window instead."""
        assert product.bias is not None
        definition = self._reads.definition(product.bias)
        if definition is None or len(self._reads.of(product.bias)) != 1:
            return None
        load = definition.value
        if not isinstance(load, Call) or load.name != "tile.load" or len(load.args) != 4:
            return None
        row = (1, product.extents[1])
        offsets, shape, valid = load.args[1:]
        if not all(isinstance(arg, MakeTuple) for arg in (offsets, shape, valid)):
            return None
        assert (
            isinstance(offsets, MakeTuple) and isinstance(shape, MakeTuple) and isinstance(valid, MakeTuple)
        )
        if (
            len(offsets.elements) != 2
            or const_dims(shape.elements) != row
            or const_dims(valid.elements) != row
        ):
            return None
        between = self._reads.between(definition, product.stmt)
        return definition if between is not None and all(is_load(stmt) for stmt in between) else None


def is_load(stmt: Stmt) -> bool:
    """Whether ``stmt`` assigns a ``tile.load``."""
    return isinstance(stmt, AssignStmt) and isinstance(stmt.value, Call) and stmt.value.name == "tile.load"


def _has_usable_bias(product: Product) -> bool:
    if product.bias is None:
        return True
    kind = _tile(product.bias)
    if kind.memory_space not in (MemorySpace.Mat, MemorySpace.Bias):
        return False
    rhs = const_dims(product.rhs_type.shape)
    return rhs is not None and len(rhs) == 2 and const_dims(kind.shape) == (1, rhs[1])


def _boxes(product: Product) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Box extents (rows, cols) of both operands."""
    lhs = boxed_alignment(tile_layout(product.lhs_type), product.lhs_type.dtype)
    rhs = boxed_alignment(tile_layout(product.rhs_type), product.rhs_type.dtype)
    return None if lhs is None or rhs is None else (lhs, rhs)
