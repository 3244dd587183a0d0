"""OutlineClusterScopes: clusters become Group functions, ``pl.spmd`` blocks Spmd functions (docs/spec/passes_front.md Part 10).

Program-wide; requires and keeps SSAForm, produces ClusterOutlined. The launch width always rides on the call.
"""

from __future__ import annotations

from dataclasses import dataclass

from pypto_core import ir
from pypto_core.diagnostics import error
from pypto_core.passes.base import Pass, PassContract, PassError
from pypto_core.passes.outline.engine import OutlineKind, Outliner
from pypto_core.passes.outline.launch import is_submit

CONTRACT = PassContract.of("SSAForm", "SSAForm ClusterOutlined")
PARENTS = (ir.FunctionType.Opaque, ir.FunctionType.Orchestration, ir.FunctionType.Graph)

_CLUSTER = OutlineKind(ir.ClusterScopeStmt, ir.FunctionType.Group, lambda _scope: "_cluster")
_SPMD = OutlineKind(ir.SpmdScopeStmt, ir.FunctionType.Spmd, lambda _scope: "_spmd")


def outline_cluster_scopes(*, backend: str | None = None) -> Pass:
    """The pass; the backend plays no part."""
    return Pass("OutlineClusterScopes", CONTRACT, _run)


def _run(program: ir.Program) -> ir.Program:
    taken = {f.name for f in program.functions}
    known = {f.name: f for f in program.functions}
    parents: list[ir.Function] = []
    others: list[ir.Function] = []
    for function in program.functions:
        if function.func_type not in PARENTS:
            others.append(function)
            continue
        outliner = Outliner(function, _CLUSTER, taken, known.get)
        parent = outliner.run()
        launches: dict[str, _Launch] = {}
        for group in outliner.made:
            unwrapped, launch = _unwrap_spmd(group)
            if launch is not None:
                launches[group.name] = launch
            others.append(unwrapped)
            known[unwrapped.name] = unwrapped
        parents.append(parent.with_(body=_Stamp(launches).rewrite(parent.body)) if launches else parent)
    for parent in parents:
        outliner = Outliner(parent, _SPMD, taken, known.get)
        others.append(outliner.run())
        others.extend(outliner.made)
    return program.with_functions(others)


@dataclass(frozen=True, slots=True)
class _Launch:
    """Width of an unwrapped ``pl.spmd`` in terms of the Group's parameters."""

    group: ir.Function
    core_num: ir.Expr
    sync_start: bool


def _unwrap_spmd(group: ir.Function) -> tuple[ir.Function, _Launch | None]:
    """Replace the Spmd scope of a Group by its body; a Group has at most one."""
    scopes = [s for s in ir.walk_stmts(group.body) if isinstance(s, ir.SpmdScopeStmt)]
    if not scopes:
        return group, None
    if len(scopes) > 1 or is_submit(scopes[0]):
        raise PassError(
            error(
                "compiler-internal",
                "a cluster holds one pl.spmd block, without task id, dependencies, early resolve or predicate",
                scopes[-1].span,
            )
        )
    scope = scopes[0]
    body: ir.Stmt = _Unwrap().rewrite(group.body)
    unwrapped = group.with_(body=body, attrs={**group.attrs, "spmd_unwrapped": True})
    return unwrapped, _Launch(unwrapped, scope.core_num, scope.sync_start)


class _Unwrap(ir.Rewriter):
    def rewrite_Expr(self, expr: ir.Expr) -> ir.Expr:
        return expr

    def rewrite_IterArg(self, var: ir.IterArg) -> ir.Expr:
        return var

    def rewrite_SpmdScopeStmt(self, scope: ir.SpmdScopeStmt) -> ir.Stmt:
        body: ir.Stmt = self.rewrite(scope.body)
        return body


class _Stamp(ir.Rewriter):
    """Puts the launch width on every dispatch of an unwrapped Group."""

    def __init__(self, launches: dict[str, _Launch]) -> None:
        self._launches = launches

    def _width(self, call: ir.Call | ir.Submit, launch: _Launch) -> ir.Expr:
        params = launch.group.params
        mapping = dict(zip(params, call.args, strict=False))
        bound = set(ir.collect_defs(launch.group.body)) | set(params[len(call.args) :])
        for var in ir.collect_uses(launch.core_num):
            if var in bound:
                raise PassError(
                    error(
                        "spmd-width-inside-cluster",
                        f"pl.spmd() block count references '{var.name_hint.partition('__')[0]}', which is defined "
                        "inside the enclosing pl.cluster(). Compute it before the cluster.",
                        call.span,
                    )
                )
        width: ir.Expr = ir.substitute(launch.core_num, mapping)
        return width

    def rewrite_Call(self, call: ir.Call) -> ir.Expr:
        new: ir.Call = self.generic(call)
        launch = self._launches.get(call.name) if call.is_function_call else None
        if launch is None:
            return new
        attrs = {**new.attrs, "core_num": self._width(new, launch)}
        if launch.sync_start:
            attrs["sync_start"] = True
        return new.with_(attrs=attrs)

    def rewrite_Submit(self, submit: ir.Submit) -> ir.Expr:
        new: ir.Submit = self.generic(submit)
        launch = self._launches.get(submit.name)
        if launch is None:
            return new
        return new.with_(core_num=self._width(new, launch), sync_start=launch.sync_start)
