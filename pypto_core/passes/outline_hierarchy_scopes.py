"""OutlineHierarchyScopes: scopes of a level become functions of that level (docs/spec/passes_front.md Parts 8, 9).

Program-wide, Opaque functions only; requires and keeps SSAForm, produces HierarchyOutlined and
OrchestrationReferencesResolved. Stored buffers are not exported: the compiler's behaviour.
"""

from __future__ import annotations

from pypto_core import ir
from pypto_core.passes.base import Pass, PassContract
from pypto_core.passes.outline.engine import OutlineKind, Outliner

CONTRACT = PassContract.of("SSAForm", "SSAForm HierarchyOutlined OrchestrationReferencesResolved")

_ROLE_TOKENS = {ir.Role.Orchestrator: "orch", ir.Role.SubWorker: "sub_worker"}


def outline_hierarchy_scopes(*, backend: str | None = None) -> Pass:
    """The pass; the backend plays no part."""
    return Pass("OutlineHierarchyScopes", CONTRACT, _run)


def _suffix(scope: ir.ScopeStmt) -> str:
    assert isinstance(scope, ir.HierarchyScopeStmt)
    level = scope.level.name.lower().replace("cluster_", "cluster")
    return f"_{level}" if scope.role is None else f"_{level}_{_ROLE_TOKENS[scope.role]}"


_KIND = OutlineKind(ir.HierarchyScopeStmt, ir.FunctionType.Opaque, _suffix, exports_stores=False)


def _run(program: ir.Program) -> ir.Program:
    taken = {f.name for f in program.functions}
    out: list[ir.Function] = []
    for function in program.functions:
        if function.func_type is not ir.FunctionType.Opaque:
            out.append(function)
            continue
        outliner = Outliner(function, _KIND, taken)
        out.append(outliner.run())
        out.extend(outliner.made)
    return program.with_functions(out)
