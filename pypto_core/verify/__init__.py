"""Verifiers, warnings and performance hints: one file per property (docs/spec/verifiers.md).

``verify(program, properties, backend)`` runs the verifiers of the named properties; ``warnings_of`` the checks before the
first pass; ``hints_of`` those after the last. None of them raises.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module

from pypto_core.backend import Backend, get_backend
from pypto_core.diagnostics import Diagnostic
from pypto_core.ir import Program
from pypto_core.verify.base import Context, Located, Verifier
from pypto_core.verify.innermost_dim import innermost_dim_hints

__all__ = [
    "CHECKS",
    "DEFAULT",
    "PROPERTIES",
    "Context",
    "Located",
    "Verifier",
    "hints_of",
    "orphans_located",
    "orphans_of",
    "proven",
    "verifier_of",
    "verify",
    "verify_located",
    "warnings_of",
]

#: Property -> module and attribute of its verifier, None for one that has none; in property order (ir.md §7.1).
_TABLE: dict[str, tuple[str, str] | None] = {
    "SSAForm": ("ssa_form", "VERIFIER"),
    "TypeChecked": ("type_checked", "VERIFIER"),
    "NoNestedCalls": ("no_nested_calls", "VERIFIER"),
    "NormalizedStmtStructure": ("redundant_blocks", "NORMALIZED"),
    "NoRedundantBlocks": ("redundant_blocks", "VERIFIER"),
    "SplitIncoreOrch": ("split_incore_orch", "VERIFIER"),
    "HasMemRefs": ("mem_refs", "HAS_MEM_REFS"),
    "IncoreTileOps": ("incore_tile_ops", "VERIFIER"),
    "AllocatedMemoryAddr": ("mem_refs", "ALLOCATED"),
    "MixedKernelExpanded": ("mixed_kernel", "VERIFIER"),
    "ClusterOutlined": ("cluster_outlined", "VERIFIER"),
    "TileOps2D": ("tile_ops_2d", "VERIFIER"),
    "TileMemoryInferred": ("tile_memory_inferred", "VERIFIER"),
    "BreakContinueValid": ("break_continue", "VERIFIER"),
    "UseAfterDef": ("use_after_def", "VERIFIER"),
    "HierarchyOutlined": ("hierarchy_outlined", "VERIFIER"),
    "StructuredCtrlFlow": ("structured_ctrl_flow", "VERIFIER"),
    "VectorKernelSplit": None,
    "OutParamNotShadowed": ("out_param", "VERIFIER"),
    "NoNestedInCore": ("no_nested_incore", "VERIFIER"),
    "InOutUseValid": ("inout_use", "VERIFIER"),
    "PipelineLoopValid": ("pipeline_loop", "VERIFIER"),
    "PipelineResolved": ("loop_kinds", "PIPELINE_RESOLVED"),
    "CallDirectionsResolved": ("call_directions", "VERIFIER"),
    "TileTypeCoherence": ("tile_type_coherence", "VERIFIER"),
    "InlineFunctionsEliminated": ("inline_eliminated", "VERIFIER"),
    "OrchestrationReferencesResolved": ("orchestration_references", "VERIFIER"),
    "TensorViewCanonical": ("tensor_view_canonical", "VERIFIER"),
    "ArrayNotEscaped": ("array_not_escaped", "VERIFIER"),
    "CommDomainScopesMaterialized": ("comm_domains", "DOMAINS"),
    "DistTensorCtxMaterialized": ("comm_domains", "CONTEXTS"),
    "RuntimeScopesMaterialized": ("runtime_scopes", "VERIFIER"),
    "AssignTypeSymmetry": ("assign_type_symmetry", "VERIFIER"),
    "ManualDepsOnSubmitOnly": ("manual_deps", "VERIFIER"),
    "ReturnParamsExplicit": ("return_params", "VERIFIER"),
    "UnrollResolved": ("loop_kinds", "UNROLL_RESOLVED"),
    "AivSplitValid": ("aiv_split_properties", "VALID"),
    "HardSyncallOccupancyValid": ("hard_syncall", "VERIFIER"),
    "IterArgCarryClassified": ("iter_arg_carry", "VERIFIER"),
    "AccToGmStoreValid": ("acc_to_gm_store", "VERIFIER"),
    "AtomicAddDtypeValid": ("atomic_add_dtype", "VERIFIER"),
    "AivSplitLoweredValid": ("aiv_split_properties", "LOWERED"),
}

#: Names of all properties, in order.
PROPERTIES: tuple[str, ...] = tuple(_TABLE)
#: What a stand-alone verification looks at.
DEFAULT: frozenset[str] = frozenset(
    (
        "SSAForm", "TypeChecked", "NoNestedCalls", "NoRedundantBlocks", "BreakContinueValid", "UseAfterDef",
        "OutParamNotShadowed", "NoNestedInCore", "TileTypeCoherence", "ArrayNotEscaped",
    )
)  # fmt: skip

#: Warnings before the first pass: check -> module and attribute.
_WARNINGS: dict[str, tuple[str, str]] = {
    "UnusedVariable": ("unused", "VARIABLE"),
    "UnusedControlFlowResult": ("unused", "RESULT"),
    "OutParamWriteDropped": ("write_dropped", "VERIFIER"),
}
#: Advisory checks that can be asked for by name.
CHECKS: tuple[str, ...] = (*_WARNINGS, "TileInnermostDimGranularity")
#: Advisory checks that are off unless asked for.
OFF_BY_DEFAULT: frozenset[str] = frozenset(("UnusedControlFlowResult",))


@cache
def _load(module: str, attribute: str) -> Verifier:
    found: Verifier = getattr(import_module(f"pypto_core.verify.{module}"), attribute)
    return found


def verifier_of(prop: str) -> Verifier | None:
    """The verifier of a property, None when it has none; KeyError for an unknown property."""
    entry = _TABLE[prop]
    return None if entry is None else _load(*entry)


def _backend(backend: str | Backend | None) -> Backend | None:
    return backend if isinstance(backend, Backend) or backend is None else get_backend(backend)


def verify(
    program: Program, properties: Iterable[str] | None = None, backend: str | Backend | None = None
) -> list[Diagnostic]:
    """Findings of the named properties (default: :data:`DEFAULT`), in property order, then function order."""
    return [finding for _, finding in verify_located(program, properties, backend)]


def verify_located(
    program: Program, properties: Iterable[str] | None = None, backend: str | Backend | None = None
) -> list[Located]:
    """:func:`verify`, each finding with the name of the function in which it is."""
    wanted = DEFAULT if properties is None else frozenset(properties)
    unknown = wanted - frozenset(_TABLE)
    if unknown:
        raise KeyError(f"unknown properties: {', '.join(sorted(unknown))}")
    chip = _backend(backend)
    found: list[Located] = []
    for prop in PROPERTIES:
        if prop in wanted:
            verifier = verifier_of(prop)
            if verifier is not None:
                found += verifier.run_located(program, chip)
    return found


def proven(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Findings that do not rest on extents about which nothing is known.

    For programs with dimensions that could not be evaluated: an equality that could be neither shown nor refuted says
    nothing about them.
    """
    return [d for d in diagnostics if not d.data.get("unproven")]


def warnings_of(
    program: Program, backend: str | Backend | None = None, checks: Iterable[str] | None = None
) -> list[Diagnostic]:
    """Warnings about a program as its author wrote it; ``checks`` names them (default: all that are on)."""
    wanted = frozenset(_WARNINGS) - OFF_BY_DEFAULT if checks is None else frozenset(checks)
    chip = _backend(backend)
    return [
        d for name, entry in _WARNINGS.items() if name in wanted for d in _load(*entry).run(program, chip)
    ]


def hints_of(program: Program, backend: str | Backend | None = None) -> list[Diagnostic]:
    """Performance hints about a lowered program; none without a chip."""
    return innermost_dim_hints(program, _backend(backend))


def orphans_of(program: Program) -> list[Diagnostic]:
    """Tensor operators that no core runs; to be asked after OutlineIncoreScopes (decisions.md 10)."""
    return [finding for _, finding in orphans_located(program)]


def orphans_located(program: Program) -> list[Located]:
    """:func:`orphans_of`, each finding with the name of the function in which it is."""
    return _load("orphan_operator", "VERIFIER").run_located(program, None)


def lane_stores_located(program: Program) -> list[Located]:
    """Stores of both lanes at one place, or of one lane behind the end; to be asked after LowerAutoVectorSplit."""
    return _load("lane_stores", "VERIFIER").run_located(program, None)
