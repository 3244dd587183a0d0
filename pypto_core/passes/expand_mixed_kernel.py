"""ExpandMixedKernel: every InCore function becomes an AIC function, an AIV function, or both.

A mixed kernel is cut into its two cores; crossings become push/pop pairs through a ring of slots, received slots are
returned after their last use, and a Group may take the kernel's name (docs/spec/passes_split.md §10). Lane regions are
consumed here: their wrappers disappear and placement stays in a pass-local set.
"""

from __future__ import annotations

from functools import partial

from pypto_core.analysis.affinity import Affinity
from pypto_core.analysis.statements import has_region
from pypto_core.backend import Backend, get_backend
from pypto_core.ir import Function, FunctionType, Program
from pypto_core.passes.base import Pass, PassContract
from pypto_core.passes.mixed_kernel.callers import (
    adapt_manual_pushes,
    direct_callees,
    share_group_signatures,
    split_group_calls,
)
from pypto_core.passes.mixed_kernel.deferred_wait import audit_deferred_waits
from pypto_core.passes.mixed_kernel.expand import Expanded, expand, plain_function
from pypto_core.passes.mixed_kernel.placement import Placement
from pypto_core.passes.mixed_kernel.regions import consume_regions
from pypto_core.passes.split_axis.hazard import check_function_transpose
from pypto_core.passes.split_axis.rejections import reject_internal

CONTRACT = PassContract.of(
    required="SSAForm IncoreTileOps SplitIncoreOrch TileOps2D TileMemoryInferred NormalizedStmtStructure AivSplitLoweredValid",
    produced="SSAForm MixedKernelExpanded NormalizedStmtStructure HardSyncallOccupancyValid",
    invalidated="AivSplitLoweredValid",
)


def expand_mixed_kernel(*, backend: str | Backend | None = None) -> Pass:
    """The pass for `backend` (dual dispatch, fractal adapter)."""
    return Pass("ExpandMixedKernel", CONTRACT, partial(_run, get_backend(backend)))


def expand_function(function: Function, backend: Backend | None) -> Function | Expanded:
    """One InCore function: its one-core form, or both halves with their Group."""
    if not has_region(function.body) and function.split is not None:
        hazard_mode = function.split
    else:
        hazard_mode = None
    consumed, pinned = consume_regions(function)
    placement = Placement(consumed.body, pinned)
    if placement.combined is not Affinity.MIXED:
        return plain_function(consumed, placement.combined)
    if hazard_mode is not None:
        check_function_transpose(consumed, hazard_mode)
    return expand(consumed, placement, backend)


def _run(backend: Backend | None, program: Program) -> Program:
    audit_deferred_waits(program)
    out: dict[str, Function] = {}
    expanded: dict[str, Expanded] = {}
    for function in program.functions:
        if function.func_type is not FunctionType.InCore:
            out[function.name] = function
            continue
        result = expand_function(function, backend)
        if isinstance(result, Function):
            out[function.name] = result
        else:
            expanded[function.name] = result
    if expanded:
        _wire_callers(program, out, expanded)
    out = share_group_signatures(out, backend)
    return program.with_functions(adapt_manual_pushes(f, backend) for f in out.values())


def _wire_callers(program: Program, out: dict[str, Function], expanded: dict[str, Expanded]) -> None:
    """Add the halves, and the Group wherever somebody still calls the kernel by its name.

    Raises:
        PassError: ``compiler-internal`` when a half's name is another function's.
    """
    in_groups: set[str] = set()
    elsewhere: set[str] = set()
    for function in program.functions:
        called = direct_callees(function) & expanded.keys()
        (in_groups if function.func_type is FunctionType.Group else elsewhere).update(called)
    for name, parts in expanded.items():
        for half in (parts.aic, parts.aiv):
            if program.get_function(half.name) is not None:
                raise reject_internal(
                    f"Duplicate function name \"{half.name}\": the kernel '{name}' does cube and vector work and is cut into "
                    f"'{name}_aic' and '{name}_aiv'; rename one of the two functions",
                    half.span,
                )
            out[half.name] = half
        if name in elsewhere or name not in in_groups:
            out[name] = parts.group
    for function in program.functions:
        if function.func_type is FunctionType.Group:
            out[function.name] = split_group_calls(function, frozenset(expanded))
