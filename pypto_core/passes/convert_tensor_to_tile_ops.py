"""ConvertTensorToTileOps: kernels compute on tiles, orchestration keeps tensors (docs/spec/passes_tensor_to_tile.md Part 1).

Every InCore function is rewritten from ``tensor.*`` to ``tile.*``; tiles that it returns leave through new Out parameters,
which callers allocate. Parameters that a kernel writes become Out or InOut, up through all callers.
"""

from __future__ import annotations

from pypto_core.backend import Backend, get_backend
from pypto_core.ir import Function, FunctionType, Program, Var, body_stmts
from pypto_core.passes.base import Pass, PassContract
from pypto_core.passes.tensor_to_tile.body import BodyConverter, block_of
from pypto_core.passes.tensor_to_tile.callers import propagate_directions, rewrite_callers
from pypto_core.passes.tensor_to_tile.canonical import (
    canonicalise_constant_fill_loops,
    canonicalise_full_scalar_updates,
)
from pypto_core.passes.tensor_to_tile.demand import collect_demands
from pypto_core.passes.tensor_to_tile.directions import upgrade_directions
from pypto_core.passes.tensor_to_tile.entry_loads import entry_loads
from pypto_core.passes.tensor_to_tile.results import Outputs, add_outputs

CONTRACT = PassContract.of(
    required="SSAForm SplitIncoreOrch NormalizedStmtStructure",
    produced="SSAForm IncoreTileOps NormalizedStmtStructure AivSplitValid",
    invalidated="AivSplitValid",
)


def convert_tensor_to_tile_ops(*, backend: Backend | str | None = None) -> Pass:
    """The pass. ``backend`` selects the form of ``gather`` and bounds ``create``; None checks no capacity.

    Raises ``PassError`` where an operator cannot be lowered, at the author's statement.
    """
    chip = backend if isinstance(backend, Backend) else get_backend(backend)

    def run(program: Program) -> Program:
        return _run(program, chip)

    return Pass("ConvertTensorToTileOps", CONTRACT, run)


def _run(program: Program, backend: Backend | None) -> Program:
    functions: dict[str, Function] = {}
    added: dict[str, tuple[Var, ...]] = {}
    for function in program.functions:
        if function.func_type is FunctionType.InCore:
            outputs = convert_kernel(function, backend)
            function = outputs.function
            if outputs.added:
                added[function.name] = outputs.added
        functions[function.name] = function
    rewrite_callers(functions, added)
    propagate_directions(functions)
    return program.with_functions(functions.values())


def convert_kernel(function: Function, backend: Backend | None) -> Outputs:
    """One InCore function on tiles, with the Out parameters that its results need."""
    if function.requires_runtime_binding:
        return Outputs(function, ())
    source = canonicalise_constant_fill_loops(canonicalise_full_scalar_updates(function))
    loads, tiles = entry_loads(source)
    converter = BodyConverter(tiles, collect_demands(source.body), backend)
    converted = converter.stmts(body_stmts(source.body))
    body = block_of([*loads, *converted], function.body)
    outputs = add_outputs(function, body, source)
    return Outputs(upgrade_directions(outputs.function), outputs.added)
