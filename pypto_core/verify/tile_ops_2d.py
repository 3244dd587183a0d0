"""TileOps2D: kernels compute on tiles of at most two dimensions (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.analysis.statements import leaf_call
from pypto_core.diagnostics import Diagnostic
from pypto_core.verify.base import Context, Finding, Verifier, best_span

RULE = "TileOps2D"
_report = Finding(RULE)
_ANY_RANK = ("tile.load", "tile.store", "tile.reshape", "tile.reinterpret_view")


def _rank(type_: ir.Type) -> int:
    return len(type_.shape) if isinstance(type_, ir.TileType) else 0


def _faults(call: ir.Call, result: ir.Type) -> Iterator[str]:
    if _rank(result) > 2:
        yield f"has a result of {_rank(result)} dimensions"
    for i, arg in enumerate(call.args):
        if _rank(arg.type) > 2:
            yield f"has argument {i} of {_rank(arg.type)} dimensions"
            break
    if call.name == "tile.transpose" and len(call.args) != 4:
        yield f"has {len(call.args)} arguments, expected 4"
    if call.name == "tile.assemble" and len(call.args) == 3:
        offset = call.args[2]
        if not isinstance(offset, ir.MakeTuple) or len(offset.elements) != 2:
            yield "has an offset that is not a literal pair"


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    if not function.func_type.is_incore:
        return
    for stmt in ir.walk_stmts(function.body):
        call = leaf_call(stmt)
        if call is None or not call.name.startswith("tile.") or call.name in _ANY_RANK:
            continue
        for fault in _faults(call, call.type):
            yield _report(
                "tile-ops-2d",
                0,
                f"'{call.name}' {fault} in function '{function.name}'",
                best_span(call.span, stmt.span),
                data={"op": call.name},
            )


VERIFIER = Verifier("TileOps2D", RULE, check)
