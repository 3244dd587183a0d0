import pypto.language as pl


@pl.program
class ConvertTensorToTileOps:
    @pl.function
    def kernel(
        self,
        x: pl.Tensor[[64, 64], pl.FP32],
        bias: pl.Tensor[[1, 64], pl.FP32],
        y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="shift"):
            y[:, :] = pl.col_expand_add(pl.mul(x, 0.5), bias)
        return y
