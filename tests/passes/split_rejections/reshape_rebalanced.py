# passes: lower_auto_vector_split
import pypto.language as pl


@pl.program
class BalancedColumnToRow:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[16, 1], pl.FP32, pl.Mem.Acc, pl.TileView(valid_shape=[13, 1], blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.none_box)],
        out: pl.Out[pl.Tensor[[1, 16], pl.FP32]],
    ) -> pl.Tensor[[1, 16], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        y = pl.tile.reshape(half, [1, 16])
        #   ^^^ split-reshape-rebalanced: 'tile.reshape'; dim 0; dim 1; balanced
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class FullColumnToRow:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[16, 1], pl.FP32, pl.Mem.Acc],
        out: pl.Out[pl.Tensor[[1, 16], pl.FP32]],
    ) -> pl.Tensor[[1, 16], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        y = pl.tile.reshape(half, [1, 16])
        res = pl.tile.store(y, [0, 0], out)
        return res
