import pypto.language as pl


@pl.program
class InferTileMemorySpace:
    @pl.function
    def kernel(
        self,
        a: pl.Tensor[[32, 64], pl.BF16],
        b: pl.Tensor[[64, 32], pl.BF16],
        y: pl.Out[pl.Tensor[[32, 32], pl.FP32]],
    ) -> pl.Tensor[[32, 32], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="product"):
            y[:, :] = pl.matmul(a, b, out_dtype=pl.FP32)
        return y
