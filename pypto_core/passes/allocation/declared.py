"""Allocations that the author declared with ``pl.MemRef("name")`` (docs/spec/passes_tile.md §9.2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn

from pypto_core.analysis.names import describe
from pypto_core.analysis.spans import target_span
from pypto_core.analysis.statements import as_var
from pypto_core.backend import Backend, physical_tile_bytes
from pypto_core.ir import (
    AssignStmt,
    Call,
    ConstInt,
    DataType,
    Function,
    MemorySpace,
    MemRef,
    Span,
    TileType,
    Var,
    walk_stmts,
)
from pypto_core.ir.scalar import make_binary
from pypto_core.passes.allocation.references import memref_of, reused_operand, viewed_operand
from pypto_core.passes.tile_calls import reject


@dataclass(slots=True)
class _Allocation:
    space: MemorySpace
    slots: int
    first: str
    slot_size: int = 0


@dataclass(slots=True)
class Declared:
    """Sizes of the declared allocations of one function. A slot is as large as the largest tile bound to one."""

    known: dict[Var, _Allocation] = field(default_factory=dict)

    def total(self, memref: MemRef) -> int:
        """Bytes of the whole allocation."""
        allocation = self.known[memref.base]
        return allocation.slots * allocation.slot_size

    def place(self, memref: MemRef) -> MemRef:
        """The slot that a pinned reference means, with its offset and size."""
        size, index = self.known[memref.base].slot_size, memref.slot_index
        if index is None or isinstance(index, ConstInt):
            first = 0 if index is None else index.value * size
            return memref.with_(byte_offset=ConstInt(first, DataType.INT64), size=size, is_pinned=False)
        return memref.with_(byte_offset=make_binary("mul", index, size), size=size, is_pinned=False)


def declared_allocations(function: Function, chip: Backend | None) -> Declared:
    """The declared allocations of a function, sized.

    Raises:
        PassError: ``allocation-of-view`` for a tile that lies in its operand's memory, ``allocation-dynamic`` for one
            whose size is not known, ``allocation-mismatch`` for tiles that disagree about an allocation.
    """
    declared = Declared()
    for stmt in walk_stmts(function.body):
        if not isinstance(stmt, AssignStmt) or not isinstance(stmt.var.type, TileType):
            continue
        memref = memref_of(stmt.var.type)
        if memref is not None and memref.is_pinned:
            _bind(declared, stmt, stmt.var.type, memref, chip)
    return declared


def _bind(declared: Declared, stmt: AssignStmt, kind: TileType, memref: MemRef, chip: Backend | None) -> None:
    span = target_span(stmt, stmt.var)
    tile = describe(stmt.var, span)
    call = stmt.value
    shared = _operand(call) if isinstance(call, Call) else None
    if isinstance(call, Call) and shared is not None:
        source = as_var(call.args[shared])
        inherited = None if source is None else memref_of(source.type)
        if inherited is not None and inherited.base is memref.base:
            return  # Its type came from the operand: the author bound the operand, not this tile.
        reject(
            "allocation-of-view",
            f"Tile '{tile}' is produced by '{call.name}', which lands in its source tile's allocation, so it cannot be "
            "given one of its own. Bind the source tile instead.",
            span,
        )
    size = physical_tile_bytes(kind.shape, kind.dtype, kind.memory_space, chip)
    name = memref.name_hint
    if size is None:
        reject(
            "allocation-dynamic",
            f"Tile '{tile}' is bound to the declared allocation '{name}', which requires a static shape",
            span,
        )
    assert kind.memory_space is not None
    known = declared.known.setdefault(memref.base, _Allocation(kind.memory_space, memref.slot_count, tile))
    if known.space is not kind.memory_space:
        _disagree(f"lies in {kind.memory_space.name}", f"lies in {known.space.name}", known, tile, name, span)
    if known.slots != memref.slot_count:
        _disagree(f"says {memref.slot_count} slots", f"says {known.slots}", known, tile, name, span)
    known.slot_size = max(known.slot_size, size)


def _operand(call: Call) -> int | None:
    viewed = viewed_operand(call)
    return reused_operand(call) if viewed is None else viewed


def _disagree(this: str, other: str, known: _Allocation, tile: str, name: str, span: Span) -> NoReturn:
    reject(
        "allocation-mismatch",
        f"Tile '{tile}' and tile '{known.first}' disagree about the declared allocation '{name}': '{tile}' {this}, "
        f"'{known.first}' {other}",
        span,
    )
