# passes: lower_auto_vector_split
import pypto.language as pl


@pl.program
class MixesAxes:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[16, 16], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[6, 5], pl.FP32],
        out: pl.Out[pl.Tensor[[5, 6], pl.FP32]],
    ) -> pl.Tensor[[5, 6], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [6, 5], target_memory=pl.Mem.Vec)
        y = pl.tile.reshape(v, [5, 6])
        #   ^^^ split-reshape: 'tile.reshape'; dim 0; cannot track
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class ColumnToRow:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[16, 16], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[16, 1], pl.FP32],
        out: pl.Out[pl.Tensor[[1, 16], pl.FP32]],
    ) -> pl.Tensor[[1, 16], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [16, 1], target_memory=pl.Mem.Vec)
        y = pl.tile.reshape(v, [1, 16])
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class OddColumnToRow:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[16, 16], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[15, 1], pl.FP32],
        out: pl.Out[pl.Tensor[[1, 15], pl.FP32]],
    ) -> pl.Tensor[[1, 15], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [15, 1], target_memory=pl.Mem.Vec)
        y = pl.tile.reshape(v, [1, 15])
        #   ^^^ split-reshape: 'tile.reshape'; ODD split axis; 15
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class Regrouped:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[16, 16], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[16, 8], pl.FP32],
        out: pl.Out[pl.Tensor[[32, 4], pl.FP32]],
    ) -> pl.Tensor[[32, 4], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [16, 8], target_memory=pl.Mem.Vec)
        y = pl.tile.reshape(v, [32, 4])
        res = pl.tile.store(y, [0, 0], out)
        return res
