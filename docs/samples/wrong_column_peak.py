"""Wrong on purpose: rows are halved over the lanes, but a column maximum needs all rows."""

import pypto.language as pl


@pl.program
class WrongColumnPeak:
    @pl.function
    def column_peak(
        self,
        a: pl.Tensor[[64, 128], pl.BF16],
        w: pl.Tensor[[128, 64], pl.BF16],
        peak: pl.Out[pl.Tensor[[1, 64], pl.FP32]],
    ) -> pl.Tensor[[1, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="column_peak"):
            product = pl.matmul(a, w, out_dtype=pl.FP32)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(product)
                peak[0:1, 0:64] = pl.col_max(share)
        return peak
