"""TensorViewCanonical: after MaterializeTensorStrides every tensor view has canonical strides (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.diagnostics import Diagnostic
from pypto_core.ops.proofs import prove_eq
from pypto_core.verify.base import Context, Finding, Verifier, author_name, best_span

RULE = "TensorViewCanonical"
_report = Finding(RULE)


def _fault(type_: ir.Type) -> str | None:
    if isinstance(type_, ir.TupleType):
        return next((f for t in type_.types if (f := _fault(t)) is not None), None)
    if not isinstance(type_, ir.TensorType) or type_.tensor_view is None:
        return None
    view = type_.tensor_view
    if view.layout is ir.TensorLayout.NZ:
        return "has an NZ layout, which only tiles have"
    if not view.stride:
        return "has a view without strides"
    packed = ir.packed_strides(type_.shape, view.layout)
    if packed is None or len(packed) != len(view.stride):
        return f"has strides that do not fit its {view.layout.name} layout"
    if any(prove_eq(a, b) is False for a, b in zip(packed, view.stride, strict=True)):
        return f"has strides that are not canonical for its {view.layout.name} layout"
    return None


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    for var in (*function.params, *ir.collect_defs(function.body)):
        fault = _fault(var.type)
        if fault is not None:
            yield _report(
                "tensor-view-canonical",
                1,
                f"Tensor '{author_name(var)}' {fault} in function '{function.name}'",
                best_span(var.span, function.span),
            )
    for type_ in function.return_types:
        fault = _fault(type_)
        if fault is not None:
            yield _report(
                "tensor-view-canonical",
                1,
                f"A return type of function '{function.name}' {fault}",
                function.span,
            )


VERIFIER = Verifier("TensorViewCanonical", RULE, check)
