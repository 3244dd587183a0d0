"""Simplify: fold scalars, decide branches and trip counts, drop dead scalars (docs/spec/passes_front.md Part 5).

Changes no property; runs after ConvertToSSA and once more late. Rejects a division by a literal zero
(`constant-division-by-zero`).
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from pypto_core import ir
from pypto_core.arith import Analyzer, ArithError
from pypto_core.arith.analyzer import is_literal
from pypto_core.diagnostics import error
from pypto_core.passes.base import Pass, PassContract, PassError, map_functions
from pypto_core.passes.blocks import flatten_blocks, with_comments, without_yield
from pypto_core.passes.dead_code import eliminate_dead_if_results, eliminate_dead_scalars
from pypto_core.passes.mutator import BaseMutator, DeepClone, mutate_type

CONTRACT = PassContract.of(function_local=True)


def simplify(*, backend: str | None = None) -> Pass:
    """The pass; the backend plays no part."""
    return Pass("Simplify", CONTRACT, lambda program: map_functions(program, _simplify_function))


def _simplify_function(function: ir.Function) -> ir.Function:
    body = _Simplifier(function).rewrite(function.body)
    cleaned = eliminate_dead_scalars(eliminate_dead_if_results(eliminate_dead_scalars(body)))
    if cleaned is not body:
        cleaned = flatten_blocks(cleaned)
    return function.with_(body=cleaned)


def _multiply_assigned(body: ir.Stmt) -> frozenset[ir.Var]:
    counts = Counter(s.var for s in ir.walk_stmts(body) if isinstance(s, ir.AssignStmt))
    return frozenset(v for v, n in counts.items() if n > 1)


class _Simplifier(BaseMutator):
    """The statement rules of §5.1-5.4; ``remap`` is the table R of the specification."""

    def __init__(self, function: ir.Function) -> None:
        super().__init__()
        self._analyzer = Analyzer()
        self._multi = _multiply_assigned(function.body)
        self._depth = 0
        self._bound: list[ir.Var] = []
        self._span = function.span

    # -- expressions -----------------------------------------------------------------------------------------------

    def _simplify(self, expr: ir.Expr) -> ir.Expr:
        try:
            return self._analyzer.simplify(expr)
        except ArithError as failure:
            span = expr.span if expr.span.is_valid else self._span
            raise PassError(error("constant-division-by-zero", str(failure), span)) from failure

    def simp(self, expr: ir.Expr) -> ir.Expr:
        """Visit, then simplify."""
        return self._simplify(self.rewrite(expr))

    def rewrite_type(self, type_: ir.Type) -> ir.Type:
        return mutate_type(type_, self.simp)

    def rewrite_Var(self, var: ir.Var) -> ir.Expr:
        return self._simplify(self._resolve(var))

    def rewrite_IterArg(self, var: ir.IterArg) -> ir.Expr:
        return self._simplify(self._resolve(var))

    def _resolve(self, var: ir.Var) -> ir.Expr:
        target = self.remap.get(var)
        return var if target is None else super()._resolve(var)

    def rewrite_BinaryExpr(self, expr: ir.BinaryExpr) -> ir.Expr:
        return self._simplify(self.generic(expr))

    def rewrite_UnaryExpr(self, expr: ir.UnaryExpr) -> ir.Expr:
        return self._simplify(self.generic(expr))

    def rewrite_Call(self, call: ir.Call) -> ir.Expr:
        new: ir.Call = self.generic(call)
        if new.name == "tensor.view" and len(new.args) == 1:
            source = new.args[0]
            if _layout(new.type) is not None and _layout(new.type) is _layout(source.type):
                return source
        type_ = self.rewrite_type(new.type)
        return new if type_ is new.type else new.with_(type=type_)

    # -- definitions -----------------------------------------------------------------------------------------------

    def rewrite_def(self, var: Any) -> Any:
        """A definition: re-created when its type simplifies; the iter arg of a loop with its initial value too."""
        type_ = self.rewrite_type(var.type)
        if type_ is var.type and not isinstance(var, ir.IterArg):
            return var
        changes: dict[str, object] = {"type": type_}
        if isinstance(var, ir.IterArg):
            changes["init_value"] = self.simp(var.init_value)
        new = var.with_(**changes)
        if new is not var:
            self.remap[var] = new
        return new

    def _bind(self, var: ir.Var, value: ir.Expr) -> None:
        if not isinstance(var.type, ir.ScalarType) or var in self._multi:
            return
        if is_literal(value) and self._depth == 0:
            self._analyzer.bind_literal(var, value)
        else:
            self._analyzer.bind_bound(var, self._analyzer.bound(value))
        self._bound.append(var)

    def _scoped(self, body: ir.Stmt) -> ir.Stmt:
        """A body one level deeper; scalar bindings made inside are forgotten."""
        outer, self._bound = self._bound, []
        self._depth += 1
        result: ir.Stmt = self.rewrite(body)
        self._depth -= 1
        for var in self._bound:
            self._analyzer.unbind(var)
        self._bound = outer
        return result

    # -- statements ------------------------------------------------------------------------------------------------

    def rewrite_AssignStmt(self, stmt: ir.AssignStmt) -> ir.Stmt:
        self._span = stmt.span
        value = self.simp(stmt.value)
        var = self.rewrite_def(stmt.var)
        self._bind(var, value)
        return stmt if var is stmt.var and value is stmt.value else stmt.with_(var=var, value=value)

    def rewrite_EvalStmt(self, stmt: ir.EvalStmt) -> ir.Stmt:
        self._span = stmt.span
        return stmt.with_(expr=self.simp(stmt.expr))

    def rewrite_ReturnStmt(self, stmt: ir.ReturnStmt) -> ir.Stmt:
        self._span = stmt.span
        return stmt.with_(values=ir.map_tuple(stmt.values, self.simp))

    def rewrite_YieldStmt(self, stmt: ir.YieldStmt) -> ir.Stmt:
        return stmt.with_(values=ir.map_tuple(stmt.values, self.simp))

    def rewrite_ForStmt(self, loop: ir.ForStmt) -> ir.Stmt:
        self._span = loop.span
        start, stop, step = self.simp(loop.start), self.simp(loop.stop), self.simp(loop.step)
        iter_args = ir.map_tuple(loop.iter_args, self.rewrite_def)
        if not loop.attrs and loop.kind is ir.ForKind.Sequential and self._analyzer.bound(step).lo >= 1:
            collapsed = self._collapse(loop, start, stop, step, iter_args)
            if collapsed is not None:
                return collapsed
        ranged = isinstance(start, ir.ConstInt) and isinstance(stop, ir.ConstInt) and stop.value > start.value
        saved, analyzer = dict(self.remap), self._analyzer
        facts = list(analyzer.facts)
        if ranged:
            analyzer.bind_range(loop.loop_var, start.value, stop.value)  # type: ignore[attr-defined]
        body = self._scoped(loop.body)
        if ranged:
            analyzer.unbind(loop.loop_var)
            analyzer.facts = facts
        self.remap = saved
        return loop.with_(
            start=start,
            stop=stop,
            step=step,
            iter_args=iter_args,
            body=body,
            return_vars=ir.map_tuple(loop.return_vars, self.rewrite_def),
        )

    def _collapse(
        self,
        loop: ir.ForStmt,
        start: ir.Expr,
        stop: ir.Expr,
        step: ir.Expr,
        iter_args: tuple[ir.IterArg, ...],
    ) -> ir.Stmt | None:
        """A loop of no trip becomes copies of its initial values, a loop of one trip its body (§5.2, 2)."""
        span, dtype = loop.span, ir.DataType.BOOL
        prove = self._analyzer.can_prove
        if not (_is_integer(start) and _is_integer(stop) and _is_integer(step)):
            return None
        if prove(ir.Le(stop, start, dtype)):
            copies = [
                ir.AssignStmt(result, arg.init_value, span=span)
                for result, arg in zip(loop.return_vars, iter_args, strict=True)
            ]
            return ir.SeqStmts.flatten(copies, span)
        if not prove(ir.Lt(start, stop, dtype)):
            return None
        if not prove(ir.Le(stop, ir.make_binary("add", start, step), dtype)):
            return None
        seed: dict[ir.Expr, ir.Expr] = {loop.loop_var: start}
        seed.update((old, new.init_value) for old, new in zip(loop.iter_args, iter_args, strict=True))
        clone = DeepClone(seed, clone_defs=True).rewrite(loop.body)
        saved = dict(self.remap)
        body = self.rewrite(clone)
        self.remap = saved
        body, values = without_yield(body)
        for result, value in zip(loop.return_vars, values, strict=False):
            self.remap[result] = value
        return with_comments(body, loop.leading_comments)

    def rewrite_WhileStmt(self, loop: ir.WhileStmt) -> ir.Stmt:
        self._span = loop.span
        iter_args = ir.map_tuple(loop.iter_args, self.rewrite_def)
        condition = self.simp(loop.condition)
        saved = dict(self.remap)
        body = self._scoped(loop.body)
        self.remap = saved
        return loop.with_(
            iter_args=iter_args,
            condition=condition,
            body=body,
            return_vars=ir.map_tuple(loop.return_vars, self.rewrite_def),
        )

    def rewrite_IfStmt(self, branch: ir.IfStmt) -> ir.Stmt:
        self._span = branch.span
        condition = self.simp(branch.condition)
        before = dict(self.remap)
        then_body, then_map = self._branch(branch.then_body, condition, before)
        negated = ir.Not(condition, ir.DataType.BOOL, span=condition.span)
        else_body, else_map = None, before
        if branch.else_body is not None:
            else_body, else_map = self._branch(branch.else_body, negated, before)
        self.remap = before
        for provable, body, table in (
            (condition, then_body, then_map),
            (negated, else_body, else_map),
        ):
            if self._analyzer.can_prove(provable):
                self.remap = dict(table)
                if body is None:
                    return ir.SeqStmts((), span=branch.span)
                kept, values = without_yield(body)
                for result, value in zip(branch.return_vars, values, strict=False):
                    self.remap[result] = value
                return with_comments(kept, branch.leading_comments)
        return branch.with_(
            condition=condition,
            then_body=then_body,
            else_body=else_body,
            return_vars=ir.map_tuple(branch.return_vars, self.rewrite_def),
        )

    def _branch(
        self, body: ir.Stmt, assumption: ir.Expr, before: dict[ir.Expr, ir.Expr]
    ) -> tuple[ir.Stmt, dict[ir.Expr, ir.Expr]]:
        self.remap = dict(before)
        with self._analyzer.assuming(assumption):
            new = self._scoped(body)
        return new, self.remap

    def rewrite_SpmdScopeStmt(self, scope: ir.SpmdScopeStmt) -> ir.Stmt:
        self._span = scope.span
        core_num = self.simp(scope.core_num)
        attrs = ir.map_attrs(scope.attrs, self.simp)
        return scope.with_(core_num=core_num, attrs=attrs, body=self._scoped(scope.body))


def _layout(type_: ir.Type) -> ir.TensorLayout | None:
    if not isinstance(type_, ir.TensorType):
        return None
    return type_.tensor_view.layout if type_.tensor_view is not None else ir.TensorLayout.ND


def _is_integer(expr: ir.Expr) -> bool:
    type_ = expr.type
    return isinstance(type_, ir.ScalarType) and type_.dtype.is_int
