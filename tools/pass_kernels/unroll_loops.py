import pypto.language as pl


@pl.program
class UnrollLoops:
    @pl.function
    def kernel(
        self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP):
            for quarter in pl.unroll(4):
                y[quarter * 16 : quarter * 16 + 16, 0:64] = pl.exp(x[quarter * 16 : quarter * 16 + 16, 0:64])
        return y
