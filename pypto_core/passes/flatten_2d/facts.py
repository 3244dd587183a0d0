"""Definitions, uses and batched products of one function, before flattening (``docs/spec/passes_tile.md`` 2.4)."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from pypto_core.backend import Backend
from pypto_core.ir import (
    AssignStmt,
    Call,
    Expr,
    MakeTuple,
    MemorySpace,
    Stmt,
    TensorType,
    TileType,
    Var,
    const_dims,
)
from pypto_core.passes.reads import Read, Reads
from pypto_core.passes.tile_calls import reject
from pypto_core.passes.tile_shapes import collapses_contiguously

BATCH_OPERANDS: dict[str, tuple[int, int]] = {
    "tile.batch_matmul": (0, 1),
    "tile.batch_matmul_acc": (1, 2),
}
"""Argument positions of (lhs, rhs)."""


@dataclass(frozen=True, slots=True)
class BatchOperand:
    """One side of a batched product.

    ``value`` is the operand with reshapes of the batch axes peeled off; ``batch`` and ``page`` are its leading extents and its
    last two. ``load`` is the load it comes from, if any; ``whole`` says whether that load stays one transfer.
    """

    name: str
    value: Expr
    batch: tuple[int, ...]
    page: tuple[int, int]
    from_view: bool
    load: Call | None
    whole: bool
    chain: tuple[Var, ...]

    def page_index(self, out_index: tuple[int, ...], out_batch: tuple[int, ...]) -> int:
        """Which page of this operand meets batch ``out_index`` of the result (axes of extent 1 repeat)."""
        own = out_index[len(out_batch) - len(self.batch) :]
        linear = 0
        for index, extent in zip(own, self.batch, strict=True):
            linear = linear * extent + (index if extent != 1 else 0)
        return linear


@dataclass(frozen=True, slots=True)
class BatchProduct:
    """A ``tile.batch_matmul[_acc]``: its operands and the broadcast batch axes of its result."""

    lhs: BatchOperand
    rhs: BatchOperand
    batch: tuple[int, ...]

    @property
    def count(self) -> int:
        return prod(self.batch)

    @property
    def rows(self) -> int:
        return self.lhs.page[0]

    @property
    def cols(self) -> int:
        return self.rhs.page[1]


class Facts:
    """One function as it was before the pass."""

    def __init__(self, body: Stmt, backend: Backend | None) -> None:
        self._backend = backend
        self.reads = Reads(body)
        self.products: dict[Stmt, BatchProduct] = {}
        for stmt in self.reads.definitions():
            if isinstance(stmt.value, Call) and stmt.value.name in BATCH_OPERANDS:
                self.products[stmt] = self._product(stmt.value)
        self.dead = self._dead_loads()

    # -- questions -------------------------------------------------------------------------------------------------
    def feeds_only_batch_matmul(self, var: Var) -> bool:
        """Whether every read of ``var`` is as an operand of a batched product (and there is one); regrouping the batch
        axes on the way does not count."""
        reads = self.reads.of(var)
        return bool(reads) and all(self._is_batch_read(read) for read in reads)

    def _is_batch_read(self, read: Read) -> bool:
        if read.call is None:
            return False
        if self.is_batch_reshape(read.call) and isinstance(read.stmt, AssignStmt):
            return self.feeds_only_batch_matmul(read.stmt.var)
        return read.position in BATCH_OPERANDS.get(read.call.name, ())

    def is_batch_reshape(self, call: Call | None) -> bool:
        """A reshape that regroups the batch axes alone: same last two extents, same number of pages."""
        if call is None or call.name != "tile.reshape":
            return False
        source, result = call.args[0].type, call.type
        if not isinstance(source, TileType) or not isinstance(result, TileType):
            return False
        before, after = const_dims(source.shape), const_dims(result.shape)
        if before is None or after is None or len(before) < 2 or len(after) < 2:
            return False
        return before[-2:] == after[-2:] and prod(before[:-2]) == prod(after[:-2])

    # -- batched products ------------------------------------------------------------------------------------------
    def _product(self, call: Call) -> BatchProduct:
        lhs_at, rhs_at = BATCH_OPERANDS[call.name]
        fits = self._operands_fit(call.args[lhs_at].type, call.args[rhs_at].type)
        lhs = self._operand("lhs", call.args[lhs_at], fits, call)
        rhs = self._operand("rhs", call.args[rhs_at], fits, call)
        return BatchProduct(lhs, rhs, _broadcast(lhs.batch, rhs.batch, call))

    def _operands_fit(self, *kinds: object) -> bool:
        if self._backend is None:
            return True
        total = 0
        for kind in kinds:
            assert isinstance(kind, TileType)
            extents = const_dims(kind.shape)
            if extents is None:
                return True
            total += kind.dtype.storage_bytes(prod(extents))
        return total <= self._backend.mem_size(MemorySpace.Mat)

    def _operand(self, name: str, arg: Expr, fits: bool, call: Call) -> BatchOperand:
        kind = arg.type
        assert isinstance(kind, TileType)
        extents = const_dims(kind.shape)
        if extents is None or len(extents) < 2:
            reject(
                "tile-rank",
                f"{call.name} needs operands with constant dimensions",
                call.span,
            )
        chain: list[Var] = []
        value = self._peel(arg, chain)
        source, from_view = value, False
        definition = self.reads.call_of(value)
        if definition is not None and definition.name == "tile.transpose_view":
            from_view = True
            assert isinstance(value, Var)
            chain.append(value)
            source = self._peel(definition.args[0], chain)
            definition = self.reads.call_of(source)
        load = definition if definition is not None and definition.name == "tile.load" else None
        whole = fits
        if load is not None:
            assert isinstance(source, Var)
            chain.append(source)
            whole = fits and _window_is_contiguous(load)
        batch, page = extents[:-2], (extents[-2], extents[-1])
        return BatchOperand(name, value, batch, page, from_view, load, whole or load is None, tuple(chain))

    def _peel(self, value: Expr, chain: list[Var]) -> Expr:
        while True:
            definition = self.reads.call_of(value)
            if definition is None or not self.is_batch_reshape(definition):
                return value
            assert isinstance(value, Var)
            chain.append(value)
            value = definition.args[0]

    def _dead_loads(self) -> set[Stmt]:
        """Load chains that nothing reads once every product loads its own pages."""
        candidates = {
            var
            for product in self.products.values()
            for operand in (product.lhs, product.rhs)
            if not operand.whole
            for var in operand.chain
        }
        changed = True
        while changed:
            changed = False
            for var in tuple(candidates):
                if not all(self._vanishes(var, read, candidates) for read in self.reads.of(var)):
                    candidates.discard(var)
                    changed = True
        definitions = (self.reads.definition(var) for var in candidates)
        return {stmt for stmt in definitions if stmt is not None}

    def _vanishes(self, var: Var, read: Read, candidates: set[Var]) -> bool:
        """Whether the statement of ``read`` will not read ``var`` any more."""
        definition = self.reads.definition(var)
        if definition is None or not self.reads.same_list(read.stmt, definition):
            return False
        product = self.products.get(read.stmt)
        if product is None:
            return isinstance(read.stmt, AssignStmt) and read.stmt.var in candidates
        assert isinstance(read.stmt, AssignStmt) and isinstance(read.stmt.value, Call)
        lhs_at, rhs_at = BATCH_OPERANDS[read.stmt.value.name]
        if read.position == lhs_at:
            return not product.lhs.whole
        return read.position == rhs_at and not product.rhs.whole


def _window_is_contiguous(load: Call) -> bool:
    tensor, valid = load.args[0].type, load.args[3]
    kind = load.type
    if not isinstance(tensor, TensorType) or not isinstance(valid, MakeTuple):
        return True
    if not isinstance(kind, TileType) or kind.rank <= 2:
        return True
    return collapses_contiguously(valid.elements, tensor.shape)


def _broadcast(left: tuple[int, ...], right: tuple[int, ...], call: Call) -> tuple[int, ...]:
    rank = max(len(left), len(right))
    padded_left = (1,) * (rank - len(left)) + left
    padded_right = (1,) * (rank - len(right)) + right
    out = []
    for a, b in zip(padded_left, padded_right, strict=True):
        if a != b and 1 not in (a, b):
            reject(
                "tile-rank",
                f"{call.name} batch dimensions must broadcast, got {list(left)} and {list(right)}",
                call.span,
            )
        out.append(b if a == 1 else a)
    return tuple(out)
