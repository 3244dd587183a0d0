"""CtrlFlowTransform: remove ``break`` and ``continue`` (docs/spec/passes_front.md Part 3).

Function-local, InCore/AIC/AIV functions only; produces StructuredCtrlFlow. A ``continue`` becomes the other side of its
branch, a loop with ``break`` becomes a while loop with a flag. Known oddities of the compiler are kept (§3.4, §3.5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pypto_core import ir
from pypto_core.analysis.statements import as_var
from pypto_core.passes.base import Pass, PassContract, map_functions
from pypto_core.passes.mutator import substitute_with_types
from pypto_core.passes.ssa_names import base_of, build

CONTRACT = PassContract.of(produced="StructuredCtrlFlow", function_local=True)
_BOOL = ir.ScalarType.of(ir.DataType.BOOL)

Stmts = tuple[ir.Stmt, ...]
Values = tuple[ir.Expr, ...]


def ctrl_flow_transform(*, backend: str | None = None) -> Pass:
    """The pass; the backend plays no part."""
    return Pass("CtrlFlowTransform", CONTRACT, lambda program: map_functions(program, _transform_function))


def _transform_function(function: ir.Function) -> ir.Function:
    if not function.func_type.is_incore:
        return function
    return function.with_(body=_Transformer().rewrite(function.body))


def _contains(stmt: ir.Stmt, kind: type[ir.Stmt]) -> bool:
    """Whether ``kind`` stands in ``stmt``, branches and scopes looked through, nested loops not."""
    if type(stmt) is kind:
        return True
    if isinstance(stmt, (ir.ForStmt, ir.WhileStmt)):
        return False
    return any(_contains(body, kind) for body in ir.stmt_bodies(stmt))


def _ends_with(body: ir.Stmt | None, kind: type[ir.Stmt]) -> bool:
    stmts = ir.body_stmts(body) if body is not None else ()
    return bool(stmts) and type(stmts[-1]) is kind


@dataclass(frozen=True, slots=True)
class _Body:
    """A body without its trailing yield."""

    stmts: Stmts
    values: Values
    had_yield: bool

    @staticmethod
    def of(body: ir.Stmt | None) -> _Body:
        stmts = ir.body_stmts(body) if body is not None else ()
        if stmts and isinstance(stmts[-1], ir.YieldStmt):
            return _Body(stmts[:-1], stmts[-1].values, True)
        return _Body(stmts, (), False)


class _Transformer(ir.Rewriter):
    """Bottom-up over the loops of one function; one counter for all generated names."""

    def __init__(self) -> None:
        self._next = 0

    def _name(self, base: str, role: str) -> str:
        name = build(base, "", role, self._next)
        self._next += 1
        return name

    def rewrite_Expr(self, expr: ir.Expr) -> ir.Expr:
        return expr

    def rewrite_ForStmt(self, loop: ir.ForStmt) -> ir.Stmt:
        loop = loop.with_(body=self.rewrite(loop.body))
        if loop.kind is not ir.ForKind.Sequential:
            return loop
        if _contains(loop.body, ir.BreakStmt):
            return self._for_with_break(loop)
        if _contains(loop.body, ir.ContinueStmt):
            return loop.with_(body=self._without_continue(loop))
        return loop

    def rewrite_WhileStmt(self, loop: ir.WhileStmt) -> ir.Stmt:
        loop = loop.with_(body=self.rewrite(loop.body))
        if _contains(loop.body, ir.BreakStmt):
            return self._while_with_break(loop)
        if _contains(loop.body, ir.ContinueStmt):
            return loop.with_(body=self._without_continue(loop))
        return loop

    # -- whole loops -----------------------------------------------------------------------------------------------

    def _without_continue(self, loop: ir.ForStmt | ir.WhileStmt) -> ir.Stmt:
        body = _Body.of(loop.body)
        stmts, values = _Continue(self, loop).process(body.stmts, body.values)
        return ir.SeqStmts.flatten((*stmts, *_loop_yield(loop, body, values)), loop.body.span)

    def _process(self, loop: ir.ForStmt | ir.WhileStmt, body: _Body, flag: ir.Var) -> tuple[Stmts, Values]:
        stmts, values = body.stmts, body.values
        if _contains(loop.body, ir.ContinueStmt):
            stmts, values = _Continue(self, loop).process(stmts, values)
        return _Break(self, loop, flag).process(stmts, values)

    def _flag(self, span: ir.Span) -> ir.Var:
        return ir.Var(self._name("break", "tmp"), _BOOL, span=span)

    def _while_with_break(self, loop: ir.WhileStmt) -> ir.Stmt:
        span = loop.span
        flag = self._flag(span)
        body = _Body.of(loop.body)
        stmts, values = self._process(loop, body, flag)
        new = loop.with_(
            condition=ir.make_and(loop.condition, ir.make_not(flag, span), loop.condition.span),
            body=ir.SeqStmts.flatten((*stmts, *_loop_yield(loop, body, values)), loop.body.span),
            leading_comments=(),
        )
        init = ir.AssignStmt(
            flag, ir.ConstBool(False, span=span), span=span, leading_comments=loop.leading_comments
        )
        return ir.SeqStmts((init, new), span=span)

    def _for_with_break(self, loop: ir.ForStmt) -> ir.Stmt:
        span = loop.span
        flag = self._flag(span)
        counter = ir.Var(
            self._name(base_of(loop.loop_var.name_hint), "idx"), loop.loop_var.type, span=loop.loop_var.span
        )
        body = _Body.of(substitute_with_types(loop.body, {loop.loop_var: counter}))
        stmts, values = self._process(loop, body, flag)
        kept: list[ir.Stmt] = []
        yielded: list[ir.Expr] = []
        for value in values:
            if as_var(value) is None:
                saved = ir.Var(self._name("yield", "tmp"), value.type, span=value.span)
                kept.append(ir.AssignStmt(saved, value, span=value.span))
                value = saved
            yielded.append(value)
        negative = isinstance(loop.step, ir.ConstInt) and loop.step.value < 0
        advance = ir.IfStmt(
            ir.make_not(flag, span),
            ir.AssignStmt(counter, ir.make_binary("add", counter, loop.step, span), span=span),
            span=span,
        )
        in_range = ir.make_binary("gt" if negative else "lt", counter, loop.stop, span)
        while_loop = ir.WhileStmt(
            loop.iter_args,
            ir.make_and(in_range, ir.make_not(flag, span), span),
            ir.SeqStmts.flatten(
                (*stmts, *kept, advance, *_loop_yield(loop, body, tuple(yielded))), loop.body.span
            ),
            loop.return_vars,
            span=span,
        )
        return ir.SeqStmts(
            (
                ir.AssignStmt(counter, loop.start, span=span, leading_comments=loop.leading_comments),
                ir.AssignStmt(flag, ir.ConstBool(False, span=span), span=span),
                while_loop,
            ),
            span=span,
        )

    # -- phis (§3.6) -----------------------------------------------------------------------------------------------

    def phis(self, values: Values) -> tuple[ir.Var, ...]:
        made = []
        for value in values:
            var = as_var(value)
            base = base_of(var.name_hint) if var is not None else "phi"
            made.append(ir.Var(self._name(base, "phi"), value.type, span=value.span))
        return tuple(made)


def _loop_yield(loop: ir.Stmt, body: _Body, values: Values) -> Stmts:
    return (_yield(values, loop.span),) if values or body.had_yield else ()


def _yield(values: Values, span: ir.Span) -> ir.YieldStmt:
    return ir.YieldStmt(values, span=span)


def _assigned(stmts: Sequence[ir.Stmt]) -> set[ir.Expr]:
    return {s.var for s in stmts if isinstance(s, ir.AssignStmt)}


class _Processor:
    """What C (continue) and B (break) of §3.4 and §3.5 share; ``process`` is the letter."""

    escape: type[ir.Stmt]

    def __init__(self, names: _Transformer, loop: ir.ForStmt | ir.WhileStmt) -> None:
        self._names = names
        self._iter_args = loop.iter_args

    def process(self, stmts: Stmts, values: Values) -> tuple[Stmts, Values]:
        for i, stmt in enumerate(stmts):
            if type(stmt) is self.escape:
                return (*stmts[:i], *self._prefix(stmt.span)), self._escape_values(values, stmts[:i])
            if isinstance(stmt, ir.IfStmt) and _contains(stmt, self.escape):
                if _ends_with(stmt.then_body, self.escape) or _ends_with(stmt.else_body, self.escape):
                    return self._escaping_branch(stmts, i, stmt, values)
                return self._deeper(stmts, i, stmt, values)
        return stmts, values

    def _resolve(self, values: Values, pre: Sequence[ir.Stmt]) -> Values:
        known = _assigned(pre)
        out: list[ir.Expr] = []
        for j, value in enumerate(values):
            stays = as_var(value) is None or value in known or value in self._iter_args
            out.append(value if stays or j >= len(self._iter_args) else self._iter_args[j])
        return tuple(out)

    def _prefix(self, span: ir.Span) -> Stmts:
        return ()

    def _escape_values(self, values: Values, pre: Sequence[ir.Stmt]) -> Values:
        return self._resolve(values, pre)

    def _always_yields(self) -> bool:
        return False

    def _escaping_branch(
        self, stmts: Stmts, i: int, branch: ir.IfStmt, values: Values
    ) -> tuple[Stmts, Values]:
        """Case A: one side ends with the escape, the other side takes the rest of the body."""
        pre, post = stmts[:i], stmts[i + 1 :]
        then_escapes = _ends_with(branch.then_body, self.escape)
        escaping, other = (
            (branch.then_body, branch.else_body) if then_escapes else (branch.else_body, branch.then_body)
        )
        assert escaping is not None
        span = ir.body_stmts(escaping)[-1].span
        normal = (*(ir.body_stmts(other) if other is not None else ()), *post)
        rest, rest_values = self.process(normal, self._resolve(values, (*pre, *normal)))
        escape_values = self._escape_values(values, pre)
        escape_side: Stmts = self._prefix(span)
        phis: tuple[ir.Var, ...] = ()
        if values or self._always_yields():
            phis = self._names.phis(escape_values)
            escape_side = (*escape_side, _yield(escape_values, span))
            rest = (*rest, _yield(rest_values, branch.span))
        escape_body = ir.SeqStmts.flatten(escape_side, escaping.span)
        rest_body = ir.SeqStmts.flatten(rest, branch.span)
        new = branch.with_(
            then_body=escape_body if then_escapes else rest_body,
            else_body=rest_body if then_escapes else escape_body,
            return_vars=phis,
        )
        return (*pre, new), phis

    def _branch(self, body: ir.Stmt | None, pre: Stmts, values: Values) -> tuple[Stmts, Values]:
        """One side of case B and the values it yields."""
        if body is None:
            return (), self._resolve(values, pre)
        parts = _Body.of(body)
        own = parts.values if parts.had_yield else values
        if not _contains(body, self.escape):
            return parts.stmts, self._resolve(own, pre)
        return self.process(parts.stmts, own)

    def _rebuilt(
        self, branch: ir.IfStmt, pre: Stmts, values: Values, *, needs_else: bool
    ) -> tuple[ir.IfStmt, tuple[ir.Var, ...]]:
        then_stmts, then_values = self._branch(branch.then_body, pre, values)
        else_stmts, else_values = self._branch(branch.else_body, pre, values)
        phis: tuple[ir.Var, ...] = ()
        if then_values or else_values:
            phis = self._names.phis(then_values or else_values)
            then_stmts = (*then_stmts, _yield(then_values, branch.span))
            else_stmts = (*else_stmts, _yield(else_values, branch.span))
            needs_else = True
        else_body = (
            ir.SeqStmts.flatten(else_stmts, branch.span)
            if needs_else or branch.else_body is not None
            else None
        )
        new = branch.with_(
            then_body=ir.SeqStmts.flatten(then_stmts, branch.then_body.span),
            else_body=else_body,
            return_vars=phis,
        )
        return new, phis

    def _deeper(self, stmts: Stmts, i: int, branch: ir.IfStmt, values: Values) -> tuple[Stmts, Values]:
        raise NotImplementedError


class _Continue(_Processor):
    """C of §3.4."""

    escape = ir.ContinueStmt

    def _deeper(self, stmts: Stmts, i: int, branch: ir.IfStmt, values: Values) -> tuple[Stmts, Values]:
        pre, post = stmts[:i], stmts[i + 1 :]
        new, phis = self._rebuilt(branch, pre, values, needs_else=False)
        # The rest is not guarded, so it also runs after the continue: the compiler's behaviour (§3.4 B).
        rest, rest_values = self.process(post, phis)
        return (*pre, new, *rest), rest_values


class _Break(_Processor):
    """B of §3.5; ``flag`` is set on the way out."""

    escape = ir.BreakStmt

    def __init__(self, names: _Transformer, loop: ir.ForStmt | ir.WhileStmt, flag: ir.Var) -> None:
        super().__init__(names, loop)
        self._flag = flag

    def _prefix(self, span: ir.Span) -> Stmts:
        return (ir.AssignStmt(self._flag, ir.ConstBool(True, span=span), span=span),)

    def _escape_values(self, values: Values, pre: Sequence[ir.Stmt]) -> Values:
        resolved = self._resolve(values, pre)
        return tuple(
            self._iter_args[j] if as_var(v) is None and j < len(self._iter_args) else v
            for j, v in enumerate(resolved)
        )

    def _always_yields(self) -> bool:
        return True

    def _deeper(self, stmts: Stmts, i: int, branch: ir.IfStmt, values: Values) -> tuple[Stmts, Values]:
        pre, post = stmts[:i], stmts[i + 1 :]
        new, phis = self._rebuilt(branch, pre, values, needs_else=True)
        if not post:
            return (*pre, new), phis
        rest, rest_values = self.process(post, phis)
        span = branch.span
        merged = self._names.phis(phis)
        guard = ir.IfStmt(
            ir.make_not(self._flag, span),
            ir.SeqStmts.flatten((*rest, _yield(rest_values, span)), span),
            ir.SeqStmts.flatten((_yield(phis, span),), span),
            merged,
            span=span,
        )
        return (*pre, new, guard), merged
