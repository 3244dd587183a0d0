"""FlattenCallExpr: give nested calls their own assignments (docs/spec/passes_front.md Part 7).

Function-local; requires SSAForm and NormalizedStmtStructure, keeps them and produces NoNestedCalls. The call in a while
condition is hoisted in front of the loop, as the compiler does.
"""

from __future__ import annotations

from pypto_core import ir
from pypto_core.ir.walk import own_calls
from pypto_core.passes.base import Pass, PassContract, map_functions

CONTRACT = PassContract.of(
    "SSAForm NormalizedStmtStructure",
    "SSAForm NoNestedCalls NormalizedStmtStructure",
    function_local=True,
)


def flatten_call_expr(*, backend: str | None = None) -> Pass:
    """The pass; the backend plays no part."""
    return Pass("FlattenCallExpr", CONTRACT, lambda program: map_functions(program, _flatten_function))


def _flatten_function(function: ir.Function) -> ir.Function:
    return function.with_(body=_Flattener().body(function.body))


class _Flattener(ir.Rewriter):
    """Hoists calls into ``pending``; one counter for the generated names of a function."""

    def __init__(self) -> None:
        self._pending: list[ir.Stmt] = []
        self._next = 0

    def _hoist(self, expr: ir.Expr) -> ir.Expr:
        var = ir.Var(f"t__tmp_v{self._next}", expr.type, span=expr.span)
        self._next += 1
        self._pending.append(ir.AssignStmt(var, expr, span=expr.span))
        return var

    def _hoisted_call(self, expr: ir.Expr) -> ir.Expr:
        new: ir.Expr = self.rewrite(expr)
        return self._hoist(new) if isinstance(new, ir.Call) else new

    def _hoisted_any(self, expr: ir.Expr) -> ir.Expr:
        new: ir.Expr = self.rewrite(expr)
        return self._hoist(new) if isinstance(new, (ir.Call, ir.Submit)) else new

    # -- expressions -----------------------------------------------------------------------------------------------

    def rewrite_IterArg(self, var: ir.IterArg) -> ir.Expr:
        return var

    def rewrite_Call(self, call: ir.Call) -> ir.Expr:
        args = ir.map_tuple(call.args, self._hoisted_call)
        return call if args is call.args else call.with_(args=args)

    def rewrite_Submit(self, submit: ir.Submit) -> ir.Expr:
        return submit.with_(args=ir.map_tuple(submit.args, self._hoisted_any))

    def rewrite_BinaryExpr(self, expr: ir.BinaryExpr) -> ir.Expr:
        return expr.with_(left=self._hoisted_call(expr.left), right=self._hoisted_call(expr.right))

    def rewrite_UnaryExpr(self, expr: ir.UnaryExpr) -> ir.Expr:
        return expr.with_(operand=self._hoisted_call(expr.operand))

    # -- statements ------------------------------------------------------------------------------------------------

    def rewrite_AssignStmt(self, stmt: ir.AssignStmt) -> ir.Stmt:
        calls = own_calls(stmt)
        if not calls or (len(calls) == 1 and calls[0] is stmt.value):
            return stmt  # No call stands inside an expression.
        new: ir.Stmt = self.generic(stmt)
        return new

    def body(self, body: ir.Stmt) -> ir.Stmt:
        """A body; hoisted assignments of a sole statement go in front of it inside the body."""
        if isinstance(body, ir.SeqStmts):
            new: ir.Stmt = self.rewrite(body)
            return new
        outer, self._pending = self._pending, []
        stmt: ir.Stmt = self.rewrite(body)
        pending, self._pending = self._pending, outer
        return ir.SeqStmts.flatten((*pending, stmt), body.span) if pending else stmt

    def rewrite_SeqStmts(self, block: ir.SeqStmts) -> ir.Stmt:
        outer = self._pending
        out: list[ir.Stmt] = []
        for stmt in block.stmts:
            self._pending = []
            new: ir.Stmt = self.rewrite(stmt)
            out.extend(self._pending)
            out.append(new)
        self._pending = outer
        if len(out) == len(block.stmts) and all(a is b for a, b in zip(out, block.stmts, strict=True)):
            return block
        return ir.SeqStmts.flatten(out, block.span)

    def rewrite_ReturnStmt(self, stmt: ir.ReturnStmt) -> ir.Stmt:
        return stmt.with_(values=ir.map_tuple(stmt.values, self._hoisted_call))

    def rewrite_YieldStmt(self, stmt: ir.YieldStmt) -> ir.Stmt:
        return stmt.with_(values=ir.map_tuple(stmt.values, self._hoisted_any))

    def rewrite_IfStmt(self, branch: ir.IfStmt) -> ir.Stmt:
        condition = self._hoisted_call(branch.condition)
        pending = self._pending
        new = branch.with_(
            condition=condition,
            then_body=self.body(branch.then_body),
            else_body=None if branch.else_body is None else self.body(branch.else_body),
        )
        self._pending = pending
        return new

    def rewrite_ForStmt(self, loop: ir.ForStmt) -> ir.Stmt:
        start, stop, step = (self._hoisted_call(e) for e in (loop.start, loop.stop, loop.step))
        pending = self._pending
        new = loop.with_(start=start, stop=stop, step=step, body=self.body(loop.body))
        self._pending = pending
        return new

    def rewrite_WhileStmt(self, loop: ir.WhileStmt) -> ir.Stmt:
        condition = self._hoisted_call(loop.condition)
        pending = self._pending
        new = loop.with_(condition=condition, body=self.body(loop.body))
        self._pending = pending
        return new

    def rewrite_ScopeStmt(self, scope: ir.ScopeStmt) -> ir.Stmt:
        return scope.with_(body=self.body(scope.body))

    def rewrite_CommDomainScopeStmt(self, scope: ir.CommDomainScopeStmt) -> ir.Stmt:
        return scope.with_(body=self.rewrite(scope.body))
