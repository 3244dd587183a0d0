"""AssignTypeSymmetry: a target has the type of its value (docs/spec/verifiers.md §3). On demand only."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.analysis.spans import target_span
from pypto_core.diagnostics import Diagnostic
from pypto_core.verify.base import Context, Finding, Verifier, author_name

RULE = "AssignTypeSymmetry"
_report = Finding(RULE)


def first_difference(left: ir.Type, right: ir.Type) -> str:
    """Name of the first field in which two unequal types differ; memory references do not count."""
    if type(left) is not type(right):
        return f"kind ({type(left).__name__} and {type(right).__name__})"
    if isinstance(left, ir.ScalarType):
        return "dtype"
    if isinstance(left, (ir.TensorType, ir.TileType)):
        assert isinstance(right, (ir.TensorType, ir.TileType))
        if left.dtype is not right.dtype:
            return "dtype"
        if not ir.dims_equal(left.shape, right.shape):
            return "shape"
        if isinstance(left, ir.TileType) and isinstance(right, ir.TileType):
            return "memory_space" if left.memory_space is not right.memory_space else "tile_view"
        return "tensor_view"
    if isinstance(left, ir.TupleType):
        assert isinstance(right, ir.TupleType)
        if len(left.types) != len(right.types):
            return "size"
        for i, (a, b) in enumerate(zip(left.types, right.types, strict=True)):
            if not ir.structural_equal(a, b):
                return f"types[{i}].{first_difference(a, b)}"
    return "type"


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    for stmt in ir.walk_stmts(function.body):
        if not isinstance(stmt, ir.AssignStmt):
            continue
        left, right = stmt.var.type, stmt.value.type
        if right is ir.UNKNOWN or isinstance(right, ir.ErrorType) or isinstance(left, ir.ErrorType):
            continue
        if left is right or ir.structural_equal(left, right):
            continue
        yield _report(
            "assign-type-symmetry",
            1,
            f"'{author_name(stmt.var)}' and its value differ in {first_difference(left, right)} in function "
            f"'{function.name}'",
            target_span(stmt, stmt.var),
        )


VERIFIER = Verifier("AssignTypeSymmetry", RULE, check)
