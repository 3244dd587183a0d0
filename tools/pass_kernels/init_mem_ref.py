import pypto.language as pl


@pl.program
class InitMemRef:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 32], pl.FP32]]
    ) -> pl.Tensor[[64, 32], pl.FP32]:
        rows = pl.load(x, [0, 0], [64, 64])
        weights = pl.exp(rows)
        half = pl.tile.slice(weights, [64, 32], [0, 32])
        y = pl.store(half, [0, 0], y)
        return y
