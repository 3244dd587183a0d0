"""Wrong on purpose: a second product, and the write of it, were left inside the lane region."""

import pypto.language as pl


@pl.program
class WrongSecondMatmul:
    @pl.function
    def two_products(
        self,
        a: pl.Tensor[[64, 128], pl.BF16],
        b: pl.Tensor[[128, 128], pl.BF16],
        c: pl.Tensor[[128, 64], pl.BF16],
        y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="two_products"):
            scores = pl.matmul(a, b, out_dtype=pl.FP32)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.NONE):
                share = pl.aiv_shard(scores)
                active = pl.cast(pl.maximum(share, 0.0), pl.BF16)
                joined = pl.aic_gather(active)
                y[:, :] = pl.matmul(joined, c, out_dtype=pl.FP32)
        return y
