# passes: lower_auto_vector_split
import pypto.language as pl

n = pl.dynamic("n")


@pl.program
class WholeOfRuntimeRows:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        whole: pl.Tile[[n, 128], pl.FP32, pl.Mem.Vec],
        out: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        y = pl.tile.reinterpret_view(whole, dtype=pl.FP16)
        #   ^^^ split-dynamic-view: 'tile.reinterpret_view'; 'whole'; run-time; dim 0
        res = pl.tile.store(half, [0, 0], out)
        return res


@pl.program
class WholeOfConstantRows:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        whole: pl.Tile[[64, 128], pl.FP32, pl.Mem.Vec],
        out: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        y = pl.tile.reinterpret_view(whole, dtype=pl.FP16)
        res = pl.tile.store(half, [0, 0], out)
        return res
