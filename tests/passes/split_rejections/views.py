# passes: lower_auto_vector_split
import pypto.language as pl


@pl.program
class StatedShape:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        out: pl.Out[pl.Tensor[[64, 512], pl.FP16]],
    ) -> pl.Tensor[[64, 512], pl.FP16]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        y = pl.tile.reinterpret_view(v, dtype=pl.FP16, shape=[64, 512])
        #   ^^^ split-dynamic-view: 'tile.reinterpret_view'; auto-inferred
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class InferredShape:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        out: pl.Out[pl.Tensor[[128, 256], pl.FP16]],
    ) -> pl.Tensor[[128, 256], pl.FP16]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        y = pl.tile.reinterpret_view(v, dtype=pl.FP16)
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class InferredShapeStated:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        out: pl.Out[pl.Tensor[[128, 256], pl.FP16]],
    ) -> pl.Tensor[[128, 256], pl.FP16]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        y = pl.tile.reinterpret_view(v, dtype=pl.FP16, shape=[128, 256])
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class WholeViewed:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        whole: pl.Tile[[128, 128], pl.FP32, pl.Mem.Vec],
        out: pl.Out[pl.Tensor[[128, 256], pl.FP16]],
    ) -> pl.Tensor[[128, 256], pl.FP16]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        y = pl.tile.reinterpret_view(whole, dtype=pl.FP16)
        res = pl.tile.store(y, [0, 0], out)
        return res
