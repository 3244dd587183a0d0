# check: LowerAutoVectorSplit
import pypto.language as pl


@pl.program
class TensorTakenWhole:
    @pl.function
    def kernel(
        self,
        a: pl.Tensor[[64, 64], pl.FP16],
        b: pl.Tensor[[64, 64], pl.FP16],
        data: pl.Tensor[[64, 64], pl.FP32],
        other: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
        out: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="k"):
            mm = pl.matmul(a, b, out_dtype=pl.FP32)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                other[:, :] = pl.exp(data)
                #             ^^^ split-full-width-operand: 'tile.exp'; 'data'; full-width
            out[:, :] = mm
        return out


@pl.program
class TensorSliced:
    @pl.function
    def kernel(
        self,
        a: pl.Tensor[[64, 64], pl.FP16],
        b: pl.Tensor[[64, 64], pl.FP16],
        data: pl.Tensor[[64, 64], pl.FP32],
        other: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
        out: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="k"):
            mm = pl.matmul(a, b, out_dtype=pl.FP32)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                v = data[0:64, 0:64]
                other[:, :] = pl.exp(v)
            out[:, :] = mm
        return out
