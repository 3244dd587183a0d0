import pypto.language as pl


@pl.program
class LegalizeTileCast:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self, x: pl.Tensor[[32, 128], pl.BF16], y: pl.Out[pl.Tensor[[32, 128], pl.FP16]]
    ) -> pl.Tensor[[32, 128], pl.FP16]:
        rows = pl.load(x, [0, 0], [32, 128])
        halves = pl.cast(rows, pl.FP16)
        y = pl.store(halves, [0, 0], y)
        return y
