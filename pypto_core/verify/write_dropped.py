"""OutParamWriteDropped: rebinding an Out parameter does not write to it (docs/spec/verifiers.md §5)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.analysis.statements import trailing_yield
from pypto_core.diagnostics import Diagnostic, Severity
from pypto_core.verify.base import Context, Finding, Verifier, author_name

RULE = "OutParamWriteDropped"
_report = Finding(RULE, Severity.WARNING)


def _readers(body: ir.Stmt) -> dict[ir.Var, list[ir.Var]]:
    """Variable -> variables whose values are computed from it, over all their definitions."""
    readers: dict[ir.Var, list[ir.Var]] = {}

    def add(var: ir.Var, sources: set[ir.Var]) -> None:
        for source in sources:
            readers.setdefault(source, []).append(var)

    for stmt in ir.walk_stmts(body):
        if isinstance(stmt, ir.AssignStmt):
            add(stmt.var, set(ir.collect_uses(stmt.value)))
        elif isinstance(stmt, (ir.ForStmt, ir.WhileStmt)):
            sources = {v for a in stmt.iter_args for v in ir.collect_uses(a.init_value)}
            sources |= _yielded(stmt.body)
            for var in (*stmt.iter_args, *stmt.return_vars):
                add(var, sources)
        elif isinstance(stmt, ir.IfStmt):
            sources = _yielded(stmt.then_body)
            if stmt.else_body is not None:
                sources |= _yielded(stmt.else_body)
            for var in stmt.return_vars:
                add(var, sources)
    return readers


def _yielded(body: ir.Stmt) -> set[ir.Var]:
    ending = trailing_yield(body)
    return {v for value in ending.values for v in ir.collect_uses(value)} if ending is not None else set()


def _tainted(param: ir.Var, readers: dict[ir.Var, list[ir.Var]]) -> set[ir.Var]:
    """``param`` and every variable derived from it."""
    tainted = {param}
    todo = [param]
    while todo:
        for var in readers.get(todo.pop(), ()):
            if var not in tainted:
                tainted.add(var)
                todo.append(var)
    return tainted


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    written = {
        p: d
        for p, d in zip(function.params, function.param_directions, strict=True)
        if d is not ir.ParamDirection.In and isinstance(p.type, (ir.TensorType, ir.TileType))
    }
    if not written:
        return
    readers: dict[ir.Var, list[ir.Var]] | None = None
    derived: dict[ir.Var, set[ir.Var]] = {}
    for stmt in ir.walk_stmts(function.body):
        if not isinstance(stmt, ir.AssignStmt) or stmt.var not in written:
            continue
        if readers is None:
            readers = _readers(function.body)
        if stmt.var not in derived:
            derived[stmt.var] = _tainted(stmt.var, readers)
        if derived[stmt.var].isdisjoint(ir.collect_uses(stmt.value)):
            name, direction = author_name(stmt.var), written[stmt.var].name
            yield _report(
                "out-param-write-dropped",
                1003,
                f"Assigning to {direction} parameter '{name}' of function '{function.name}' gives the name another "
                f"value; the caller's buffer is not written. Write `{name}[:] = ...`",
                stmt.span,
                data={"name": name},
            )


VERIFIER = Verifier("OutParamWriteDropped", RULE, check)
