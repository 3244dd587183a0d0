# passes: lower_auto_vector_split
import pypto.language as pl


@pl.program
class SharedTupleTakesWhole:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        whole: pl.Tile[[128, 128], pl.FP32, pl.Mem.Vec],
        flag: pl.Scalar[pl.INT64],
        out: pl.Out[pl.Tensor[[128, 32], pl.INT32]],
    ) -> pl.Tensor[[128, 32], pl.INT32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        tmp = pl.tile.create([128, 128], dtype=pl.UINT8, target_memory=pl.Mem.Vec)
        pair = pl.tile.gather_compare(v, 1.0, tmp, cmp_mode="eq", out_cols=32)
        other = pl.tile.gather_compare(whole, 2.0, tmp, cmp_mode="eq", out_cols=32)
        for i, (sofar,) in pl.range(2, init_values=(pair,)):
      # ^^^ split-carry-mismatch: 'sofar'; 'other'; tuple; yields; lane-local; full width
            last = pl.yield_(other)
        res = pl.tile.store(last[0], [0, 0], out)
        return res


@pl.program
class WholeTupleTakesShared:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        whole: pl.Tile[[128, 128], pl.FP32, pl.Mem.Vec],
        flag: pl.Scalar[pl.INT64],
        out: pl.Out[pl.Tensor[[128, 32], pl.INT32]],
    ) -> pl.Tensor[[128, 32], pl.INT32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        tmp = pl.tile.create([128, 128], dtype=pl.UINT8, target_memory=pl.Mem.Vec)
        pair = pl.tile.gather_compare(v, 1.0, tmp, cmp_mode="eq", out_cols=32)
        other = pl.tile.gather_compare(whole, 2.0, tmp, cmp_mode="eq", out_cols=32)
        for i, (sofar,) in pl.range(2, init_values=(other,)):
      # ^^^ split-carry-mismatch: 'sofar'; 'pair'; tuple; yields
            last = pl.yield_(pair)
        res = pl.tile.store(last[0], [0, 0], out)
        return res


@pl.program
class SharedTupleTakesShared:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        whole: pl.Tile[[128, 128], pl.FP32, pl.Mem.Vec],
        flag: pl.Scalar[pl.INT64],
        out: pl.Out[pl.Tensor[[128, 32], pl.INT32]],
    ) -> pl.Tensor[[128, 32], pl.INT32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        tmp = pl.tile.create([128, 128], dtype=pl.UINT8, target_memory=pl.Mem.Vec)
        pair = pl.tile.gather_compare(v, 1.0, tmp, cmp_mode="eq", out_cols=32)
        other = pl.tile.gather_compare(v, 2.0, tmp, cmp_mode="eq", out_cols=32)
        for i, (sofar,) in pl.range(2, init_values=(pair,)):
            last = pl.yield_(other)
        res = pl.tile.store(last[0], [0, 0], out)
        return res


@pl.program
class MergeOfSharedAndWhole:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        whole: pl.Tile[[128, 128], pl.FP32, pl.Mem.Vec],
        flag: pl.Scalar[pl.INT64],
        out: pl.Out[pl.Tensor[[128, 32], pl.INT32]],
    ) -> pl.Tensor[[128, 32], pl.INT32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        tmp = pl.tile.create([128, 128], dtype=pl.UINT8, target_memory=pl.Mem.Vec)
        pair = pl.tile.gather_compare(v, 1.0, tmp, cmp_mode="eq", out_cols=32)
        other = pl.tile.gather_compare(whole, 2.0, tmp, cmp_mode="eq", out_cols=32)
        if flag > 0:
      # ^^^ split-merge-mismatch: 'last'; merge; branches
            last = pl.yield_(pair)
        else:
            last = pl.yield_(other)
        res = pl.tile.store(last[0], [0, 0], out)
        return res


@pl.program
class MergeOfWholeAndShared:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        whole: pl.Tile[[128, 128], pl.FP32, pl.Mem.Vec],
        flag: pl.Scalar[pl.INT64],
        out: pl.Out[pl.Tensor[[128, 32], pl.INT32]],
    ) -> pl.Tensor[[128, 32], pl.INT32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        tmp = pl.tile.create([128, 128], dtype=pl.UINT8, target_memory=pl.Mem.Vec)
        pair = pl.tile.gather_compare(v, 1.0, tmp, cmp_mode="eq", out_cols=32)
        other = pl.tile.gather_compare(whole, 2.0, tmp, cmp_mode="eq", out_cols=32)
        if flag > 0:
      # ^^^ split-merge-mismatch: 'last'; merge; branches
            last = pl.yield_(other)
        else:
            last = pl.yield_(pair)
        res = pl.tile.store(last[0], [0, 0], out)
        return res


@pl.program
class MergeOfShared:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        whole: pl.Tile[[128, 128], pl.FP32, pl.Mem.Vec],
        flag: pl.Scalar[pl.INT64],
        out: pl.Out[pl.Tensor[[128, 32], pl.INT32]],
    ) -> pl.Tensor[[128, 32], pl.INT32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        tmp = pl.tile.create([128, 128], dtype=pl.UINT8, target_memory=pl.Mem.Vec)
        pair = pl.tile.gather_compare(v, 1.0, tmp, cmp_mode="eq", out_cols=32)
        other = pl.tile.gather_compare(v, 2.0, tmp, cmp_mode="eq", out_cols=32)
        if flag > 0:
            last = pl.yield_(pair)
        else:
            last = pl.yield_(other)
        res = pl.tile.store(last[0], [0, 0], out)
        return res
