# pipeline: LowerAutoVectorSplit
import pypto.language as pl


@pl.program
class TwoStores:
    @pl.function
    def kernel(
        self,
        a: pl.Tensor[[64, 64], pl.FP16],
        b: pl.Tensor[[64, 64], pl.FP16],
        out: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="k"):
            mm = pl.matmul(a, b, out_dtype=pl.FP32)
            rows = pl.set_validshape(mm, 24, 64)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(rows)
                out[lane * 32 : lane * 32 + 32, 0:64] = share
              # ^^^ split-chained-store: 24
                out[lane * 32 : lane * 32 + 32, 0:64] = pl.exp(share)
        return out


@pl.program
class OneStore:
    @pl.function
    def kernel(
        self,
        a: pl.Tensor[[64, 64], pl.FP16],
        b: pl.Tensor[[64, 64], pl.FP16],
        out: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="k"):
            mm = pl.matmul(a, b, out_dtype=pl.FP32)
            rows = pl.set_validshape(mm, 24, 64)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(rows)
                out[lane * 32 : lane * 32 + 32, 0:64] = pl.exp(share)
        return out
