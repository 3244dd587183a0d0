# passes: lower_auto_vector_split
import pypto.language as pl


@pl.program
class GatherFromHalvedTable:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        idx: pl.Tensor[[128, 128], pl.INT32],
        out: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        table = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        at = pl.tile.load(idx, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        tmp = pl.tile.create([128, 128], dtype=pl.INT32, target_memory=pl.Mem.Vec)
        y = pl.tile.gather(table, at, tmp)
        #   ^^^ split-absolute-index: 'tile.gather'; 'table'; ABSOLUTE; dim 0
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class GatherFromWholeTable:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        table: pl.Tile[[128, 128], pl.FP32, pl.Mem.Vec],
        idx: pl.Tensor[[128, 128], pl.INT32],
        out: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        at = pl.tile.load(idx, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        tmp = pl.tile.create([128, 128], dtype=pl.INT32, target_memory=pl.Mem.Vec)
        y = pl.tile.gather(table, at, tmp)
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class SingletonGatherFromHalvedTable:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        idx: pl.Tensor[[1, 128], pl.INT32],
        out: pl.Out[pl.Tensor[[1, 128], pl.FP32]],
    ) -> pl.Tensor[[1, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        table = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        at = pl.tile.load(idx, [0, 0], [1, 128], target_memory=pl.Mem.Vec)
        tmp = pl.tile.create([1, 128], dtype=pl.INT32, target_memory=pl.Mem.Vec)
        y = pl.tile.gather(table, at, tmp)
        #   ^^^ split-absolute-index: 'table'
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class SingletonGatherFromRow:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[1, 128], pl.FP32],
        idx: pl.Tensor[[1, 128], pl.INT32],
        out: pl.Out[pl.Tensor[[1, 128], pl.FP32]],
    ) -> pl.Tensor[[1, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        table = pl.tile.load(data, [0, 0], [1, 128], target_memory=pl.Mem.Vec)
        at = pl.tile.load(idx, [0, 0], [1, 128], target_memory=pl.Mem.Vec)
        tmp = pl.tile.create([1, 128], dtype=pl.INT32, target_memory=pl.Mem.Vec)
        y = pl.tile.gather(table, at, tmp)
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class GatherFromProjection:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        idx: pl.Tensor[[128, 32], pl.INT32],
        out: pl.Out[pl.Tensor[[128, 32], pl.INT32]],
    ) -> pl.Tensor[[128, 32], pl.INT32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        at = pl.tile.load(idx, [0, 0], [128, 32], target_memory=pl.Mem.Vec)
        tmp = pl.tile.create([128, 128], dtype=pl.UINT8, target_memory=pl.Mem.Vec)
        small = pl.tile.create([128, 32], dtype=pl.INT32, target_memory=pl.Mem.Vec)
        pair = pl.tile.gather_compare(v, 1.0, tmp, cmp_mode="eq", out_cols=32)
        y = pl.tile.gather(pair[0], at, small)
        #   ^^^ split-absolute-index: 'tile.gather'; 'pair[0]'
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class ScatterIntoHalvedTable:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        idx: pl.Tensor[[128, 128], pl.INT32],
        out: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        table = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        at = pl.tile.load(idx, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        y = pl.tile.scatter(table, v, at)
        #   ^^^ split-absolute-index: 'tile.scatter'; 'table'; ABSOLUTE; dim 0
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class GatherBytesFromHalvedTable:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        idx: pl.Tensor[[128, 128], pl.UINT32],
        out: pl.Out[pl.Tensor[[128, 1024], pl.FP32]],
    ) -> pl.Tensor[[128, 1024], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        table = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        at = pl.tile.load(idx, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        y = pl.tile.gatherb(table, at)
        #   ^^^ split-absolute-index: 'tile.gatherb'; 'table'
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class GatherBytesFromWholeTable:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        table: pl.Tile[[128, 128], pl.FP32, pl.Mem.Vec],
        idx: pl.Tensor[[128, 128], pl.UINT32],
        out: pl.Out[pl.Tensor[[128, 1024], pl.FP32]],
    ) -> pl.Tensor[[128, 1024], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        at = pl.tile.load(idx, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        y = pl.tile.gatherb(table, at)
        res = pl.tile.store(y, [0, 0], out)
        return res
