# passes: lower_auto_vector_split
import pypto.language as pl


@pl.program
class WholeIntoShare:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        whole: pl.Tile[[128, 128], pl.FP32, pl.Mem.Vec],
        out: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        for i, (sofar,) in pl.range(2, init_values=(v,)):
      # ^^^ split-carry-mismatch: 'sofar'; 'whole'; yields; full width
            total = pl.yield_(whole)
        res = pl.tile.store(total, [0, 0], out)
        return res


@pl.program
class ShareIntoWhole:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        whole: pl.Tile[[128, 128], pl.FP32, pl.Mem.Vec],
        out: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        for i, (sofar,) in pl.range(2, init_values=(whole,)):
      # ^^^ split-carry-mismatch: 'sofar'; 'v'; full width
            total = pl.yield_(v)
        res = pl.tile.store(total, [0, 0], out)
        return res


@pl.program
class ShareIntoShare:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        out: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        for i, (sofar,) in pl.range(2, init_values=(v,)):
            more = pl.tile.add(sofar, half)
            total = pl.yield_(more)
        res = pl.tile.store(total, [0, 0], out)
        return res


@pl.program
class AliasYielded:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        out: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        for i, (sofar,) in pl.range(2, init_values=(v,)):
            same = half
            total = pl.yield_(same)
        res = pl.tile.store(total, [0, 0], out)
        return res


@pl.program
class InlineYield:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        out: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        for i, (sofar,) in pl.range(2, init_values=(v,)):
      # ^^^ split-yield-inline: 'sofar'; inline
            total = pl.yield_(pl.tile.add(sofar, sofar))
        res = pl.tile.store(total, [0, 0], out)
        return res


@pl.program
class TupleCarried:
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
        for i, (sofar,) in pl.range(2, init_values=(pair,)):
            more = pl.tile.gather_compare(v, 2.0, tmp, cmp_mode="eq", out_cols=32)
            last = pl.yield_(more)
        res = pl.tile.store(last[0], [0, 0], out)
        return res
