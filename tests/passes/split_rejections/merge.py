# passes: lower_auto_vector_split
import pypto.language as pl


@pl.program
class OneBranchWhole:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        whole: pl.Tile[[128, 128], pl.FP32, pl.Mem.Vec],
        flag: pl.Scalar[pl.INT64],
        out: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        if flag > 0:
      # ^^^ split-merge-mismatch: 'pick'; merge; branches
            a = pl.tile.add(v, v)
            pick = pl.yield_(a)
        else:
            pick = pl.yield_(whole)
        res = pl.tile.store(pick, [0, 0], out)
        return res


@pl.program
class BothShares:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        flag: pl.Scalar[pl.INT64],
        out: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        if flag > 0:
            a = pl.tile.add(v, v)
            pick = pl.yield_(a)
        else:
            pick = pl.yield_(v)
        res = pl.tile.store(pick, [0, 0], out)
        return res


@pl.program
class OtherBranchWhole:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        whole: pl.Tile[[128, 128], pl.FP32, pl.Mem.Vec],
        flag: pl.Scalar[pl.INT64],
        out: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        if flag > 0:
      # ^^^ split-merge-mismatch: 'pick'
            pick = pl.yield_(whole)
        else:
            pick = pl.yield_(v)
        res = pl.tile.store(pick, [0, 0], out)
        return res
