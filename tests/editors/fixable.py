"""A vector phase that uses a cube result without saying how it crosses; the quick fix reads it as a share."""

import pypto.language as pl


@pl.program
class Fixable:
    @pl.function
    def biased(
        self,
        a: pl.Tensor[[64, 128], pl.BF16],
        w: pl.Tensor[[128, 64], pl.BF16],
        y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="biased"):
            product = pl.matmul(a, w, out_dtype=pl.FP32)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                y[lane * 32 : lane * 32 + 32, 0:64] = pl.mul(product, 2.0)
        return y
