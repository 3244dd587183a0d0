"""UseAfterDef (rule UseAfterDefCheck): every use has a definition before it (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.analysis.spans import use_span
from pypto_core.analysis.statements import as_var
from pypto_core.analysis.uses import type_vars
from pypto_core.diagnostics import Diagnostic
from pypto_core.ir.deep import goes_deep
from pypto_core.verify.base import Context, Finding, Verifier, author_name, best_span

RULE = "UseAfterDefCheck"
_report = Finding(RULE)


class _Check:
    def __init__(self, function: ir.Function) -> None:
        self._function = function
        self._defined: set[ir.Var] = set(function.params)
        for type_ in (*(p.type for p in function.params), *function.return_types):
            self._defined.update(type_vars(type_))
        self._found: list[Diagnostic] = []

    def run(self) -> list[Diagnostic]:
        for expr in ir.attr_exprs(self._function.attrs):
            self._use(expr, self._function.span)
        self._stmt(self._function.body)
        return self._found

    def _use(self, expr: ir.Expr, where: ir.Span) -> None:
        for part in ir.walk_exprs(expr):
            var = as_var(part)
            if var is None:
                continue
            span = best_span(part.span if part is not var else where, where)
            self._var(var, span)
            for inner in type_vars(var.type):
                self._var(inner, span)

    def _var(self, var: ir.Var, span: ir.Span) -> None:
        if var in self._defined:
            return
        # One report per variable: the rest are consequences.
        self._defined.add(var)
        name = author_name(var)
        self._found.append(
            _report(
                "use-before-def",
                401,
                f"Variable '{name}' is used before it is defined in function '{self._function.name}'",
                use_span(best_span(span, var.span), name),
                data={"name": name},
            )
        )

    @goes_deep
    def _stmt(self, stmt: ir.Stmt) -> None:
        match stmt:
            case ir.SeqStmts():
                for inner in stmt.stmts:
                    self._stmt(inner)
            case ir.ForStmt() | ir.WhileStmt():
                self._loop(stmt)
            case ir.IfStmt():
                self._use(stmt.condition, best_span(stmt.condition.span, stmt.span))
                outer, inside = set(self._defined), set(self._defined)
                for body in (stmt.then_body, stmt.else_body):
                    if body is not None:
                        self._defined = set(outer)
                        self._stmt(body)
                        inside |= self._defined
                self._defined = outer | set(stmt.return_vars) if stmt.return_vars else inside
            case _:
                for expr in ir.stmt_exprs(stmt):
                    self._use(expr, best_span(expr.span, stmt.span))
                self._defined.update(ir.stmt_defs(stmt))
                for body in ir.stmt_bodies(stmt):
                    self._stmt(body)

    def _loop(self, loop: ir.ForStmt | ir.WhileStmt) -> None:
        for arg in loop.iter_args:
            self._use(arg.init_value, best_span(arg.init_value.span, loop.span))
        own: set[ir.Var] = set(loop.iter_args)
        if isinstance(loop, ir.ForStmt):
            for bound in (loop.start, loop.stop, loop.step):
                self._use(bound, best_span(bound.span, loop.span))
            own.add(loop.loop_var)
        outer = set(self._defined)
        self._defined |= own
        if isinstance(loop, ir.WhileStmt):
            self._use(loop.condition, best_span(loop.condition.span, loop.span))
        self._stmt(loop.body)
        if loop.return_vars:
            self._defined = outer | set(loop.return_vars)
        else:
            self._defined -= own - outer


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    yield from _Check(function).run()


VERIFIER = Verifier("UseAfterDef", RULE, check)
