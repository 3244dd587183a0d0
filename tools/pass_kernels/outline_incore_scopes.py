import pypto.language as pl


@pl.program
class OutlineIncoreScopes:
    @pl.function
    def kernel(
        self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        for block in pl.parallel(2):
            with pl.at(level=pl.Level.CORE_GROUP, name_hint="exponent"):
                rows = x[block * 32 : block * 32 + 32, 0:64]
                y[block * 32 : block * 32 + 32, 0:64] = pl.exp(rows)
        return y
