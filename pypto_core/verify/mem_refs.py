"""HasMemRefs and AllocatedMemoryAddr: tiles have memory, addresses and room (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.analysis.memory_use import RESERVE, over_capacity
from pypto_core.analysis.spans import target_span
from pypto_core.analysis.statements import as_var
from pypto_core.backend import ALLOCATION_ALIGNMENT, align_up
from pypto_core.diagnostics import Diagnostic
from pypto_core.verify.base import Context, Finding, Verifier, author_name, best_span

_has = Finding("HasMemRefs")
_addr = Finding("AllocatedMemoryAddr")

_POPS = ("tile.tpop_from_aic", "tile.tpop_from_aiv")
_VIEWS = ("tile.reshape", "tile.reinterpret_view", "tile.slice", "tile.set_validshape")
_UNALLOCATED = (ir.MemorySpace.DDR,)


def _tile_vars(function: ir.Function) -> Iterator[tuple[ir.Var, ir.TileType, ir.Span]]:
    """Tile variables that the function defines, each once, with their place."""
    seen: set[ir.Var] = set()
    for stmt in ir.walk_stmts(function.body):
        for var in ir.stmt_defs(stmt):
            if isinstance(var.type, ir.TileType) and var not in seen:
                seen.add(var)
                span = target_span(stmt, var) if isinstance(stmt, ir.AssignStmt) else var.span
                yield var, var.type, best_span(span, stmt.span)


def _of_pops(function: ir.Function) -> set[ir.Expr]:
    """Results of receives, and views and copies of them: they live in the pipe's slots."""
    found: set[ir.Expr] = set()
    for stmt in ir.walk_stmts(function.body):
        if not isinstance(stmt, ir.AssignStmt):
            continue
        value = stmt.value
        source = as_var(value)
        if isinstance(value, ir.Call):
            if value.name in _POPS:
                found.add(stmt.var)
            elif value.name in _VIEWS and value.args:
                source = as_var(value.args[0])
        if source is not None and source in found:
            found.add(stmt.var)
    return found


def check_refs(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    exempt = _of_pops(function)
    for var, type_, span in _tile_vars(function):
        if type_.memref is None and var not in exempt:
            yield _has(
                "tile-without-memref",
                0,
                f"Tile '{author_name(var)}' has no memory reference in function '{function.name}'",
                span,
            )


def _reserved_end(function: ir.Function, space: ir.MemorySpace) -> int:
    """First byte behind the buffers that pipes hold in ``space``."""
    holder = ir.MemorySpace.Mat if function.func_type is ir.FunctionType.AIC else ir.MemorySpace.Vec
    ends = [
        max(0, int(call.kwargs.get("base", 0))) + int(call.kwargs.get("size", 0))
        for call in ir.calls_in(function.body)
        if call.name == RESERVE
    ]
    return align_up(max(ends, default=0), ALLOCATION_ALIGNMENT) if space is holder else 0


def check_addresses(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    exempt = _of_pops(function)
    used: dict[ir.MemorySpace, int] = {}
    for var, type_, span in _tile_vars(function):
        space = type_.memory_space
        if var in exempt or space is None or space in _UNALLOCATED:
            continue
        memref = type_.memref
        offset = memref.byte_offset if memref is not None else None
        if memref is None or (isinstance(offset, ir.ConstInt) and offset.value < 0):
            yield _addr(
                "tile-without-address",
                0,
                f"Tile '{author_name(var)}' has no valid address in {space.name} in function '{function.name}'",
                span,
            )
        elif isinstance(offset, ir.ConstInt):
            end = align_up(offset.value + memref.size, ALLOCATION_ALIGNMENT)
            used[space] = max(used.get(space, 0), end)
    if context.backend is None:
        return
    for space in sorted(used):
        limit = context.backend.mem_size(space)
        if limit and used[space] > limit:
            text = over_capacity(function, space, used[space], limit, _reserved_end(function, space))
            yield _addr(
                "memory-capacity",
                1,
                f"Function '{function.name}': {text}",
                function.span,
                data={"space": space.name, "used": used[space], "limit": limit},
            )


HAS_MEM_REFS = Verifier("HasMemRefs", "HasMemRefs", check_refs)
ALLOCATED = Verifier("AllocatedMemoryAddr", "AllocatedMemoryAddr", check_addresses)
