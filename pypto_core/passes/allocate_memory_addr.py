"""AllocateMemoryAddr: every allocation gets its address (docs/spec/passes_tile.md §9.5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pypto_core.analysis.memory_use import RESERVE, over_capacity
from pypto_core.backend import ALLOCATION_ALIGNMENT, Backend, align_up, get_backend
from pypto_core.ir import (
    AssignStmt,
    Call,
    ConstInt,
    DataType,
    Expr,
    Function,
    FunctionType,
    MemorySpace,
    MemRef,
    Span,
    TileType,
    Type,
    Var,
    calls_in,
    make_binary,
    walk_stmts,
)
from pypto_core.ir.rewrite import Rewriter
from pypto_core.ir.walk import stmt_defs
from pypto_core.passes.allocation.references import memref_of, retyped_function, with_memref
from pypto_core.passes.base import Pass, PassContract, map_functions
from pypto_core.passes.tile_calls import reject

CONTRACT = PassContract.of(
    "SplitIncoreOrch IncoreTileOps HasMemRefs TileOps2D", "AllocatedMemoryAddr", function_local=True
)

_AUTO_BASE = -1


def allocate_memory_addr(*, backend: str | Backend | None = None) -> Pass:
    """The pass for one chip, whose capacities it checks; without a chip nothing is checked.

    Raises:
        PassError: ``memory-capacity`` for a kernel that needs more of a memory space than there is.
    """
    chip = get_backend(backend)
    return Pass(
        "AllocateMemoryAddr",
        CONTRACT,
        lambda program: map_functions(program, lambda f: allocate_function(f, chip)),
    )


@dataclass(slots=True)
class Allocation:
    """Bytes of one memory space, and the tiles that lie in them."""

    base: Var
    space: MemorySpace
    size: int
    span: Span
    address: int = 0
    members: list[Var] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SpacePlan:
    """One memory space of a kernel in bytes: what pipes reserve lies below ``floor``, everything below ``used``."""

    space: MemorySpace
    floor: int
    used: int
    allocations: tuple[Allocation, ...]


def allocate_function(function: Function, chip: Backend | None) -> Function:
    """``function`` with addresses in every memory reference of its tiles; itself when it has none."""
    if not function.func_type.is_incore:
        return function
    function, reserved = _reserve(function)
    types: dict[Var, Type] = {}
    for plan in _plans(function, reserved):
        capacity = 0 if chip is None else chip.mem_size(plan.space)
        if capacity and plan.used > capacity:
            largest = max(plan.allocations, key=lambda a: a.size)
            reject(
                "memory-capacity",
                over_capacity(function, plan.space, plan.used, capacity, plan.floor),
                largest.span if largest.span.is_valid else function.span,
                space=plan.space.name,
                used=plan.used,
                limit=capacity,
            )
        for allocation in plan.allocations:
            for var in allocation.members:
                memref = memref_of(var.type)
                assert memref is not None
                placed = memref.with_(byte_offset=_address(memref, allocation.address))
                types[var] = with_memref(var.type, placed)
    return retyped_function(function, types)


def memory_plans(function: Function) -> list[SpacePlan]:
    """What every memory space of a kernel holds, whether it fits or not."""
    return list(_plans(*_reserve(function)))


def _plans(function: Function, reserved: _Reserved | None) -> Iterator[SpacePlan]:
    allocations = _allocations(function)
    for space in sorted({allocation.space for allocation in allocations}):
        inside = sorted((a for a in allocations if a.space is space), key=lambda a: a.base.name_hint)
        floor = reserved.floor if reserved is not None and reserved.space is space else 0
        address = floor
        for allocation in inside:
            allocation.address = address
            address = align_up(address + allocation.size, ALLOCATION_ALIGNMENT)
        yield SpacePlan(space, floor, address, tuple(inside))


def _allocations(function: Function) -> list[Allocation]:
    """Allocations with the tiles in them, global memory left out."""
    declared: dict[Var, int] = {}
    found: dict[Var, Allocation] = {}
    for stmt in walk_stmts(function.body):
        if isinstance(stmt, AssignStmt) and isinstance(stmt.value, Call) and stmt.value.name == "tile.alloc":
            size = stmt.value.args[1]
            declared[stmt.var] = size.value if isinstance(size, ConstInt) else 0
        for var in stmt_defs(stmt):
            kind, memref = var.type, memref_of(var.type)
            if memref is None or not isinstance(kind, TileType) or kind.memory_space is None:
                continue
            if kind.memory_space is MemorySpace.DDR:
                continue
            allocation = found.get(memref.base)
            if allocation is None:
                size_of = declared.get(memref.base, 0)
                allocation = Allocation(memref.base, kind.memory_space, size_of, stmt.span)
                found[memref.base] = allocation
            allocation.size = max(allocation.size, memref.size)
            allocation.members.append(var)
    return list(found.values())


def _address(memref: MemRef, base: int) -> Expr:
    offset = memref.byte_offset
    if isinstance(offset, ConstInt):
        return ConstInt(base + offset.value, DataType.INT64)
    if memref.slot_index is not None:
        return make_binary("add", ConstInt(base), offset) if base else offset
    return ConstInt(base, DataType.INT64)


# -- reserved buffers ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Reserved:
    """What cross-core pipes hold at the start of a space; ``floor`` is the first byte behind it."""

    space: MemorySpace
    floor: int


class _Bases(Rewriter):
    """Gives automatic reserved buffers their bases, stacked from 0."""

    def __init__(self) -> None:
        self.end = 0
        self.top = 0

    def rewrite_Call(self, call: Call) -> Expr:
        if call.name != RESERVE:
            return call
        size, base = int(call.kwargs.get("size", 0)), int(call.kwargs.get("base", _AUTO_BASE))
        if base == _AUTO_BASE:
            base = self.top
            self.top = align_up(base + size, ALLOCATION_ALIGNMENT)
            call = call.with_(kwargs={**call.kwargs, "base": base})
        self.end = max(self.end, align_up(base + size, ALLOCATION_ALIGNMENT))
        return call


def _reserve(function: Function) -> tuple[Function, _Reserved | None]:
    if not any(call.name == RESERVE for call in calls_in(function.body)):
        return function, None
    bases = _Bases()
    function = function.with_(body=bases.rewrite(function.body))
    space = MemorySpace.Mat if function.func_type is FunctionType.AIC else MemorySpace.Vec
    return function, _Reserved(space, bases.end)
