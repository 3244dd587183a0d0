"""OutParamWriteDropped: rebinding an Out parameter does not write to it (docs/spec/verifiers.md §5)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.analysis.statements import trailing_yield
from pypto_core.diagnostics import Diagnostic, Severity
from pypto_core.verify.base import Context, Finding, Verifier, author_name

RULE = "OutParamWriteDropped"
_report = Finding(RULE, Severity.WARNING)


def _dependencies(body: ir.Stmt) -> dict[ir.Var, set[ir.Var]]:
    """Variable -> variables that its value is computed from, over all its definitions."""
    reads: dict[ir.Var, set[ir.Var]] = {}

    def add(var: ir.Var, sources: set[ir.Var]) -> None:
        reads.setdefault(var, set()).update(sources)

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
    return reads


def _yielded(body: ir.Stmt) -> set[ir.Var]:
    ending = trailing_yield(body)
    return {v for value in ending.values for v in ir.collect_uses(value)} if ending is not None else set()


def _tainted(param: ir.Var, reads: dict[ir.Var, set[ir.Var]]) -> set[ir.Var]:
    """``param`` and every variable derived from it."""
    tainted = {param}
    changed = True
    while changed:
        changed = False
        for var, sources in reads.items():
            if var not in tainted and sources & tainted:
                tainted.add(var)
                changed = True
    return tainted


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    written = {
        p: d
        for p, d in zip(function.params, function.param_directions, strict=True)
        if d is not ir.ParamDirection.In and isinstance(p.type, (ir.TensorType, ir.TileType))
    }
    if not written:
        return
    reads: dict[ir.Var, set[ir.Var]] | None = None
    for stmt in ir.walk_stmts(function.body):
        if not isinstance(stmt, ir.AssignStmt) or stmt.var not in written:
            continue
        if reads is None:
            reads = _dependencies(function.body)
        if _tainted(stmt.var, reads).isdisjoint(ir.collect_uses(stmt.value)):
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
