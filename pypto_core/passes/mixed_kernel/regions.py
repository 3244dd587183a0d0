"""Consuming lane regions: placement leaves the IR and stays in a pass-local set (docs/spec/passes_split.md §10.0)."""

from __future__ import annotations

from collections.abc import Sequence

from pypto_core.analysis.affinity import Affinity, classify_call_affinity, has_stated_lane, is_no_duplicate
from pypto_core.analysis.statements import block, has_region, leaf_call, stmts_of
from pypto_core.ir import Call, ForStmt, Function, IfStmt, SeqStmts, SplitAivScopeStmt, Stmt, WhileStmt
from pypto_core.ir.stmt import ScopeStmt
from pypto_core.passes.split_axis.hazard import check_region_transpose


def consume_regions(function: Function) -> tuple[Function, frozenset[Call]]:
    """`function` with every region's body in place of its wrapper, and the calls that the regions pin to the AIV.

    Pinned is a duplicate-unsafe call without a lane of its own (``pld.system.notify``): inside a region it runs on the
    vector side only, everything else keeps its intrinsic affinity.

    Raises:
        PassError: ``split-transpose`` against a region's own mode.
    """
    if not has_region(function.body):
        return function, frozenset()
    pinned: set[Call] = set()
    stmts = _inline(stmts_of(function.body), False, pinned)
    return function.with_(body=block(stmts, function.body)), frozenset(pinned)


def _inline(stmts: Sequence[Stmt], inside: bool, pinned: set[Call]) -> list[Stmt]:
    out: list[Stmt] = []
    for stmt in stmts:
        call = leaf_call(stmt)
        if isinstance(stmt, SplitAivScopeStmt):
            check_region_transpose(stmt)
            out.extend(_inline(stmts_of(stmt.body), True, pinned))
        elif isinstance(stmt, SeqStmts):
            out.extend(_inline(stmt.stmts, inside, pinned))
        elif isinstance(stmt, (ForStmt, WhileStmt, ScopeStmt)):
            out.append(stmt.with_(body=block(_inline(stmts_of(stmt.body), inside, pinned), stmt.body)))
        elif isinstance(stmt, IfStmt):
            then = block(_inline(stmts_of(stmt.then_body), inside, pinned), stmt.then_body)
            other = stmt.else_body
            if other is not None:
                other = block(_inline(stmts_of(other), inside, pinned), other)
            out.append(stmt.with_(then_body=then, else_body=other))
        else:
            if call is not None and inside and _is_pinned(call):
                pinned.add(call)
            out.append(stmt)
    return out


def _is_pinned(call: Call) -> bool:
    return (
        classify_call_affinity(call) is Affinity.SHARED
        and not has_stated_lane(call)
        and is_no_duplicate(call)
    )
