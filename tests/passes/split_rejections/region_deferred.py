# check: LowerAutoVectorSplit
import pypto.language as pl


@pl.program
class FillAtOnce:
    @pl.function
    def kernel(
        self,
        a: pl.Tensor[[64, 64], pl.FP16],
        b: pl.Tensor[[64, 64], pl.FP16],
        n: pl.Scalar[pl.INDEX],
        out: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="k"):
            mm = pl.matmul(a, b, out_dtype=pl.FP32)
            rows = pl.set_validshape(mm, n, 64)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(rows)
                full = pl.fillpad(share, pad_value=pl.PadValue.zero)
                #      ^^^ split-deferred-extent: tile.fillpad; RUNTIME
                out[lane * 32 : lane * 32 + 32, 0:64] = full
        return out


@pl.program
class FillLater:
    @pl.function
    def kernel(
        self,
        a: pl.Tensor[[64, 64], pl.FP16],
        b: pl.Tensor[[64, 64], pl.FP16],
        n: pl.Scalar[pl.INDEX],
        out: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="k"):
            mm = pl.matmul(a, b, out_dtype=pl.FP32)
            rows = pl.set_validshape(mm, n, 64)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(rows)
                e = pl.exp(share)
                full = pl.fillpad(e, pad_value=pl.PadValue.zero)
                out[lane * 32 : lane * 32 + 32, 0:64] = full
        return out


@pl.program
class StoreAtOnce:
    @pl.function
    def kernel(
        self,
        a: pl.Tensor[[64, 64], pl.FP16],
        b: pl.Tensor[[64, 64], pl.FP16],
        n: pl.Scalar[pl.INDEX],
        out: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="k"):
            mm = pl.matmul(a, b, out_dtype=pl.FP32)
            rows = pl.set_validshape(mm, n, 64)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(rows)
                out[lane * 32 : lane * 32 + 32, 0:64] = share
              # ^^^ split-deferred-extent: tile.store; RUNTIME
        return out


@pl.program
class StoreLater:
    @pl.function
    def kernel(
        self,
        a: pl.Tensor[[64, 64], pl.FP16],
        b: pl.Tensor[[64, 64], pl.FP16],
        n: pl.Scalar[pl.INDEX],
        out: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="k"):
            mm = pl.matmul(a, b, out_dtype=pl.FP32)
            rows = pl.set_validshape(mm, n, 64)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(rows)
                out[lane * 32 : lane * 32 + 32, 0:64] = pl.exp(share)
        return out


@pl.program
class StaticStoreAtOnce:
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
        return out
