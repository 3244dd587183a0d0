import pypto.language as pl


@pl.program
class LowerAutoVectorSplit:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        a: pl.Tensor[[64, 32], pl.BF16],
        b: pl.Tensor[[32, 64], pl.BF16],
        y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        left = pl.load(a, [0, 0], [64, 32], target_memory=pl.Mem.Mat)
        right = pl.load(b, [0, 0], [32, 64], target_memory=pl.Mem.Mat)
        left_l0 = pl.move(left, target_memory=pl.Mem.Left)
        right_l0 = pl.move(right, target_memory=pl.Mem.Right)
        product = pl.matmul(left_l0, right_l0)
        share = pl.move(product, target_memory=pl.Mem.Vec)
        scaled = pl.mul(share, 0.125)
        written = pl.store(scaled, [0, 0], y)
        return written
