import pypto.language as pl


@pl.program
class FoldNoOpReshape:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        rows = pl.load(x, [0, 0], [64, 64])
        flat = pl.reshape(rows, [64, 64])
        weights = pl.exp(flat)
        y = pl.store(weights, [0, 0], y)
        return y
