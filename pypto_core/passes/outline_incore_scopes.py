"""OutlineIncoreScopes: ``pl.at`` scopes become InCore functions (docs/spec/passes_front.md Parts 8, 9).

Program-wide; requires and keeps SSAForm, produces SplitIncoreOrch and AivSplitValid. An Opaque parent becomes an
Orchestration function; before that, reads of declared dynamic extents are folded to their symbols.
"""

from __future__ import annotations

from pypto_core import ir
from pypto_core.diagnostics import error
from pypto_core.ir.deep import goes_deep
from pypto_core.passes.base import Pass, PassContract, PassError
from pypto_core.passes.mutator import BaseMutator
from pypto_core.passes.outline.engine import Attrs, OutlineKind, Outliner, contains_scope

CONTRACT = PassContract.of("SSAForm", "SSAForm SplitIncoreOrch AivSplitValid")
PARENTS = (ir.FunctionType.Opaque, ir.FunctionType.Orchestration, ir.FunctionType.Graph)


def outline_incore_scopes(*, backend: str | None = None) -> Pass:
    """The pass; the backend plays no part."""
    return Pass("OutlineIncoreScopes", CONTRACT, _run)


@goes_deep
def _outermost_regions(body: ir.Stmt) -> list[ir.SplitAivScopeStmt]:
    if isinstance(body, ir.SplitAivScopeStmt):
        return [body]
    return [region for inner in ir.stmt_bodies(body) for region in _outermost_regions(inner)]


def _attrs(scope: ir.ScopeStmt) -> Attrs:
    """Attributes of the new function, in the order in which they are stored (§9.7)."""
    assert isinstance(scope, ir.InCoreScopeStmt)
    attrs: Attrs = {}
    if scope.split is not ir.SplitMode.NONE:
        attrs["split"] = int(scope.split)
    if "slot_num" in scope.attrs:
        attrs["slot_num"] = scope.attrs["slot_num"]
    if scope.attrs.get("windowize"):
        attrs["windowize"] = True
    regions = _outermost_regions(scope.body)
    if not regions:
        return attrs
    if scope.split is not ir.SplitMode.NONE:
        raise PassError(
            error(
                "split-region-conflict",
                f"scope combines a function-level pl.split(pl.SplitMode.{scope.split.name}) "
                "(optimizations=[pl.split(...)]) with a pl.split_aiv region; these are mutually exclusive "
                "AIV-split mechanisms",
                scope.span,
            )
        )
    attrs["split_aiv"] = True
    modes = {region.split for region in regions}
    if len(modes) == 1 and modes != {ir.SplitMode.NONE}:
        attrs["split"] = int(modes.pop())
    return attrs


_KIND = OutlineKind(
    ir.InCoreScopeStmt,
    ir.FunctionType.InCore,
    lambda _scope: "_incore",
    _attrs,
    is_core=True,
)


def _run(program: ir.Program) -> ir.Program:
    taken = {f.name for f in program.functions}
    out: list[ir.Function] = []
    for function in program.functions:
        if function.func_type not in PARENTS or not contains_scope(function.body, ir.InCoreScopeStmt):
            out.append(function)
            continue
        if function.func_type is ir.FunctionType.Opaque:
            function = _fold_extents(function)
        outliner = Outliner(function, _KIND, taken)
        parent = outliner.run()
        func_type = (
            ir.FunctionType.Orchestration
            if function.func_type is ir.FunctionType.Opaque
            else function.func_type
        )
        out.append(parent.with_(func_type=func_type, level=ir.Level.CHIP, role=ir.Role.Orchestrator))
        out.extend(outliner.made)
    return program.with_functions(out)


# -- reads of declared extents ---------------------------------------------------------------------------------------


def _fold_extents(function: ir.Function) -> ir.Function:
    """Replace ``tensor.dim(t, k)`` by the declared symbol of that extent, in one forward pass."""
    symbols = frozenset(
        dim
        for param in function.params
        if isinstance(param.type, ir.TensorType)
        for dim in param.type.shape
        if type(dim) is ir.Var
    )
    if not symbols:
        return function
    return function.with_(body=_ExtentFolder(symbols).rewrite(function.body))


class _ExtentFolder(BaseMutator):
    def __init__(self, symbols: frozenset[ir.Expr]) -> None:
        super().__init__()
        self._symbols = symbols

    def rewrite_AssignStmt(self, stmt: ir.AssignStmt) -> ir.Stmt:
        value = self.rewrite(stmt.value)
        symbol = self._extent(value)
        if symbol is not None:
            self.remap[stmt.var] = symbol
            return ir.SeqStmts((), span=stmt.span)
        return stmt.with_(value=value, var=self.rewrite_def(stmt.var))

    def _extent(self, value: ir.Expr) -> ir.Expr | None:
        if not isinstance(value, ir.Call) or value.name != "tensor.dim" or len(value.args) != 2:
            return None
        tensor, axis_expr = value.args[0].type, value.args[1]
        if type(tensor) is not ir.TensorType or not isinstance(axis_expr, ir.ConstInt):
            return None
        axis = axis_expr.value + (len(tensor.shape) if axis_expr.value < 0 else 0)
        if not 0 <= axis < len(tensor.shape):
            return None
        extent = tensor.shape[axis]
        return extent if extent in self._symbols else None
