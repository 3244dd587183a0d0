import pypto.language as pl


@pl.program
class FlattenCallExpr:
    @pl.function
    def kernel(
        self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP):
            y[:, :] = pl.add(pl.mul(pl.exp(x), 0.5), pl.sqrt(x))
        return y
