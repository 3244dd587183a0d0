"""SSAForm (rule SSAVerify): single assignment, visibility, yields (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.analysis.spans import target_span, use_span
from pypto_core.analysis.statements import as_var, trailing_yield
from pypto_core.analysis.uses import type_vars
from pypto_core.diagnostics import Diagnostic, Related
from pypto_core.ir.deep import goes_deep
from pypto_core.verify.base import Context, Finding, Verifier, author_name, best_span

RULE = "SSAVerify"
_report = Finding(RULE)

_TRANSPARENT = (ir.RuntimeScopeStmt, ir.SplitAivScopeStmt)
_KINDS: dict[type[ir.Stmt], str] = {ir.ForStmt: "for loop", ir.WhileStmt: "while loop", ir.IfStmt: "if"}


class _Check:
    """One walk; ``visible`` is the scope, grown and cut back as blocks open and close."""

    def __init__(self, function: ir.Function) -> None:
        self._function = function
        self._assigned: dict[ir.Var, ir.Span] = {}
        self._found: list[Diagnostic] = []
        self._visible: set[ir.Var] = set(function.params)
        #: What became visible in the function, in order.
        self._opened: list[ir.Var] = []
        for type_ in (*(p.type for p in function.params), *function.return_types):
            self._visible.update(type_vars(type_))

    def run(self) -> list[Diagnostic]:
        self._stmt(self._function.body)
        return self._found

    def _add(self, code: str, number: int, message: str, span: ir.Span, *related: Related) -> None:
        message = f"{message} in function '{self._function.name}'"
        self._found.append(_report(code, number, message, span, related=related))

    # -- expressions and definitions -------------------------------------------------------------------------------

    def _use(self, expr: ir.Expr, where: ir.Span) -> None:
        for part in ir.walk_exprs(expr):
            var = as_var(part)
            if var is None or var in self._visible:
                continue
            name = author_name(var)
            definition = self._assigned.get(var)
            related = (Related("defined here", definition),) if definition is not None else ()
            self._add(
                "ssa-scope",
                6,
                f"Variable '{name}' is used outside the scope that defines it",
                use_span(best_span(where, var.span), name),
                *related,
            )

    def _initial_value(self, arg: ir.IterArg, loop: ir.Stmt) -> None:
        """An initial value; one that is defined nowhere stands for a name that only the loop assigns (§4.7)."""
        var = as_var(arg.init_value)
        if var is None or var in self._visible or var in self._assigned or var.name_hint not in arg.name_hint:
            self._use(arg.init_value, best_span(arg.init_value.span, loop.span))
            return
        name = author_name(var)
        self._add(
            "ssa-scope",
            6,
            f"Variable '{name}' is read after the loop but gets its value only inside it: a loop without a trip leaves "
            f"it without one. Give '{name}' a value before the loop",
            best_span(var.span, loop.span),
            Related("the loop", loop.span),
        )

    def _define(self, var: ir.Var, span: ir.Span) -> None:
        earlier = self._assigned.get(var)
        if earlier is not None:
            self._add(
                "ssa-multiple-assignment",
                1,
                f"Variable '{author_name(var)}' is assigned more than once",
                best_span(span, var.span),
                Related("first assigned here", earlier),
            )
        else:
            self._assigned[var] = best_span(span, var.span)
        self._show(var)

    def _show(self, *variables: ir.Var) -> None:
        for var in variables:
            if var not in self._visible:
                self._visible.add(var)
                self._opened.append(var)

    def _hide(self, mark: int) -> None:
        """End a block: what became visible since there were ``mark`` of them is so no longer."""
        self._visible.difference_update(self._opened[mark:])
        del self._opened[mark:]

    # -- statements ------------------------------------------------------------------------------------------------

    def _stmt(self, stmt: ir.Stmt) -> None:
        match stmt:
            case ir.SeqStmts():
                for inner in stmt.stmts:
                    self._stmt(inner)
            case ir.AssignStmt():
                self._use(stmt.value, best_span(stmt.value.span, stmt.span))
                self._define(stmt.var, target_span(stmt, stmt.var))
            case ir.ForStmt() | ir.WhileStmt():
                self._loop(stmt)
            case ir.IfStmt():
                self._branch(stmt)
            case _:
                for expr in ir.stmt_exprs(stmt):
                    self._use(expr, best_span(expr.span, stmt.span))
                for body in ir.stmt_bodies(stmt):
                    self._stmt(body)

    def _loop(self, loop: ir.ForStmt | ir.WhileStmt) -> None:
        if isinstance(loop, ir.ForStmt):
            for bound in (loop.start, loop.stop, loop.step):
                self._use(bound, best_span(bound.span, loop.span))
        for arg in loop.iter_args:
            self._initial_value(arg, loop)
        mark = len(self._opened)
        self._show(*loop.iter_args)
        if isinstance(loop, ir.ForStmt):
            self._show(loop.loop_var)
        else:
            self._use(loop.condition, best_span(loop.condition.span, loop.span))
        self._stmt(loop.body)
        self._hide(mark)
        self._shape(loop, len(loop.iter_args), (loop.body,))
        for var in loop.return_vars:
            self._define(var, best_span(var.span, loop.span))

    @goes_deep
    def _branch(self, branch: ir.IfStmt) -> None:
        self._use(branch.condition, best_span(branch.condition.span, branch.span))
        mark = len(self._opened)
        for body in (branch.then_body, branch.else_body):
            if body is not None:
                self._stmt(body)
                self._hide(mark)
        if branch.return_vars and branch.else_body is None:
            self._add("ssa-missing-yield", 3, "An if with results has no else branch", branch.span)
        else:
            bodies = (branch.then_body, *((branch.else_body,) if branch.else_body is not None else ()))
            self._shape(branch, len(branch.return_vars), bodies)
        for var in branch.return_vars:
            self._define(var, best_span(var.span, branch.span))

    def _shape(
        self, stmt: ir.ForStmt | ir.WhileStmt | ir.IfStmt, count: int, bodies: tuple[ir.Stmt, ...]
    ) -> None:
        """Counts of carried values, results and yielded values."""
        kind = _KINDS[type(stmt)]
        if not isinstance(stmt, ir.IfStmt) and count != len(stmt.return_vars):
            self._add(
                "ssa-iter-args",
                4,
                f"The {kind} carries {count} values but has {len(stmt.return_vars)} results",
                stmt.span,
            )
        for body in bodies:
            ending = trailing_yield(body)
            if ending is None:
                if count:
                    self._add(
                        "ssa-missing-yield",
                        3,
                        f"A body of the {kind} with {count} results does not end in a yield",
                        stmt.span,
                    )
                continue
            if len(ending.values) != count:
                self._add(
                    "ssa-yield-count",
                    5,
                    f"A body of the {kind} yields {len(ending.values)} values, expected {count}",
                    stmt.span,
                )
                continue
            self._misplaced(body, ending)

    def _misplaced(self, body: ir.Stmt, ending: ir.YieldStmt) -> None:
        """Yields of this body, not of loops and branches inside, that are not its last statement."""
        for stmt in ir.body_stmts(body):
            if isinstance(stmt, ir.YieldStmt) and stmt is not ending:
                self._add("ssa-misplaced-yield", 7, "A yield is not the last statement", stmt.span)
            elif isinstance(stmt, _TRANSPARENT):
                self._misplaced(stmt.body, ending)


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    yield from _Check(function).run()


VERIFIER = Verifier("SSAForm", RULE, check)
