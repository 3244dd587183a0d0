# passes: lower_auto_vector_split expand_mixed_kernel
import pypto.language as pl


@pl.program
class Rows15:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[16, 128], pl.FP32, pl.Mem.Acc, pl.TileView(valid_shape=[15, 128])],
        out: pl.Out[pl.Tensor[[16, 128], pl.FP32]],
    ) -> pl.Tensor[[16, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        res = pl.tile.store(half, [0, 0], out)
        return res


@pl.program
class Rows13Alone:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[16, 128], pl.FP32, pl.Mem.Acc, pl.TileView(valid_shape=[13, 128])],
        out: pl.Out[pl.Tensor[[16, 128], pl.FP32]],
    ) -> pl.Tensor[[16, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        res = pl.tile.store(half, [0, 0], out)
        return res


@pl.program
class Rows13WithLoad:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[16, 128], pl.FP32, pl.Mem.Acc, pl.TileView(valid_shape=[13, 128])],
        data: pl.Tensor[[16, 128], pl.FP32],
        out: pl.Out[pl.Tensor[[16, 128], pl.FP32]],
    ) -> pl.Tensor[[16, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        #      ^^^ split-unplaceable: 13; 8 and 5; tile.aiv_shard; dim 0
        v = pl.tile.load(data, [0, 0], [16, 128], target_memory=pl.Mem.Vec)
        y = pl.tile.add(half, v)
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class Rows8WithLoad:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[16, 128], pl.FP32, pl.Mem.Acc, pl.TileView(valid_shape=[8, 128])],
        data: pl.Tensor[[16, 128], pl.FP32],
        out: pl.Out[pl.Tensor[[16, 128], pl.FP32]],
    ) -> pl.Tensor[[16, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [16, 128], target_memory=pl.Mem.Vec)
        y = pl.tile.add(half, v)
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class RowsAtRunTime:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[16, 128], pl.FP32, pl.Mem.Acc, pl.TileView(valid_shape=[n, 128])],
        n: pl.Scalar[pl.INDEX],
        out: pl.Out[pl.Tensor[[16, 128], pl.FP32]],
    ) -> pl.Tensor[[16, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        res = pl.tile.store(half, [0, 0], out)
        return res


@pl.program
class ColumnsStaticRowsSplit:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[16, 128], pl.FP32, pl.Mem.Acc, pl.TileView(valid_shape=[16, 100])],
        out: pl.Out[pl.Tensor[[16, 128], pl.FP32]],
    ) -> pl.Tensor[[16, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        res = pl.tile.store(half, [0, 0], out)
        return res


@pl.program
class ColumnsAtRunTime:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[16, 128], pl.FP32, pl.Mem.Acc, pl.TileView(valid_shape=[16, n])],
      # ^^^ split-ragged-columns: column; n of 128
        n: pl.Scalar[pl.INDEX],
        out: pl.Out[pl.Tensor[[16, 128], pl.FP32]],
    ) -> pl.Tensor[[16, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        res = pl.tile.store(half, [0, 0], out)
        return res


@pl.program
class ColumnsSplit:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[16, 128], pl.FP32, pl.Mem.Acc, pl.TileView(valid_shape=[16, 100])],
      # ^^^ split-ragged-columns: LEFT_RIGHT; column; tile.aiv_shard; 100 of 128
        out: pl.Out[pl.Tensor[[16, 128], pl.FP32]],
    ) -> pl.Tensor[[16, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.LEFT_RIGHT})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        res = pl.tile.store(half, [0, 0], out)
        return res


@pl.program
class BothNarrowed:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[16, 128], pl.FP32, pl.Mem.Acc, pl.TileView(valid_shape=[13, 100])],
      # ^^^ split-ragged-columns: UP_DOWN; 13 of 16; 100 of 128
        out: pl.Out[pl.Tensor[[16, 128], pl.FP32]],
    ) -> pl.Tensor[[16, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        res = pl.tile.store(half, [0, 0], out)
        return res


@pl.program
class RowsStaticColumnsSplit:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[16, 128], pl.FP32, pl.Mem.Acc, pl.TileView(valid_shape=[13, 128])],
        out: pl.Out[pl.Tensor[[16, 128], pl.FP32]],
    ) -> pl.Tensor[[16, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.LEFT_RIGHT})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        res = pl.tile.store(half, [0, 0], out)
        return res


@pl.program
class OddBox:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[17, 128], pl.FP32, pl.Mem.Acc, pl.TileView(valid_shape=[17, 128])],
        out: pl.Out[pl.Tensor[[17, 128], pl.FP32]],
    ) -> pl.Tensor[[17, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        res = pl.tile.store(half, [0, 0], out)
        return res
