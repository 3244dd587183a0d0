"""InitMemRef: every tensor and tile gets its memory (docs/spec/passes_tile.md §9.2).

A tile that an operator makes has an allocation of its own, with a ``tile.alloc`` at the top of the body; a view, a copy or a
result that lands in an operand shares that operand's. Tensors lie in global memory, which nothing allocates here.
"""

from __future__ import annotations

from collections.abc import Iterable

from pypto_core.analysis.names import written_name
from pypto_core.analysis.statements import as_var, trailing_yield
from pypto_core.arith import Analyzer
from pypto_core.backend import Backend, get_backend, physical_tile_bytes
from pypto_core.ir import (
    PTR,
    AssignStmt,
    Call,
    ConstInt,
    DataType,
    Expr,
    ForStmt,
    Function,
    IfStmt,
    IterArg,
    MakeTuple,
    MemorySpace,
    MemRef,
    SeqStmts,
    Span,
    Stmt,
    TensorLayout,
    TensorType,
    TileType,
    Type,
    Var,
    WhileStmt,
    body_stmts,
    const_dims,
    packed_strides,
)
from pypto_core.ir.deep import goes_deep
from pypto_core.ir.scalar import make_binary
from pypto_core.ir.walk import stmt_bodies
from pypto_core.passes.allocation.declared import Declared, declared_allocations
from pypto_core.passes.allocation.references import (
    memref_of,
    retyped_function,
    reused_operand,
    viewed_operand,
    with_memref,
)
from pypto_core.passes.base import Pass, PassContract, map_functions
from pypto_core.passes.tile_calls import new_call, reject

CONTRACT = PassContract.of(
    "SSAForm SplitIncoreOrch IncoreTileOps TileOps2D TileMemoryInferred",
    "HasMemRefs NormalizedStmtStructure",
    "SSAForm",
    function_local=True,
)

_SLICES = frozenset({"tile.slice", "tensor.slice"})


def init_mem_ref(*, backend: str | Backend | None = None) -> Pass:
    """The pass for one chip, which says how accumulators are padded.

    Raises:
        PassError: ``allocation-*`` for a declared allocation that cannot hold its tile, ``compiler-internal`` for a tile
            without a static shape.
    """
    chip = get_backend(backend)
    return Pass(
        "InitMemRef", CONTRACT, lambda program: map_functions(program, lambda f: init_function(f, chip))
    )


def init_function(function: Function, chip: Backend | None) -> Function:
    """``function`` with memory for all its tensors and tiles; itself when it has none."""
    memory = _Memory(chip, declared_allocations(function, chip))
    for param in function.params:
        memory.place(param, memory.fresh(param.type, param.name_hint, param.span, function.span))
    memory.stmts(body_stmts(function.body))
    new = retyped_function(function, memory.types)
    if not memory.allocations:
        return new
    return new.with_(body=SeqStmts.flatten((*memory.allocations, *body_stmts(new.body)), new.body.span))


class _Memory:
    """Walks a function in program order and decides where each variable lies. Numbers are handed out on first need."""

    def __init__(self, chip: Backend | None, declared: Declared) -> None:
        self.chip = chip
        self.declared = declared
        self.types: dict[Var, Type] = {}
        self.allocations: list[Stmt] = []
        self._made: set[Var] = set()
        self._count = 0

    # -- places ----------------------------------------------------------------------------------------------------
    def place(self, var: Var, memref: MemRef | None) -> None:
        """``var`` lies in ``memref``."""
        if memref is not None and memref is not memref_of(var.type):
            self.types[var] = with_memref(var.type, memref)

    def of(self, expr: Expr) -> MemRef | None:
        """Where a value lies."""
        var = as_var(expr)
        return None if var is None else memref_of(self.types.get(var, var.type))

    def fresh(self, kind: Type, name: str, span: Span, fallback: Span) -> MemRef | None:
        """New memory for a value of type ``kind``; None for what is neither tensor nor tile."""
        where = span if span.is_valid else fallback
        known = memref_of(kind)
        if known is not None and not known.is_pinned:
            return known
        if isinstance(kind, TensorType):
            return MemRef(self._base(MemorySpace.DDR, where), _start(), _tensor_bytes(kind), span=where)
        if not isinstance(kind, TileType) or kind.memory_space is None:
            return None
        if known is not None:
            self._allocate(known.base, kind.memory_space, self.declared.total(known), where, pinned=True)
            return self.declared.place(known)
        size = physical_tile_bytes(kind.shape, kind.dtype, kind.memory_space, self.chip)
        if size is None:
            reject(
                "compiler-internal",
                f"InitMemRef requires static shape for variable '{written_name(name, where)}': every extent of a tile must be a constant",
                where,
            )
        base = self._base(kind.memory_space, where)
        self._allocate(base, kind.memory_space, size, where)
        return MemRef(base, _start(), size, span=where)

    def _base(self, space: MemorySpace, span: Span) -> Var:
        base = Var(f"mem_{space.name.lower()}_{self._count}", PTR, span=span)
        self._count += 1
        return base

    def _allocate(
        self, base: Var, space: MemorySpace, size: int, span: Span, *, pinned: bool = False
    ) -> None:
        if base in self._made:
            return
        self._made.add(base)
        call = new_call(
            "tile.alloc",
            ConstInt(int(space)),
            ConstInt(size),
            kwargs={"pinned": True} if pinned else None,
            span=span,
        )
        self.allocations.append(AssignStmt(base, call, span=span))

    # -- statements ------------------------------------------------------------------------------------------------
    def stmts(self, stmts: Iterable[Stmt]) -> None:
        for stmt in stmts:
            if isinstance(stmt, AssignStmt):
                self._assign(stmt)
            elif isinstance(stmt, (ForStmt, WhileStmt)):
                self._loop(stmt)
            elif isinstance(stmt, IfStmt):
                self._if(stmt)
            else:
                for body in stmt_bodies(stmt):
                    self.stmts(body_stmts(body))

    def _assign(self, stmt: AssignStmt) -> None:
        var, value = stmt.var, stmt.value
        if not isinstance(var.type, (TensorType, TileType)):
            return
        shares, source = self._shared(value, var.type)
        if shares and (source is not None or isinstance(var.type, TileType)):
            if source is None:
                self._forget_pinned(var)
            self.place(var, source)
            return
        if isinstance(value, Call) and value.name.startswith("tile.tpop_"):
            return
        self.place(var, self.fresh(var.type, var.name_hint, var.span, stmt.span))

    def _forget_pinned(self, var: Var) -> None:
        known = memref_of(var.type)
        if known is not None and known.is_pinned:
            self.types[var] = with_memref(var.type, None)

    def _shared(self, value: Expr, kind: Type) -> tuple[bool, MemRef | None]:
        """Whether a value lies in the memory of another one, and that place (None: the other one has none)."""
        if as_var(value) is not None:
            return True, self.of(value)
        if not isinstance(value, Call):
            return False, None
        index = viewed_operand(value)
        if index is not None:
            source = self.of(value.args[index])
            if source is not None and value.name in _SLICES:
                return True, _window(value, source, kind)
            return True, source
        index = reused_operand(value)
        return (False, None) if index is None else (True, self.of(value.args[index]))

    def _loop(self, stmt: ForStmt | WhileStmt) -> None:
        for arg in stmt.iter_args:
            self._carry(arg)
        self.stmts(body_stmts(stmt.body))
        for result, arg in zip(stmt.return_vars, stmt.iter_args):
            if isinstance(result.type, TileType):
                self._inherit(result, arg)
            else:
                self.place(result, self.fresh(result.type, result.name_hint, result.span, stmt.span))

    def _carry(self, arg: IterArg) -> None:
        self._inherit(arg, arg.init_value)

    def _inherit(self, var: Var, source: Expr) -> None:
        """``var`` lies where ``source`` lies, in the same memory space."""
        kind = var.type
        memref = self.of(source)
        if memref is None or not isinstance(kind, (TensorType, TileType)):
            return
        if isinstance(kind, TileType):
            origin = as_var(source)
            found = None if origin is None else self.types.get(origin, origin.type)
            space = found.memory_space if isinstance(found, TileType) else kind.memory_space
            self.types[var] = kind.with_(memref=memref, memory_space=space)
        else:
            self.place(var, memref)

    @goes_deep
    def _if(self, stmt: IfStmt) -> None:
        for body in stmt_bodies(stmt):
            self.stmts(body_stmts(body))
        yields = [trailing_yield(body) for body in stmt_bodies(stmt)]
        for position, result in enumerate(stmt.return_vars):
            if not isinstance(result.type, TileType):
                self.place(result, self.fresh(result.type, result.name_hint, result.span, stmt.span))
                continue
            for ended in yields:
                value = ended.values[position] if ended is not None and position < len(ended.values) else None
                if value is not None and self.of(value) is not None:
                    self._inherit(result, value)
                    break


def _start() -> ConstInt:
    return ConstInt(0, DataType.INT64)


def _tensor_bytes(kind: TensorType) -> int:
    """Bytes of a tensor, 0 when an extent is known at run time only."""
    dims = const_dims(kind.shape)
    if dims is None:
        return 0
    count = 1
    for dim in dims:
        count *= dim
    return kind.dtype.storage_bytes(count)


def _window(call: Call, source: MemRef, kind: Type) -> MemRef:
    """The piece of ``source`` that a slice looks at: its first byte, and the bytes up to its last element."""
    parent = call.args[0].type
    extents, offsets = call.args[1], call.args[2]
    assert isinstance(parent, (TensorType, TileType)) and isinstance(kind, (TensorType, TileType))
    strides = packed_strides(parent.shape, TensorLayout.ND)
    if not (isinstance(extents, MakeTuple) and isinstance(offsets, MakeTuple) and strides is not None):
        return source
    if not len(extents.elements) == len(offsets.elements) == len(strides):
        return source
    bits = kind.dtype.storage_bits
    place: Expr = ConstInt(0)
    for offset, stride in zip(offsets.elements, strides):
        place = make_binary("add", place, make_binary("mul", offset, stride))
    size = bits // 8
    place = make_binary("mul", place, size) if size else make_binary("floordiv", place, 2)
    if not (isinstance(source.byte_offset, ConstInt) and source.byte_offset.value == 0):
        place = make_binary("add", _as_index(source.byte_offset), place)
    steps, widths = const_dims(extents.elements), const_dims(strides)
    length = source.size
    if steps is not None and widths is not None:
        elements = 1 + sum((extent - 1) * stride for extent, stride in zip(steps, widths))
        length = kind.dtype.storage_bytes(elements)
    return source.with_(byte_offset=Analyzer().simplify(place), size=length)


def _as_index(offset: Expr) -> Expr:
    return ConstInt(offset.value) if isinstance(offset, ConstInt) else offset
