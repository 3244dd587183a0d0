# passes: lower_auto_vector_split
import pypto.language as pl


@pl.program
class ColumnsOfRows:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        out: pl.Out[pl.Tensor[[1, 128], pl.FP32]],
    ) -> pl.Tensor[[1, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        y = pl.tile.col_max(half)
        #   ^^^ split-reduce-axis: 'tile.col_max'; dim 0; partial reduction
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class RowsOfRows:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        out: pl.Out[pl.Tensor[[128, 1], pl.FP32]],
    ) -> pl.Tensor[[128, 1], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        tmp = pl.tile.create([128, 128], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        y = pl.tile.row_max(half, tmp)
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class RowsOfColumns:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        out: pl.Out[pl.Tensor[[128, 1], pl.FP32]],
    ) -> pl.Tensor[[128, 1], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.LEFT_RIGHT})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        tmp = pl.tile.create([128, 128], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        y = pl.tile.row_sum(half, tmp)
        #   ^^^ split-reduce-axis: 'tile.row_sum'; dim 1
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class ColumnsOfColumns:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        out: pl.Out[pl.Tensor[[1, 128], pl.FP32]],
    ) -> pl.Tensor[[1, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.LEFT_RIGHT})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        y = pl.tile.col_sum(half)
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class ColumnArgmaxOfRows:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        out: pl.Out[pl.Tensor[[1, 128], pl.INT32]],
    ) -> pl.Tensor[[1, 128], pl.INT32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        tmp = pl.tile.create([128, 128], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        y = pl.tile.col_argmax(half, tmp)
        #   ^^^ split-reduce-axis: 'tile.col_argmax'; dim 0
        res = pl.tile.store(y, [0, 0], out)
        return res
