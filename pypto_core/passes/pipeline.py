"""Order and contracts of the default pipeline, and running it (docs/spec/ir.md §7.2, §7.3).

The table is data: the contract of a pass can be read without importing it. Passes are imported when they run, so a
pipeline that stops early needs only the passes before its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module

from pypto_core import ir
from pypto_core.diagnostics import Diagnostic, PassError
from pypto_core.passes.base import Pass, PassContract

_S, _N, _O, _I, _2, _M = (
    "SSAForm",
    "NormalizedStmtStructure",
    "SplitIncoreOrch",
    "IncoreTileOps",
    "TileOps2D",
    "TileMemoryInferred",
)
_TILE = f"{_S} {_N} {_O} {_I} {_2}"
_PLACED = f"{_TILE} {_M}"

#: Pass -> (factory name, contract), in pipeline order.
_TABLE: dict[str, tuple[str, PassContract]] = {
    "InlineFunctions": ("inline_functions", PassContract.of("", "InlineFunctionsEliminated")),
    "UnrollLoops": ("unroll_loops", PassContract.of("", "UnrollResolved", function_local=True)),
    "CtrlFlowTransform": (
        "ctrl_flow_transform",
        PassContract.of("", "StructuredCtrlFlow", function_local=True),
    ),
    "ConvertToSSA": ("convert_to_ssa", PassContract.of("", _S, _N, function_local=True)),
    "Simplify": ("simplify", PassContract.of(function_local=True)),
    "NormalizeStmtStructure": (
        "normalize_stmt_structure",
        PassContract.of("", _N, function_local=True),
    ),
    "FlattenCallExpr": (
        "flatten_call_expr",
        PassContract.of(f"{_S} {_N}", f"{_S} NoNestedCalls {_N}", function_local=True),
    ),
    "OutlineHierarchyScopes": (
        "outline_hierarchy_scopes",
        PassContract.of(_S, f"{_S} HierarchyOutlined OrchestrationReferencesResolved"),
    ),
    "OutlineIncoreScopes": (
        "outline_incore_scopes",
        PassContract.of(_S, f"{_S} {_O} AivSplitValid"),
    ),
    "OutlineClusterScopes": ("outline_cluster_scopes", PassContract.of(_S, f"{_S} ClusterOutlined")),
    "ConvertTensorToTileOps": (
        "convert_tensor_to_tile_ops",
        PassContract.of(f"{_S} {_N} {_O}", f"{_S} {_N} {_I} AivSplitValid", "AivSplitValid"),
    ),
    "OptimizeOrchTensors": ("optimize_orch_tensors", PassContract.of(f"{_O} {_I}", f"{_O} {_I}")),
    "LowerCompositeOps": ("lower_composite_ops", PassContract.of(function_local=True)),
    "FlattenTileNdTo2D": (
        "flatten_tile_nd_to_2d",
        PassContract.of(f"{_S} {_N} {_I}", f"{_S} {_N} {_2}", function_local=True),
    ),
    "LegalizeTileCast": ("legalize_tile_cast", PassContract.of(function_local=True)),
    "AutoTileMatmulL0": ("auto_tile_matmul_l0", PassContract.of(_TILE, _TILE, function_local=True)),
    "CanonicalizeTileSlice": ("canonicalize_tile_slice", PassContract.of(_TILE, _TILE, function_local=True)),
    "InferTileMemorySpace": (
        "infer_tile_memory_space",
        PassContract.of(
            f"{_S} {_N} {_O} {_I}", f"{_S} {_N} {_M} AivSplitValid AccToGmStoreValid", "AivSplitValid"
        ),
    ),
    "InsertMxScaleAddr": (
        "insert_mx_scale_addr",
        PassContract.of(f"{_S} {_N} {_O} {_I} {_M}", f"{_S} {_N} {_O} {_I} {_M}", function_local=True),
    ),
    "ResolveBackendOpLayouts": (
        "resolve_backend_op_layouts",
        PassContract.of(f"{_S} {_O} {_I} {_2}", _TILE, function_local=True),
    ),
    "LowerAutoVectorSplit": (
        "lower_auto_vector_split",
        PassContract.of(
            f"{_PLACED} AivSplitValid",
            f"{_PLACED} AivSplitLoweredValid",
            "AivSplitValid",
            function_local=True,
        ),
    ),
    "ExpandMixedKernel": (
        "expand_mixed_kernel",
        PassContract.of(
            f"{_PLACED} AivSplitLoweredValid",
            f"{_S} {_N} MixedKernelExpanded HardSyncallOccupancyValid",
            "AivSplitLoweredValid",
        ),
    ),
    "InjectGMPipeBuffer": (
        "inject_gm_pipe_buffer",
        PassContract.of(f"{_S} {_N} MixedKernelExpanded", f"{_S} {_N} MixedKernelExpanded"),
    ),
    "SplitVectorKernel": (
        "split_vector_kernel",
        PassContract.of(f"{_S} MixedKernelExpanded", f"{_S} {_N} VectorKernelSplit", function_local=True),
    ),
    "StampTfreeSplit": ("stamp_tfree_split", PassContract.of(_O, function_local=True)),
    "NormalizeReturnOrder": (
        "normalize_return_order",
        PassContract.of(f"{_O} {_I}", "ReturnParamsExplicit"),
    ),
    "SkewCrossCorePipeline": (
        "skew_cross_core_pipeline",
        PassContract.of(_PLACED, _PLACED, function_local=True),
    ),
}

#: Names of the passes of the default pipeline, in order.
PIPELINE: tuple[str, ...] = tuple(_TABLE)

_IN_MEMORY = f"{_N} {_O} HasMemRefs {_I} {_2}"

#: Passes that plan the on-chip memory (docs/spec/passes_tile.md §9). They run on request, in this order, and not by default:
#: between them and the default pipeline stand passes that unroll pipelines, without which their sums are too small.
_MEMORY_TABLE: dict[str, tuple[str, PassContract]] = {
    "MaterializeTensorStrides": (
        "materialize_tensor_strides",
        PassContract.of(_PLACED, f"{_PLACED} TensorViewCanonical", function_local=True),
    ),
    "InitMemRef": (
        "init_mem_ref",
        PassContract.of(f"{_S} {_O} {_I} {_2} {_M}", f"HasMemRefs {_N}", _S, function_local=True),
    ),
    "MaterializeSemanticAliases": (
        "materialize_semantic_aliases",
        PassContract.of(_IN_MEMORY, _N, function_local=True),
    ),
    "MemoryReuse": ("memory_reuse", PassContract.of(_IN_MEMORY, _N, function_local=True)),
    "AllocateMemoryAddr": (
        "allocate_memory_addr",
        PassContract.of(f"{_O} {_I} HasMemRefs {_2}", "AllocatedMemoryAddr", function_local=True),
    ),
    "FoldNoOpReshape": (
        "fold_no_op_reshape",
        PassContract.of(f"{_O} {_I} HasMemRefs {_2}", function_local=True),
    ),
}
#: Names of the memory passes, in order.
MEMORY_PASSES: tuple[str, ...] = tuple(_MEMORY_TABLE)
#: Names of all passes in the order in which they can run.
ALL_PASSES: tuple[str, ...] = (*PIPELINE, *MEMORY_PASSES)
_ALL = {**_TABLE, **_MEMORY_TABLE}

#: Properties that verification looks at before the first pass and after the pass that produces them (§7.1).
VERIFIED: frozenset[str] = frozenset(
    (
        "SSAForm", "TypeChecked", "NoRedundantBlocks", "AllocatedMemoryAddr", "MixedKernelExpanded",
        "TileMemoryInferred", "BreakContinueValid", "InOutUseValid", "CallDirectionsResolved",
        "DistTensorCtxMaterialized", "RuntimeScopesMaterialized", "ManualDepsOnSubmitOnly",
        "ReturnParamsExplicit", "AivSplitValid", "AivSplitLoweredValid", "HardSyncallOccupancyValid",
        "IterArgCarryClassified", "AccToGmStoreValid", "AtomicAddDtypeValid",
    )
)  # fmt: skip
#: Properties that hold at every pass boundary (§7.1).
STRUCTURAL: frozenset[str] = frozenset(
    (
        "TypeChecked", "NoRedundantBlocks", "BreakContinueValid", "UseAfterDef", "OutParamNotShadowed",
        "NoNestedInCore", "InOutUseValid", "PipelineLoopValid", "ArrayNotEscaped", "ManualDepsOnSubmitOnly",
        "AtomicAddDtypeValid",
    )
)  # fmt: skip
#: What is verified before the first pass.
AT_INPUT: frozenset[str] = STRUCTURAL & VERIFIED

#: Pass after which a tensor operator outside a kernel is certain to be misplaced (docs/spec/design/decisions.md 10).
ORPHAN_POINT = "OutlineIncoreScopes"

OnPass = Callable[[str, ir.Program], None]


def contract_of(name: str) -> PassContract:
    """Contract of the pass called ``name``; KeyError for an unknown name."""
    return _ALL[name][1]


def factory_of(name: str) -> str:
    """Module and factory name of the pass called ``name``."""
    return _ALL[name][0]


@cache
def make_pass(name: str, backend: str | None = None) -> Pass:
    """The pass called ``name`` (document name), bound to ``backend``."""
    factory = _ALL[name][0]
    module = import_module(f"pypto_core.passes.{factory}")
    made: Pass = getattr(module, factory)(backend=backend)
    return made


def passes_until(until: str | None) -> tuple[str, ...]:
    """Names up to and including ``until``, which may be a memory pass; the default pipeline for None.

    Raises:
        ValueError: no pass is called ``until``.
    """
    return PIPELINE if until is None else ALL_PASSES[: ALL_PASSES.index(until) + 1]


def run_pipeline(
    program: ir.Program,
    until: str | None = None,
    backend: str | None = None,
    on_pass: OnPass | None = None,
) -> ir.Program:
    """Run the passes up to and including ``until`` without verification; raises :class:`PassError`."""
    for name in passes_until(until):
        program = make_pass(name, backend)(program)
        if on_pass is not None:
            on_pass(name, program)
    return program


def properties_to_verify(name: str, verified: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Properties to verify after pass ``name``, and all that hold verified afterwards (§7.3)."""
    contract = contract_of(name)
    verified = verified - (contract.invalidated & VERIFIED)
    todo = (contract.produced & VERIFIED) - verified
    return todo, verified | todo


def check_pipeline(
    program: ir.Program,
    until: str | None = None,
    backend: str | None = None,
    on_pass: OnPass | None = None,
) -> tuple[ir.Program, list[Diagnostic]]:
    """Run the passes with verification between them as §7.3 says; stops at the first point with an error.

    Returns the last program reached and the findings. Performance hints are among them when the end was reached.
    """
    from pypto_core.verify import hints_of, orphans_of, verify, warnings_of

    found: list[Diagnostic] = list(warnings_of(program, backend))
    found += verify(program, AT_INPUT, backend)
    if _has_error(found):
        return program, found
    verified = AT_INPUT
    for name in passes_until(until):
        try:
            program = make_pass(name, backend)(program)
        except PassError as failure:
            found.append(failure.diagnostic)
            return program, found
        if on_pass is not None:
            on_pass(name, program)
        todo, verified = properties_to_verify(name, verified)
        if todo:
            found += verify(program, todo, backend)
        if name == ORPHAN_POINT:
            found += orphans_of(program)
        if _has_error(found):
            return program, found
    found += hints_of(program, backend)
    return program, found


def _has_error(found: Iterable[Diagnostic]) -> bool:
    from pypto_core.diagnostics import Severity

    return any(d.severity is Severity.ERROR for d in found)
