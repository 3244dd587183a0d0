"""InferTileMemorySpace: every tile gets a memory space, every operand sits in one its instruction can read.

``docs/spec/passes_tile.md`` §6: decide the spaces (``memory_space/spaces.py``), insert moves (``moves.py``), then take
loop-invariant matrix operands out of loops (``residency.py``).
"""

from __future__ import annotations

from pypto_core.backend import Backend, get_backend
from pypto_core.ir import Function, FunctionType, Program
from pypto_core.passes.base import Pass, PassContract, map_functions
from pypto_core.passes.memory_space.moves import MoveInserter
from pypto_core.passes.memory_space.residency import keep_invariant_operands
from pypto_core.passes.memory_space.spaces import SpaceMap

CONTRACT = PassContract.of(
    "SSAForm IncoreTileOps SplitIncoreOrch NormalizedStmtStructure",
    "SSAForm TileMemoryInferred NormalizedStmtStructure AivSplitValid AccToGmStoreValid",
    "AivSplitValid",
)


def infer_tile_memory_space(*, backend: str | Backend | None = None) -> Pass:
    """The pass; the chip gives layout rules to moves and capacities to residency."""
    chip = get_backend(backend)
    return Pass("InferTileMemorySpace", CONTRACT, lambda program: _run(program, chip))


def _run(program: Program, chip: Backend | None) -> Program:
    placed = map_functions(program, lambda function: place_function(function, chip))
    return keep_invariant_operands(placed, chip)


def place_function(function: Function, chip: Backend | None) -> Function:
    """``function`` with placed tiles; only kernels that are not split yet (type InCore) are touched."""
    if function.func_type is not FunctionType.InCore:
        return function
    return function.with_(body=MoveInserter(SpaceMap(function), chip).body(function.body))
