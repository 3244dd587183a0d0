import pypto.language as pl


@pl.program
class FlattenTileNdTo2D:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self, x: pl.Tensor[[4, 8, 64], pl.FP32], y: pl.Out[pl.Tensor[[4, 8, 64], pl.FP32]]
    ) -> pl.Tensor[[4, 8, 64], pl.FP32]:
        heads = pl.load(x, [0, 0, 0], [4, 8, 64])
        scaled = pl.mul(heads, 0.5)
        y = pl.store(scaled, [0, 0, 0], y)
        return y
