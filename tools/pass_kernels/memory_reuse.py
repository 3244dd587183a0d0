import pypto.language as pl


@pl.program
class MemoryReuse:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        rows = pl.load(x, [0, 0], [64, 64])
        weights = pl.exp(rows)
        shifted = pl.add(weights, 1.0)
        both = pl.mul(weights, shifted)
        y = pl.store(both, [0, 0], y)
        return y
