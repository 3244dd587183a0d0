# passes: lower_auto_vector_split
import pypto.language as pl


@pl.program
class IndexColumns:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        out: pl.Out[pl.Tensor[[1, 128], pl.INT32]],
    ) -> pl.Tensor[[1, 128], pl.INT32]:
        pl.func_attr({"split": pl.SplitMode.LEFT_RIGHT})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        start = pl.const(0, pl.INT32)
        y = pl.tile.ci(start, [1, 128], dtype=pl.INT32)
        #   ^^^ split-generator: 'tile.ci'; depend on position; dim 1
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class IndexRow:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        out: pl.Out[pl.Tensor[[1, 128], pl.INT32]],
    ) -> pl.Tensor[[1, 128], pl.INT32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        start = pl.const(0, pl.INT32)
        y = pl.tile.ci(start, [1, 128], dtype=pl.INT32)
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class Filled:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        out: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        y = pl.tile.full([128, 128], dtype=pl.FP32, value=0.0)
        res = pl.tile.store(y, [0, 0], out)
        return res
