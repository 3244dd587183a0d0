# pipeline: LowerAutoVectorSplit
import pypto.language as pl


@pl.program
class LosesTheShare:
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
          # ^^^ split-region-carry: 'total'
                total = pl.aiv_shard(mm)
                for i in pl.range(2):
                    total = pl.full([32, 64], dtype=pl.FP32, value=0.0)
                out[lane * 32 : lane * 32 + 32, 0:64] = total
        return out


@pl.program
class KeepsTheShare:
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
                total = pl.exp(pl.aiv_shard(mm))
                for i in pl.range(2):
                    total = pl.add(total, total)
                out[lane * 32 : lane * 32 + 32, 0:64] = total
        return out
