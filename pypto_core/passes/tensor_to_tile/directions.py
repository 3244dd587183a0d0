"""Directions of kernel parameters from what the body does with them (docs/spec/passes_tensor_to_tile.md §1.8)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from pypto_core.analysis.names import describe
from pypto_core.analysis.statements import trailing_yield
from pypto_core.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    ForStmt,
    Function,
    GlobalVar,
    IfStmt,
    MakeTuple,
    ParamDirection,
    Span,
    Stmt,
    Submit,
    TensorType,
    TupleGetItem,
    Var,
    WhileStmt,
    body_stmts,
)
from pypto_core.ir.deep import goes_deep
from pypto_core.ir.walk import LEAVES, own_calls, stmt_bodies
from pypto_core.ops import Effect, find_op
from pypto_core.passes.tensor_to_tile.lowering import pass_error

Origins = frozenset[Var]
"""Parameters whose memory a value may be."""

_NONE: Origins = frozenset()

_STRONGER: dict[str, tuple[int, ...]] = {
    "pld.tensor.allgather": (1,),
    "pld.tensor.all_to_all": (1,),
    "pld.tensor.all_to_all_v": (1, 4),
}
"""Operands that count as read and written although the operator declares a write only."""


def _effect(call: Call | Submit, index: int) -> Effect:
    """What a call does to operand ``index``: as declared, except that an atomic ``tile.store`` counts as a write only."""
    name = call.name
    if name == "tile.store":
        return Effect.WRITE if index == 2 else Effect.READ
    if index in _STRONGER.get(name, ()):
        return Effect.READ_WRITE
    op = None if isinstance(call.op, GlobalVar) else find_op(name)
    return Effect.READ if op is None else op.effect(index, call.kwargs)


_CARRIES: dict[str, int] = {
    "tile.store": 2,
    "tile.mscatter": 2,
    "tensor.assemble": 0,
    "tensor.write": 0,
    "tensor.slice": 0,
    "tensor.view": 0,
    "pld.tensor.allreduce": 0,
    "pld.tensor.reduce_scatter": 0,
    "pld.tensor.broadcast": 0,
    "pld.tensor.barrier": 0,
    "pld.tensor.allgather": 1,
    "pld.tensor.all_to_all": 1,
    "pld.tensor.all_to_all_v": 1,
}
"""Operators whose result is the memory of one operand."""

_PURE_CARRIES = frozenset({"tensor.view", "tensor.slice"})
"""Of these, the ones that touch no data."""

_DMA_STORES = frozenset({"tile.store", "tensor.assemble"})
_SCALAR_STORES = frozenset({"tensor.write"})


@dataclass(slots=True)
class ParamUses:
    """What a kernel does with its parameters' memory."""

    read: set[Var] = field(default_factory=set)
    written: set[Var] = field(default_factory=set)
    stored: dict[Var, Span] = field(default_factory=dict)
    """Parameters written by DMA, with the first place."""
    scalar: dict[Var, Span] = field(default_factory=dict)
    """Parameters written element by element, with the first place."""


class _Tracer:
    """Follows parameters through values; a loop that carries more than it began with is scanned again."""

    def __init__(self, function: Function) -> None:
        self.origins: dict[Expr, Origins] = {
            param: frozenset({param}) for param in function.params if isinstance(param.type, TensorType)
        }
        self.uses = ParamUses()

    def of(self, expr: Expr) -> Origins:
        if expr.__class__ in LEAVES:
            return self.origins.get(expr, _NONE)
        if isinstance(expr, TupleGetItem):
            if isinstance(expr.tuple, MakeTuple):
                return self.of(expr.tuple.elements[expr.index])
            return self.of(expr.tuple)
        if isinstance(expr, MakeTuple):
            return frozenset().union(*(self.of(e) for e in expr.elements))
        if isinstance(expr, Call):
            carried = _CARRIES.get(expr.name)
            if carried is not None and carried < len(expr.args):
                return self.of(expr.args[carried])
        return _NONE

    @goes_deep
    def body(self, stmts: Iterable[Stmt]) -> None:
        for stmt in stmts:
            self.stmt(stmt)

    def stmt(self, stmt: Stmt) -> None:
        for call in own_calls(stmt):
            self._call(call, stmt.span)
        if isinstance(stmt, AssignStmt):
            self._join(stmt.var, self.of(stmt.value))
        elif isinstance(stmt, (ForStmt, WhileStmt)):
            self._loop(stmt)
        elif isinstance(stmt, IfStmt):
            for branch in stmt_bodies(stmt):
                self.body(body_stmts(branch))
                ended = trailing_yield(branch)
                if ended is not None:
                    for result, value in zip(stmt.return_vars, ended.values):
                        self._join(result, self.of(value))
        elif not isinstance(stmt, EvalStmt):
            for inner in stmt_bodies(stmt):
                self.body(body_stmts(inner))

    def _loop(self, stmt: ForStmt | WhileStmt) -> None:
        for arg in stmt.iter_args:
            self._join(arg, self.of(arg.init_value))
        ended = trailing_yield(stmt.body)
        yielded = () if ended is None else ended.values
        # Origins only grow, so a nested loop that was settled once is not scanned again and again with the ones around it.
        grown = True
        while grown:
            self.body(body_stmts(stmt.body))
            news = [self._join(arg, self.of(value)) for arg, value in zip(stmt.iter_args, yielded)]
            grown = any(news)
        for result, arg in zip(stmt.return_vars, stmt.iter_args):
            self._join(result, self.of(arg))

    def _join(self, var: Var, origins: Origins) -> bool:
        """Add to what ``var`` comes from; whether that is news."""
        before = self.origins.get(var, _NONE)
        if not origins or origins <= before:
            return False
        self.origins[var] = before | origins
        return True

    def _call(self, call: Call | Submit, span: Span) -> None:
        name = call.op.name
        for index, arg in enumerate(call.args):
            origins = self.of(arg)
            if not origins:
                continue
            effect = _effect(call, index)
            if effect is not Effect.READ:
                self.uses.written |= origins
                self._channel(name, origins, span)
            if effect is not Effect.WRITE and not (index == 0 and name in _PURE_CARRIES):
                self.uses.read |= origins

    def _channel(self, name: str, origins: Origins, span: Span) -> None:
        if name in _DMA_STORES:
            places = self.uses.stored
        elif name in _SCALAR_STORES:
            places = self.uses.scalar
        else:
            return
        for param in origins:
            places.setdefault(param, span)


def parameter_uses(function: Function) -> ParamUses:
    """Reads and writes of the tensor parameters of a kernel."""
    tracer = _Tracer(function)
    tracer.body(body_stmts(function.body))
    return tracer.uses


def upgrade_directions(function: Function) -> Function:
    """In parameters that are written become Out, or InOut when they are read as well.

    One parameter may not be written by DMA and element by element in the same kernel.
    """
    uses = parameter_uses(function)
    for param, span in uses.scalar.items():
        if param in uses.stored:
            raise pass_error(
                "store-channel-mixed",
                f"GM tensor '{describe(param)}' mixes MTE3 and scalar stores in one InCore function: whole tiles are stored "
                "by DMA, pl.write stores single elements, and the two are not ordered; write all of it one way",
                span,
                param=describe(param),
            )
    new: list[ParamDirection] = []
    for param, direction in zip(function.params, function.param_directions, strict=True):
        if direction is ParamDirection.In and param in uses.written:
            direction = ParamDirection.InOut if param in uses.read else ParamDirection.Out
        new.append(direction)
    if all(a is b for a, b in zip(new, function.param_directions, strict=True)):
        return function
    return function.with_(param_directions=tuple(new))
