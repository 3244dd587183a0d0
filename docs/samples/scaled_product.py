"""A product on the cube core, scaled and shifted on the vector lanes: the compiler splits the rows by itself."""

import pypto.language as pl


@pl.program
class ScaledProduct:
    @pl.function(type=pl.FunctionType.InCore)
    def scaled_product(
        self,
        a: pl.Tensor[[128, 64], pl.BF16],
        b: pl.Tensor[[64, 64], pl.BF16],
        shift: pl.Tensor[[128, 64], pl.FP32],
        y: pl.Out[pl.Tensor[[128, 64], pl.FP32]],
    ) -> pl.Tensor[[128, 64], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        a_l1 = pl.load(a, [0, 0], [128, 64], target_memory=pl.Mem.Mat)
        b_l1 = pl.load(b, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
        a_l0 = pl.move(a_l1, target_memory=pl.Mem.Left)
        b_l0 = pl.move(b_l1, target_memory=pl.Mem.Right)
        product = pl.matmul(a_l0, b_l0)
        local = pl.move(product, target_memory=pl.Mem.Vec)
        shift_ub = pl.load(shift, [0, 0], [128, 64], target_memory=pl.Mem.Vec)
        scaled = pl.mul(local, 0.125)
        shifted = pl.add(scaled, shift_ub)
        written = pl.store(shifted, [0, 0], y)
        return written
