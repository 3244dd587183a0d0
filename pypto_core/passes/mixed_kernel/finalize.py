"""Repairing loops and branches after half of their statements left (docs/spec/passes_split.md §10.5).

No step enters a scope statement. "Defined" never includes parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set

from pypto_core.analysis.affinity import Affinity
from pypto_core.analysis.lanes import FREE_OPS, PIPE_SETUP_OPS, POP_OPS, PUSH_OPS
from pypto_core.analysis.statements import SCOPES, block, stmts_of, trailing_yield
from pypto_core.analysis.uses import all_defs, all_uses, defs_of, expr_vars, type_vars
from pypto_core.ir import (
    AssignStmt,
    Call,
    Expr,
    ForStmt,
    IfStmt,
    IterArg,
    SeqStmts,
    Stmt,
    Submit,
    Var,
    WhileStmt,
    YieldStmt,
)
from pypto_core.ir.deep import goes_deep
from pypto_core.ir.walk import stmt_exprs
from pypto_core.passes.mixed_kernel.lost_carries import drop_lost_carries
from pypto_core.passes.mixed_kernel.placement import Placement

#: Statements with bodies that the repairs enter.
_NESTING: frozenset[type] = frozenset((ForStmt, WhileStmt, IfStmt, SeqStmts))
_EFFECTS = PUSH_OPS | POP_OPS | FREE_OPS | PIPE_SETUP_OPS | frozenset({"tile.store", "tile.assemble"})


def finalize_split_core_body(
    stmts: Sequence[Stmt],
    *,
    original: Sequence[Stmt],
    placement: Placement,
    other: Affinity,
    received: Mapping[Var, Var],
    reachable: frozenset[Var],
    outside: Iterable[Var],
) -> list[Stmt]:
    """One side's statements with consistent carries and merges and without dead values.

    `original` is the body before the cut, `received` maps what this side receives to the received tile, `reachable` are
    variables that name a written parameter: neither is looked for in `original`. `other` is the peer's affinity, `outside` are
    the parameters and the sizes that the signature names.
    """
    out = list(stmts)
    if _is_straight(out):
        return remove_dead_code(out)
    out = strip_dead_iter_args(out)
    pull = _Pull(_assignments(original), placement, other, reachable.union(received))
    out = pull.block(out)
    out = fixup_dangling_yields(out, received)
    out = strip_dangling_if_results(out, received)
    out = drop_lost_carries(out, received, reachable.union(outside))
    out = remove_dead_code(out)
    stripped = strip_dead_iter_args(out)
    # Without a carry that went, nothing more is dead.
    return out if all(a is b for a, b in zip(stripped, out)) else remove_dead_code(stripped)


def _is_straight(stmts: Iterable[Stmt]) -> bool:
    """Whether no loop and no branch stands in a statement list: there is nothing to repair then."""
    return _NESTING.isdisjoint(map(type, stmts))


def _with_yield(body: Stmt, values: tuple[Expr, ...]) -> Stmt:
    """`body` with other values in its trailing yield; without a yield when none are left."""
    stmts = list(stmts_of(body))
    last = stmts[-1]
    if isinstance(last, SeqStmts):
        return block([*stmts[:-1], _with_yield(last, values)])
    assert isinstance(last, YieldStmt)
    return block([*stmts[:-1], last.with_(values=values)] if values else stmts[:-1])


def _direct_yield(body: Stmt) -> YieldStmt | None:
    last = trailing_yield(body)
    stmts = stmts_of(body)
    return last if last is not None and type(stmts[-1]) not in SCOPES else None


# -- dead loop carries -------------------------------------------------------------------------------------------------


@goes_deep
def strip_dead_iter_args(stmts: Sequence[Stmt]) -> list[Stmt]:
    """Drop loop slots that neither the body nor anything after the loop reads; inner loops first."""
    if _is_straight(stmts):
        return list(stmts)
    out = [_map_bodies(s, lambda b: block(strip_dead_iter_args(stmts_of(b)), b)) for s in stmts]
    carrying = [i for i, s in enumerate(out) if isinstance(s, (ForStmt, WhileStmt)) and s.iter_args]
    if not carrying:
        return out
    after: set[Var] = set()
    for i in reversed(range(carrying[0], len(out))):
        stmt = out[i]
        after.update(all_uses(stmt))
        if isinstance(stmt, (ForStmt, WhileStmt)) and stmt.iter_args:
            # A loop does not read its own results: that its uses are in `after` changes nothing.
            out[i] = _strip_loop(stmt, after)
    return out


def _strip_loop(loop: ForStmt | WhileStmt, after: set[Var]) -> Stmt:
    last = _direct_yield(loop.body)
    inside = {v for s in stmts_of(loop.body) if not isinstance(s, YieldStmt) for v in all_uses(s)}
    if isinstance(loop, WhileStmt):
        inside |= set(expr_vars(loop.condition))
    keep = [
        arg in inside or (i < len(loop.return_vars) and loop.return_vars[i] in after)
        for i, arg in enumerate(loop.iter_args)
    ]
    if last is not None:
        _keep_handed_over(loop.iter_args, last.values, keep)
    if all(keep):
        return loop
    body = loop.body
    if last is not None:
        body = _with_yield(body, tuple(v for v, k in zip(last.values, keep) if k))
    return loop.with_(
        iter_args=tuple(a for a, k in zip(loop.iter_args, keep) if k),
        return_vars=tuple(v for v, k in zip(loop.return_vars, keep) if k),
        body=body,
    )


def _keep_handed_over(args: Sequence[IterArg], values: Sequence[Expr], keep: list[bool]) -> None:
    """What a kept slot takes over from another slot, as in ``pl.yield_(current, new)``, keeps that one too."""
    slots: dict[Var, int] = {arg: i for i, arg in enumerate(args)}
    work = [i for i, kept in enumerate(keep) if kept]
    while work:
        i = work.pop()
        for var in expr_vars(values[i]) if i < len(values) else ():
            other = slots.get(var)
            if other is not None and not keep[other]:
                keep[other] = True
                work.append(other)


def _map_bodies(stmt: Stmt, fn: Callable[[Stmt], Stmt]) -> Stmt:
    if stmt.__class__ not in _NESTING:
        return stmt
    if isinstance(stmt, (ForStmt, WhileStmt)):
        return stmt.with_(body=fn(stmt.body))
    if isinstance(stmt, IfStmt):
        other = None if stmt.else_body is None else fn(stmt.else_body)
        return stmt.with_(then_body=fn(stmt.then_body), else_body=other)
    return stmt


# -- initial values ----------------------------------------------------------------------------------------------------


@goes_deep
def _assignments(stmts: Sequence[Stmt]) -> dict[Var, AssignStmt]:
    found: dict[Var, AssignStmt] = {}
    for stmt in stmts:
        if isinstance(stmt, AssignStmt):
            found[stmt.var] = stmt
        elif isinstance(stmt, SeqStmts):
            found.update(_assignments(stmt.stmts))
        elif isinstance(stmt, (ForStmt, WhileStmt)):
            found.update(_assignments(stmts_of(stmt.body)))
        elif isinstance(stmt, IfStmt):
            found.update(_assignments(stmts_of(stmt.then_body)))
            found.update(_assignments(stmts_of(stmt.else_body)))
    return found


class _Pull:
    """Brings the definitions that a loop's initial values need in front of the loop.

    A value that only the other core can compute is never brought over: its carry is repaired or dropped later.
    """

    def __init__(
        self,
        definitions: Mapping[Var, AssignStmt],
        placement: Placement,
        other: Affinity,
        known: frozenset[Var],
    ) -> None:
        self.definitions = definitions
        self.placement = placement
        self.other = other
        self.known = known

    @goes_deep
    def block(self, stmts: Sequence[Stmt]) -> list[Stmt]:
        if _is_straight(stmts):
            return list(stmts)
        defined: set[Var] = set()
        out: list[Stmt] = []
        counted = 0
        for stmt in stmts:
            if isinstance(stmt, (ForStmt, WhileStmt)) and stmt.iter_args:
                # Only now, since most lists have no such loop: what is nested deep is not counted again at every level.
                defined.update(defs_of(out[counted:]))
                for arg in stmt.iter_args:
                    for var in expr_vars(arg.init_value):
                        self.pull(var, defined, out)
                counted = len(out)
            out.append(_map_bodies(stmt, lambda b: block(self.block(stmts_of(b)), b)))
        return out

    def pull(self, var: Var, defined: set[Var], out: list[Stmt]) -> None:
        if var in defined or var in self.known:
            return
        stmt = self.definitions.get(var)
        if stmt is None or self.placement[stmt] in (self.other, Affinity.MIXED):
            return
        defined.add(var)
        for needed in reversed([v for e in stmt_exprs(stmt) for v in expr_vars(e)]):
            self.pull(needed, defined, out)
        out.append(stmt)


# -- yields ------------------------------------------------------------------------------------------------------------


def fixup_dangling_yields(stmts: Sequence[Stmt], received: Mapping[Var, Var]) -> list[Stmt]:
    """A loop that yields a value of the other core yields its carry instead; what it receives is its own."""
    if _is_straight(stmts):
        return list(stmts)
    return _Yields(received).block(stmts)


class _Yields:
    def __init__(self, received: Mapping[Var, Var]) -> None:
        self.received = received

    @goes_deep
    def block(self, stmts: Sequence[Stmt]) -> list[Stmt]:
        if _is_straight(stmts):
            return list(stmts)
        out: list[Stmt] = []
        defined: set[Var] = set()
        counted = 0
        for stmt in stmts:
            if isinstance(stmt, (ForStmt, WhileStmt)):
                body = block(self.block(stmts_of(stmt.body)), stmt.body)
                if stmt.iter_args:
                    defined.update(defs_of(out[counted:]), all_defs(body))
                    counted = len(out)
                    defined.update(stmt.iter_args)
                    body = self.fix_yield(body, stmt.iter_args, defined)
                stmt = stmt.with_(body=body)
            elif isinstance(stmt, IfStmt):
                stmt = _map_bodies(stmt, lambda b: block(self.block(stmts_of(b)), b))
            out.append(stmt)
        return out

    def is_defined(self, value: Expr, defined: set[Var]) -> bool:
        return all(self.received.get(var, var) in defined for var in expr_vars(value))

    def fix_yield(self, body: Stmt, fallbacks: Sequence[Expr | None], defined: set[Var]) -> Stmt:
        """Replace undefined values of a body's trailing yield, and of the ifs in it, by their slot's fallback."""
        stmts = [self.fix_if(s, fallbacks, defined) for s in stmts_of(body)]
        body = block(stmts, body)
        last = _direct_yield(body)
        if last is None:
            return body
        values = tuple(
            fallbacks[i] or value if i < len(fallbacks) and not self.is_defined(value, defined) else value
            for i, value in enumerate(last.values)
        )
        return body if all(a is b for a, b in zip(values, last.values)) else _with_yield(body, values)

    def fix_if(self, stmt: Stmt, args: Sequence[Expr | None], defined: set[Var]) -> Stmt:
        if not isinstance(stmt, IfStmt) or stmt.else_body is None or not stmt.return_vars:
            return stmt
        then, other = _direct_yield(stmt.then_body), _direct_yield(stmt.else_body)
        if then is None or other is None:
            return stmt
        carries = {a for a in args if isinstance(a, IterArg)}
        fallbacks: list[Expr | None] = []
        for pair in zip(then.values, other.values):
            found = {v for v in pair if v in carries}
            fallbacks.append(found.pop() if len(found) == 1 else None)
        return stmt.with_(
            then_body=self.fix_yield(stmt.then_body, fallbacks, defined),
            else_body=self.fix_yield(stmt.else_body, fallbacks, defined),
        )


# -- merges ------------------------------------------------------------------------------------------------------------


def strip_dangling_if_results(stmts: Sequence[Stmt], received: Mapping[Var, Var]) -> list[Stmt]:
    """Drop a merge result when a branch's value does not exist on this side."""
    return _StripResults(received).block(stmts)


class _StripResults:
    """``defined`` grows in program order; what a branch defines is taken back at its end."""

    def __init__(self, received: Mapping[Var, Var]) -> None:
        self.received = received
        self.defined: dict[Var, None] = {}

    @goes_deep
    def block(self, stmts: Sequence[Stmt]) -> list[Stmt]:
        return [self.stmt(s) for s in stmts]

    def stmt(self, stmt: Stmt) -> Stmt:
        if isinstance(stmt, AssignStmt):
            self.defined[stmt.var] = None
            return stmt
        if isinstance(stmt, (ForStmt, WhileStmt)):
            # What a loop defines counts behind it as well.
            self.define((*stmt.iter_args, stmt.loop_var) if isinstance(stmt, ForStmt) else stmt.iter_args)
            stmt = stmt.with_(body=block(self.block(stmts_of(stmt.body)), stmt.body))
        elif isinstance(stmt, IfStmt):
            stmt = self.merge(_map_bodies(stmt, self.branch))
        self.define(all_defs(stmt))
        return stmt

    def define(self, variables: Iterable[Var]) -> None:
        self.defined.update(dict.fromkeys(variables))

    def branch(self, body: Stmt) -> Stmt:
        mark = len(self.defined)
        out = block(self.block(stmts_of(body)), body)
        while len(self.defined) > mark:
            self.defined.popitem()
        return out

    def exists(self, value: Expr, inside: set[Var]) -> bool:
        # What was received in the other branch only, or is received later, does not exist here.
        return all(
            tile in inside or tile in self.defined
            for var in expr_vars(value)
            for tile in (self.received.get(var, var),)
        )

    def merge(self, stmt: Stmt) -> Stmt:
        if not isinstance(stmt, IfStmt) or not stmt.return_vars or stmt.else_body is None:
            return stmt
        then, other = _direct_yield(stmt.then_body), _direct_yield(stmt.else_body)
        if then is None or other is None:
            return stmt
        in_then, in_else = _top_defs(stmt.then_body), _top_defs(stmt.else_body)
        keep = [
            self.exists(a, in_then) and self.exists(b, in_else) for a, b in zip(then.values, other.values)
        ]
        if all(keep):
            return stmt
        return stmt.with_(
            return_vars=tuple(v for v, k in zip(stmt.return_vars, keep) if k),
            then_body=_with_yield(stmt.then_body, tuple(v for v, k in zip(then.values, keep) if k)),
            else_body=_with_yield(stmt.else_body, tuple(v for v, k in zip(other.values, keep) if k)),
        )


def _top_defs(body: Stmt) -> set[Var]:
    found: set[Var] = set()
    for stmt in stmts_of(body):
        if isinstance(stmt, AssignStmt):
            found.add(stmt.var)
        elif isinstance(stmt, (ForStmt, WhileStmt, IfStmt)):
            found.update(stmt.return_vars)
    return found


# -- dead code ---------------------------------------------------------------------------------------------------------


def remove_dead_code(stmts: Sequence[Stmt]) -> list[Stmt]:
    """Remove assignments whose value nothing reads; types of live variables count as readers."""
    live: set[Var] = set()
    definitions: dict[Var, AssignStmt] = {}
    binders: list[Var] = []
    for stmt in stmts:
        _collect(stmt, live, definitions, binders)
    for var in binders:
        live.update(type_vars(var.type))
    work = list(live)
    while work:
        var = work.pop()
        made = definitions.pop(var, None)
        if made is None:
            continue
        for needed in (*expr_vars(made.value), *type_vars(var.type)):
            if needed not in live:
                live.add(needed)
                work.append(needed)
    return _drop(stmts, definitions.keys())


@goes_deep
def _collect(stmt: Stmt, live: set[Var], definitions: dict[Var, AssignStmt], binders: list[Var]) -> None:
    if isinstance(stmt, AssignStmt):
        if _has_effect(stmt):
            binders.append(stmt.var)
            live.update(expr_vars(stmt.value))
        else:
            definitions[stmt.var] = stmt
        return
    if isinstance(stmt, (ForStmt, WhileStmt)):
        binders.extend((*stmt.iter_args, *stmt.return_vars))
    elif isinstance(stmt, IfStmt):
        binders.extend(stmt.return_vars)
    if type(stmt) in SCOPES:
        live.update(all_uses(stmt))
        return
    for expr in stmt_exprs(stmt):
        live.update(expr_vars(expr))
    for body in _bodies(stmt):
        for inner in stmts_of(body):
            _collect(inner, live, definitions, binders)


def _bodies(stmt: Stmt) -> tuple[Stmt, ...]:
    if isinstance(stmt, SeqStmts):
        return stmt.stmts
    if isinstance(stmt, (ForStmt, WhileStmt)):
        return (stmt.body,)
    if isinstance(stmt, IfStmt):
        return (stmt.then_body,) if stmt.else_body is None else (stmt.then_body, stmt.else_body)
    return ()


def _has_effect(stmt: AssignStmt) -> bool:
    value = stmt.value
    return isinstance(value, Submit) or (isinstance(value, Call) and value.op.name in _EFFECTS)


@goes_deep
def _drop(stmts: Sequence[Stmt], dead: Set[Var]) -> list[Stmt]:
    out: list[Stmt] = []
    for stmt in stmts:
        if isinstance(stmt, AssignStmt):
            if stmt.var not in dead:
                out.append(stmt)
        elif isinstance(stmt, SeqStmts):
            out.extend(_drop(stmt.stmts, dead))
        else:
            out.append(_map_bodies(stmt, lambda b: block(_drop(stmts_of(b), dead), b)))
    return out
