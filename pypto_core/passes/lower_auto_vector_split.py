"""LowerAutoVectorSplit: an AUTO split kernel, or one with lane regions, in explicit per-lane form.

Cube/vector crossings become ``tile.aiv_shard`` / ``tile.aic_gather``, vector work is halved along the split axis, and a
single straight vector phase is wrapped in a region (docs/spec/passes_split.md §9). Region wrappers stay for
ExpandMixedKernel to consume.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pypto_core.analysis.affinity import Affinity, rollup
from pypto_core.analysis.lanes import BOUNDARY_OPS, split_dimension
from pypto_core.analysis.names import describe
from pypto_core.analysis.split_body import analyze_split_body
from pypto_core.analysis.statements import (
    SCOPES,
    block,
    has_region,
    leaf_call,
    stmts_of,
    trailing_yield,
    walk_stmts,
)
from pypto_core.diagnostics import PassError, Related
from pypto_core.ir import (
    Expr,
    ForStmt,
    Function,
    FunctionType,
    IfStmt,
    SeqStmts,
    Span,
    SplitAivScopeStmt,
    SplitMode,
    Stmt,
    Var,
    WhileStmt,
)
from pypto_core.ir.deep import goes_deep
from pypto_core.ir.rewrite import substitute
from pypto_core.ir.walk import expr_vars, stmt_bodies, stmt_exprs
from pypto_core.passes.base import Pass, PassContract, map_functions
from pypto_core.passes.clone import deep_clone
from pypto_core.passes.split_axis.admission import validate_explicit_body, validate_lowered_body
from pypto_core.passes.split_axis.boundary_valid import localize_explicit_boundary_valid
from pypto_core.passes.split_axis.hazard import check_region_transpose
from pypto_core.passes.split_axis.lane import bind_lane, names_in
from pypto_core.passes.split_axis.lower import check_no_cube_tile_halved, lower
from pypto_core.passes.split_axis.rejections import reject, reject_internal
from pypto_core.passes.split_axis.state import SplitState
from pypto_core.passes.split_axis.stride import resolve_lane_stride
from pypto_core.passes.split_axis.synthesize import synthesize_region
from pypto_core.verify.base import best_span

_KEPT = "SSAForm IncoreTileOps SplitIncoreOrch TileOps2D TileMemoryInferred NormalizedStmtStructure"

CONTRACT = PassContract.of(
    required=f"{_KEPT} AivSplitValid",
    produced=f"{_KEPT} AivSplitLoweredValid",
    invalidated="AivSplitValid",
    function_local=True,
)


def lower_auto_vector_split(*, backend: Any = None) -> Pass:
    """The pass; its result depends on no backend."""
    return Pass("LowerAutoVectorSplit", CONTRACT, lambda program: map_functions(program, lower_function))


def lower_function(function: Function) -> Function:
    """One function in per-lane form; the same object when it is not a mixed split kernel and has no region.

    Raises:
        PassError: any rejection of docs/spec/passes_split.md §16 marked LAVS.
    """
    if function.func_type is not FunctionType.InCore:
        return function
    if has_region(function.body):
        return _lower_regions(function)
    mode = function.split
    if mode is None or function.attrs.get("split_aiv"):
        return function
    if rollup(stmts_of(function.body)) is not Affinity.MIXED:
        return function
    return _lower_auto(function, mode)


# -- AUTO --------------------------------------------------------------------------------------------------------------


def _lower_auto(function: Function, mode: SplitMode) -> Function:
    for stmt in walk_stmts(function.body):
        if _is_foreign_scope(stmt):
            raise reject(
                "R-AUTO-SCOPE",
                "split-scope-in-body",
                f"the split of '{function.name}' does not reach through this scope, so its vector work would stay whole; "
                f"declare the enclosing function with plain `@pl.function`, which gives the scope a function of its own",
                stmt.span,
                function=function.name,
            )
    body = stmts_of(function.body)
    binding = bind_lane(names_in(function), body[0].span if body else function.span)
    stmts = [binding, *body]
    state = SplitState(mode, binding.var, resolve_lane_stride(stmts, split_dimension(mode)))
    lowered = block(_halve(stmts, state))
    renewed = deep_clone(lowered, replaced=state.repl)
    attrs = {k: v for k, v in function.attrs.items() if k not in ("split", "split_aiv", "dual_aiv_dispatch")}
    attrs |= {"split": int(mode), "split_aiv": True}
    return synthesize_region(function.with_(body=renewed, attrs=attrs), mode)


def _halve(stmts: Sequence[Stmt], state: SplitState) -> list[Stmt]:
    """Lower and check the result, which still names what ``state.repl`` replaces."""
    out = lower(stmts, state)
    check_no_cube_tile_halved(out, state)
    facts = analyze_split_body(out, state.dim, tuple(state.tile_vars), state.repl)
    validate_lowered_body(facts, stmts[0].span)
    return out


# -- regions -----------------------------------------------------------------------------------------------------------


def _lower_regions(function: Function) -> Function:
    regions = _Regions(names_in(function))
    stmts = regions.block(stmts_of(function.body))
    body = block(stmts, function.body)
    _check_scope_free(body)
    if regions.retyped:
        body = substitute(body, regions.retyped)
    _check_shares_stay_inside(body, regions.shares)
    attrs = {k: v for k, v in function.attrs.items() if k != "split_aiv"}
    attrs["split_aiv"] = True
    if body is function.body and list(attrs) == list(function.attrs) and function.attrs["split_aiv"]:
        return function
    return function.with_(body=deep_clone(body), attrs=attrs)


@dataclass(slots=True)
class _Regions:
    """Lowers the regions of one function; statements outside regions keep their full width."""

    used: set[str]
    retyped: dict[Var, Expr] = field(default_factory=dict)
    """Results of crossings in explicit regions, which the cube may read behind the region."""
    shares: dict[Var, SplitAivScopeStmt] = field(default_factory=dict)
    """Whole tiles of which an implicit region made one share per lane."""

    def block(self, stmts: Sequence[Stmt]) -> list[Stmt]:
        out: list[Stmt] = []
        for stmt in stmts:
            if isinstance(stmt, SplitAivScopeStmt):
                out.extend(self.region(stmt))
            elif isinstance(stmt, (ForStmt, WhileStmt)):
                out.append(stmt.with_(body=self.nested(stmt.body)))
            elif isinstance(stmt, IfStmt):
                other = None if stmt.else_body is None else self.nested(stmt.else_body)
                out.append(stmt.with_(then_body=self.nested(stmt.then_body), else_body=other))
            elif isinstance(stmt, SeqStmts):
                out.extend(self.block(stmt.stmts))
            else:
                out.append(stmt)
        return out

    @goes_deep
    def nested(self, body: Stmt) -> Stmt:
        return block(self.block(stmts_of(body)), body)

    def region(self, region: SplitAivScopeStmt) -> list[Stmt]:
        stmts = stmts_of(region.body)
        if not stmts:
            return []
        if region.split == SplitMode.NONE:
            return [region.with_(body=self.nested(region.body))]
        dim = split_dimension(region.split)
        if _has_boundary(region.body):
            validate_explicit_body(analyze_split_body(stmts, dim), region.span)
            check_region_transpose(region)
            localized, retyped = localize_explicit_boundary_valid(stmts, dim, region.span)
            self.retyped |= retyped
            return [region.with_(body=block(self.block(localized), region.body))]
        check_region_transpose(region)
        binding = bind_lane(self.used, stmts[0].span)
        state = SplitState(region.split, binding.var)
        lowered = substitute(block(_halve([binding, *stmts], state)), state.repl)
        handed_on = trailing_yield(region.body)
        if handed_on is not None:
            for value in handed_on.values:
                if state.operand_info(value) is not None:
                    raise _leaves_region(value, region, best_span(handed_on.span, region.span))
        self.shares |= dict.fromkeys(state.repl, region)
        return [region.with_(body=lowered)]


def _check_shares_stay_inside(body: Stmt, shares: Mapping[Var, SplitAivScopeStmt]) -> None:
    """Refuse a read of a whole tile that no longer exists, since an implicit region made the lanes' shares of it."""
    if not shares:
        return
    for stmt in walk_stmts(body):
        for expr in stmt_exprs(stmt):
            for var in expr_vars(expr):
                region = shares.get(var)
                if region is None:
                    continue
                call = leaf_call(stmt)
                own = call.span if call is not None else stmt.span
                raise _leaves_region(var, region, best_span(own, stmt.span))


def _leaves_region(value: Expr, region: SplitAivScopeStmt, span: Span) -> PassError:
    return reject_internal(
        f"'{describe(value, span)}' is made inside a pl.split_aiv region, where each lane holds its share of it, and read "
        f"outside, where nobody holds the whole tile; move the statement that reads it into the region",
        span,
        (Related("the lane region opens here", region.span),),
    )


def _has_boundary(body: Stmt) -> bool:
    for stmt in walk_stmts(body, into_regions=False):
        call = leaf_call(stmt)
        if call is not None and call.name in BOUNDARY_OPS:
            return True
    return False


def _check_scope_free(body: Stmt) -> None:
    """Refuse a region behind a scope, then a scope inside a region: lowering goes through neither."""
    _check_regions_free(body, None)
    for stmt in walk_stmts(body):
        if _is_foreign_scope(stmt):
            raise reject(
                "R-SCOPE-IN-REGION",
                "split-region-scope",
                "this scope is left in a function with pl.split_aiv regions: lowering does not reach through a scope, so the "
                "vector work inside would run whole on both lanes; drop the scope",
                stmt.span,
            )


def _check_regions_free(stmt: Stmt, scope: Stmt | None) -> None:
    if isinstance(stmt, SplitAivScopeStmt) and scope is not None:
        raise reject(
            "R-REGION-SCOPE",
            "split-region-scope",
            "this pl.split_aiv region stands inside a scope of a function that is already an InCore kernel, and lowering "
            "does not reach through the scope; drop the scope, or drop type=pl.FunctionType.InCore from the function",
            stmt.span,
            (Related("the scope", scope.span),),
        )
    inner = stmt if _is_foreign_scope(stmt) else scope
    for body in stmt_bodies(stmt):
        _check_regions_free(body, inner)


def _is_foreign_scope(stmt: Stmt) -> bool:
    return type(stmt) in SCOPES and not isinstance(stmt, SplitAivScopeStmt)
