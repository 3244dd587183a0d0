# check: LowerAutoVectorSplit
import pypto.language as pl


@pl.program
class RowSumOfRagged:
    @pl.function
    def kernel(
        self,
        a: pl.Tensor[[64, 64], pl.FP16],
        b: pl.Tensor[[64, 64], pl.FP16],
        out: pl.Out[pl.Tensor[[64, 1], pl.FP32]],
    ) -> pl.Tensor[[64, 1], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="k"):
            mm = pl.matmul(a, b, out_dtype=pl.FP32)
            rows = pl.set_validshape(mm, 24, 64)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(rows)
                total = pl.row_sum(share)
                #       ^^^ split-reshape-valid: 'tile.row_sum'; valid; 24
                out[lane * 32 : lane * 32 + 32, 0:1] = total
        return out


@pl.program
class RowSumOfFull:
    @pl.function
    def kernel(
        self,
        a: pl.Tensor[[64, 64], pl.FP16],
        b: pl.Tensor[[64, 64], pl.FP16],
        out: pl.Out[pl.Tensor[[64, 1], pl.FP32]],
    ) -> pl.Tensor[[64, 1], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="k"):
            mm = pl.matmul(a, b, out_dtype=pl.FP32)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(mm)
                total = pl.row_sum(share)
                out[lane * 32 : lane * 32 + 32, 0:1] = total
        return out


@pl.program
class ElementwiseOfRagged:
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
