"""NormalizeStmtStructure: flat blocks, no block of one statement (docs/spec/passes_front.md Part 6).

Function-local; produces NormalizedStmtStructure. The printed text never changes.
"""

from __future__ import annotations

from pypto_core import ir
from pypto_core.passes.base import Pass, PassContract, map_functions
from pypto_core.passes.blocks import flatten_blocks

CONTRACT = PassContract.of(produced="NormalizedStmtStructure", function_local=True)


def normalize_stmt_structure(*, backend: str | None = None) -> Pass:
    """The pass; the backend plays no part."""
    return Pass("NormalizeStmtStructure", CONTRACT, lambda program: map_functions(program, _normalize))


def _normalize(function: ir.Function) -> ir.Function:
    return function.with_(body=flatten_blocks(function.body))
