"""What one chip can do: the shape of the per-chip facts (``docs/spec/ir.md`` §8).

A :class:`Backend` is plain immutable data. Nothing in the product keeps a "current" backend: whoever needs one takes
it as a parameter, and ``None`` means that no backend is configured (checks that depend on it are skipped).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pypto_core.ir import DataType, MemorySpace

ALLOCATION_ALIGNMENT = 32
"""Bytes: every on-chip allocation starts at a multiple of this, in every space of every chip."""


@dataclass(frozen=True, slots=True)
class CoreCounts:
    """How many cores a chip has: ``dies`` × ``clusters_per_die`` clusters, or plain totals where cores stand alone."""

    dies: int
    aic: int
    aiv: int
    clusters_per_die: int | None = None


@dataclass(frozen=True, slots=True)
class L0CostModel:
    """Numbers of the matmul cost model. Bandwidths are bytes per cycle, the rest cycles unless the name says bytes."""

    bw_l0a: float
    bw_l0b: float
    bw_drain: float
    drain_fixed_cycles: float
    drain_row_cycles: float
    drain_penalty_cycles: float
    drain_c0_bytes: int
    mad_head_cycles: int
    mad_k_fractal_bytes: int
    mad_fp32_passes: int


@dataclass(frozen=True, slots=True)
class Backend:
    """Facts of one chip; the attribute names are those of ``docs/spec/ir.md`` §8 in snake_case. Sizes are bytes."""

    name: str
    arch: str
    simulator_platform: str
    ptoas_flags: str
    launch_core_count_method: str
    in_core_4bit_dtypes: frozenset[DataType]
    requires_gm_pipe_buffer: bool
    requires_split_load_tpop_workaround: bool
    requires_v_to_c_fractal_adapt: bool
    requires_runtime_subblock_bridge: bool
    requires_no_split_dual_aiv_dispatch: bool
    requires_low_precision_mat_scratch: bool
    supports_bf16_atomic_add: bool
    acc_to_gm_dtypes: frozenset[DataType]
    gm_access_granularity: int
    l2_cache_line: int
    recommended_innermost_bytes: int
    capacities: Mapping[MemorySpace, int]
    physical_vec_capacity: int
    memory_graph: Mapping[MemorySpace, frozenset[MemorySpace]]
    declared_memory_alignment: Mapping[MemorySpace, int]
    mat_to_bias_moves: frozenset[tuple[DataType, DataType]]
    l0c_m_alignments: Mapping[DataType, int]
    cores: CoreCounts
    l0_cost_model: L0CostModel
    native_casts: Mapping[DataType, tuple[DataType, ...]]
    l0_fractal_alignment: int = 16
    min_l0_tile_dim: int = 16
    default_l0c_m_alignment: int = 16

    def mem_size(self, space: MemorySpace) -> int:
        """Usable bytes of ``space``; 0 where the chip has no such space, which every check reads as "unknown"."""
        return self.capacities.get(space, 0)

    def l0c_m_alignment(self, dtype: DataType) -> int:
        """Rows to which an L0C tile of accumulator type ``dtype`` is padded."""
        return self.l0c_m_alignments.get(dtype, self.default_l0c_m_alignment)

    def supports_acc_to_gm_dtype(self, dtype: DataType) -> bool:
        """Whether an Acc tile may be stored to global memory as ``dtype``."""
        return dtype in self.acc_to_gm_dtypes

    def supports_mat_to_bias_move(self, source: DataType, bias: DataType) -> bool:
        """Whether a Mat tile of ``source`` may be moved into a Bias tile of ``bias``."""
        return (source, bias) in self.mat_to_bias_moves

    def is_native_cast(self, source: DataType, target: DataType) -> bool:
        """Whether one cast instruction converts ``source`` to ``target``."""
        return target in self.native_casts.get(source, ())
