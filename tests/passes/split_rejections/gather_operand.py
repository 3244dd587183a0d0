# passes: lower_auto_vector_split
import pypto.language as pl


@pl.program
class WholeParameter:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        vec: pl.Tile[[128, 128], pl.FP32, pl.Mem.Vec],
        out: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        m = pl.tile.move(vec, target_memory=pl.Mem.Mat)
        #   ^^^ split-gather-full-width: 'vec'; tile.aic_gather; full-width
        res = pl.tile.store(half, [0, 0], out)
        return res


@pl.program
class LoadedShare:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        out: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        m = pl.tile.move(v, target_memory=pl.Mem.Mat)
        res = pl.tile.store(half, [0, 0], out)
        return res


@pl.program
class SingletonShare:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[1, 128], pl.FP32],
        out: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [1, 128], target_memory=pl.Mem.Vec)
        m = pl.tile.move(v, target_memory=pl.Mem.Mat)
        #   ^^^ split-gather-full-width: 'v'
        res = pl.tile.store(half, [0, 0], out)
        return res


@pl.program
class InlineProjection:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        out: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        tmp = pl.tile.create([128, 128], dtype=pl.UINT8, target_memory=pl.Mem.Vec)
        pair = pl.tile.gather_compare(v, 1.0, tmp, cmp_mode="eq", out_cols=32)
        m = pl.tile.move(pair[0], target_memory=pl.Mem.Mat)
        res = pl.tile.store(half, [0, 0], out)
        return res


@pl.program
class OddShare:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[15, 16], pl.FP32],
        out: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [15, 16], target_memory=pl.Mem.Vec)
        m = pl.tile.move(v, target_memory=pl.Mem.Mat)
        #   ^^^ split-gather-odd: tile.aic_gather; dim 0; 8 and 7
        res = pl.tile.store(half, [0, 0], out)
        return res
