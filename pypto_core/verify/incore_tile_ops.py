"""IncoreTileOps: kernels work on tiles (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.analysis.statements import leaf_call
from pypto_core.diagnostics import Diagnostic
from pypto_core.ops.registry import OpCategory, find_op
from pypto_core.verify.base import Context, Finding, Verifier

RULE = "IncoreTileOps"
_report = Finding(RULE)
_ON_TENSORS = ("tensor.read", "tensor.write")


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    if function.func_type is not ir.FunctionType.InCore:
        return
    for stmt in ir.walk_stmts(function.body):
        call = leaf_call(stmt)
        if call is None or call.is_function_call:
            continue
        op = find_op(call.name)
        if op is None or op.category is not OpCategory.TENSOR or op.tile_conversion is None:
            continue
        if call.name in _ON_TENSORS and call.args and isinstance(call.args[0].type, ir.TensorType):
            continue
        yield _report(
            "incore-tile-ops",
            0,
            f"Tensor op '{call.name}' is left in InCore function '{function.name}'; it should have become tile ops",
            stmt.span,
            data={"op": call.name},
        )


VERIFIER = Verifier("IncoreTileOps", RULE, check)
