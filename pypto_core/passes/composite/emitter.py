"""Statements of one lowered composite call, under construction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pypto_core.ir import (
    AssignStmt,
    Call,
    Expr,
    ForStmt,
    IfStmt,
    IterArg,
    SeqStmts,
    Span,
    Stmt,
    Type,
    Var,
    YieldStmt,
)
from pypto_core.passes.auto_names import NameCounter, auto_name
from pypto_core.passes.tile_calls import INDEX_TYPE, index, new_call


class Emitter:
    """Collects statements; temporaries are named after ``base`` and numbered through the whole function.

    Everything made carries the span of the composite call.
    """

    __slots__ = ("_counter", "_span", "base", "stmts")

    def __init__(self, base: str, counter: NameCounter, span: Span) -> None:
        self.base = base
        self._counter = counter
        self._span = span
        self.stmts: list[Stmt] = []

    def block(self) -> Emitter:
        """An emitter for a nested body, sharing names and span."""
        return Emitter(self.base, self._counter, self._span)

    def body(self) -> Stmt:
        """What was collected, as a body."""
        return SeqStmts.flatten(self.stmts, self._span)

    def call(self, name: str, *args: Expr, **kwargs: Any) -> Call:
        """A call that is not bound yet."""
        return new_call(name, *args, span=self._span, kwargs=kwargs)

    def var(self, qualifier: str, kind: Type) -> Var:
        """A fresh variable; takes the next number."""
        return Var(auto_name(self.base, qualifier, self._counter.take()), kind, span=self._span)

    def bind(self, qualifier: str, value: Expr) -> Var:
        """``<base>__<qualifier>_tmp_v<n> = value``."""
        var = self.var(qualifier, value.type)
        self.stmts.append(AssignStmt(var, value, span=self._span))
        return var

    def op(self, qualifier: str, name: str, *args: Expr, **kwargs: Any) -> Var:
        """Bind a call of operator ``name``."""
        return self.bind(qualifier, self.call(name, *args, **kwargs))

    def loop(
        self,
        qualifier: str,
        stop: Expr,
        fill: Callable[[Emitter, Var], None],
        *,
        start: Expr | None = None,
        step: Expr | None = None,
    ) -> None:
        """``for var in range(start, stop, step)``; ``fill`` writes the body."""
        loop_var = self.var(qualifier, INDEX_TYPE)
        inner = self.block()
        fill(inner, loop_var)
        self.stmts.append(
            ForStmt(
                loop_var,
                index(0) if start is None else start,
                stop,
                index(1) if step is None else step,
                (),
                inner.body(),
                span=self._span,
            )
        )

    def carried_loop(
        self,
        qualifier: str,
        stop: Expr,
        carried: str,
        init: Expr,
        result: str,
        fill: Callable[[Emitter, Var, IterArg], Expr],
    ) -> Var:
        """``for var, (carried,) in range(stop, init_values=(init,))``; ``fill`` returns the value to yield."""
        loop_var = self.var(qualifier, INDEX_TYPE)
        name = auto_name(self.base, carried, self._counter.take())
        carried_arg = IterArg(name, init.type, init, span=self._span)
        inner = self.block()
        inner.stmts.append(YieldStmt((fill(inner, loop_var, carried_arg),), span=self._span))
        out = self.var(result, init.type)
        self.stmts.append(
            ForStmt(loop_var, index(0), stop, index(1), (carried_arg,), inner.body(), (out,), span=self._span)
        )
        return out

    def when(self, condition: Expr, fill: Callable[[Emitter], None]) -> None:
        """``if condition:`` without an else branch."""
        inner = self.block()
        fill(inner)
        self.stmts.append(IfStmt(condition, inner.body(), span=self._span))

    def choose(
        self, condition: Expr, fill: Callable[[Emitter], Expr], otherwise: Callable[[Emitter], Expr]
    ) -> Var:
        """``if condition: ... else: ...`` with one result (``if_res``)."""
        then, orelse = self.block(), self.block()
        value = fill(then)
        then.stmts.append(YieldStmt((value,), span=self._span))
        orelse.stmts.append(YieldStmt((otherwise(orelse),), span=self._span))
        out = self.var("if_res", value.type)
        self.stmts.append(IfStmt(condition, then.body(), orelse.body(), (out,), span=self._span))
        return out
