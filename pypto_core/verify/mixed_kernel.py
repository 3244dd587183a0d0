"""MixedKernelExpanded: cube and vector code are apart and their pipes are complete (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pypto_core import ir
from pypto_core.analysis import lanes
from pypto_core.analysis.affinity import Affinity, classify_call_affinity
from pypto_core.analysis.statements import as_var, leaf_call
from pypto_core.analysis.tpop import tpop_origins
from pypto_core.diagnostics import Diagnostic, Related
from pypto_core.verify.base import Context, Finding, Verifier, author_name, best_span
from pypto_core.verify.tfree_faults import POP_OF_FREE, no_origin, wrong_direction

RULE = "MixedKernelExpanded"
CODE = "mixed-kernel-expanded"
_report = Finding(RULE)

C2V, V2C = 1, 2
_NAMES = {C2V: "C2V", V2C: "V2C"}
_RESERVE, _IMPORT = "system.reserve_buffer", "system.import_peer_buffer"
_IMPLICIT_SLOTS = {1: 8, 2: 8, 3: 4}


@dataclass(frozen=True, slots=True)
class _Side:
    """One core: what it pops, pushes, frees and sets up. A pop comes from the peer, a push goes to it."""

    ops: lanes.Side
    peer: lanes.Side
    pop_direction: int

    @property
    def push_direction(self) -> int:
        return C2V + V2C - self.pop_direction


_SIDES = {
    ir.FunctionType.AIC: _Side(lanes.AIC, lanes.AIV, V2C),
    ir.FunctionType.AIV: _Side(lanes.AIV, lanes.AIC, C2V),
}


#: The calls of a function that have to do with pipes, each with its statement.
_PipeCalls = list[tuple[ir.Stmt, ir.Call]]


def _pipe_calls(body: ir.Stmt, side: _Side) -> _PipeCalls:
    names = {side.ops.pop, side.ops.push, side.ops.pipe_init, _RESERVE, _IMPORT}
    if names.isdisjoint(ir.called_names(body)):
        return []
    leaves = ((stmt, leaf_call(stmt)) for stmt in ir.walk_stmts(body))
    return [(stmt, call) for stmt, call in leaves if call is not None and call.op.name in names]


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    if function.func_type is ir.FunctionType.InCore:
        yield from _unmixed(function)
        return
    side = _SIDES.get(function.func_type)
    if side is None:
        return
    calls = _pipe_calls(function.body, side)
    yield from _pop_memory(function, side, calls)
    yield from _pipe_counts(function, side, calls)
    yield from _set_up(function, side, calls)
    for stmt, call in calls:
        if call.name == side.ops.pipe_init:
            yield from _initialize(function, call, best_span(call.span, stmt.span))
    received_or_freed = {side.ops.pop, side.ops.free, side.peer.free}
    if not received_or_freed.isdisjoint(ir.called_names(function.body)):
        yield from _frees(function.body, function, side, tpop_origins(function.body))


def _unmixed(function: ir.Function) -> Iterator[Diagnostic]:
    cube: ir.Call | None = None
    vector: ir.Call | None = None
    for call in ir.calls_in(function.body):
        if not isinstance(call, ir.Call):
            continue
        affinity = classify_call_affinity(call)
        if affinity in (Affinity.CUBE, Affinity.MIXED):
            cube = cube or call
        if affinity in (Affinity.VECTOR, Affinity.MIXED):
            vector = vector or call
    if cube is not None and vector is not None:
        yield _report(
            CODE,
            0,
            f"InCore function '{function.name}' holds both cube and vector work ('{cube.name}' and '{vector.name}')",
            function.span,
            related=(Related("cube work", cube.span), Related("vector work", vector.span)),
        )


def _pop_memory(function: ir.Function, side: _Side, calls: _PipeCalls) -> Iterator[Diagnostic]:
    for stmt, call in calls:
        if call.name != side.ops.pop or not isinstance(stmt, ir.AssignStmt):
            continue
        type_ = stmt.var.type
        space = type_.memory_space if isinstance(type_, ir.TileType) else None
        if space is not None and space is not side.ops.transfer_memory:
            yield _report(
                CODE,
                0,
                f"In function '{function.name}' the result of '{call.name}' must be in {side.ops.transfer_memory.name}, but is "
                f"in {space.name}",
                stmt.span,
            )


def _pipe_counts(function: ir.Function, side: _Side, calls: _PipeCalls) -> Iterator[Diagnostic]:
    reserves = imports = wanted_reserves = wanted_imports = 0
    for _stmt, call in calls:
        if call.name == _RESERVE:
            reserves += 1
        elif call.name == _IMPORT:
            imports += 1
        elif call.name == side.ops.pipe_init:
            mask = _int(call.kwargs.get("dir_mask")) or 0
            wanted_reserves += bool(mask & side.pop_direction)
            wanted_imports += bool(mask & side.push_direction)
    for op, have, want in (
        (_RESERVE, reserves, wanted_reserves),
        (_IMPORT, imports, wanted_imports),
    ):
        if have != want:
            word = "fewer" if have < want else "more"
            yield _report(
                CODE,
                0,
                f"Function '{function.name}' has {word} '{op}' calls than its '{side.ops.pipe_init}' calls need: {have}, "
                f"needed {want}",
                function.span,
            )


def _int(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _set_up(function: ir.Function, side: _Side, calls: _PipeCalls) -> Iterator[Diagnostic]:
    """What has to stand before the first transfer."""
    before: set[str] = set()
    before_first: set[str] | None = None
    directions: set[int] = set()
    dynamic: str | None = None
    for stmt, call in calls:
        if call.name in (side.ops.pop, side.ops.push):
            if before_first is None:
                before_first = set(before)
            directions.add(side.pop_direction if call.name == side.ops.pop else side.push_direction)
            tile = (
                stmt.var.type
                if call.name == side.ops.pop and isinstance(stmt, ir.AssignStmt)
                else call.args[0].type
                if call.args
                else None
            )
            if isinstance(tile, ir.TileType) and ir.const_dims(tile.shape) is None:
                dynamic = dynamic or call.name
        else:
            before.add(call.name)
    if before_first is None:
        return
    name = function.name
    if dynamic is not None:
        yield _report(
            CODE,
            0,
            f"Function '{name}' transfers a tile of dynamic size with '{dynamic}'; a pipe slot has a fixed size",
            function.span,
        )
    if side.ops.pipe_init not in before_first:
        yield _report(
            CODE,
            0,
            f"Function '{name}' has no '{side.ops.pipe_init}' before its first cross-core transfer",
            function.span,
        )
    for direction in sorted(directions):
        op = _RESERVE if direction == side.pop_direction else _IMPORT
        if op not in before_first:
            yield _report(
                CODE,
                0,
                f"Function '{name}' uses direction {_NAMES[direction]}, but has no '{op}' before its first "
                "cross-core transfer",
                function.span,
            )


def _initialize(function: ir.Function, call: ir.Call, span: ir.Span) -> Iterator[Diagnostic]:
    for fault in _initialize_faults(call):
        yield _report(CODE, 0, f"'{call.name}' {fault} in function '{function.name}'", span)


def _initialize_faults(call: ir.Call) -> Iterator[str]:
    if len(call.args) != 2:
        yield f"takes two buffers, got {len(call.args)}"
        return
    mask = _int(call.kwargs.get("dir_mask"))
    if mask not in (1, 2, 3):
        yield f"needs a dir_mask of 1, 2 or 3, got {mask}"
        return
    slot_size = _int(call.kwargs.get("slot_size"))
    if slot_size is None or slot_size <= 0:
        yield f"needs a positive slot_size, got {slot_size}"
    slots = _int(call.kwargs.get("slot_num"))
    if slots is not None and slots <= 0:
        yield f"needs a positive slot_num, got {slots}"
    local = _int(call.kwargs.get("local_slot_num"))
    total = slots if slots is not None else _IMPLICIT_SLOTS[mask]
    if local is not None and not 0 < local <= total:
        yield f"needs a local_slot_num between 1 and {total}, got {local}"
    for direction, operand in zip((C2V, V2C), call.args, strict=True):
        is_zero = isinstance(operand, ir.ConstInt) and operand.value == 0
        if mask & direction and is_zero:
            yield f"has no buffer for its active direction {_NAMES[direction]}"
        elif not mask & direction and not is_zero:
            yield f"has a buffer for direction {_NAMES[direction]}, which its dir_mask leaves out"


def _frees(
    body: ir.Stmt, function: ir.Function, side: _Side, pops: Mapping[ir.Var, ir.Call]
) -> Iterator[Diagnostic]:
    """Pops and frees of one statement list.

    A received tile is also "never freed" when its free is the wrong one: that finding is marked as a follow-up.
    """
    outstanding: dict[ir.Var, ir.Stmt] = {}
    misdirected: set[ir.Var] = set()
    strays = 0
    for stmt in ir.body_stmts(body):
        call = leaf_call(stmt)
        if call is not None and call.name == side.ops.pop and isinstance(stmt, ir.AssignStmt):
            outstanding[stmt.var] = stmt
        elif call is not None and call.name in (side.ops.free, side.peer.free) and call.args:
            var = as_var(call.args[0])
            pop = pops.get(var) if var is not None else None
            span = best_span(call.span, stmt.span)
            if var is None or pop is None:
                strays += 1
                yield no_origin(call, span, RULE)
            elif POP_OF_FREE[call.name] != pop.name:
                misdirected.add(var)
                yield wrong_direction(call, pop, span, RULE)
            elif outstanding.pop(var, None) is None:
                yield _report(
                    CODE,
                    0,
                    f"'{call.name}' in function '{function.name}' frees '{author_name(var)}', which no '{side.ops.pop}' before "
                    "it in this block received",
                    span,
                )
    for var, stmt in outstanding.items():
        yield _report(
            CODE,
            0,
            f"'{author_name(var)}', received by '{side.ops.pop}' in function '{function.name}', is never freed in its "
            f"block: add `pl.{side.ops.free.removeprefix('system.')}({author_name(var)})` after its last use",
            stmt.span,
            data={
                "name": author_name(var),
                "free": side.ops.free,
                "follow_up": var in misdirected or strays == len(outstanding),
            },
        )


VERIFIER = Verifier("MixedKernelExpanded", RULE, check)
