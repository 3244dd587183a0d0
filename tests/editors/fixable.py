"""A lane region that reads a cube result without saying how it crosses; the quick fix reads it as a share."""

import pypto.language as pl


@pl.program
class Fixable:
    @pl.function
    def doubled(
        self,
        a: pl.Tensor[[64, 128], pl.BF16],
        w: pl.Tensor[[128, 64], pl.BF16],
        y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="doubled"):
            product = pl.matmul(a, w, out_dtype=pl.FP32)
            for _ in pl.split_aiv(2, mode=pl.SplitMode.NONE):
                y[:, :] = pl.mul(product, 2.0)
        return y
