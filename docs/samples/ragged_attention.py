"""One block of attention over 15 query rows: scores and values on the cube core, softmax on the lanes.

The row block has 16 rows of which 15 are valid, so lane 0 holds eight of them and lane 1 the other seven.
"""

import pypto.language as pl


@pl.program
class RaggedAttention:
    @pl.function(type=pl.FunctionType.InCore)
    def attend(
        self,
        q: pl.Tensor[[16, 64], pl.BF16],
        k: pl.Tensor[[64, 128], pl.BF16],
        v: pl.Tensor[[128, 64], pl.BF16],
        mask: pl.Tensor[[16, 128], pl.FP32],
        out: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
    ) -> pl.Tensor[[16, 64], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        q_l1 = pl.load(q, [0, 0], [16, 64], [15, 64], target_memory=pl.Mem.Mat)
        k_l1 = pl.load(k, [0, 0], [64, 128], target_memory=pl.Mem.Mat)
        q_l0 = pl.move(q_l1, target_memory=pl.Mem.Left)
        k_l0 = pl.move(k_l1, target_memory=pl.Mem.Right)
        scores = pl.matmul(q_l0, k_l0)
        mine = pl.move(scores, target_memory=pl.Mem.Vec)
        mask_ub = pl.load(mask, [0, 0], [16, 128], [15, 128], target_memory=pl.Mem.Vec)
        scaled = pl.mul(mine, 0.125)
        masked = pl.add(scaled, mask_ub)
        scratch = pl.create_tile([16, 128], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        peak = pl.row_max(masked, scratch)
        centred = pl.row_expand_sub(masked, peak)
        weights = pl.exp(centred)
        total = pl.row_sum(weights, scratch)
        probs = pl.row_expand_div(weights, total)
        probs_bf16 = pl.cast(probs, pl.BF16)
        probs_l1 = pl.move(probs_bf16, target_memory=pl.Mem.Mat)
        v_l1 = pl.load(v, [0, 0], [128, 64], target_memory=pl.Mem.Mat)
        probs_l0 = pl.move(probs_l1, target_memory=pl.Mem.Left)
        v_l0 = pl.move(v_l1, target_memory=pl.Mem.Right)
        context = pl.matmul(probs_l0, v_l0)
        context_ub = pl.move(context, target_memory=pl.Mem.Vec)
        written = pl.store(context_ub, [0, 0], out)
        return written
