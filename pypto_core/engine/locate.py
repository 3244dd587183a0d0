"""From a place in a file to what stands there: a value of a kernel, a call of the language, a value of the module."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pypto_core.engine.values import Occurrence, author_name, occurrences
from pypto_core.frontend.static_eval import ModuleGraph
from pypto_core.frontend.static_eval.display import history
from pypto_core.frontend.static_eval.scopes import Binding, ModuleEnvironment
from pypto_core.frontend.static_eval.values import DimExpr, DynVar, PlSymbol, Unknown
from pypto_core.ir import (
    AssignStmt,
    Call,
    Chunk,
    ConstInt,
    ForStmt,
    Function,
    IfStmt,
    ParamDirection,
    Program,
    Span,
    SplitAivScopeStmt,
    Stmt,
    Type,
    Var,
    WhileStmt,
    calls_in,
    walk_stmts,
)


@dataclass(frozen=True, slots=True)
class ValueAt:
    """A value of a kernel: its entry, its function, its variable and the statement that defines it (None: a parameter)."""

    entry: str
    function: Function
    var: Var
    stmt: Stmt | None
    direction: ParamDirection | None = None
    #: The lane region around it.
    region: SplitAivScopeStmt | None = None

    @property
    def type(self) -> Type:
        """Type of the value after the pass that was asked for."""
        return self.var.type

    @property
    def span(self) -> Span:
        """The statement that makes the value; a parameter stands for itself."""
        return self.stmt.span if self.stmt is not None else self.var.span

    @property
    def trip_count(self) -> int | None:
        """How often the loop runs whose variable this is, when that is known."""
        if isinstance(self.stmt, ForStmt) and self.stmt.loop_var is self.var:
            return trip_count(self.stmt)
        return None

    @property
    def is_carried(self) -> bool:
        """Whether a loop carries the value from one turn to the next."""
        return isinstance(self.stmt, (ForStmt, WhileStmt)) and self.var in self.stmt.iter_args

    @property
    def is_result(self) -> bool:
        """Whether the value is what a loop or branch leaves behind."""
        return isinstance(self.stmt, (ForStmt, WhileStmt, IfStmt)) and self.var in self.stmt.return_vars


def trip_count(loop: ForStmt) -> int | None:
    """Number of turns of a loop with constant bounds."""
    start, stop, step = loop.start, loop.stop, loop.step
    if (
        isinstance(start, ConstInt)
        and isinstance(stop, ConstInt)
        and isinstance(step, ConstInt)
        and step.value
    ):
        return len(range(start.value, stop.value, step.value))
    return None


class ProgramValues:
    """The values, calls and loops of one program as its author wrote it, by name and by place."""

    def __init__(self, entry: str, program: Program) -> None:
        self.entry = entry
        self.program = program
        self._functions: list[_Written] = []
        self.calls: dict[Span, Call] = {}
        self.loops: list[ForStmt] = []
        self._by_chunk: dict[int, list[_Written]] = {}
        for function in program.functions:
            if function.span.is_valid:
                self._add(function)

    def _add(self, function: Function) -> None:
        names: dict[str, list[Occurrence]] = {}
        for occurrence in occurrences(Program((function,), self.program.name)):
            names.setdefault(author_name(occurrence.var.name_hint, occurrence.stmt.span), []).append(
                occurrence
            )
        for call in calls_in(function.body):
            if isinstance(call, Call):
                self.calls[call.span] = call
        self.loops += [s for s in walk_stmts(function.body) if isinstance(s, ForStmt)]
        written = _Written(function, names, _chunks_of(function))
        self._functions.append(written)
        for chunk in written.chunks:
            self._by_chunk.setdefault(id(chunk), []).append(written)

    def functions_at(self, path: str, line: int) -> Iterator[tuple[Function, Mapping[str, list[Occurrence]]]]:
        """Functions with a statement at a 0-based line; between statements, those around it."""
        here = [w for w in self._functions if w.covers(path, line)]
        for written in here or [w for w in self._functions if w.surrounds(path, line)]:
            yield written.function, written.names

    def defined_at(self, name: str, span: Span) -> ValueAt | None:
        """The value that the statement around ``span``, the place of ``name`` in it, defines."""
        for written in self._by_chunk.get(id(span.chunk), ()):
            for occurrence in written.names.get(name, ()):
                if occurrence.stmt.span.contains(span):
                    region = occurrence.region
                    return ValueAt(
                        self.entry, written.function, occurrence.var, occurrence.stmt, region=region
                    )
        return None

    def value(self, path: str, name: str, line: int, column: int, writes: bool) -> ValueAt | None:
        """The value that ``name`` means at a 0-based place: what the statement there defines, if it ``writes``, else the last one above."""
        for function, names in self.functions_at(path, line):
            best, best_key = None, (-1, -1)
            for occurrence in names.get(name, ()):
                key = _visible_from(occurrence)
                before = (
                    key <= (line, column)
                    if writes
                    else key < (line, column) and not _inside(occurrence, line, column)
                )
                if before and key >= best_key:
                    best, best_key = occurrence, key
            if best is None and writes:
                best = next(iter(names.get(name, ())), None)
            if best is not None:
                return ValueAt(self.entry, function, best.var, best.stmt)
            for var, direction in zip(function.params, function.param_directions):
                if author_name(var.name_hint) == name:
                    return ValueAt(self.entry, function, var, None, direction)
            rest = names.get(name)
            if rest:
                return ValueAt(self.entry, function, rest[0].var, rest[0].stmt)
        return None

    def last_value(self, path: str, line: int) -> ValueAt | None:
        """The value that was defined last above a 0-based line."""
        best, best_key = None, (-1, -1)
        for function, names in self.functions_at(path, line):
            for found in names.values():
                for occurrence in found:
                    key = _visible_from(occurrence)
                    if isinstance(occurrence.stmt, AssignStmt) and best_key < key < (line, 0):
                        best, best_key = ValueAt(self.entry, function, occurrence.var, occurrence.stmt), key
        return best


@dataclass(frozen=True, slots=True, eq=False)
class _Written:
    """A function with its values by name, and the pieces of text that it is made of (of templates that it calls, too)."""

    function: Function
    names: dict[str, list[Occurrence]]
    chunks: tuple[Chunk, ...]

    def covers(self, path: str, line: int) -> bool:
        return any(
            chunk.file == path and chunk.first_line <= line < chunk.first_line + _rows(chunk)
            for chunk in self.chunks
        )

    def surrounds(self, path: str, line: int) -> bool:
        header = self.chunks[0]
        rows = [
            c.first_line + _rows(c)
            for c in self.chunks
            if c.file == path and c.first_line >= header.first_line
        ]
        return header.file == path and header.first_line <= line < max(rows, default=0)


def _rows(chunk: Chunk) -> int:
    """Number of lines of a chunk; a line break at its end opens none."""
    starts = chunk.line_starts()
    return len(starts) - (starts[-1] == len(chunk.text) and len(starts) > 1)


def _chunks_of(function: Function) -> tuple[Chunk, ...]:
    spans = (function.span, *(stmt.span for stmt in walk_stmts(function.body)))
    return tuple({id(s.chunk): s.chunk for s in spans if s.chunk is not None}.values())


def _visible_from(occurrence: Occurrence) -> tuple[int, int]:
    """0-based place from which a definition counts: its start; the end of the statement for what a loop or branch leaves behind."""
    stmt, span = occurrence.stmt, occurrence.stmt.span
    if not span.is_valid:
        return (-1, 0)
    if isinstance(stmt, (ForStmt, WhileStmt, IfStmt)) and occurrence.var in stmt.return_vars:
        return span.end_line - 1, span.end_column - 1
    return span.line - 1, span.column - 1


def _inside(occurrence: Occurrence, line: int, column: int) -> bool:
    """Whether a place is inside the very assignment that makes the definition: what is read there is an earlier value."""
    if not isinstance(occurrence.stmt, AssignStmt):
        return False
    span = occurrence.stmt.span
    return (span.line - 1, span.column - 1) <= (line, column) <= (span.end_line - 1, span.end_column - 1)


def function_lines(function: Function) -> tuple[int, int]:
    """0-based first and last source line of a function (its header and every statement of its body)."""
    span = function.span
    first, last = span.line - 1, span.end_line - 1
    for stmt in walk_stmts(function.body):
        if stmt.span.is_valid and stmt.span.filename == span.filename:
            last = max(last, stmt.span.end_line - 1)
    return first, last


@dataclass(frozen=True, slots=True)
class Known:
    """A name of a module: its value in one line, and how it came about. ``unknown`` says why there is no value."""

    name: str
    value: str
    steps: tuple[str, ...]
    unknown: str
    dimension: bool
    module: str


def module_value(graph: ModuleGraph | None, path: str, name: str) -> Known | None:
    """Value of a module-level name; None when the module does not bind it, or it is no value (a kernel, a module, ``pl``)."""
    module = graph.modules.get(path) if graph is not None else None
    binding = module.binding(name) if module is not None else None
    if module is None or binding is None:
        return None
    return _known(name, binding, module)


def _known(name: str, binding: Binding, module: ModuleEnvironment) -> Known | None:
    data = binding.value.data
    if isinstance(data, (PlSymbol, ModuleEnvironment)) or type(data).__name__ in _NO_VALUES:
        return None
    steps = history(name, binding, module)
    unknown = data.reason if isinstance(data, Unknown) else ""
    value = steps[0].partition(" = ")[2]
    return Known(name, value, tuple(steps[1:]), unknown, isinstance(data, (DynVar, DimExpr)), module.filename)


#: Values that have hovers of their own, or none.
_NO_VALUES = frozenset(
    {
        "KernelFunction",
        "ProgramClass",
        "PyFunction",
        "ClassData",
        "External",
        "LibraryName",
        "BuiltinFunction",
        "KernelDecorator",
    }
)
