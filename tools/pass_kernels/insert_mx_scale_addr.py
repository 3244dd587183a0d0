import pypto.language as pl


@pl.program
class InsertMxScaleAddr:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        a: pl.Tensor[[16, 64], pl.FP8E4M3FN],
        a_scale: pl.Tensor[[16, 2], pl.FP8E8M0, pl.MX_A_ZZ],
        b: pl.Tensor[[64, 32], pl.FP8E4M3FN],
        b_scale: pl.Tensor[[2, 32], pl.FP8E8M0, pl.MX_B_NN],
        y: pl.Out[pl.Tensor[[16, 32], pl.FP32]],
    ) -> pl.Tensor[[16, 32], pl.FP32]:
        left = pl.load(a, [0, 0], [16, 64], target_memory=pl.Mem.Mat)
        left_scale = pl.load(a_scale, [0, 0], [16, 2], target_memory=pl.Mem.Mat)
        right = pl.load(b, [0, 0], [64, 32], target_memory=pl.Mem.Mat)
        right_scale = pl.load(b_scale, [0, 0], [2, 32], target_memory=pl.Mem.Mat)
        product = pl.matmul_mx(left, left_scale, right, right_scale)
        y = pl.store(product, [0, 0], y)
        return y
