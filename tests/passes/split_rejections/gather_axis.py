# passes: lower_auto_vector_split
import pypto.language as pl


@pl.program
class SharedOnTheThirdAxis:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 16], pl.FP32],
        out: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 16], target_memory=pl.Mem.Vec)
        sums = pl.tile.row_sum(v, pl.tile.create([128, 16], dtype=pl.FP32, target_memory=pl.Mem.Vec))
        flat = pl.tile.reshape(sums, [1, 1, 128])
        m = pl.tile.move(flat, target_memory=pl.Mem.Mat)
        #   ^^^ split-gather-axis: 'flat'; dim 2; tile.aic_gather
        res = pl.tile.store(half, [0, 0], out)
        return res


@pl.program
class SharedOnTheSecondAxis:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 16], pl.FP32],
        out: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 16], target_memory=pl.Mem.Vec)
        sums = pl.tile.row_sum(v, pl.tile.create([128, 16], dtype=pl.FP32, target_memory=pl.Mem.Vec))
        flat = pl.tile.reshape(sums, [1, 128])
        m = pl.tile.move(flat, target_memory=pl.Mem.Mat)
        res = pl.tile.store(half, [0, 0], out)
        return res
