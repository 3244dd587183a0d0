import pypto.language as pl

FAST = 1


@pl.program
class Simplify:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        mode: pl.Scalar[pl.INDEX] = FAST
        for block in pl.range(1):
            rows = pl.load(x, [block * 64, 0], [64, 64])
            if mode > 0:
                rows = pl.exp(rows)
            else:
                rows = pl.sqrt(rows)
            y = pl.store(rows, [block * 64, 0], y)
        return y
