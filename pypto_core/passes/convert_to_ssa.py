"""ConvertToSSA: one definition per variable, values carried by loops and merged by branches (docs/spec/passes_front.md Part 4).

Function-local; produces SSAForm, invalidates NormalizedStmtStructure. Functions of a SubWorker at HOST level or above hold
opaque code and are skipped.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable
from typing import TypeVar

from pypto_core import ir
from pypto_core.analysis.spans import target_span
from pypto_core.analysis.statements import as_var, trailing_yield
from pypto_core.diagnostics import error
from pypto_core.ir.deep import goes_deep
from pypto_core.passes.base import Pass, PassContract, PassError, map_functions
from pypto_core.passes.liveness import Liveness, assigned_vars
from pypto_core.passes.mutator import TypeMutator
from pypto_core.passes.ssa_names import ssa_name

T = TypeVar("T")

CONTRACT = PassContract.of(produced="SSAForm", invalidated="NormalizedStmtStructure", function_local=True)

_HOST_OR_ABOVE = frozenset(
    (ir.Level.HOST, ir.Level.CLUSTER_0, ir.Level.CLUSTER_1, ir.Level.CLUSTER_2, ir.Level.GLOBAL)
)
#: Scopes that keep names first assigned inside from being carried by loops inside (§4.9).
_FILTERING = (
    ir.HierarchyScopeStmt,
    ir.InCoreScopeStmt,
    ir.ClusterScopeStmt,
    ir.SpmdScopeStmt,
    ir.CommDomainScopeStmt,
)
#: Operators whose result is the type object of an argument: operator -> argument (§4.7).
TYPE_PRESERVING = {
    "tile.store": 2,
    "tile.mscatter": 2,
    "tile.write": 0,
    "tile.gather_row": 0,
    "tensor.write": 0,
}


def convert_to_ssa(*, backend: str | None = None) -> Pass:
    """The pass; the backend plays no part."""
    return Pass("ConvertToSSA", CONTRACT, lambda program: map_functions(program, _convert_function))


def _convert_function(function: ir.Function) -> ir.Function:
    if function.role is ir.Role.SubWorker and function.level in _HOST_OR_ABOVE:
        return function
    return _Converter().function(function)


class _Current(TypeMutator):
    """Replaces every variable by its current version, in types and attributes too."""

    def __init__(self) -> None:
        self.versions: dict[ir.Var, ir.Var] = {}

    def rewrite_Var(self, var: ir.Var) -> ir.Expr:
        return self.versions.get(var, var)

    def rewrite_IterArg(self, var: ir.IterArg) -> ir.Expr:
        return self.versions.get(var, var)


def _by_name(variables: Iterable[ir.Var]) -> list[ir.Var]:
    return sorted(variables, key=lambda v: v.name_hint)


class _Converter:
    """One function; ``cur.versions`` is the table of current versions."""

    def __init__(self) -> None:
        self._cur = _Current()
        self._next: dict[ir.Var, int] = {}
        self._needs: frozenset[ir.Var] = frozenset()
        self._live = Liveness()
        #: Variable -> where its type object comes from; two variables of one origin share the very type (§4.7).
        self._origin: dict[ir.Var, object] = {}
        self._written: tuple[ir.Var, ...] = ()
        #: In a loop or branch: the versions from before it (None: there was none) of the variables that it has set.
        self._replaced: dict[ir.Var, ir.Var | None] | None = None

    # -- functions and names ---------------------------------------------------------------------------------------

    def function(self, function: ir.Function) -> ir.Function:
        params = []
        for param in function.params:
            params.append(self._new_version(param, "ssa", self._cur.rewrite_type(param.type), param.span))
            self._set(param, params[-1])
            self._origin[params[-1]] = self._origin[param] = param
        self._written = tuple(
            p
            for p, d in zip(function.params, function.param_directions, strict=True)
            if d is not ir.ParamDirection.In
        )
        body = self._stmt(function.body)
        return function.with_(
            params=tuple(params), body=body, attrs=ir.map_attrs(function.attrs, self._cur.rewrite)
        )

    def _take(self, var: ir.Var) -> int:
        number = self._next.get(var, 0)
        self._next[var] = number + 1
        return number

    def _new_version(self, var: ir.Var, role: str, type_: ir.Type, span: ir.Span) -> ir.Var:
        return ir.Var(ssa_name(var.name_hint, role, self._take(var)), type_, span=span)

    @property
    def _versions(self) -> dict[ir.Var, ir.Var]:
        return self._cur.versions

    def _set(self, var: ir.Var, version: ir.Var) -> None:
        versions = self._cur.versions
        if self._replaced is not None and var not in self._replaced:
            self._replaced[var] = versions.get(var)
        versions[var] = version

    def _apart(self, convert: Callable[[], T]) -> tuple[T, dict[ir.Var, ir.Var]]:
        """What ``convert`` makes, and the versions that it sets; afterwards the table is as it was."""
        outer, self._replaced = self._replaced, {}
        made = convert()
        versions, replaced = self._versions, self._replaced
        new = {var: versions[var] for var in replaced}
        for var, version in replaced.items():
            if version is None:
                del versions[var]
            else:
                versions[var] = version
        self._replaced = outer
        return made, new

    # -- statements ------------------------------------------------------------------------------------------------

    def _stmt(self, stmt: ir.Stmt) -> ir.Stmt:
        match stmt:
            case ir.SeqStmts():
                return self._block(stmt)
            case ir.AssignStmt():
                return self._assign(stmt)
            case ir.ForStmt() | ir.WhileStmt():
                return self._loop(stmt)
            case ir.IfStmt():
                return self._if(stmt)
            case ir.ScopeStmt():
                return self._scope(stmt)
        converted: ir.Stmt = self._cur.rewrite(stmt)
        return converted

    def _block(self, block: ir.SeqStmts) -> ir.Stmt:
        stmts = ir.body_stmts(block)
        outer = self._needs
        out: list[ir.Stmt] = []
        last = len(stmts) - 1
        for i, (stmt, needs) in enumerate(zip(stmts, self._live.needs_after(stmts), strict=True)):
            if isinstance(stmt, ir.YieldStmt) and i != last:
                raise PassError(
                    error("compiler-internal", "a yield is not the last statement of its block", stmt.span)
                )
            self._needs = needs
            out.append(self._stmt(stmt))
        self._needs = outer
        return ir.SeqStmts.flatten(out, block.span)

    def _value_type(self, value: ir.Expr, declared: ir.Type) -> ir.Type:
        """The type of an assignment's target (§4.4), not yet substituted."""
        type_ = value.type
        shaped = isinstance(type_, (ir.TensorType, ir.TileType, ir.TupleType))
        chosen = type_ if as_var(value) is not None or shaped else declared
        if (
            isinstance(chosen, (ir.TensorType, ir.TileType))
            and chosen.memref is None
            and isinstance(declared, (ir.TensorType, ir.TileType))
            and declared.memref is not None
        ):
            if isinstance(chosen, ir.TileType) and chosen.memory_space is None:
                return declared
            return chosen.with_(memref=declared.memref)
        return chosen

    def _assign(self, stmt: ir.AssignStmt) -> ir.Stmt:
        origin = self._type_origin(stmt.value, stmt.var)
        value: ir.Expr = self._cur.rewrite(stmt.value)
        type_ = self._cur.rewrite_type(self._value_type(value, stmt.var.type))
        version = self._new_version(stmt.var, "ssa", type_, target_span(stmt, stmt.var))
        self._set(stmt.var, version)
        self._origin[version] = self._origin[stmt.var] = origin
        return stmt.with_(var=version, value=value)

    # -- loops -----------------------------------------------------------------------------------------------------

    def _loop(self, loop: ir.ForStmt | ir.WhileStmt) -> ir.Stmt:
        counted = loop if isinstance(loop, ir.ForStmt) else None
        if counted is not None:
            bounds = tuple(self._cur.rewrite(e) for e in (counted.start, counted.stop, counted.step))
        before = self._versions
        needs = self._needs
        explicit = tuple(
            ir.IterArg(
                a.name_hint, self._cur.rewrite_type(a.type), self._cur.rewrite(a.init_value), span=a.span
            )
            for a in loop.iter_args
        )
        own: set[ir.Var] = set(loop.iter_args)
        if counted is not None:
            own.add(counted.loop_var)
        assigned = [v for v in assigned_vars(loop.body) if v not in own]
        carried = _by_name(v for v in assigned if v in before)
        escaping = _by_name(v for v in assigned if v not in before and v in needs)
        iter_args: list[ir.IterArg] = []
        results: list[ir.Var] = []
        for var in carried:
            self._carry(var, before[var], before[var].type, loop, iter_args, results)
        for var in escaping:
            init, type_ = self._initial_value(var, loop.body, before)
            self._carry(var, init, type_, loop, iter_args, results)
        if counted is not None:
            index = self._new_version(
                counted.loop_var,
                "idx",
                self._cur.rewrite_type(counted.loop_var.type),
                counted.loop_var.span,
            )
            self._origin[index] = index

        def inside() -> tuple[ir.Expr | None, ir.Stmt]:
            if counted is not None:
                self._set(counted.loop_var, index)
            for old, new in zip(loop.iter_args, explicit, strict=True):
                self._set(old, new)
                self._origin[new] = new
            for var, arg in zip((*carried, *escaping), iter_args, strict=True):
                self._set(var, arg)
            condition = None if counted is not None else self._cur.rewrite(loop.condition)  # type: ignore[union-attr]
            self._needs = needs
            return condition, self._stmt(loop.body)

        (condition, body), after = self._apart(inside)
        yielded = tuple(after[v] for v in (*carried, *escaping))
        if yielded:
            body = _with_yield(body, lambda old: (*old, *yielded), loop.span)
        for var, result in zip((*carried, *escaping), results, strict=True):
            self._set(var, result)
        explicit_results = []
        for old_arg, old_result in zip(loop.iter_args, loop.return_vars, strict=False):
            result = ir.Var(
                old_result.name_hint, self._cur.rewrite_type(old_result.type), span=old_result.span
            )
            self._set(old_result, result)
            self._set(old_arg, result)
            self._origin[result] = result
            explicit_results.append(result)
        new_args = (*explicit, *iter_args)
        return_vars = (*explicit_results, *results)
        if counted is None:
            return loop.with_(iter_args=new_args, condition=condition, body=body, return_vars=return_vars)
        start, stop, step = bounds
        return loop.with_(
            loop_var=index,
            start=start,
            stop=stop,
            step=step,
            iter_args=new_args,
            body=body,
            return_vars=return_vars,
        )

    def _carry(
        self,
        var: ir.Var,
        init: ir.Var,
        type_: ir.Type,
        loop: ir.Stmt,
        iter_args: list[ir.IterArg],
        results: list[ir.Var],
    ) -> None:
        """Append the iter arg (number n) and the result (number n + 1) of one implicitly carried variable."""
        span = var.span if var.span.is_valid else loop.span
        arg = ir.IterArg(ssa_name(var.name_hint, "iter", self._take(var)), type_, init, span=span)
        result = self._new_version(var, "rv", type_, span)
        self._origin[arg] = self._origin[result] = self._origin.get(init, init)
        iter_args.append(arg)
        results.append(result)

    # -- initial values of escaping variables (§4.7) -----------------------------------------------------------------

    def _type_origin(self, value: ir.Expr, target: ir.Var) -> object:
        """Where the type object of an assigned value comes from; a fresh object for a type of its own."""
        source: ir.Var | None = as_var(value)
        if source is None and isinstance(value, ir.Call):
            position = TYPE_PRESERVING.get(value.name)
            if position is not None and position < len(value.args):
                operand = as_var(value.args[position])
                if operand is not None and _same_type(operand.type, value.type):
                    source = operand
        if source is not None:
            if self._cur.rewrite_type(source.type) is not source.type:
                return object()  # substitution makes a new type object
            current = self._versions.get(source, source)
            return self._origin.get(current, current)
        if isinstance(value.type, ir.ScalarType) and not isinstance(value, ir.Call):
            return target
        return object()

    def _initial_value(
        self, var: ir.Var, body: ir.Stmt, before: dict[ir.Var, ir.Var]
    ) -> tuple[ir.Var, ir.Type]:
        last = next(
            s for s in reversed(list(ir.walk_stmts(body))) if isinstance(s, ir.AssignStmt) and s.var is var
        )
        type_ = self._cur.rewrite_type(self._value_type(last.value, var.type))
        origin = self._escaping_origin(last, body)
        for candidates in (self._written, before):
            for candidate in candidates:
                current = before.get(candidate)
                if current is not None and self._origin.get(current, current) is origin:
                    return current, type_
        return ir.Var(var.name_hint, type_, span=var.span), type_

    def _escaping_origin(self, last: ir.AssignStmt, body: ir.Stmt) -> object:
        """Origin of the type of ``last``, followed through assignments of the loop body itself."""
        inside: dict[ir.Var, ir.AssignStmt] = {}
        for stmt in ir.walk_stmts(body):
            if isinstance(stmt, ir.AssignStmt) and stmt is not last:
                inside[stmt.var] = stmt
        stmt, seen = last, {last}
        while True:
            value = stmt.value
            source = as_var(value)
            if source is None and isinstance(value, ir.Call):
                position = TYPE_PRESERVING.get(value.name)
                source = as_var(value.args[position]) if position is not None else None
            following = inside.get(source) if source is not None else None
            if following is None or source in self._versions or following in seen:
                return self._type_origin(stmt.value, stmt.var)
            seen.add(following)
            stmt = following

    # -- branches --------------------------------------------------------------------------------------------------

    @goes_deep
    def _if(self, branch: ir.IfStmt) -> ir.Stmt:
        condition: ir.Expr = self._cur.rewrite(branch.condition)
        needs = self._needs
        then_body, then_new = self._apart(lambda: self._stmt(branch.then_body))
        self._needs = needs
        else_body: ir.Stmt | None = None
        else_new: dict[ir.Var, ir.Var] = {}
        if branch.else_body is not None:
            other = branch.else_body
            else_body, else_new = self._apart(lambda: self._stmt(other))
        before = self._versions
        then_versions, else_versions = ChainMap(then_new, before), ChainMap(else_new, before)
        changed = {
            v: None
            for v in (*then_new, *else_new)
            if (
                v in before
                and (then_versions.get(v) is not before[v] or else_versions.get(v) is not before[v])
            )
            or (v not in before and v in then_versions and v in else_versions)
        }
        merged = _by_name(self._in_order(changed))
        phis = []
        for var in merged:
            span = var.span if var.span.is_valid else branch.span
            phis.append(self._new_version(var, "phi", then_versions[var].type, span))
            self._origin[phis[-1]] = self._origin.get(then_versions[var], then_versions[var])
        if merged:
            then_values = tuple(then_versions[v] for v in merged)
            else_values = tuple(else_versions[v] for v in merged)
            then_body = _with_yield(then_body, lambda _old: then_values, branch.span)
            else_body = _with_yield(
                else_body if else_body is not None else ir.SeqStmts((), span=branch.span),
                lambda _old: else_values,
                branch.span,
            )
        results = []
        for var in branch.return_vars:
            if var in changed:
                continue
            result = self._new_version(var, "rv", self._cur.rewrite_type(var.type), var.span)
            self._origin[result] = result
            results.append((var, result))
        for var, version in (*zip(merged, phis, strict=True), *results):
            self._set(var, version)
        return branch.with_(
            condition=condition,
            then_body=then_body,
            else_body=else_body,
            return_vars=(*phis, *(r for _, r in results)),
        )

    def _in_order(self, changed: dict[ir.Var, None]) -> Iterable[ir.Var]:
        """Variables of one name in the order in which they got their first versions; those of the branch itself come last."""
        if len({var.name_hint for var in changed}) == len(changed):
            return changed
        known = [var for var in self._versions if var in changed]
        return dict.fromkeys((*known, *changed))

    # -- scopes ----------------------------------------------------------------------------------------------------

    def _scope(self, scope: ir.ScopeStmt) -> ir.Stmt:
        changes: dict[str, object] = {"attrs": ir.map_attrs(scope.attrs, self._cur.rewrite)}
        if isinstance(scope, ir.SpmdScopeStmt):
            changes["core_num"] = self._cur.rewrite(scope.core_num)
        if isinstance(scope, ir.CommDomainScopeStmt):
            changes["slots"] = ir.map_tuple(scope.slots, self._cur.rewrite)
        outer = self._needs
        if isinstance(scope, _FILTERING):
            self._needs = frozenset(v for v in outer if v in self._versions)
        changes["body"] = self._stmt(scope.body)
        self._needs = outer
        return scope.with_(**changes)


def _with_yield(
    body: ir.Stmt, values_of: Callable[[tuple[ir.Expr, ...]], tuple[ir.Expr, ...]], span: ir.Span
) -> ir.Stmt:
    """``body`` ending in a yield of ``values_of(values of its own yield)``.

    An existing yield is looked for inside a last transparent scope. A new one goes into a runtime scope that comes last
    and into a lane region that is the whole body, but after a lane region that only ends it.
    """
    stmts = ir.body_stmts(body)
    last = stmts[-1] if stmts else None
    if isinstance(last, ir.YieldStmt):
        new: ir.Stmt = last.with_(values=values_of(last.values))
        return ir.SeqStmts.flatten((*stmts[:-1], new), body.span)
    if isinstance(last, ir.RuntimeScopeStmt) or (
        isinstance(last, ir.SplitAivScopeStmt) and (len(stmts) == 1 or trailing_yield(last) is not None)
    ):
        inner = last.with_(body=_with_yield(last.body, values_of, span))
        return ir.SeqStmts.flatten((*stmts[:-1], inner), body.span)
    return ir.SeqStmts.flatten((*stmts, ir.YieldStmt(values_of(()), span=span)), body.span)


def _same_type(left: ir.Type, right: ir.Type) -> bool:
    return left is right or ir.structural_equal(left, right)
