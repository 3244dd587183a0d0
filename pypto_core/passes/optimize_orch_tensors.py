"""OptimizeOrchTensors: fewer and better placed tensors between orchestration and kernels
(docs/spec/passes_tensor_to_tile.md Part 2)."""

from __future__ import annotations

from pypto_core.backend import Backend
from pypto_core.ir import Program
from pypto_core.passes.base import Pass, PassContract
from pypto_core.passes.orch_tensors.merge import merge_in_out
from pypto_core.passes.orch_tensors.store_loops import rewrite_store_loops
from pypto_core.passes.orch_tensors.strides import apply_assemble_strides, apply_slice_strides
from pypto_core.passes.orch_tensors.windowize import windowize

CONTRACT = PassContract.of(required="SplitIncoreOrch IncoreTileOps", produced="SplitIncoreOrch IncoreTileOps")

_STEPS = (merge_in_out, apply_assemble_strides, rewrite_store_loops, apply_slice_strides, windowize)
"""P1 to P5, in order; the last one concerns kernels with the attribute ``windowize=True`` only."""


def optimize_orch_tensors(*, backend: Backend | str | None = None) -> Pass:
    """The pass; it does the same for every chip."""
    return Pass("OptimizeOrchTensors", CONTRACT, _run)


def _run(program: Program) -> Program:
    functions = {function.name: function for function in program.functions}
    for step in _STEPS:
        step(functions)
    return program.with_functions(functions.values())
