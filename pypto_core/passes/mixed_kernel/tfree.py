"""Returning every received slot after its last use (docs/spec/passes_split.md §10.7)."""

from __future__ import annotations

from collections.abc import Sequence

from pypto_core.analysis.lanes import Side
from pypto_core.analysis.statements import as_var, block, leaf_call, stmts_of, trailing_yield
from pypto_core.analysis.uses import all_uses, expr_vars
from pypto_core.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    ForStmt,
    IfStmt,
    ReturnStmt,
    SeqStmts,
    Stmt,
    Var,
    WhileStmt,
    YieldStmt,
)
from pypto_core.ir.deep import goes_deep
from pypto_core.ir.walk import stmt_bodies
from pypto_core.ops.registry import InheritSpace, find_op, untyped_op_call


def finalize_tfrees(stmts: Sequence[Stmt], side: Side, remap: dict[Var, Var]) -> list[Stmt]:
    """`stmts` with exactly one free per received tile of this side, nested bodies first."""
    return _Finalizer(side, remap).block(stmts)


def _shares_buffer(call: Call) -> bool:
    """Whether the result is a view of the first tile operand's buffer."""
    op = find_op(call.name)
    return op is not None and isinstance(op.output_memory, InheritSpace) and op.inplace_safe


class _Finalizer:
    def __init__(self, side: Side, remap: dict[Var, Var]) -> None:
        self.side = side
        self.remap = remap

    def canonical(self, var: Var) -> Var:
        return self.remap.get(var, var)

    def block(self, stmts: Sequence[Stmt]) -> list[Stmt]:
        return self.place([self.nested(s) for s in stmts])

    def body(self, body: Stmt) -> Stmt:
        return block(self.block(stmts_of(body)), body)

    @goes_deep
    def nested(self, stmt: Stmt) -> Stmt:
        if isinstance(stmt, (ForStmt, WhileStmt)):
            return stmt.with_(body=self.body(stmt.body))
        if isinstance(stmt, IfStmt):
            other = None if stmt.else_body is None else self.body(stmt.else_body)
            return stmt.with_(then_body=self.body(stmt.then_body), else_body=other)
        if isinstance(stmt, SeqStmts):
            return block(self.block(stmt.stmts), stmt)
        return stmt

    def place(self, stmts: list[Stmt]) -> list[Stmt]:
        """Frees of the tiles received directly in this list."""
        pops: dict[Var, Call] = {}
        for stmt in stmts:
            call = leaf_call(stmt)
            if call is not None and call.op.name == self.side.pop and isinstance(stmt, AssignStmt):
                pops[self.canonical(stmt.var)] = call
        if not pops:
            return stmts
        roots = self.aliases(stmts, pops)
        last = self.last_uses(stmts, pops, roots)
        return self.emit(stmts, pops, roots, last)

    def aliases(self, stmts: Sequence[Stmt], pops: dict[Var, Call]) -> dict[Var, Var]:
        """Variable -> the received tile whose slot it reads."""
        roots = {var: var for var in pops}

        def root(expr: Expr) -> Var | None:
            var = as_var(expr)
            return roots.get(self.canonical(var)) if var is not None else None

        def follow(stmts: Sequence[Stmt]) -> None:
            """In program order, results behind their bodies: a view of a result is an alias too."""
            for stmt in stmts:
                if isinstance(stmt, AssignStmt):
                    value = stmt.value
                    if not isinstance(value, Call):
                        put(stmt.var, root(value))
                    elif value.args:
                        tile = root(value.args[0])
                        put(stmt.var, tile if tile is not None and _shares_buffer(value) else None)
                    continue
                for body in stmt_bodies(stmt):
                    follow(stmts_of(body))
                if isinstance(stmt, IfStmt) and stmt.else_body is not None:
                    then, other = trailing_yield(stmt.then_body), trailing_yield(stmt.else_body)
                    if then is not None and other is not None:
                        for var, a, b in zip(stmt.return_vars, then.values, other.values):
                            found = root(a)
                            put(var, found if found is root(b) else None)
                elif isinstance(stmt, (ForStmt, WhileStmt)):
                    back = trailing_yield(stmt.body)
                    for var, value in zip(stmt.return_vars, back.values if back is not None else ()):
                        put(var, root(value))

        def put(var: Var, tile: Var | None) -> None:
            if tile is not None:
                roots[var] = tile

        follow(stmts)
        return roots

    def last_uses(
        self, stmts: Sequence[Stmt], pops: dict[Var, Call], roots: dict[Var, Var]
    ) -> dict[Var, int]:
        """Per tile the index of the last statement that reads it or an alias; its own tpop when nothing does."""
        last = dict.fromkeys(pops, 0)
        for i, stmt in enumerate(stmts):
            if isinstance(stmt, AssignStmt) and self.canonical(stmt.var) in last:
                last[self.canonical(stmt.var)] = i
            if not self.frees(stmt):
                for var in self.mentions(stmt):
                    tile = roots.get(var) or roots.get(self.canonical(var))
                    if tile in last:
                        last[tile] = i
        return last

    def mentions(self, stmt: Stmt) -> list[Var]:
        call = leaf_call(stmt)
        if call is not None:
            return [v for arg in call.args for v in expr_vars(arg)]
        return list(all_uses(stmt))

    def frees(self, stmt: Stmt) -> bool:
        return isinstance(stmt, EvalStmt) and self.freed(stmt) is not None

    def freed(self, stmt: EvalStmt) -> Var | None:
        """The tile that an existing free of this side returns."""
        call = leaf_call(stmt)
        if call is None or call.op.name != self.side.free or not call.args:
            return None
        return as_var(call.args[0])

    def emit(
        self, stmts: list[Stmt], pops: dict[Var, Call], roots: dict[Var, Var], last: dict[Var, int]
    ) -> list[Stmt]:
        have: set[Var] = set()
        kept: dict[int, Stmt | None] = {}
        for i, stmt in enumerate(stmts):
            var = self.freed(stmt) if isinstance(stmt, EvalStmt) else None
            tile = (roots.get(var) or roots.get(self.canonical(var))) if var is not None else None
            if tile is None:
                continue
            if i >= last[tile] and tile not in have:
                have.add(tile)
                call = leaf_call(stmt)
                assert call is not None and isinstance(stmt, EvalStmt)
                kept[i] = (
                    stmt if call.args[0] is tile else stmt.with_(expr=call.with_(args=(tile, *call.args[1:])))
                )
            else:
                kept[i] = None
        due: dict[int, list[Var]] = {}
        for tile in pops:
            if tile not in have:
                due.setdefault(last[tile], []).append(tile)
        out: list[Stmt] = []
        for i, stmt in enumerate(stmts):
            if i not in due and i not in kept:
                out.append(stmt)
                continue
            frees = [self.free(tile, pops[tile], stmt) for tile in due.get(i, ())]
            if isinstance(stmt, (YieldStmt, ReturnStmt)):
                out.extend(frees)
                frees = []
            if i in kept:
                new = kept[i]
                if new is not None:
                    out.append(new)
            else:
                out.append(stmt)
            out.extend(frees)
        return out

    def free(self, tile: Var, pop: Call, after: Stmt) -> Stmt:
        kwargs = {"id": pop.kwargs["id"]} if "id" in pop.kwargs else {}
        call = untyped_op_call(self.side.free, (tile,), kwargs, span=pop.span)
        return EvalStmt(call, span=after.span)
