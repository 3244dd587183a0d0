"""Statements that were read before, for the next reading of a long kernel (docs/architecture.md §4).

A statement whose text is as it was, whose names stand for the very same variables, and around which nothing else has changed means
the very same thing: the objects of the last reading are used again, so whatever is remembered of them stands as well. A statement
that leaves traces elsewhere (a finding, a symbol, a call of another function) is always read. The answer is exactly what a fresh
reading gives.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pypto_core.frontend.body_facts import facts_of
from pypto_core.frontend.jit_closure import JitClosure
from pypto_core.frontend.names import Trace
from pypto_core.frontend.static_closure import ScopeClosure
from pypto_core.frontend.static_eval.scopes import Watch
from pypto_core.ir import ConstInt, Expr, ScalarType, Stmt, TensorType, TileType, Type, Var

if TYPE_CHECKING:
    from pypto_core.frontend.context import FunctionContext
    from pypto_core.frontend.static_eval.interpreter import Interpreter


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """What all statements of a function see beside the names of the body; ``assigned`` hides names of the module."""

    interpreter: Interpreter
    function: tuple[object, ...]
    params: tuple[Var, ...]
    assigned: frozenset[str]

    def differing(self, other: Surroundings) -> frozenset[str] | None:
        """Names that mean something else in the other surroundings; None when they have nothing in common."""
        same = (
            self.interpreter is other.interpreter
            and self.function == other.function
            and len(self.params) == len(other.params)
            and all(a is b for a, b in zip(self.params, other.params, strict=True))
        )
        return self.assigned ^ other.assigned if same else None


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """A statement as it was read: where, what it asked and did, and what it became."""

    node: ast.stmt
    surroundings: Surroundings
    around: tuple[object, ...]
    comments: tuple[str, ...]
    trace: Trace
    looked_at: frozenset[Any]
    steps: int
    made: tuple[Stmt, ...]


class Replay:
    """The statements of one kernel, those of the last reading. ``repeated`` and ``read`` count those of the newest one."""

    def __init__(self) -> None:
        self._before: dict[int, _Known] = {}
        self._now: dict[int, _Known] = {}
        self._differing: dict[Surroundings, frozenset[str] | None] = {}
        self._symbols: dict[str, Var] = {}
        self._params: dict[tuple[str, str], tuple[ast.arg, Var]] = {}
        #: What the newest reading asked of these two.
        self._asked: set[object] = set()
        self.repeated = 0
        self.read = 0

    def begin(self) -> None:
        """Another reading of the kernel; one that was broken off loses nothing."""
        self._before.update(self._now)
        self._now = {}
        self._asked = set()
        self.repeated = self.read = 0

    def finish(self) -> None:
        """The reading has come to its end: what it did not ask for is forgotten."""
        self._before, self._now = self._now, {}
        self._symbols = {name: var for name, var in self._symbols.items() if name in self._asked}
        self._params = {key: known for key, known in self._params.items() if key in self._asked}

    # --- what functions begin with ----------------------------------------------------------------------------------

    def symbol(self, name: str, make: Callable[[], Var]) -> Var:
        """The same variable for a dynamic size in every reading."""
        self._asked.add(name)
        found = self._symbols.get(name)
        if found is None:
            found = self._symbols[name] = make()
        return found

    def param(self, ctx: FunctionContext, arg: ast.arg, var: Var) -> Var:
        """The variable of the last reading for a parameter that is written as it was and has the type that it had."""
        key = ctx.name, arg.arg
        self._asked.add(key)
        known = self._params.get(key)
        if known is not None and known[0] is arg and not ctx.program.assumed:
            before = known[1]
            if before.name_hint == var.name_hint and before.span == var.span and _same(before.type, var.type):
                return before
        self._params[key] = (arg, var)
        return var

    def enter(self, ctx: FunctionContext) -> None:
        """The body of a function begins."""
        closure = ctx.closure
        self._differing = {}
        ctx.surroundings = None
        if not isinstance(closure, ScopeClosure | JitClosure):
            return
        assigned = closure.assigned if isinstance(closure, JitClosure) else frozenset()
        function = (
            ctx.name, ctx.func_type, ctx.level, ctx.role, ctx.auto_scope, ctx.strict, ctx.dialect.__class__,
            ctx.program.backend, ctx.source.chunk,
        )  # fmt: skip
        ctx.surroundings = Surroundings(
            closure.interpreter, function, tuple(ctx.params.values()), frozenset(assigned)
        )

    # --- statements ---------------------------------------------------------------------------------------------------

    def statement(
        self,
        ctx: FunctionContext,
        node: ast.stmt,
        comments: tuple[str, ...],
        read: Callable[[FunctionContext, ast.stmt, tuple[str, ...]], None],
    ) -> None:
        """Do what ``read`` does for a statement."""
        surroundings = ctx.surroundings
        if surroundings is None or ctx.inlining or ctx.producers or ctx.dump_tags:
            read(ctx, node, comments)
            return
        around = (ctx.region_cut, *((r.kind, r.split, r.wrote_split is None, r.carried) for r in ctx.regions))
        known = self._before.get(id(node))
        if known is not None and self._holds(ctx, known, surroundings, around, comments):
            ctx.out.extend(known.made)
            self.repeated += 1
            if known.surroundings is not surroundings:
                known = _Known(
                    node,
                    surroundings,
                    around,
                    comments,
                    known.trace,
                    known.looked_at,
                    known.steps,
                    known.made,
                )
            self._now[id(node)] = known
            return
        self.read += 1
        watch, budget = surroundings.interpreter.watch, surroundings.interpreter.budget
        outer = watch.set_apart() if watch is not None else None
        state, place, left = _state(ctx), len(ctx.out), budget.left
        trace = ctx.names.begin()
        read(ctx, node, comments)
        ctx.names.end()
        looked_at, only_names = _settled(watch, outer)
        steps = left - budget.left
        if not trace.opaque and only_names and steps >= 0 and len(ctx.out) > place and _state(ctx) == state:
            made = tuple(ctx.out[place:])
            self._now[id(node)] = _Known(node, surroundings, around, comments, trace, looked_at, steps, made)

    def _holds(
        self,
        ctx: FunctionContext,
        known: _Known,
        surroundings: Surroundings,
        around: tuple[object, ...],
        comments: tuple[str, ...],
    ) -> bool:
        """Whether a statement means what it meant; if so its names are bound."""
        if known.around != around or known.comments != comments:
            return False
        if known.surroundings is not surroundings:
            try:
                differing = self._differing[known.surroundings]
            except KeyError:
                differing = surroundings.differing(known.surroundings)
                self._differing[known.surroundings] = differing
            if differing is None or not differing.isdisjoint(facts_of(ctx.source, known.node).loaded):
                return False
        budget = surroundings.interpreter.budget
        if known.steps and budget.left < known.steps + budget.limits.reserve:
            return False
        if not ctx.names.repeat(known.trace):
            return False
        budget.left -= known.steps
        watch = surroundings.interpreter.watch
        if watch is not None and known.looked_at:
            watch.names |= known.looked_at
        return True


def _settled(watch: Watch | None, outer: Watch | None) -> tuple[frozenset[Any], bool]:
    """Names of modules that a statement looked at, and whether it looked at nothing else there."""
    if watch is None or outer is None:
        return frozenset(), True
    names = frozenset(watch.names)
    only_names = not (watch.kernels or watch.complete or watch.listed or watch.paths or watch.unsteady)
    watch.join(outer)
    return names, only_names


def _state(ctx: FunctionContext) -> tuple[object, ...]:
    """Changes when reading something leaves anything behind but statements and names."""
    program = ctx.program
    return (
        program.traces, len(program.window_buffers), len(program.allocations), len(program.reserved), len(program.added),
        len(program.callees), len(ctx.used_symbols), len(ctx.dump_tags), len(ctx.producers), ctx.result, ctx.region_cut,
        sum(len(region.yields or ()) for region in ctx.regions),
    )  # fmt: skip


def _same(before: Type, now: Type) -> bool:
    """Whether two types of parameters are the same one, the places of their numbers included."""
    if before.__class__ is not now.__class__:
        return False
    if isinstance(before, ScalarType) and isinstance(now, ScalarType):
        return before.dtype is now.dtype
    if isinstance(before, TensorType) and isinstance(now, TensorType):
        if before.tensor_view is not None or now.tensor_view is not None:
            return False
    elif isinstance(before, TileType) and isinstance(now, TileType):
        if before.tile_view is not None or now.tile_view is not None:
            return False
    else:
        return False
    return (
        before.dtype is now.dtype
        and before.memory_space is now.memory_space
        and before.memref is None
        and now.memref is None
        and len(before.shape) == len(now.shape)
        and all(_same_dim(a, b) for a, b in zip(before.shape, now.shape, strict=True))
    )


def _same_dim(before: Expr, now: Expr) -> bool:
    if before is now:
        return True
    return (
        isinstance(before, ConstInt)
        and isinstance(now, ConstInt)
        and (before.value, before.dtype, before.span) == (now.value, now.dtype, now.span)
    )
