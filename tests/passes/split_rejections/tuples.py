# passes: lower_auto_vector_split
import pypto.language as pl


@pl.program
class ColumnsStayPut:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        out: pl.Out[pl.Tensor[[128, 32], pl.INT32]],
    ) -> pl.Tensor[[128, 32], pl.INT32]:
        pl.func_attr({"split": pl.SplitMode.LEFT_RIGHT})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        tmp = pl.tile.create([128, 128], dtype=pl.UINT8, target_memory=pl.Mem.Vec)
        pair = pl.tile.gather_compare(v, 1.0, tmp, cmp_mode="eq", out_cols=32)
        #      ^^^ split-tuple-stationary: 'tile.gather_compare'; tuple
        hits = pair[0]
        res = pl.tile.store(hits, [0, 0], out)
        return res


@pl.program
class EachElementOnItsAxis:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        counts: pl.Out[pl.Tensor[[1, 128], pl.INT32]],
        out: pl.Out[pl.Tensor[[128, 32], pl.INT32]],
    ) -> pl.Tensor[[128, 32], pl.INT32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        tmp = pl.tile.create([128, 128], dtype=pl.UINT8, target_memory=pl.Mem.Vec)
        pair = pl.tile.gather_compare(v, 1.0, tmp, cmp_mode="eq", out_cols=32)
        hits = pair[0]
        many = pair[1]
        cnt = pl.tile.store(many, [0, 0], counts)
        res = pl.tile.store(hits, [0, 0], out)
        return res


@pl.program
class ProjectionInline:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        out: pl.Out[pl.Tensor[[128, 32], pl.INT32]],
    ) -> pl.Tensor[[128, 32], pl.INT32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        tmp = pl.tile.create([128, 128], dtype=pl.UINT8, target_memory=pl.Mem.Vec)
        pair = pl.tile.gather_compare(v, 1.0, tmp, cmp_mode="eq", out_cols=32)
        res = pl.tile.store(pair[0], [0, 0], out)
        return res


@pl.program
class WholeOperand:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        v: pl.Tile[[128, 128], pl.FP32, pl.Mem.Vec],
        out: pl.Out[pl.Tensor[[128, 32], pl.INT32]],
    ) -> pl.Tensor[[128, 32], pl.INT32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        tmp = pl.tile.create([128, 128], dtype=pl.UINT8, target_memory=pl.Mem.Vec)
        pair = pl.tile.gather_compare(v, 1.0, tmp, cmp_mode="eq", out_cols=32)
        #      ^^^ split-region-full-width: 'tile.gather_compare'
        return out
