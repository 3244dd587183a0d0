"""AtomicAddDtypeValid: not every chip adds BF16 atomically (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.diagnostics import Diagnostic
from pypto_core.verify.base import Context, Finding, Verifier, best_span

RULE = "AtomicAddDtypeValid"
_report = Finding(RULE)

#: Operators that may write atomically: operator -> destination argument.
DESTINATION: dict[str, int] = {
    "tile.store": 2,
    "tensor.assemble": 0,
    "pld.tensor.put": 0,
    "pld.tile.put": 0,
    "pld.tensor.remote_store": 1,
    "pld.tile.remote_store": 1,
}


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    backend = context.backend
    if backend is None or backend.supports_bf16_atomic_add:
        return
    for call in ir.calls_in(function.body):
        position = DESTINATION.get(call.name)
        if position is None or position >= len(call.args):
            continue
        if call.kwargs.get("atomic", ir.AtomicType.None_) != ir.AtomicType.Add:
            continue
        type_ = call.args[position].type
        if isinstance(type_, (ir.TensorType, ir.TileType)) and type_.dtype is ir.DataType.BF16:
            yield _report(
                "atomic-dtype",
                1,
                f"'{call.name}' adds atomically into a bf16 destination, which {backend.arch} cannot do (function "
                f"'{function.name}'); accumulate in FP32",
                best_span(call.span, function.span),
                data={"op": call.name, "arch": backend.arch},
            )


VERIFIER = Verifier("AtomicAddDtypeValid", RULE, check, needs_backend=True)
