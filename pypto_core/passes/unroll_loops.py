"""UnrollLoops: replace ``pl.unroll`` loops by copies of their bodies (docs/spec/passes_front.md Part 2).

Function-local; produces UnrollResolved. Assigned variables stay the same objects in every copy; ConvertToSSA versions them.
Rejects bounds that are no literals (`unroll-bounds`), a zero step (`unroll-step`) and more than 1024 trips (`unroll-trips`).
"""

from __future__ import annotations

from pypto_core import ir
from pypto_core.analysis.spans import use_span
from pypto_core.diagnostics import Diagnostic, Severity, error
from pypto_core.passes.base import Pass, PassContract, PassError, map_functions
from pypto_core.passes.mutator import DeepClone

CONTRACT = PassContract.of(produced="UnrollResolved", function_local=True)
MAX_TRIPS = 1024
#: Copies of bodies in one function, nested loops multiplied. The compiler has no such bound and would not end; here it is one.
MAX_COPIES = 32 * MAX_TRIPS


def unroll_loops(*, backend: str | None = None) -> Pass:
    """The pass; the backend plays no part."""
    return Pass("UnrollLoops", CONTRACT, lambda program: map_functions(program, _unroll_function))


def _unroll_function(function: ir.Function) -> ir.Function:
    return function.with_(body=_Unroller().rewrite(function.body))


def _literal(expr: ir.Expr, role: str, loop: ir.ForStmt) -> int:
    if isinstance(expr, ir.ConstInt):
        return expr.value
    if type(expr) is ir.Neg:
        assert isinstance(expr, ir.UnaryExpr)
        if isinstance(expr.operand, ir.ConstInt):
            return -expr.operand.value
    span = expr.span if expr.span.is_valid else loop.span
    if isinstance(expr, ir.Var):
        # A variable has the span of its definition.
        span = use_span(loop.span, expr.name_hint)
    raise PassError(
        error(
            "unroll-bounds",
            f"Unroll loop {role} must be a compile-time integer constant, got {type(expr).__name__}",
            span,
        )
    )


class _Unroller(ir.Rewriter):
    def __init__(self) -> None:
        super().__init__()
        self._copies = 0

    def rewrite_Expr(self, expr: ir.Expr) -> ir.Expr:
        return expr

    def rewrite_ForStmt(self, loop: ir.ForStmt) -> ir.Stmt:
        if loop.kind is not ir.ForKind.Unroll:
            return loop.with_(body=self.rewrite(loop.body))
        if loop.iter_args:
            raise PassError(
                error("compiler-internal", "Unroll loops cannot have iter_args (init_values)", loop.span)
            )
        start = _literal(loop.start, "start", loop)
        stop = _literal(loop.stop, "stop", loop)
        step = _literal(loop.step, "step", loop)
        if step == 0:
            raise PassError(error("unroll-step", "Unroll loop step cannot be zero", loop.span))
        trips = range(start, stop, step)
        if len(trips) > MAX_TRIPS:
            raise PassError(
                error(
                    "unroll-trips",
                    f"Unroll loop trip count {len(trips)} exceeds maximum allowed ({MAX_TRIPS}). "
                    "Reduce the loop range or use pl.range() instead",
                    loop.span,
                    data={"trips": len(trips), "limit": MAX_TRIPS},
                )
            )
        self._copies += len(trips)
        if self._copies > MAX_COPIES:
            message = f"the pl.unroll loops of this function make more than {MAX_COPIES} copies; use pl.range for one of them"
            raise PassError(Diagnostic("not-supported", message, loop.span, Severity.INFORMATION))
        copies = [self._copy(loop, value) for value in trips]
        if loop.leading_comments and copies:
            copies[0] = _commented(copies[0], loop.leading_comments)
        # Not flattened here: a surrounding block splices the copies, a sole statement keeps its own blocks (§2, 5).
        return ir.SeqStmts(tuple(copies), span=loop.span)

    def _copy(self, loop: ir.ForStmt, value: int) -> ir.Stmt:
        literal = ir.ConstInt(value, ir.DataType.INDEX, span=loop.loop_var.span)
        clone: ir.Stmt = DeepClone({loop.loop_var: literal}, clone_defs=False).rewrite(loop.body)
        unrolled: ir.Stmt = self.rewrite(clone)
        return unrolled


def _commented(stmt: ir.Stmt, comments: tuple[str, ...]) -> ir.Stmt:
    if isinstance(stmt, ir.SeqStmts):
        if not stmt.stmts:
            return stmt
        return stmt.with_(stmts=(_commented(stmt.stmts[0], comments), *stmt.stmts[1:]))
    return stmt.with_(leading_comments=(*comments, *stmt.leading_comments))
