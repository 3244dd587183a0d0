"""SkewCrossCorePipeline: let one core run ahead of the other in a pipelined loop (docs/spec/passes_split.md §15).

The part of the body that feeds the first transfer (*produce*) is issued `depth` iterations before the rest (*consume*):
a prologue of produces, a steady loop of both, an epilogue of consumes. A cross-core loop that cannot be skewed becomes an
ordinary sequential loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pypto_core.analysis.lanes import POP_OPS, PUSH_OPS, const_value
from pypto_core.analysis.statements import block, leaf_call, stmts_of, trailing_yield
from pypto_core.analysis.uses import all_defs, all_uses
from pypto_core.ir import (
    AssignStmt,
    Call,
    ConstInt,
    DataType,
    Expr,
    ForKind,
    ForStmt,
    Function,
    IterArg,
    ScalarType,
    SeqStmts,
    Stmt,
    TileType,
    TupleType,
    Var,
    YieldStmt,
)
from pypto_core.ir.rewrite import Rewriter
from pypto_core.ir.scalar import make_binary, scalar_dtype
from pypto_core.ir.walk import calls_in, walk_stmts
from pypto_core.passes.base import Pass, PassContract, map_functions
from pypto_core.passes.clone import deep_clone
from pypto_core.passes.split_axis.rejections import reject

_KEPT = "SSAForm NormalizedStmtStructure SplitIncoreOrch IncoreTileOps TileOps2D TileMemoryInferred"
CONTRACT = PassContract.of(required=_KEPT, produced=_KEPT, function_local=True)

FIRST_GROUP = 1048576
"""Pipeline groups made here are counted from this number, per function."""


def skew_cross_core_pipeline(*, backend: Any = None) -> Pass:
    """The pass; its result depends on no backend."""
    return Pass("SkewCrossCorePipeline", CONTRACT, lambda program: map_functions(program, skew_function))


def skew_function(function: Function) -> Function:
    """One function with its cross-core pipelines skewed or demoted.

    Raises:
        PassError: ``op-value`` for a cross-core pipeline whose step is not a constant.
    """
    loops = (stmt for stmt in walk_stmts(function.body) if isinstance(stmt, ForStmt))
    if not any(loop.kind is ForKind.Pipeline for loop in loops):
        return function
    return function.with_(body=_Skew().rewrite(function.body))


class _Skew(Rewriter):
    def __init__(self) -> None:
        self.groups = 0

    def rewrite_ForStmt(self, stmt: ForStmt) -> Stmt:
        loop: ForStmt = self.generic(stmt)
        if loop.kind is not ForKind.Pipeline or "pipeline_stages" not in loop.attrs:
            return loop
        body = [s for s in stmts_of(loop.body) if not isinstance(s, YieldStmt)]
        if not (_transfers(body, PUSH_OPS) and _transfers(body, POP_OPS)):
            return loop
        stages = int(loop.attrs["pipeline_stages"])
        if stages > 1:
            step = const_value(loop.step)
            if step is None:
                raise reject(
                    "pipeline-step",
                    "op-value",
                    "a pl.pipeline loop that exchanges tiles between the cores needs a constant step",
                    loop.step.span if loop.step.span.is_valid else loop.span,
                )
            start, stop = const_value(loop.start), const_value(loop.stop)
            if start is not None and stop is not None and step != 0:
                plan = _plan(loop, body, start, stop, step, max(2, stages - 1))
                if plan is not None:
                    self.groups += 1
                    return plan.emit(FIRST_GROUP + self.groups - 1)
        attrs = {k: v for k, v in loop.attrs.items() if k != "pipeline_stages"}
        return loop.with_(kind=ForKind.Sequential, attrs=attrs)


def _transfers(stmts: Sequence[Stmt], ops: frozenset[str]) -> list[Stmt]:
    return [s for s in stmts if (c := leaf_call(s)) is not None and c.name in ops]


def _defs(stmt: Stmt) -> set[Var]:
    """What a top-level statement makes visible to its siblings."""
    return set(all_defs(stmt))


def _slice(roots: set[Var], stmts: Sequence[Stmt]) -> set[int]:
    """Indices of the statements that transitively define `roots`."""
    owner = {var: i for i, s in enumerate(stmts) for var in _defs(s)}
    found: set[int] = set()
    work = [owner[v] for v in roots if v in owner]
    while work:
        i = work.pop()
        if i in found:
            continue
        found.add(i)
        work.extend(owner[v] for v in all_uses(stmts[i]) if v in owner and owner[v] not in found)
    return found


def _plan(loop: ForStmt, body: list[Stmt], start: int, stop: int, step: int, depth: int) -> _Plan | None:
    """How to skew the loop, None when it must be demoted."""
    trip = max(0, -(-(stop - start) // step))
    if trip < 2 or len(_transfers(body, PUSH_OPS)) > 1 or len(_transfers(body, POP_OPS)) > 1:
        return None
    lead = next(
        i for i, s in enumerate(body) if (c := leaf_call(s)) is not None and c.name in PUSH_OPS | POP_OPS
    )
    produce = _slice(set(all_uses(body[lead])), body) | {lead}
    consume = set(range(len(body))) - produce
    if not consume:
        return None
    used = {v for i in produce for v in all_uses(body[i])}
    if used & set(loop.iter_args):
        return None
    inside = {v for s in body for v in _defs(s)}
    made = {v for i in produce for v in _defs(body[i])}
    if used & inside - made:
        return None
    last = trailing_yield(loop.body)
    wanted = {v for i in consume for v in all_uses(body[i])}
    if last is not None:
        wanted |= set(all_uses(last))
    carried = made & wanted
    again = _slice(carried, body)
    if not all(_is_recomputable(body[i]) for i in again):
        return None
    overlap = next(d for d in range(min(depth, trip), 0, -1) if trip % d == 0 and (trip >= 2 * d))
    ordered = sorted(consume | again)
    return _Plan(
        loop, [body[i] for i in sorted(produce)], [body[i] for i in ordered], last, start, step, trip, overlap
    )


def _is_recomputable(stmt: Stmt) -> bool:
    if not isinstance(stmt, AssignStmt) or not isinstance(stmt.var.type, ScalarType):
        return False
    return not any(True for _ in calls_in(stmt))


class _Plan:
    """A loop that will be skewed by `depth` iterations."""

    def __init__(
        self,
        loop: ForStmt,
        produce: list[Stmt],
        consume: list[Stmt],
        last: YieldStmt | None,
        start: int,
        step: int,
        trip: int,
        depth: int,
    ) -> None:
        self.loop, self.produce, self.consume, self.last = loop, produce, consume, last
        self.start, self.step, self.trip, self.depth = start, step, trip, depth

    def constant(self, iteration: int) -> Expr:
        return ConstInt(self.start + iteration * self.step, self.dtype, span=self.loop.span)

    @property
    def dtype(self) -> DataType:
        return scalar_dtype(self.loop.start) or DataType.INDEX

    def emit(self, group: int) -> Stmt:
        loop, depth = self.loop, self.depth
        out: list[Stmt] = []
        for i in range(depth):
            out += self.clone(self.produce, self.constant(i), {}, group, i)
        counter = Var(loop.loop_var.name_hint, loop.loop_var.type, span=loop.loop_var.span)
        iter_args = tuple(IterArg(a.name_hint, a.type, a.init_value, span=a.span) for a in loop.iter_args)
        steady: list[Stmt] = []
        for i in range(depth):
            steady += self.clone(self.produce, _shifted(counter, i * self.step), {}, group, i)
        carried: tuple[Expr, ...] = iter_args
        for i in range(depth):
            at = _shifted(counter, -(depth - i) * self.step)
            stmts, carried = self.consumed(at, carried, group, i)
            steady += stmts
        if self.last is not None:
            steady.append(self.last.with_(values=carried))
        results = tuple(Var(f"{v.name_hint}_swp", v.type, span=v.span) for v in loop.return_vars)
        attrs = {k: v for k, v in loop.attrs.items() if k != "pipeline_stages"}
        out.append(
            loop.with_(
                loop_var=counter,
                start=self.constant(depth),
                stop=self.constant(self.trip),
                step=ConstInt(depth * self.step, scalar_dtype(loop.step) or DataType.INDEX, span=loop.span),
                iter_args=iter_args,
                body=block(steady),
                return_vars=results,
                kind=ForKind.Sequential,
                attrs=attrs,
            )
        )
        carried = results
        for i in range(depth):
            stmts, carried = self.consumed(self.constant(self.trip - depth + i), carried, group, i)
            out += stmts
        out += [AssignStmt(var, value, span=loop.span) for var, value in zip(loop.return_vars, carried)]
        return SeqStmts(tuple(out))

    def consumed(
        self, at: Expr, carried: tuple[Expr, ...], group: int, stage: int
    ) -> tuple[list[Stmt], tuple[Expr, ...]]:
        """One consume, and the values that it hands to the next."""
        seeds: dict[Var, Expr] = dict(zip(self.loop.iter_args, carried))
        tail = [self.last] if self.last is not None else []
        stmts = self.clone([*self.consume, *tail], at, seeds, group, stage)
        if not tail:
            return stmts, carried
        last = stmts.pop()
        assert isinstance(last, YieldStmt)
        return stmts, last.values

    def clone(
        self, stmts: Sequence[Stmt], at: Expr, seeds: dict[Var, Expr], group: int, stage: int
    ) -> list[Stmt]:
        body = deep_clone(SeqStmts(tuple(stmts)), {**seeds, self.loop.loop_var: at})
        marked = _Mark(f"{group}:{stage}").rewrite(body)
        return list(stmts_of(marked))


def _shifted(counter: Var, by: int) -> Expr:
    if by == 0:
        return counter
    return make_binary("add", counter, by) if by > 0 else make_binary("sub", counter, -by)


class _Mark(Rewriter):
    """Names the pipeline group and stage on every call that makes a tile, received ones excepted."""

    def __init__(self, membership: str) -> None:
        self.membership = membership

    def rewrite_AssignStmt(self, stmt: AssignStmt) -> Stmt:
        call = stmt.value
        if not isinstance(call, Call) or call.name in POP_OPS or not _makes_tile(stmt):
            return stmt
        old = call.attrs.get("pipeline_membership")
        text = f"{old},{self.membership}" if old else self.membership
        return stmt.with_(value=call.with_(attrs={**call.attrs, "pipeline_membership": text}))


def _makes_tile(stmt: AssignStmt) -> bool:
    type_ = stmt.var.type
    if isinstance(type_, TupleType):
        return any(isinstance(t, TileType) for t in type_.types)
    return isinstance(type_, TileType)
