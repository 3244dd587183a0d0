# check: LowerAutoVectorSplit
import pypto.language as pl


@pl.program
class AcrossTheSplit:
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
                turned = pl.transpose(share, 0, 1)
                #        ^^^ split-transpose: tile.transpose; UP_DOWN; 'turned'; dim 0
                out[0:64, lane * 32 : lane * 32 + 32] = turned
        return out


@pl.program
class NoAxis:
    @pl.function
    def kernel(
        self,
        a: pl.Tensor[[64, 64], pl.FP16],
        b: pl.Tensor[[64, 64], pl.FP16],
        out: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="k"):
            mm = pl.matmul(a, b, out_dtype=pl.FP32)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.NONE):
                share = pl.aiv_shard(mm)
                turned = pl.transpose(share, 0, 1)
                out[:, :] = turned
        return out
