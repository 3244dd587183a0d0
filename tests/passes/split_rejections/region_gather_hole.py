# check: LowerAutoVectorSplit
import pypto.language as pl


@pl.program
class HoleBetweenLanes:
    @pl.function
    def kernel(
        self,
        a: pl.Tensor[[64, 64], pl.FP16],
        b: pl.Tensor[[64, 64], pl.FP16],
        out: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="k"):
            mm = pl.matmul(a, b, out_dtype=pl.FP32)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(mm)
                part = pl.set_validshape(pl.cast(share, pl.FP16), 16, 64)
                joined = pl.aic_gather(part)
                #        ^^^ split-gather-hole: tile.aic_gather; 16 of 32
            out[:, :] = pl.matmul(joined, b, out_dtype=pl.FP32)
        return out


@pl.program
class WholeLanes:
    @pl.function
    def kernel(
        self,
        a: pl.Tensor[[64, 64], pl.FP16],
        b: pl.Tensor[[64, 64], pl.FP16],
        out: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="k"):
            mm = pl.matmul(a, b, out_dtype=pl.FP32)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(mm)
                part = pl.cast(share, pl.FP16)
                joined = pl.aic_gather(part)
            out[:, :] = pl.matmul(joined, b, out_dtype=pl.FP32)
        return out
