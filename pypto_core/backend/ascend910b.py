"""Ascend910B (``a2a3``), from ``docs/spec/ir.md`` §8 and ``docs/spec/passes_tile.md`` 0.3, 3.1, 4.8."""

from __future__ import annotations

from pypto_core.backend.model import Backend, CoreCounts, L0CostModel
from pypto_core.ir import DataType as D
from pypto_core.ir import MemorySpace as M

ASCEND910B = Backend(
    name="Ascend910B",
    arch="a2a3",
    simulator_platform="a2a3sim",
    ptoas_flags="--pto-arch a3",
    launch_core_count_method="set_block_num",
    in_core_4bit_dtypes=frozenset(),
    requires_gm_pipe_buffer=True,
    requires_split_load_tpop_workaround=True,
    requires_v_to_c_fractal_adapt=False,
    requires_runtime_subblock_bridge=True,
    requires_no_split_dual_aiv_dispatch=True,
    requires_low_precision_mat_scratch=True,
    supports_bf16_atomic_add=True,
    acc_to_gm_dtypes=frozenset({D.INT32, D.FP32, D.FP16, D.BF16}),
    gm_access_granularity=512,
    l2_cache_line=512,
    recommended_innermost_bytes=512,
    capacities={
        M.Vec: 184 * 1024,
        M.Mat: 512 * 1024,
        M.Left: 64 * 1024,
        M.Right: 64 * 1024,
        M.Acc: 128 * 1024,
        M.Bias: 1024,
    },
    physical_vec_capacity=192 * 1024,
    memory_graph={
        M.DDR: frozenset({M.Vec, M.Mat}),
        M.Vec: frozenset({M.DDR}),
        M.Mat: frozenset({M.Left, M.Right, M.Bias}),
        M.Acc: frozenset({M.Mat, M.DDR}),
    },
    declared_memory_alignment={M.Mat: 128, M.Acc: 128, M.Vec: 128, M.Left: 64, M.Right: 64, M.Bias: 64},
    mat_to_bias_moves=frozenset({(D.INT32, D.INT32), (D.FP32, D.FP32), (D.FP16, D.FP32)}),
    l0c_m_alignments={D.INT32: 32},
    cores=CoreCounts(dies=1, aic=24, aiv=48),
    l0_cost_model=L0CostModel(
        bw_l0a=129.7,
        bw_l0b=85.4,
        bw_drain=118.0,
        drain_fixed_cycles=164.0,
        drain_row_cycles=4.45,
        drain_penalty_cycles=2.6,
        drain_c0_bytes=32,
        mad_head_cycles=21,
        mad_k_fractal_bytes=32,
        mad_fp32_passes=2,
    ),
    # The order of the destinations matters: it breaks ties of the cast search.
    native_casts={
        D.FP32: (D.FP16, D.BF16, D.INT16, D.INT32, D.INT64),
        D.FP16: (D.FP32, D.INT32, D.INT16, D.INT8, D.UINT8, D.INT4),
        D.BF16: (D.FP32, D.INT32),
        D.INT16: (D.FP16, D.FP32),
        D.INT32: (D.FP32, D.INT16, D.INT64, D.FP16),
        D.INT64: (D.FP32, D.INT32),
        D.UINT8: (D.FP16,),
        D.INT8: (D.FP16,),
        D.INT4: (D.FP16,),
    },
)
