"""Outlining the scopes of one kind from one function (docs/spec/passes_front.md Part 9)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pypto_core import ir
from pypto_core.analysis.trace import Tracer
from pypto_core.diagnostics import error
from pypto_core.ir.deep import goes_deep
from pypto_core.passes.base import PassError
from pypto_core.passes.mutator import BaseMutator
from pypto_core.passes.outline.capture import (
    Later,
    Outputs,
    captured,
    last_mentions,
    outputs,
    store_call,
    store_target,
    store_targets,
)
from pypto_core.passes.outline.directions import Lookup, infer_directions
from pypto_core.passes.outline.launch import call_site
from pypto_core.passes.outline.names import FunctionNames
from pypto_core.passes.outline.waiters import DEFER_WAIT, check_waiter, has_defer_wait
from pypto_core.passes.ssa_names import base_of, fresh_like

__all__ = ["DEFER_WAIT", "OutlineKind", "Outliner", "contains_scope"]

Attrs = dict[str, object]


@dataclass(frozen=True, slots=True)
class OutlineKind:
    """What distinguishes one outlining pass from another."""

    scope: type[ir.ScopeStmt]
    func_type: ir.FunctionType
    suffix: Callable[[ir.ScopeStmt], str]
    attrs: Callable[[ir.ScopeStmt], Attrs] = lambda _scope: {}
    exports_stores: bool = True
    is_core: bool = False


#: Statements in which no scope can stand.
_FLAT = frozenset({ir.AssignStmt, ir.EvalStmt, ir.ReturnStmt, ir.YieldStmt})


def contains_scope(body: ir.Stmt, scope: type[ir.ScopeStmt]) -> bool:
    """Whether a scope of class ``scope`` stands anywhere in ``body``."""
    return any(type(s) is scope for s in ir.walk_stmts(body))


def _is_placeholder(stmt: ir.Stmt, following: ir.Stmt) -> bool:
    """``tid = system.task_invalid()`` directly before the scope that is captured ``as tid``."""
    return (
        isinstance(stmt, ir.AssignStmt)
        and isinstance(stmt.value, ir.Call)
        and stmt.value.name == "system.task_invalid"
        and isinstance(following, ir.ScopeStmt)
        and following.attrs.get("task_id_var") is stmt.var
    )


class Outliner:
    """One run over one function. ``made`` are the new functions, innermost first."""

    def __init__(
        self,
        function: ir.Function,
        kind: OutlineKind,
        taken: set[str],
        lookup: Lookup | None = None,
    ) -> None:
        self._kind = kind
        self._lookup = lookup
        self._function = function
        self._taken = taken
        self._names = FunctionNames(taken, set())
        self._parent = function.name
        self._counter = 0
        self._required = Later.of(())
        self._renamed: dict[ir.Var, ir.Expr] = {}
        self._nested = False
        self.made: list[ir.Function] = []

    def run(self) -> ir.Function:
        """The function without scopes of the kind; the same object when it has none."""
        if not contains_scope(self._function.body, self._kind.scope):
            return self._function
        function = self._function
        variables = {*function.params, *ir.collect_defs(function.body), *ir.collect_uses(function.body)}
        self._names = FunctionNames(self._taken, {v.name_hint for v in variables})
        return self._function.with_(body=self._body(self._function.body))

    # -- walking (§9.1) ----------------------------------------------------------------------------------------------

    @goes_deep
    def _body(self, body: ir.Stmt) -> ir.Stmt:
        if isinstance(body, ir.SeqStmts):
            return self._block(body)
        if type(body) is self._kind.scope:
            assert isinstance(body, ir.ScopeStmt)
            used = self._required
            used = Later.of(store_targets(body.body), used) if used else self._fallback(body)
            return ir.SeqStmts.flatten(self._outline(body, used), body.span)
        return self._stmt(body)

    def _block(self, block: ir.SeqStmts) -> ir.Stmt:
        stmts = ir.body_stmts(block)
        outer = self._required
        last = last_mentions(stmts) if any(type(s) not in _FLAT for s in stmts) else {}
        end = max(last.values(), default=-1)
        out: list[ir.Stmt] = []
        for i, stmt in enumerate(stmts):
            following = stmts[i + 1] if i + 1 < len(stmts) else None
            if (
                following is not None
                and _is_placeholder(stmt, following)
                and type(following) is self._kind.scope
            ):
                continue
            if type(stmt) is self._kind.scope:
                assert isinstance(stmt, ir.ScopeStmt)
                used = Later(last, i, end, outer) or self._fallback(stmt)
                out.extend(self._outline(stmt, used))
                continue
            if type(stmt) not in _FLAT:
                self._required = Later(last, i, end, outer)
                out.append(self._stmt(stmt))
                self._required = outer
            else:
                out.append(self._renaming(stmt))
        if len(out) == len(stmts) and all(a is b for a, b in zip(out, stmts, strict=True)):
            return block
        return ir.SeqStmts.flatten(out, block.span)

    def _stmt(self, stmt: ir.Stmt) -> ir.Stmt:
        match stmt:
            case ir.IfStmt():
                return stmt.with_(
                    condition=self._use(stmt.condition),
                    then_body=self._body(stmt.then_body),
                    else_body=None if stmt.else_body is None else self._body(stmt.else_body),
                )
            case ir.ForStmt() | ir.WhileStmt():
                return self._loop(stmt)
            case ir.ScopeStmt():
                return self._other_scope(stmt)
        return self._renaming(stmt)

    def _loop(self, loop: ir.ForStmt | ir.WhileStmt) -> ir.Stmt:
        remap: dict[ir.Var, ir.Expr] = {}
        args = []
        for arg in loop.iter_args:
            new = arg.with_(init_value=self._use(arg.init_value))
            if new is not arg:
                remap[arg] = new
            args.append(new)
        body = loop.body
        if remap:
            loop = loop.with_(iter_args=tuple(args))
            body = ir.substitute(body, remap)
            if isinstance(loop, ir.WhileStmt):
                loop = loop.with_(condition=ir.substitute(loop.condition, remap))
        if isinstance(loop, ir.ForStmt):
            return loop.with_(
                start=self._use(loop.start),
                stop=self._use(loop.stop),
                step=self._use(loop.step),
                body=self._body(body),
            )
        return loop.with_(condition=self._use(loop.condition), body=self._body(body))

    def _other_scope(self, scope: ir.ScopeStmt) -> ir.Stmt:
        changes: dict[str, object] = {"attrs": ir.map_attrs(scope.attrs, self._use)}
        if isinstance(scope, ir.SpmdScopeStmt):
            changes["core_num"] = self._use(scope.core_num)
        outer, self._nested = self._nested, True
        changes["body"] = self._body(scope.body)
        self._nested = outer
        return scope.with_(**changes)

    def _use(self, expr: ir.Expr) -> ir.Expr:
        new: ir.Expr = ir.substitute(expr, self._renamed)
        return new

    def _renaming(self, stmt: ir.Stmt) -> ir.Stmt:
        new: ir.Stmt = ir.substitute(stmt, self._renamed)
        return new

    def _fallback(self, scope: ir.ScopeStmt) -> Later:
        """Variables taken as used after a scope that has no context (§9.2)."""
        if has_defer_wait(scope.body):
            return Later.of(())
        used = set(store_targets(scope.body))
        if not self._nested:
            used.update(ir.collect_defs(scope.body))
        return Later.of(used)

    # -- one scope (§9.3-9.8) ----------------------------------------------------------------------------------------

    def _outline(self, scope: ir.ScopeStmt, used: Later) -> list[ir.Stmt]:
        name = self._claim_name(scope)
        inputs = captured(scope.body)
        self._reject_rebinding(scope, inputs)
        results = outputs(scope.body, used, inputs, exports_stores=self._kind.exports_stores)
        attrs = self._kind.attrs(scope)
        if self._kind.is_core and has_defer_wait(scope.body):
            check_waiter(scope, nested=self._nested, has_outputs=bool(results.ordinary or results.stored))
            attrs = _with_waiter(attrs)
        function, result_types = self._function_for(scope, name, inputs, results, attrs)
        self.made.append(function)
        site = call_site(
            scope,
            name,
            inputs,
            results,
            result_types,
            return_types=function.return_types,
            rename=self._use,
            used_names=self._names.known,
        )
        self._renamed.update(site.renamed)
        for alias, target in results.aliases.items():
            if target in site.renamed:
                self._renamed[alias] = site.renamed[target]
        return site.stmts

    def _claim_name(self, scope: ir.ScopeStmt) -> str:
        candidate = scope.name_hint or f"{self._parent}{self._kind.suffix(scope)}_{self._counter}"
        self._counter += 1
        return self._names.claim(candidate, self._parent)

    def _reject_rebinding(self, scope: ir.ScopeStmt, inputs: tuple[ir.Var, ...]) -> None:
        targets = set(store_targets(scope.body))
        captured_vars = set(inputs)
        for stmt in ir.walk_stmts(scope.body):
            if isinstance(stmt, ir.AssignStmt) and stmt.var in captured_vars and stmt.var not in targets:
                raise PassError(
                    error(
                        "compiler-internal",
                        f"The scope captures '{stmt.var.name_hint}' and rebinds it under the same name without "
                        "a tile.store",
                        stmt.span,
                    )
                )

    def _function_for(
        self,
        scope: ir.ScopeStmt,
        name: str,
        inputs: tuple[ir.Var, ...],
        results: Outputs,
        attrs: Attrs,
    ) -> tuple[ir.Function, tuple[ir.Type, ...]]:
        """The new function and the types of its results in terms of the caller's variables."""
        body = self._inner_body(scope, name, results)
        directions = infer_directions(body, inputs, results.stored, self._lookup)
        body, stored = _name_stores(body, results.stored)
        mapping: dict[ir.Expr, ir.Expr] = {
            v: ir.Var(v.name_hint, v.type, span=v.span if v.span.is_valid else scope.span)
            for v in (*inputs, *results.ordinary)
            if v in inputs or not isinstance(v, ir.IterArg)  # one of a loop inside stays the loop's own
        }
        mutator = BaseMutator(mapping)
        new_body: ir.Stmt = mutator.rewrite(body)
        params = tuple(_as_var(mutator.rewrite(v)) for v in inputs)
        tracer = Tracer(new_body, self._lookup)
        values: list[ir.Expr] = []
        for var in results.ordinary:
            result = mutator.rewrite(var)
            root = tracer.root(result) if isinstance(result.type, ir.TensorType) else result
            values.append(root if root in params else result)
        values.extend(mutator.rewrite(target) for target in results.stored)
        caller_types = (
            *(v.type for v in results.ordinary),
            *(stored[t].type if t in stored else t.type for t in results.stored),
        )
        return_types = (
            *(mutator.rewrite(v).type for v in results.ordinary),
            *(
                mutator.rewrite_type(stored[t].type) if t in stored else mutator.rewrite(t).type
                for t in results.stored
            ),
        )
        if values:
            ending = ir.ReturnStmt(tuple(values), span=scope.span)
            new_body = ir.SeqStmts.flatten((new_body, ending), scope.body.span)
        level = scope.level if isinstance(scope, ir.HierarchyScopeStmt) else None
        role = scope.role if isinstance(scope, ir.HierarchyScopeStmt) else None
        function = ir.Function(
            name,
            params,
            directions,
            return_types,
            new_body,
            self._kind.func_type,
            level,
            role,
            attrs,
            span=scope.span,
        )
        return function, caller_types

    def _inner_body(self, scope: ir.ScopeStmt, name: str, results: Outputs) -> ir.Stmt:
        """The body with nested scopes of the kind outlined first, named after the new function."""
        if not contains_scope(scope.body, self._kind.scope):
            return scope.body
        saved = (self._parent, self._counter, self._required, self._renamed)
        self._parent, self._counter, self._renamed = name, 0, {}
        self._required = Later.of((*results.ordinary, *results.stored))
        body = self._body(scope.body)
        self._parent, self._counter, self._required, self._renamed = saved
        return body


def _with_waiter(attrs: Attrs) -> Attrs:
    """``deferred_completion_waiter`` in its place: after the scope options, before the region attributes."""
    before = {k: v for k, v in attrs.items() if k != "split_aiv"}
    return {
        **before,
        "deferred_completion_waiter": True,
        **{k: v for k, v in attrs.items() if k == "split_aiv"},
    }


def _as_var(expr: ir.Expr) -> ir.Var:
    assert isinstance(expr, ir.Var)
    return expr


def _name_stores(body: ir.Stmt, targets: tuple[ir.Var, ...]) -> tuple[ir.Stmt, Mapping[ir.Var, ir.Var]]:
    """Give every store into a captured buffer a result name (§9.6, 4); also the first result of each buffer."""
    if not targets:
        return body, {}
    names = {v.name_hint for v in (*ir.collect_defs(body), *ir.collect_uses(body))}
    namer = _StoreNamer(targets, names)
    new: ir.Stmt = namer.rewrite(body)
    return new, namer.first


class _StoreNamer(ir.Rewriter):
    def __init__(self, targets: tuple[ir.Var, ...], names: set[str]) -> None:
        self._targets = frozenset(targets)
        self._names = names
        self.first: dict[ir.Var, ir.Var] = {}

    def rewrite_Expr(self, expr: ir.Expr) -> ir.Expr:
        return expr

    def rewrite_IterArg(self, var: ir.IterArg) -> ir.Expr:
        return var

    def _result(self, target: ir.Var, type_: ir.Type, span: ir.Span) -> ir.Var:
        plain = f"{base_of(target.name_hint)}__store"
        name = (
            plain if target not in self.first and plain not in self._names else fresh_like(plain, self._names)
        )
        self._names.add(name)
        var = ir.Var(name, type_, span=span)
        self.first.setdefault(target, var)
        return var

    def _target(self, stmt: ir.Stmt) -> ir.Var | None:
        call = store_call(stmt)
        target = store_target(call) if call is not None else None
        return target if target in self._targets else None

    def rewrite_EvalStmt(self, stmt: ir.EvalStmt) -> ir.Stmt:
        target = self._target(stmt)
        if target is None:
            return stmt
        result = self._result(target, stmt.expr.type, stmt.span)
        return ir.AssignStmt(result, stmt.expr, span=stmt.span, leading_comments=stmt.leading_comments)

    def rewrite_AssignStmt(self, stmt: ir.AssignStmt) -> ir.Stmt:
        target = self._target(stmt)
        if target is None:
            return stmt
        if stmt.var is target:
            return stmt.with_(var=self._result(target, stmt.value.type, stmt.span))
        result = self._result(target, stmt.var.type, stmt.span)
        copy = ir.AssignStmt(result, stmt.var, span=stmt.span)
        return ir.SeqStmts((stmt, copy), span=stmt.span)
