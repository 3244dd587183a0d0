# passes: lower_auto_vector_split
import pypto.language as pl


@pl.program
class DropsSplitAxis:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        out: pl.Out[pl.Tensor[[1, 128], pl.FP32]],
    ) -> pl.Tensor[[1, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        y = pl.tile.slice(v, [1, 128], [0, 0], drop_dims=[0])
        #   ^^^ split-dropped-axis: 'tile.slice'; dim 0
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class DropsOtherAxis:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        out: pl.Out[pl.Tensor[[1, 128], pl.FP32]],
    ) -> pl.Tensor[[1, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        y = pl.tile.slice(v, [128, 1], [0, 0], drop_dims=[1])
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class SlicesTheShare:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        out: pl.Out[pl.Tensor[[128, 64], pl.FP32]],
    ) -> pl.Tensor[[128, 64], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        y = pl.tile.slice(v, [128, 64], [0, 0])
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class SlicesTheWhole:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        whole: pl.Tile[[256, 128], pl.FP32, pl.Mem.Vec],
        out: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        y = pl.tile.slice(whole, [128, 128], [64, 0])
        res = pl.tile.store(y, [0, 0], out)
        return res
