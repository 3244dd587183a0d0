"""Core affinity: which core of a mixed kernel performs a call (docs/spec/passes_split.md §1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from functools import cache

from pypto_core.analysis.lanes import BOUNDARY_OPS
from pypto_core.analysis.statements import leaf_call
from pypto_core.ir import Call, GlobalVar, MemorySpace, Op, Stmt, TileType
from pypto_core.ir.deep import goes_deep
from pypto_core.ir.walk import stmt_bodies
from pypto_core.ops.registry import CoreAffinity, FixedSpace, OpDef, SpaceFromKwarg, find_op

Affinity = CoreAffinity


class MoveDirection(Enum):
    NONE = "none"
    CUBE_TO_VECTOR = "C->V"
    VECTOR_TO_CUBE = "V->C"


_STATED_BY_KWARG = frozenset({"system.syncall", "system.sync_set", "system.sync_wait"})
_SYNCALL = {"aic_only": Affinity.CUBE, "aiv_only": Affinity.VECTOR}
_SYNC = {"aic": Affinity.CUBE, "aiv": Affinity.VECTOR}


def combine(a: Affinity, b: Affinity) -> Affinity:
    """Join of two affinities; SHARED is neutral."""
    if a is b or b is Affinity.SHARED:
        return a
    return b if a is Affinity.SHARED else Affinity.MIXED


def is_cube_memory(space: MemorySpace) -> bool:
    """Every space except DDR and Vec (narrower sets exist elsewhere: docs/spec/ir.md §1.5)."""
    return space is not MemorySpace.DDR and space is not MemorySpace.Vec


def _of_memory(space: MemorySpace) -> Affinity:
    return Affinity.CUBE if is_cube_memory(space) else Affinity.VECTOR


def first_tile_arg_memory(call: Call) -> MemorySpace | None:
    """Memory space of the first tile argument. The *type* of the argument is read, so inline projections count."""
    for arg in call.args:
        type_ = arg.type
        if type(type_) is TileType:
            return type_.memory_space
    return None


def classify_move_direction(call: Call) -> MoveDirection:
    """Direction in which a ``tile.move`` crosses between the cores."""
    if call.op.name != "tile.move":
        return MoveDirection.NONE
    target = call.kwargs.get("target_memory")
    source = first_tile_arg_memory(call)
    if source is None or not isinstance(target, MemorySpace):
        return MoveDirection.NONE
    if is_cube_memory(source) == is_cube_memory(target):
        return MoveDirection.NONE
    return MoveDirection.CUBE_TO_VECTOR if is_cube_memory(source) else MoveDirection.VECTOR_TO_CUBE


def _declaration(call: Call) -> OpDef | None:
    """The operator's declaration; None for a function reference (whatever its name) or an unknown name."""
    return None if type(call.op) is GlobalVar else find_op(call.name)


#: What decides the affinity of the calls of one operator: the same for all of them, or a question to each.
_Rule = Affinity | Callable[[Call], Affinity]


def _of_move(call: Call) -> Affinity:
    if classify_move_direction(call) is not MoveDirection.NONE:
        return Affinity.MIXED
    source = first_tile_arg_memory(call)
    return Affinity.CUBE if source is not None and is_cube_memory(source) else Affinity.VECTOR


def _of_first_tile(call: Call) -> Affinity:
    source = first_tile_arg_memory(call)
    return Affinity.SHARED if source is None else _of_memory(source)


def _of_core_type(table: dict[str, Affinity], default: str) -> _Rule:
    return lambda call: table.get(str(call.kwargs.get("core_type", default)), Affinity.SHARED)


def _of_output(rule: SpaceFromKwarg) -> _Rule:
    def delivers(call: Call) -> Affinity:
        space = call.kwargs.get(rule.kwarg, rule.default)
        return _of_memory(space) if isinstance(space, MemorySpace) else _of_first_tile(call)

    return delivers


@cache
def _rule(op: Op) -> _Rule:
    """The first rule of docs/spec/passes_split.md §1.4 that applies to an operator."""
    declared = find_op(op.name)
    if declared is None:
        return Affinity.SHARED
    if declared.affinity is not None:
        return declared.affinity
    if op.name == "tile.move":
        return _of_move
    if op.name == "system.syncall":
        return _of_core_type(_SYNCALL, "mix")
    if op.name in _STATED_BY_KWARG:
        return _of_core_type(_SYNC, "")
    if op.name in BOUNDARY_OPS:
        return Affinity.MIXED
    output = declared.output_memory
    if isinstance(output, FixedSpace):
        return _of_memory(output.space)
    return _of_output(output) if isinstance(output, SpaceFromKwarg) else _of_first_tile


def classify_call_affinity(call: Call) -> Affinity:
    """Affinity of one call (docs/spec/passes_split.md §1.4)."""
    if call.op.__class__ is GlobalVar:
        return Affinity.SHARED
    rule = _rule(call.op)
    return rule if rule.__class__ is Affinity else rule(call)  # type: ignore[operator]


def has_stated_lane(call: Call) -> bool:
    """Whether the operator itself, not its operands, says on which core it runs."""
    op = _declaration(call)
    return op is not None and (op.affinity is not None or op.name in _STATED_BY_KWARG)


def is_no_duplicate(call: Call) -> bool:
    """Whether performing the call on both cores would repeat a once-only side effect."""
    op = _declaration(call)
    return op is not None and op.no_duplicate


def consumer_lane(call: Call) -> Affinity:
    """Core that reads the operands of `call`: of a crossing move the source side pushes, so the *target* reads."""
    direction = classify_move_direction(call)
    if direction is MoveDirection.CUBE_TO_VECTOR:
        return Affinity.VECTOR
    if direction is MoveDirection.VECTOR_TO_CUBE:
        return Affinity.CUBE
    return classify_call_affinity(call)


@goes_deep
def stmt_affinity(stmt: Stmt) -> Affinity:
    """Affinity of a statement: of its call, or the roll-up of its bodies (scope bodies included)."""
    call = leaf_call(stmt)
    if call is not None:
        return classify_call_affinity(call)
    return rollup(stmt_bodies(stmt))


def rollup(stmts: Iterable[Stmt] | Sequence[Stmt]) -> Affinity:
    """Combined affinity of statements (docs/spec/passes_split.md §1.5)."""
    result = Affinity.SHARED
    for stmt in stmts:
        result = combine(result, stmt_affinity(stmt))
        if result is Affinity.MIXED:
            break
    return result
