import pypto.language as pl


@pl.program
class SkewCrossCorePipeline:
    @pl.function
    def kernel(
        self,
        a: pl.Tensor[[256, 64], pl.BF16],
        b: pl.Tensor[[64, 64], pl.BF16],
        y: pl.Out[pl.Tensor[[256, 64], pl.FP32]],
    ) -> pl.Tensor[[256, 64], pl.FP32]:
        with pl.at(
            level=pl.Level.CORE_GROUP,
            name_hint="blocks",
            optimizations=[pl.split(pl.SplitMode.UP_DOWN)],
        ):
            for block in pl.pipeline(4, stage=2):
                scores = pl.matmul(a[block * 64 : block * 64 + 64, 0:64], b, out_dtype=pl.FP32)
                weights = pl.cast(pl.exp(scores), pl.BF16)
                y[block * 64 : block * 64 + 64, 0:64] = pl.matmul(weights, b, out_dtype=pl.FP32)
        return y
