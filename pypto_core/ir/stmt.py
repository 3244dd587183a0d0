"""Statements and scopes (docs/spec/ir.md §1.7, §1.8)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from pypto_core.ir.enums import ForKind, InlineLanguage, Level, Role, SplitMode
from pypto_core.ir.expr import ConstInt, IterArg, Var, WindowBuffer
from pypto_core.ir.node import AttrMap, Expr, Stmt, empty_map, slot_writer
from pypto_core.ir.span import UNKNOWN_SPAN, Span


@dataclass(frozen=True, slots=True, eq=False, init=False)
class AssignStmt(Stmt):
    """``var = value``; the definition of ``var``."""

    var: Var
    value: Expr

    def __init__(
        self, var: Var, value: Expr, *, span: Span = UNKNOWN_SPAN, leading_comments: tuple[str, ...] = ()
    ) -> None:
        _set_var(self, var)
        _set_value(self, value)
        _set_span(self, span)
        _set_comments(self, leading_comments)


_set_span, _set_comments = slot_writer(Stmt, "span"), slot_writer(Stmt, "leading_comments")
_set_var, _set_value = slot_writer(AssignStmt, "var"), slot_writer(AssignStmt, "value")


@dataclass(frozen=True, slots=True, eq=False)
class EvalStmt(Stmt):
    """A call for its side effect."""

    expr: Expr


@dataclass(frozen=True, slots=True, eq=False)
class ReturnStmt(Stmt):
    """Leaves the function with ``values``, parallel to its ``return_types``."""

    values: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class YieldStmt(Stmt):
    """Terminator of a loop or if body; parallel to the statement's ``return_vars``."""

    values: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class SeqStmts(Stmt):
    """Transparent container; canonical bodies are flat and never hold one statement."""

    stmts: tuple[Stmt, ...] = ()

    def __post_init__(self) -> None:
        if self.leading_comments:
            raise ValueError("a statement list carries no comments")

    @staticmethod
    def flatten(stmts: Iterable[Stmt], span: Span = UNKNOWN_SPAN) -> Stmt:
        """Splice nested lists; one statement stands for itself, none is an empty list."""
        flat: list[Stmt] = []
        for stmt in stmts:
            if stmt.__class__ is SeqStmts:
                flat.extend(body_stmts(stmt))
            else:
                flat.append(stmt)
        return flat[0] if len(flat) == 1 else SeqStmts(tuple(flat), span=span)


def body_stmts(body: Stmt) -> tuple[Stmt, ...]:
    """The statements of a body, nested lists spliced."""
    if body.__class__ is not SeqStmts:
        return (body,)
    stmts: tuple[Stmt, ...] = body.stmts
    if any(s.__class__ is SeqStmts for s in stmts):
        return tuple(inner for s in stmts for inner in body_stmts(s))
    return stmts


@dataclass(frozen=True, slots=True, eq=False)
class IfStmt(Stmt):
    """``condition`` is a BOOL scalar; ``return_vars`` and the yield of each body are parallel."""

    condition: Expr
    then_body: Stmt
    else_body: Stmt | None = None
    return_vars: tuple[Var, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ForStmt(Stmt):
    """Counted loop; ``iter_args``, ``return_vars`` and the body's yield are parallel."""

    loop_var: Var
    start: Expr
    stop: Expr
    step: Expr
    iter_args: tuple[IterArg, ...]
    body: Stmt
    return_vars: tuple[Var, ...] = ()
    kind: ForKind = ForKind.Sequential
    attrs: AttrMap = field(default_factory=empty_map)


@dataclass(frozen=True, slots=True, eq=False)
class WhileStmt(Stmt):
    """Loop while ``condition`` holds; ``iter_args``, ``return_vars`` and the body's yield are parallel."""

    iter_args: tuple[IterArg, ...]
    condition: Expr
    body: Stmt
    return_vars: tuple[Var, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class BreakStmt(Stmt):
    """Leaves the innermost loop; CtrlFlowTransform removes it."""


@dataclass(frozen=True, slots=True, eq=False)
class ContinueStmt(Stmt):
    """Goes on with the next trip of the innermost loop; CtrlFlowTransform removes it."""


@dataclass(frozen=True, slots=True, eq=False)
class InlineStmt(Stmt):
    """Verbatim source; a leaf for every pass."""

    body: str
    language: InlineLanguage = InlineLanguage.Python


@dataclass(frozen=True, slots=True, eq=False)
class ScopeStmt(Stmt):
    """Runs ``body`` exactly once; needs no yields. ``name_hint`` is compared by equality."""

    body: Stmt
    name_hint: str = field(default="", kw_only=True)
    attrs: AttrMap = field(default_factory=empty_map, kw_only=True)


@dataclass(frozen=True, slots=True, eq=False)
class InCoreScopeStmt(ScopeStmt):
    split: SplitMode = SplitMode.NONE


@dataclass(frozen=True, slots=True, eq=False)
class ClusterScopeStmt(ScopeStmt):
    pass


@dataclass(frozen=True, slots=True, eq=False)
class HierarchyScopeStmt(ScopeStmt):
    level: Level
    role: Role | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SpmdScopeStmt(ScopeStmt):
    core_num: Expr
    sync_start: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.core_num, int):
            object.__setattr__(self, "core_num", ConstInt(self.core_num))


@dataclass(frozen=True, slots=True, eq=False)
class SplitAivScopeStmt(ScopeStmt):
    """A lane region: its body runs on both vector lanes; ``split`` NONE is task-parallel."""

    split: SplitMode
    count: int = 2

    def __post_init__(self) -> None:
        if self.count != 2:
            raise ValueError("a lane region has two lanes")


@dataclass(frozen=True, slots=True, eq=False)
class RuntimeScopeStmt(ScopeStmt):
    manual: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class CommDomainScopeStmt(ScopeStmt):
    """``devices`` ascending, empty = all."""

    devices: tuple[int, ...]
    slots: tuple[WindowBuffer, ...]


SCOPE_CLASSES: tuple[type[ScopeStmt], ...] = (
    InCoreScopeStmt,
    ClusterScopeStmt,
    HierarchyScopeStmt,
    SpmdScopeStmt,
    SplitAivScopeStmt,
    RuntimeScopeStmt,
    CommDomainScopeStmt,
)
