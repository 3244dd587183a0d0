import pypto.language as pl


@pl.program
class AutoTileMatmulL0:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        a: pl.Tensor[[64, 1024], pl.BF16],
        b: pl.Tensor[[1024, 64], pl.BF16],
        y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        left = pl.load(a, [0, 0], [64, 1024], target_memory=pl.Mem.Mat)
        right = pl.load(b, [0, 0], [1024, 64], target_memory=pl.Mem.Mat)
        product = pl.matmul(left, right)
        y = pl.store(product, [0, 0], y)
        return y
