# check: LowerAutoVectorSplit
import pypto.language as pl


@pl.program
class WholeLoad:
    @pl.function
    def kernel(
        self,
        a: pl.Tensor[[64, 64], pl.FP16],
        b: pl.Tensor[[64, 64], pl.FP16],
        data: pl.Tensor[[64, 64], pl.FP32],
        out: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="k"):
            mm = pl.matmul(a, b, out_dtype=pl.FP32)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
          # ^^^ split-region-full-width: tile.load; full-width
                share = pl.aiv_shard(mm)
                gain = data[0:32, 0:64]
                out[lane * 32 : lane * 32 + 32, 0:64] = pl.mul(share, gain)
        return out


@pl.program
class LaneLoad:
    @pl.function
    def kernel(
        self,
        a: pl.Tensor[[64, 64], pl.FP16],
        b: pl.Tensor[[64, 64], pl.FP16],
        data: pl.Tensor[[64, 64], pl.FP32],
        out: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="k"):
            mm = pl.matmul(a, b, out_dtype=pl.FP32)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(mm)
                gain = data[lane * 32 : lane * 32 + 32, 0:64]
                out[lane * 32 : lane * 32 + 32, 0:64] = pl.mul(share, gain)
        return out


@pl.program
class GeneratorItself:
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
                z = pl.full([32, 64], dtype=pl.FP32, value=1.0)
                out[lane * 32 : lane * 32 + 32, 0:64] = pl.add(share, z)
        return out


@pl.program
class GeneratorConsumer:
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
          # ^^^ split-region-full-width: tile.add; full-width
                share = pl.aiv_shard(mm)
                z = pl.full([32, 64], dtype=pl.FP32, value=1.0)
                y = pl.add(z, z)
                out[lane * 32 : lane * 32 + 32, 0:64] = pl.add(share, y)
        return out


@pl.program
class BroadcastRead:
    @pl.function
    def kernel(
        self,
        a: pl.Tensor[[64, 64], pl.FP16],
        b: pl.Tensor[[64, 64], pl.FP16],
        data: pl.Tensor[[64, 64], pl.FP32],
        out: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="k"):
            mm = pl.matmul(a, b, out_dtype=pl.FP32)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(mm)
                row = data[0:1, 0:64]
                out[lane * 32 : lane * 32 + 32, 0:64] = pl.col_expand_mul(share, row)
        return out


@pl.program
class BroadcastArithmetic:
    @pl.function
    def kernel(
        self,
        a: pl.Tensor[[64, 64], pl.FP16],
        b: pl.Tensor[[64, 64], pl.FP16],
        data: pl.Tensor[[64, 64], pl.FP32],
        out: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="k"):
            mm = pl.matmul(a, b, out_dtype=pl.FP32)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(mm)
                row = pl.mul(data[0:1, 0:64], 2.0)
                out[lane * 32 : lane * 32 + 32, 0:64] = pl.col_expand_mul(share, row)
        return out


@pl.program
class NarrowedNotLocalised:
    @pl.function
    def kernel(
        self,
        a: pl.Tensor[[64, 64], pl.FP16],
        b: pl.Tensor[[64, 64], pl.FP16],
        data: pl.Tensor[[64, 64], pl.FP32],
        out: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="k"):
            mm = pl.matmul(a, b, out_dtype=pl.FP32)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
          # ^^^ split-region-full-width: tile.load
                share = pl.aiv_shard(mm)
                z = data[0:32, 0:64]
                n = pl.set_validshape(z, lane * 16 + 16, 64)
                out[lane * 32 : lane * 32 + 32, 0:64] = pl.add(share, pl.fillpad(n, pad_value=pl.PadValue.zero))
        return out


@pl.program
class ScalarLaneThroughRead:
    @pl.function
    def kernel(
        self,
        a: pl.Tensor[[64, 64], pl.FP16],
        b: pl.Tensor[[64, 64], pl.FP16],
        data: pl.Tensor[[64, 64], pl.FP32],
        rows: pl.Tensor[[2], pl.INT64],
        out: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="k"):
            mm = pl.matmul(a, b, out_dtype=pl.FP32)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(mm)
                at = pl.read(rows, [lane])
                gain = data[at : at + 32, 0:64]
                out[lane * 32 : lane * 32 + 32, 0:64] = pl.mul(share, gain)
        return out
