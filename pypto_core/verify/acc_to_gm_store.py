"""AccToGmStoreValid: the fixpipe writes certain element types only (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.analysis.names import describe
from pypto_core.diagnostics import Diagnostic
from pypto_core.verify.base import Context, Finding, Verifier, best_span

RULE = "AccToGmStoreValid"
_report = Finding(RULE)


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    backend = context.backend
    if backend is None:
        return
    for call in ir.calls_in(function.body):
        if call.op.name != "tile.store" or not isinstance(call, ir.Call) or len(call.args) < 3:
            continue
        source, target = call.args[0].type, call.args[2].type
        if not isinstance(source, ir.TileType) or source.memory_space is not ir.MemorySpace.Acc:
            continue
        if not isinstance(target, ir.TensorType) or backend.supports_acc_to_gm_dtype(target.dtype):
            continue
        supported = ", ".join(sorted(d.text for d in backend.acc_to_gm_dtypes))
        stored = describe(call.args[0], call.span)
        yield _report(
            "acc-store-dtype",
            1,
            f"'{stored}' lies in Acc and cannot be stored as {target.dtype.text} on {backend.arch}: the store from "
            f"Acc writes {supported}. Cast first: `pl.cast({stored}, pl.{target.dtype.printed})` (function "
            f"'{function.name}')",
            best_span(call.span, function.span),
            data={"dtype": target.dtype.printed, "name": stored, "arch": backend.arch},
        )


VERIFIER = Verifier("AccToGmStoreValid", RULE, check, needs_backend=True)
