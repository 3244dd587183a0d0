"""InOutUseValid (rule InOutUseDiscipline): a buffer passed for writing is read through the result (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pypto_core import ir
from pypto_core.analysis.spans import use_span
from pypto_core.analysis.statements import as_var
from pypto_core.diagnostics import Diagnostic, Related
from pypto_core.ir.deep import goes_deep
from pypto_core.verify.base import Context, Finding, Verifier, author_name, best_span

RULE = "InOutUseDiscipline"
_report = Finding(RULE)
_WRAPPERS = (ir.FunctionType.Group, ir.FunctionType.Spmd)


@dataclass(frozen=True, slots=True)
class _Kill:
    """Who passed the variable on, and the variable that received the call's result for it."""

    call: ir.Call | ir.Submit
    where: ir.Span
    replacement: ir.Var | None


class _Check:
    def __init__(self, function: ir.Function, context: Context) -> None:
        self._function = function
        self._program = context.program
        self._dead: dict[ir.Var, _Kill] = {}
        self._found: list[Diagnostic] = []
        self._tuples: dict[ir.Var, dict[int, ir.Var]] = {}
        self._kills: dict[ir.Stmt, dict[ir.Var, _Kill]] = {}
        for stmt in ir.walk_stmts(function.body):
            if isinstance(stmt, ir.AssignStmt) and isinstance(stmt.value, ir.TupleGetItem):
                source = as_var(stmt.value.tuple)
                if source is not None:
                    self._tuples.setdefault(source, {})[stmt.value.index] = stmt.var

    def run(self) -> list[Diagnostic]:
        self._stmt(self._function.body)
        return self._found

    # -- reading and killing ---------------------------------------------------------------------------------------

    def _read(self, expr: ir.Expr, where: ir.Span) -> None:
        span = best_span(expr.span, where)
        for part in ir.walk_exprs(expr):
            if isinstance(part, (ir.Call, ir.Submit)):
                span = best_span(part.span, span)
            var = as_var(part)
            kill = self._dead.get(var) if var is not None else None
            if kill is None or var is None:
                continue
            name = author_name(var)
            data: dict[str, object] = {
                "name": name, "callee": kill.call.name, "function": self._function.name,
            }  # fmt: skip
            hint = ""
            if kill.replacement is not None:
                data["replacement"] = author_name(kill.replacement)
                hint = f"; read its result '{data['replacement']}' instead"
            self._found.append(
                _report(
                    "inout-use",
                    0,
                    f"'{name}' is read after it was passed to '{kill.call.name}' as an Out or InOut argument "
                    f"({_place(kill.where)}) in function '{self._function.name}'{hint}",
                    use_span(span, name),
                    related=(
                        Related(f"'{name}' is passed for writing here", kill.where),
                        Related(f"'{name}' is defined here", var.span),
                    ),
                    data=data,
                )
            )

    def _kill(self, expr: ir.Expr, where: ir.Span, target: ir.Var | None) -> None:
        for part in ir.walk_exprs(expr):
            if not isinstance(part, (ir.Call, ir.Submit)) or not isinstance(part.op, ir.GlobalVar):
                continue
            callee = self._program.get_function(part.name)
            if callee is None:
                continue
            written = 0
            for i, (arg, direction) in enumerate(zip(part.args, callee.param_directions, strict=False)):
                if direction is ir.ParamDirection.In:
                    continue
                var = as_var(arg)
                position, written = written, written + 1
                if var is not None:
                    replacement = self._replacement(callee, i, position, target if part is expr else None)
                    self._dead[var] = _Kill(part, best_span(part.span, where), replacement)

    def _replacement(
        self, callee: ir.Function, param: int, position: int, target: ir.Var | None
    ) -> ir.Var | None:
        """The variable that received the new content of parameter ``param``."""
        if target is None or not callee.return_types:
            return None
        if len(callee.return_types) == 1 and not isinstance(target.type, ir.TupleType):
            return target
        wanted = callee.params[param]
        index: int | None = None
        for stmt in ir.walk_stmts(callee.body):
            if isinstance(stmt, ir.ReturnStmt):
                index = next((i for i, v in enumerate(stmt.values) if v is wanted), None)
        if index is None and position < len(callee.return_types):
            index = position
        return self._tuples.get(target, {}).get(index) if index is not None else None

    # -- statements ------------------------------------------------------------------------------------------------

    @goes_deep
    def _stmt(self, stmt: ir.Stmt) -> None:
        match stmt:
            case ir.SeqStmts():
                for inner in stmt.stmts:
                    self._stmt(inner)
            case ir.AssignStmt():
                self._read(stmt.value, stmt.span)
                self._kill(stmt.value, stmt.span, stmt.var)
                self._dead.pop(stmt.var, None)
            case ir.IfStmt():
                self._read(stmt.condition, stmt.span)
                self._kill(stmt.condition, stmt.span, None)
                before, after = dict(self._dead), {}
                for body in (stmt.then_body, stmt.else_body):
                    self._dead = dict(before)
                    if body is not None:
                        self._stmt(body)
                    after.update(self._dead)
                self._dead = after
            case ir.ForStmt() | ir.WhileStmt():
                self._loop(stmt)
            case _:
                for expr in ir.stmt_exprs(stmt):
                    self._read(expr, stmt.span)
                    self._kill(expr, stmt.span, None)
                for body in ir.stmt_bodies(stmt):
                    self._stmt(body)

    def _loop(self, loop: ir.ForStmt | ir.WhileStmt) -> None:
        for expr in ir.stmt_exprs(loop):
            if not (isinstance(loop, ir.WhileStmt) and expr is loop.condition):
                self._read(expr, loop.span)
                self._kill(expr, loop.span, None)
        # What the body passes on is dead again when the next iteration starts, carried values excepted.
        for var, kill in self._kills_of(loop.body).items():
            if var not in loop.iter_args:
                self._dead.setdefault(var, kill)
        if isinstance(loop, ir.WhileStmt):
            self._read(loop.condition, loop.span)
            self._kill(loop.condition, loop.span, None)
        self._stmt(loop.body)

    def _kills_of(self, body: ir.Stmt) -> dict[ir.Var, _Kill]:
        """What a body leaves dead, without reporting; looked at once, however deep the loops are."""
        known = self._kills.get(body)
        if known is None:
            dead, found = self._dead, self._found
            self._dead, self._found = {}, []
            self._stmt(body)
            known = self._kills[body] = self._dead
            self._dead, self._found = dead, found
        return known


def _place(span: ir.Span) -> str:
    return f"line {span.line}" if span.is_valid else "earlier"


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    # Nothing but a call of a function passes a variable for writing.
    calls = any(isinstance(call.op, ir.GlobalVar) for call in ir.calls_in(function.body))
    if calls and function.func_type not in _WRAPPERS:
        yield from _Check(function, context).run()


VERIFIER = Verifier("InOutUseValid", RULE, check)
