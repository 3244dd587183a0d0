"""Author pipelines whose accumulator may be double buffered (``docs/spec/passes_tile.md`` 4.7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pypto_core.backend import ALLOCATION_ALIGNMENT, Backend, align_up, physical_tile_bytes
from pypto_core.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    ForKind,
    ForStmt,
    Function,
    IfStmt,
    IterArg,
    MemorySpace,
    Stmt,
    TileType,
    Var,
    WhileStmt,
    YieldStmt,
    body_stmts,
    const_dim,
    const_dims,
    walk_stmts,
)
from pypto_core.ir.walk import stmt_bodies, stmt_exprs, walk_exprs
from pypto_core.passes.reads import Reads

OVERLAP_STORES = "pipeline_overlap_stores"
DOUBLE_BUFFER_C = "pipeline_double_buffer_c"
_STORE_LIKE = {"tile.store": (0, 2), "tile.assemble": (1, 0), "tile.write": (2, 0)}
"""Operator -> positions of (source, target)."""
_PRODUCTS = frozenset({"tile.matmul", "tile.matmul_acc", "tile.matmul_bias"})


def marked(loop: ForStmt) -> ForStmt:
    """``loop`` with both marks at the end of its attributes."""
    attrs: dict[str, Any] = {
        k: v for k, v in loop.attrs.items() if k not in (OVERLAP_STORES, DOUBLE_BUFFER_C)
    }
    return loop.with_(attrs={**attrs, OVERLAP_STORES: False, DOUBLE_BUFFER_C: True})


def loops_to_mark(function: Function, reads: Reads, backend: Backend) -> frozenset[ForStmt]:
    """Pipelines of the author that gain from a second accumulator; none when L0C cannot hold all of them."""
    capacity = backend.mem_size(MemorySpace.Acc)
    selected: dict[ForStmt, int] = {}
    for stmt in walk_stmts(function.body):
        if isinstance(stmt, ForStmt):
            slot = _extra_slot(stmt, reads, backend, capacity)
            if slot is not None:
                selected[stmt] = slot
    if not selected:
        return frozenset()
    used = _acc_bytes(function.body, backend, 1)
    if used is None or used + sum(selected.values()) > capacity:
        return frozenset()
    return frozenset(selected)


def _acc_size(var: Var, backend: Backend) -> int | None:
    kind = var.type
    if not isinstance(kind, TileType):
        return None
    size = physical_tile_bytes(kind.shape, kind.dtype, MemorySpace.Acc, backend)
    return None if size is None else align_up(size, ALLOCATION_ALIGNMENT)


def _space(expr: Expr) -> MemorySpace | None:
    kind = expr.type
    return kind.memory_space if isinstance(kind, TileType) else None


def _is_acc(expr: Expr) -> bool:
    return _space(expr) is MemorySpace.Acc


def _acc_bytes(body: Stmt, backend: Backend, copies: int) -> int | None:
    """Bytes of every Acc value below ``body``; values that are not products exist once per surrounding stage."""
    total = 0
    for stmt in body_stmts(body):
        owned: list[tuple[Var, int]] = []
        if isinstance(stmt, AssignStmt):
            product = isinstance(stmt.value, Call) and stmt.value.name in _PRODUCTS
            owned = [(stmt.var, 1 if product or not isinstance(stmt.value, Call) else copies)]
        elif isinstance(stmt, (ForStmt, WhileStmt, IfStmt)):
            owned = [(var, 1) for var in stmt.return_vars]
        for var, count in owned:
            if _is_acc(var):
                size = _acc_size(var, backend)
                if size is None:
                    return None
                total += size * count
        stages = stmt.attrs.get("pipeline_stages", 1) if isinstance(stmt, ForStmt) else 1
        for inner in stmt_bodies(stmt):
            nested = _acc_bytes(inner, backend, copies * stages)
            if nested is None:
                return None
            total += nested
    return total


@dataclass(frozen=True, slots=True)
class _Drain:
    """The one store of a pipeline body and the carried value it continues."""

    stmt: AssignStmt
    call: Call
    target: IterArg


def _extra_slot(loop: ForStmt, reads: Reads, backend: Backend, capacity: int) -> int | None:
    """Bytes of a second accumulator if ``loop`` qualifies for one."""
    if loop.kind is not ForKind.Pipeline or OVERLAP_STORES in loop.attrs or DOUBLE_BUFFER_C in loop.attrs:
        return None
    trips, stages = _trip_count(loop), loop.attrs.get("pipeline_stages", 1)
    if trips is None or stages < 2 or trips < stages or trips % stages:
        return None
    stmts = body_stmts(loop.body)
    if not all(isinstance(stmt, (AssignStmt, EvalStmt, YieldStmt)) for stmt in stmts):
        return None
    product = _only_product(stmts)
    if product is None or not _streams_one_operand(product, stmts):
        return None
    if len(reads.of(product.var)) != 1 or not _no_other_acc(product, loop, stmts):
        return None
    drain = _drain(product, loop, stmts, reads)
    size = _acc_size(product.var, backend)
    if drain is None or size is None:
        return None
    if drain.call.name == "tile.store":
        return size if trips >= 4 else None
    in_mat = _space(drain.target) is MemorySpace.Mat and _space(drain.stmt.var) is MemorySpace.Mat
    worthwhile = trips >= 8 and size >= -(-capacity // 4)
    return size if in_mat and worthwhile else None


def _trip_count(loop: ForStmt) -> int | None:
    start, stop, step = (const_dim(bound) for bound in (loop.start, loop.stop, loop.step))
    if start is None or stop is None or step is None or step <= 0:
        return None
    return max(0, -(-(stop - start) // step))


def _calls(stmts: tuple[Stmt, ...]) -> Iterator[tuple[Stmt, Call]]:
    for stmt in stmts:
        for root in stmt_exprs(stmt):
            for expr in walk_exprs(root):
                if isinstance(expr, Call):
                    yield stmt, expr


def _only_product(stmts: tuple[Stmt, ...]) -> AssignStmt | None:
    """The assignment of the only Acc tile that a call of the body makes, a matmul of placed operands."""
    making = [(stmt, call) for stmt, call in _calls(stmts) if _is_acc(call)]
    if len(making) != 1:
        return None
    stmt, call = making[0]
    if not isinstance(stmt, AssignStmt) or stmt.value is not call:
        return None
    if call.name != "tile.matmul" or len(call.args) != 2 or not _is_acc(stmt.var):
        return None
    if [_space(arg) for arg in call.args] != [MemorySpace.Left, MemorySpace.Right]:
        return None
    kinds = (*(arg.type for arg in call.args), stmt.var.type)
    static = all(isinstance(k, TileType) and const_dims(k.shape) is not None for k in kinds)
    return stmt if static else None


def _streams_one_operand(product: AssignStmt, stmts: tuple[Stmt, ...]) -> bool:
    """One operand is brought from Mat in every trip, the other stays outside the loop."""
    assert isinstance(product.value, Call)
    definitions = {stmt.var: stmt.value for stmt in stmts if isinstance(stmt, AssignStmt)}
    inside = [arg for arg in product.value.args if arg in definitions]
    outside = [arg for arg in product.value.args if arg not in definitions]
    if len(inside) != 1 or len(outside) != 1 or type(outside[0]) is not Var:
        return False
    assert isinstance(inside[0], Var)
    bring = definitions[inside[0]]
    return (
        isinstance(bring, Call)
        and bring.name in ("tile.extract", "tile.move")
        and _space(bring.args[0]) is MemorySpace.Mat
        and _space(bring) is _space(inside[0])
    )


def _no_other_acc(product: AssignStmt, loop: ForStmt, stmts: tuple[Stmt, ...]) -> bool:
    for stmt in stmts:
        if isinstance(stmt, AssignStmt) and stmt is not product and _is_acc(stmt.var):
            return False
        for root in stmt_exprs(stmt):
            for expr in walk_exprs(root):
                if isinstance(expr, Var) and expr is not product.var and _is_acc(expr):
                    return False
    return not any(_is_acc(arg) for arg in loop.iter_args)


def _drain(product: AssignStmt, loop: ForStmt, stmts: tuple[Stmt, ...], reads: Reads) -> _Drain | None:
    """The only store-like call: it takes the product, continues a carried value and is yielded in its place."""
    stores = [(stmt, call) for stmt, call in _calls(stmts) if call.name in _STORE_LIKE]
    if len(stores) != 1:
        return None
    stmt, call = stores[0]
    if not isinstance(stmt, AssignStmt) or stmt.value is not call or len(call.args) != 3:
        return None
    source, target_at = _STORE_LIKE[call.name]
    target = call.args[target_at]
    if (
        call.args[source] is not product.var
        or not isinstance(target, IterArg)
        or target not in loop.iter_args
    ):
        return None
    last = stmts[-1]
    if not isinstance(last, YieldStmt):
        return None
    position = loop.iter_args.index(target)
    if position >= len(last.values) or last.values[position] is not stmt.var:
        return None
    if len(reads.of(target)) != 1 or len(reads.of(stmt.var)) != 1:
        return None
    return _Drain(stmt, call, target)
