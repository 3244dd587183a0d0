"""The lanes written out: each region names its lane, reads its share of a product and stores its own rows."""

import pypto.language as pl


@pl.program
class LaneRegions:
    @pl.function
    def gated_product(
        self,
        a: pl.Tensor[[64, 128], pl.BF16],
        w: pl.Tensor[[128, 64], pl.BF16],
        gate: pl.Tensor[[64, 64], pl.FP32],
        y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="gated_product"):
            product = pl.matmul(a, w, out_dtype=pl.FP32)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(product)
                mine = gate[lane * 32 : lane * 32 + 32, 0:64]
                y[lane * 32 : lane * 32 + 32, 0:64] = pl.mul(share, mine)
        return y
