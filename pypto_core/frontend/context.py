"""State of reading a program and a function of the author's language, and how faults are told."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from pypto_core.diagnostics import Diagnostic, Related, Severity
from pypto_core.frontend.closure import Closure
from pypto_core.frontend.names import Names
from pypto_core.frontend.syntax import Located, SourceMap
from pypto_core.ir import (
    ERROR_TYPE,
    UNKNOWN,
    Call,
    DataType,
    ErrorType,
    Expr,
    Function,
    FunctionType,
    Level,
    MakeTuple,
    ParamDirection,
    Role,
    ScalarType,
    SeqStmts,
    Span,
    SplitMode,
    Stmt,
    TensorType,
    TileType,
    TupleType,
    Type,
    Var,
)
from pypto_core.ir.walk import walk_exprs

if TYPE_CHECKING:
    from pypto_core.frontend.dialect import Dialect
    from pypto_core.frontend.recall import Recall
    from pypto_core.frontend.replay import Surroundings

INDEX_TYPE = ScalarType.of(DataType.INDEX)
TASK_ID_TYPE = ScalarType.of(DataType.TASK_ID)


class Fault(Exception):
    """A fault at one place; whoever can go on without the faulty part catches and reports it."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


class Silent(Exception):
    """Something depends on an unknown value or an earlier fault: no result and nothing to report."""


RegionKind = Literal[
    "range", "parallel", "unroll", "pipeline", "while", "if",
    "incore", "hierarchy", "cluster", "spmd", "split_aiv", "unread_aiv", "auto", "manual",
]  # fmt: skip
#: Findings that two numbers do not go together.
SHAPE_CODES = frozenset(
    {"op-shape", "op-value", "op-bad-arguments", "annotation-dim", "reassign-type", "subscript-write-source"}
)
LOOP_KINDS = frozenset({"range", "parallel", "unroll", "pipeline", "while"})


@dataclass(slots=True)
class Region:
    """A block around the statement being read; ``unread_aiv`` is a lane region whose header is faulty. ``split`` is the mode of a lane region, ``wrote_split`` the
    ``pl.split(...)`` that a scope wrote, ``carried`` whether a loop has initial values."""

    kind: RegionKind
    span: Span
    split: SplitMode | None = None
    wrote_split: tuple[str, Span] | None = None
    carried: bool = False
    yields: list[tuple[str, Type | None, Span]] | None = None


@dataclass(slots=True)
class Callee:
    """A function that kernels of the program can call.

    ``params`` and ``result`` are filled when its signature has been read; ``parsed`` says that a call may use its result
    type (a function read later has none yet).
    """

    name: str
    span: Span
    role: Role | None = None
    func_type: FunctionType = FunctionType.Opaque
    param_names: tuple[str, ...] = ()
    directions: tuple[ParamDirection, ...] = ()
    params: tuple[Var, ...] = ()
    result: tuple[Type, ...] = ()
    declared: bool = False
    parsed: bool = False
    external: bool = False

    def result_type(self) -> Type:
        """One type, a tuple of several, unknown for none."""
        return (
            UNKNOWN
            if not self.result
            else self.result[0]
            if len(self.result) == 1
            else TupleType(self.result)
        )


@dataclass(slots=True)
class ProgramContext:
    """What the functions of one program share.

    ``incomplete`` names the functions of which a part was left out because it is wrong or unknown: their IR is good for
    looking things up, not for lowering. ``defined`` says where each function of the program is defined, those included that
    are declared later.
    """

    name: str = ""
    diagnostics: list[Diagnostic] = field(default_factory=list)
    callees: dict[str, Callee] = field(default_factory=dict)
    symbols: dict[str, Var] = field(default_factory=dict)
    unknown_dims: dict[tuple[str, str], Var] = field(default_factory=dict)
    window_buffers: dict[str, Span] = field(default_factory=dict)
    allocations: dict[object, tuple[str, Var]] = field(default_factory=dict)
    reserved: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    added: dict[str, Function] = field(default_factory=dict)
    defined: dict[str, Span] = field(default_factory=dict)
    incomplete: set[str] = field(default_factory=set)
    backend: Any = None
    recall: Recall | None = None
    assumed: dict[int, tuple[Expr, frozenset[str]]] = field(default_factory=dict)
    #: Counts whatever reading leaves behind here, a finding that was told before included.
    traces: int = 0
    _seen: set[tuple[str, Span]] = field(default_factory=set)

    def symbol(self, name: str) -> Var:
        """The symbol of a ``pl.dynamic`` name; one per name and program."""
        self.traces += 1
        found = self.symbols.get(name)
        if found is None:
            make = partial(Var, name, INDEX_TYPE)
            found = make() if self.recall is None else self.recall.replay.symbol(name, make)
            self.symbols[name] = found
        return found

    def unknown_dim(self, function: str, text: str) -> Var:
        """A symbol for a dimension whose value is unknown, labelled with its source text."""
        self.traces += 1
        key = (function, text)
        found = self.unknown_dims.get(key)
        if found is None:
            found = self.unknown_dims[key] = Var(text, INDEX_TYPE)
        return found

    def is_invented(self, expr: Expr) -> bool:
        """Whether an expression depends on a symbol for an unknown dimension, or on the extent of one."""
        if not self.unknown_dims:
            return False
        invented = {id(symbol) for symbol in self.unknown_dims.values()}
        for inner in walk_exprs(expr):
            if id(inner) in invented:
                return True
            kind = inner.args[0].type if isinstance(inner, Call) and inner.args else None
            if isinstance(kind, TensorType | TileType) and any(id(dim) in invented for dim in kind.shape):
                return True
        return False

    def assume(self, number: Expr, assumptions: frozenset[str]) -> Expr:
        """Remember that a number came about by assumptions (an environment variable that is not set)."""
        if assumptions:
            self.traces += 1
            self.assumed[id(number)] = (number, assumptions)
        return number

    def assumptions(self, values: Iterable[Any]) -> frozenset[str]:
        """Assumptions behind numbers among ``values`` and in the shapes of their types."""
        found: frozenset[str] = frozenset()
        for value in values if self.assumed else ():
            if isinstance(value, list | tuple):
                found |= self.assumptions(value)
            elif isinstance(value, Expr):
                known = self.assumed.get(id(value))
                if known is not None:
                    found |= known[1]
                kind = value.type
                if isinstance(kind, TensorType | TileType):
                    found |= self.assumptions(kind.shape)
                elif isinstance(value, MakeTuple):
                    found |= self.assumptions(value.elements)
        return found

    def softened(self, diagnostic: Diagnostic, operands: Iterable[Any]) -> Diagnostic:
        """A mismatch of shapes that rests on an assumed number is a warning that names the assumption."""
        if diagnostic.severity is not Severity.ERROR or diagnostic.code not in SHAPE_CODES:
            return diagnostic
        notes = self.assumptions(operands)
        if not notes:
            return diagnostic
        message = f"{diagnostic.message} (assumed: {'; '.join(sorted(notes))})"
        return replace(diagnostic, severity=Severity.WARNING, message=message)

    def relate(self, start: int, related: Related) -> None:
        """Findings from number ``start`` on were brought about by a call: say so at each."""
        for position in range(start, len(self.diagnostics)):
            found = self.diagnostics[position]
            if related not in found.related:
                self.diagnostics[position] = replace(found, related=(*found.related, related))

    def report(self, diagnostic: Diagnostic) -> None:
        """Add a finding; the same code at the same place is told once."""
        self.traces += 1
        key = (diagnostic.code, diagnostic.span)
        if key not in self._seen:
            self._seen.add(key)
            self.diagnostics.append(diagnostic)


@dataclass(slots=True)
class FunctionContext:
    """Reading state of one function."""

    program: ProgramContext
    closure: Closure
    annotations: Closure
    dialect: Dialect
    source: SourceMap
    name: str
    func_type: FunctionType = FunctionType.Opaque
    level: Level | None = None
    role: Role | None = None
    auto_scope: bool = True
    strict: bool = False
    names: Names = field(default_factory=Names)
    regions: list[Region] = field(default_factory=list)
    out: list[Stmt] = field(default_factory=list)
    params: dict[str, Var] = field(default_factory=dict)
    used_symbols: dict[str, Span] = field(default_factory=dict)
    result: tuple[Type, ...] | None = None
    dump_tags: dict[Var, None] = field(default_factory=dict)
    producers: dict[Var, Var] = field(default_factory=dict)
    #: The name that takes the value being read, and that value as written.
    target_name: str | None = None
    target_value: ast.expr | None = None
    inlining: tuple[str, ...] = ()
    #: Whether the header of a lane region does not parse: where the region ends is open then.
    region_cut: bool = False
    inline_result: Expr | None = None
    surroundings: Surroundings | None = None
    comments: Callable[[ast.stmt], tuple[str, ...]] = lambda _: ()

    # --- faults ------------------------------------------------------------------------------------------------------

    def diagnostic(
        self,
        code: str,
        message: str,
        at: Located | Span,
        severity: Severity = Severity.ERROR,
        related: tuple[Related, ...] = (),
        **data: Any,
    ) -> Diagnostic:
        span = at if isinstance(at, Span) else self.source.span(at)
        return Diagnostic(code, message, span, severity, related=related, data=data)

    def fail(
        self, code: str, message: str, at: Located | Span, related: tuple[Related, ...] = (), **data: Any
    ) -> NoReturn:
        """Give up the current part: raise a :class:`Fault`."""
        raise Fault(self.diagnostic(code, message, at, related=related, **data))

    def fault(
        self, code: str, message: str, at: Located | Span, related: tuple[Related, ...] = (), **data: Any
    ) -> Fault:
        """The fault itself, for ``raise`` at the end of a function."""
        return Fault(self.diagnostic(code, message, at, related=related, **data))

    def error(
        self, code: str, message: str, at: Located | Span, related: tuple[Related, ...] = (), **data: Any
    ) -> None:
        """Report and go on; the function's IR lacks something."""
        self.program.report(self.diagnostic(code, message, at, related=related, **data))
        self.mark_incomplete()

    def warn(self, code: str, message: str, at: Located | Span, **data: Any) -> None:
        self.program.report(self.diagnostic(code, message, at, Severity.WARNING, **data))

    def inform(self, code: str, message: str, at: Located | Span, **data: Any) -> None:
        self.program.report(self.diagnostic(code, message, at, Severity.INFORMATION, **data))

    def report(self, fault: Fault) -> None:
        self.program.report(fault.diagnostic)
        self.mark_incomplete()

    def mark_incomplete(self) -> None:
        self.program.traces += 1
        self.program.incomplete.add(self.name)

    def poison(self, at: Located | Span, name: str = "") -> Var:
        """Stands for a faulty or unknown expression; silences everything that depends on it."""
        self.mark_incomplete()
        return Var(name, ERROR_TYPE, span=at if isinstance(at, Span) else self.source.span(at))

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Report a fault of the part inside and go on behind it."""
        try:
            yield
        except Fault as fault:
            self.report(fault)
        except Silent:
            self.mark_incomplete()

    # --- emission and blocks -----------------------------------------------------------------------------------------

    def emit(self, stmt: Stmt) -> None:
        self.out.append(stmt)

    @contextmanager
    def collecting(self) -> Iterator[list[Stmt]]:
        """Statements emitted inside go into a list of their own."""
        outer, self.out = self.out, []
        try:
            yield self.out
        finally:
            self.out = outer

    @contextmanager
    def region(self, region: Region) -> Iterator[Region]:
        self.regions.append(region)
        try:
            yield region
        finally:
            self.regions.pop()

    def inside(self, *kinds: RegionKind) -> Region | None:
        """The innermost region of one of these kinds."""
        for region in reversed(self.regions):
            if region.kind in kinds:
                return region
        return None

    @property
    def region_split(self) -> SplitMode | None:
        """Mode of the innermost lane region."""
        region = self.inside("split_aiv")
        return region.split if region is not None else None

    def span(self, node: Located) -> Span:
        return self.source.span(node)

    def first_line(self, node: Located) -> Span:
        """The node as far as the end of its first line: where a fault of a compound statement is shown."""
        span = self.span(node)
        line_end = span.text.find("\n")
        return span if line_end < 0 else Span(span.chunk, span.start, span.start + line_end)

    def text(self, node: Located) -> str:
        """The author's words, shortened to one line."""
        text = " ".join(self.source.source(node).split())
        return text if len(text) <= 60 else text[:57] + "..."


def is_poison(expr: Expr) -> bool:
    """Whether an expression depends on a fault or an unknown value."""
    return isinstance(expr.type, ErrorType) or _tuple_poison(expr.type)


def _tuple_poison(type_: Type) -> bool:
    return isinstance(type_, TupleType) and any(
        isinstance(t, ErrorType) or _tuple_poison(t) for t in type_.types
    )


def body_of(stmts: list[Stmt], span: Span) -> Stmt:
    """Statements as one body."""
    return SeqStmts.flatten(stmts, stmts[0].span if stmts else span)


def did_you_mean(name: str, candidates: Any) -> str:
    """`` (did you mean 'x'?)`` or nothing."""
    near = nearest(name, candidates)
    return f" (did you mean '{near}'?)" if near else ""


def nearest(name: str, candidates: Any) -> str | None:
    """The candidate closest to ``name``, None when none is close."""
    found = get_close_matches(name, sorted(candidates), 1, 0.6)
    return found[0] if found else None


def enum_list(cls: Any) -> str:
    """``A, B, C``: members of an enumeration, for messages."""
    return ", ".join(cls.__members__)
