"""What a value becomes on its way down, and what each vector lane holds of it (docs/spec/design/ide.md, Hover).

A source statement keeps its span through all passes, so the statements of a later stage that stand for it are found by span; among them the one whose variable
carries the author's name is the value itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pypto_core.analysis.lanes import LANE_INDEX_OP, SHARD_OPS
from pypto_core.analysis.names import written_name
from pypto_core.arith import Analyzer
from pypto_core.backend import get_backend
from pypto_core.engine.crossings import Crossing, crossings
from pypto_core.engine.lowering import Lowering
from pypto_core.ir import (
    AssignStmt,
    Call,
    ConstInt,
    Expr,
    ForStmt,
    Function,
    FunctionType,
    IfStmt,
    MemorySpace,
    Program,
    ScalarType,
    Span,
    SplitAivScopeStmt,
    SplitMode,
    Stmt,
    TensorType,
    TileType,
    Type,
    Var,
    WhileStmt,
    dims_equal,
    print_ir,
    stmt_bodies,
    substitute,
    walk_stmts,
)

SPLIT_PASS = "LowerAutoVectorSplit"


def author_name(hint: str, span: Span | None = None) -> str:
    """The author's part of a generated name: ``t__ssa_v0``, ``t__tile``, ``t`` and (where ``span`` says ``t``) ``t_v1`` are all ``t``
    (docs/spec/ir.md §1.9)."""
    return written_name(hint, span)


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A value at one stage: its variable, the function it lives in, and the lane region around it."""

    function: Function
    var: Var
    stmt: Stmt
    region: SplitAivScopeStmt | None
    lane_index: Var | None


@dataclass(frozen=True, slots=True)
class LaneValue:
    """What both lanes hold of a tile in vector memory.

    ``type`` is the tile of one lane, ``extents`` each lane's own valid extents (numbers or formulas). ``ranges`` are the first and last index on
    the split axis that each lane owns of the whole value, None when unknown or when the author wrote per-lane tiles. ``replicated`` values are
    whole on both lanes.
    """

    mode: SplitMode
    type: TileType
    extents: tuple[tuple[str, ...], tuple[str, ...]]
    ranges: tuple[tuple[int, int], tuple[int, int]] | None
    replicated: bool = False


def occurrences(program: Program) -> Iterator[Occurrence]:
    """Every definition of a program, with the region it stands in."""
    for function in program.functions:
        yield from _in_body(function)


def _in_body(function: Function) -> Iterator[Occurrence]:
    todo: list[tuple[Stmt, SplitAivScopeStmt | None, Var | None]] = [(function.body, None, None)]
    while todo:
        stmt, region, lane = todo.pop()
        if isinstance(stmt, AssignStmt):
            yield Occurrence(function, stmt.var, stmt, region, lane)
        elif isinstance(stmt, (ForStmt, WhileStmt, IfStmt)):
            if isinstance(stmt, ForStmt):
                yield Occurrence(function, stmt.loop_var, stmt, region, lane)
            if not isinstance(stmt, IfStmt):
                for carried in stmt.iter_args:
                    yield Occurrence(function, carried, stmt, region, lane)
            for var in stmt.return_vars:
                yield Occurrence(function, var, stmt, region, lane)
        elif isinstance(stmt, SplitAivScopeStmt):
            region, lane = stmt, lane_binding(stmt.body)
        todo += [(body, region, lane) for body in reversed(stmt_bodies(stmt))]


def lane_binding(body: Stmt) -> Var | None:
    """The variable that holds the lane index in a body."""
    for stmt in walk_stmts(body):
        if isinstance(stmt, AssignStmt) and isinstance(stmt.value, Call) and stmt.value.name == LANE_INDEX_OP:
            return stmt.var
    return None


class StageIndex:
    """The definitions of one program by the span of their statement."""

    def __init__(self, program: Program) -> None:
        self._by_span: dict[Span, list[Occurrence]] = {}
        for occurrence in occurrences(program):
            self._by_span.setdefault(occurrence.stmt.span, []).append(occurrence)

    def find(self, span: Span, name: str) -> Occurrence | None:
        """The last definition at ``span`` that carries the author's ``name``, else the last one there."""
        found = self._by_span.get(span, ())
        named = [o for o in found if author_name(o.var.name_hint, span) == name]
        if named:
            return named[-1]
        return found[-1] if len(found) == 1 else None


@dataclass(frozen=True, slots=True)
class ValueHistory:
    """A value at the source and after each pass that changed its type; ``lanes`` when the vector lanes share it."""

    name: str
    source: Type
    stages: tuple[tuple[str, Type], ...]
    lanes: LaneValue | None

    @property
    def placed(self) -> Type:
        """The last type known."""
        return self.stages[-1][1] if self.stages else self.source


class Histories:
    """Histories of the values of one lowering; indexes are built when first asked for."""

    def __init__(self, lowering: Lowering) -> None:
        self.lowering = lowering
        self._indexes: dict[str, StageIndex] = {}
        self._crossings: dict[Span, Crossing] | None = None
        self._warm = False

    def warm(self, checkpoint: Callable[[], None]) -> None:
        """Build all indexes, so that the first question is quick."""
        if self._warm:
            return
        checkpoint()
        self._index("", self.lowering.source)
        for stage in self.lowering.stages:
            if stage.changed or stage.name == SPLIT_PASS:
                checkpoint()
                self._index(stage.name, stage.program)
        self.crossings()
        self._warm = True

    def crossings(self) -> dict[Span, Crossing]:
        """Transfers between the cores by source statement; empty for a kernel that was refused before it was expanded."""
        if self._crossings is None:
            last = self.lowering.stages[-1].program if self.lowering.stages else self.lowering.source
            self._crossings = crossings(last)
        return self._crossings

    def _index(self, name: str, program: Program) -> StageIndex:
        found = self._indexes.get(name)
        if found is None:
            found = self._indexes[name] = StageIndex(program)
        return found

    def of(self, span: Span, name: str) -> ValueHistory | None:
        """History of the value ``name`` that the statement at ``span`` defines; None when the program has no such value."""
        source = self._index("", self.lowering.source).find(span, name)
        if source is None:
            return None
        stages: list[tuple[str, Type]] = []
        text = print_ir(source.var.type)
        lanes: LaneValue | None = None
        before: Occurrence | None = source
        for stage in self.lowering.stages:
            if not stage.changed and stage.name != SPLIT_PASS:
                continue
            now = self._index(stage.name, stage.program).find(span, name)
            if now is None:
                continue
            printed = print_ir(now.var.type)
            if printed != text:
                stages.append((stage.name, now.var.type))
                text = printed
            if stage.name == SPLIT_PASS:
                lanes = lane_value(before, now)
                break
            before = now
        return ValueHistory(name, source.var.type, tuple(stages), lanes)


def lane_value(before: Occurrence | None, after: Occurrence) -> LaneValue | None:
    """What each lane holds after the split pass; None for a value that does not live on the lanes."""
    kind = after.var.type
    mode = split_mode(after)
    if mode is None or not isinstance(kind, TileType) or kind.memory_space is not MemorySpace.Vec:
        return None
    lane = after.lane_index or lane_binding(after.function.body)
    extents = (_extents(kind, lane, 0), _extents(kind, lane, 1))
    whole = _whole_shape(before, after)
    halved = whole is not None and len(whole) == len(kind.shape) and not dims_equal(whole, kind.shape)
    ranges = _ranges(kind, mode, extents) if halved else None
    authored = before is not None and before.region is not None
    return LaneValue(mode, kind, extents, ranges, replicated=not halved and not authored)


def _whole_shape(before: Occurrence | None, after: Occurrence) -> tuple[Expr, ...] | None:
    """Shape of the value before it was shared out: the operand of a shard, else what the value was before the split pass."""
    stmt = after.stmt
    if isinstance(stmt, AssignStmt) and isinstance(stmt.value, Call) and stmt.value.name in SHARD_OPS:
        operand = stmt.value.args[0].type
        return operand.shape if isinstance(operand, (TileType, TensorType)) else None
    kind = before.var.type if before is not None else None
    return kind.shape if isinstance(kind, (TileType, TensorType)) else None


def split_mode(occurrence: Occurrence) -> SplitMode | None:
    """How the lanes share the work at this place: the region's mode, else the function's."""
    if occurrence.region is not None:
        return occurrence.region.split
    if occurrence.function.func_type in (FunctionType.InCore, FunctionType.AIV):
        return occurrence.function.split
    return None


def _extents(kind: TileType, lane: Var | None, index: int) -> tuple[str, ...]:
    """Valid extents of one lane: the lane index replaced by 0 or 1 and simplified; names are the author's."""
    texts = []
    for dim in kind.valid_shape:
        texts.append(dim_text(_at_lane(dim, lane, index)))
    return tuple(texts)


def _at_lane(dim: Expr, lane: Var | None, index: int) -> Expr:
    if isinstance(dim, ConstInt):
        return dim
    bound = substitute(dim, {lane: ConstInt(index)}) if lane is not None else dim
    return Analyzer().simplify(bound)


def dim_text(dim: Expr) -> str:
    """A dimension for people: plain literals, the author's names."""
    if isinstance(dim, ConstInt):
        return str(dim.value)
    text = print_ir(dim).replace("pl.min", "min").replace("pl.max", "max")
    return " ".join(author_word(word) for word in text.split(" "))


def author_word(word: str) -> str:
    """One word of a printed expression with the generated part of its name removed."""
    head = word.lstrip("(")
    core = head.rstrip("),")
    return word.replace(core, author_name(core), 1) if "__" in core else word


def _ranges(
    part: TileType, mode: SplitMode, extents: tuple[tuple[str, ...], tuple[str, ...]]
) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Rows or columns of the whole value that each lane holds, when all numbers are known."""
    if mode is SplitMode.NONE:
        return None
    axis = 0 if mode is SplitMode.UP_DOWN else 1
    if axis >= len(part.shape) or not all(lane[axis].isdigit() for lane in extents):
        return None
    first, second = (int(lane[axis]) for lane in extents)
    return (0, first - 1), (first, first + second - 1)


def memory_capacity(backend: str | None, space: MemorySpace) -> int:
    """Usable bytes of a memory space on a backend, 0 when unknown (docs/spec/ir.md §8)."""
    chip = get_backend(backend)
    return chip.mem_size(space) if chip is not None else 0


def tile_bytes(kind: Type) -> int | None:
    """Bytes of the whole (physical) tile or tensor, None when a dimension is symbolic."""
    if not isinstance(kind, (TileType, TensorType)):
        return kind.dtype.byte if isinstance(kind, ScalarType) else None
    elements = 1
    for dim in kind.shape:
        if not isinstance(dim, ConstInt):
            return None
        elements *= dim.value
    return kind.dtype.storage_bytes(elements)


@dataclass(frozen=True, slots=True)
class LaneRow:
    """One line of the per-lane table: a value of the author's and what becomes of it."""

    function: str
    span: Span
    history: ValueHistory


def lane_rows(histories: Histories) -> list[LaneRow]:
    """All tiles and tensors that the author defines in a kernel, in source order, each once."""
    rows: list[LaneRow] = []
    seen: set[tuple[Span, str]] = set()
    for occurrence in occurrences(histories.lowering.source):
        if not isinstance(occurrence.stmt, AssignStmt) or not isinstance(
            occurrence.var.type, (TileType, TensorType)
        ):
            continue
        name = author_name(occurrence.var.name_hint, occurrence.stmt.span)
        key = (occurrence.stmt.span, name)
        if key in seen or not occurrence.stmt.span.is_valid:
            continue
        seen.add(key)
        history = histories.of(occurrence.stmt.span, name)
        if history is not None:
            rows.append(LaneRow(occurrence.function.name, occurrence.stmt.span, history))
    return rows
