# passes: lower_auto_vector_split
import pypto.language as pl


@pl.program
class BothOperandsWhole:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        vec: pl.Tile[[256, 128], pl.FP32, pl.Mem.Vec],
        out: pl.Out[pl.Tensor[[256, 128], pl.FP32]],
    ) -> pl.Tensor[[256, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        y = pl.tile.add(vec, vec)
        #   ^^^ split-full-width-operand: 'tile.add'; 'vec'; 256; dim 0; full-width
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class LoadedOperands:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        vec: pl.Tensor[[256, 128], pl.FP32],
        out: pl.Out[pl.Tensor[[256, 128], pl.FP32]],
    ) -> pl.Tensor[[256, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(vec, [0, 0], [256, 128], target_memory=pl.Mem.Vec)
        y = pl.tile.add(v, v)
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class BiasRank1Rows:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[256, 128], pl.FP32],
        bias: pl.Tile[[128], pl.FP32, pl.Mem.Vec],
        out: pl.Out[pl.Tensor[[256, 128], pl.FP32]],
    ) -> pl.Tensor[[256, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [256, 128], target_memory=pl.Mem.Vec)
        y = pl.tile.add(v, bias)
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class BiasRank1Columns:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[256, 128], pl.FP32],
        bias: pl.Tile[[128], pl.FP32, pl.Mem.Vec],
        out: pl.Out[pl.Tensor[[256, 128], pl.FP32]],
    ) -> pl.Tensor[[256, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.LEFT_RIGHT})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [256, 128], target_memory=pl.Mem.Vec)
        y = pl.tile.add(v, bias)
        #   ^^^ split-full-width-operand: 'bias'; 128; dim 0
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class BiasRowRows:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[256, 128], pl.FP32],
        bias: pl.Tile[[1, 128], pl.FP32, pl.Mem.Vec],
        out: pl.Out[pl.Tensor[[256, 128], pl.FP32]],
    ) -> pl.Tensor[[256, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [256, 128], target_memory=pl.Mem.Vec)
        y = pl.tile.add(v, bias)
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class BiasRowColumns:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[256, 128], pl.FP32],
        bias: pl.Tile[[1, 128], pl.FP32, pl.Mem.Vec],
        out: pl.Out[pl.Tensor[[256, 128], pl.FP32]],
    ) -> pl.Tensor[[256, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.LEFT_RIGHT})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [256, 128], target_memory=pl.Mem.Vec)
        y = pl.tile.add(v, bias)
        #   ^^^ split-full-width-operand: 'bias'; 128; dim 1
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class BiasWholeRows:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[256, 128], pl.FP32],
        bias: pl.Tile[[256, 128], pl.FP32, pl.Mem.Vec],
        out: pl.Out[pl.Tensor[[256, 128], pl.FP32]],
    ) -> pl.Tensor[[256, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [256, 128], target_memory=pl.Mem.Vec)
        y = pl.tile.add(v, bias)
        #   ^^^ split-full-width-operand: 'bias'; 256; dim 0
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class BiasWholeColumns:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[256, 128], pl.FP32],
        bias: pl.Tile[[256, 128], pl.FP32, pl.Mem.Vec],
        out: pl.Out[pl.Tensor[[256, 128], pl.FP32]],
    ) -> pl.Tensor[[256, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.LEFT_RIGHT})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [256, 128], target_memory=pl.Mem.Vec)
        y = pl.tile.add(v, bias)
        #   ^^^ split-full-width-operand: 'bias'; 128; dim 1
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class ViewPermutesAxes:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tile[[1, 256], pl.FP32, pl.Mem.Vec],
        out: pl.Out[pl.Tensor[[256, 1], pl.FP32]],
    ) -> pl.Tensor[[256, 1], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        y = pl.tile.transpose_view(data)
        #   ^^^ split-axis-map: 'tile.transpose_view'
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class LoadedViewPermutesAxes:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 256], pl.FP32],
        out: pl.Out[pl.Tensor[[256, 128], pl.FP32]],
    ) -> pl.Tensor[[256, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 256], target_memory=pl.Mem.Vec)
        y = pl.tile.transpose_view(v)
        #   ^^^ split-axis-map: 'tile.transpose_view'
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class MaskWhole:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        mask: pl.Tile[[128, 128], pl.UINT8, pl.Mem.Vec],
        data: pl.Tensor[[128, 128], pl.FP32],
        out: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        tmp = pl.tile.create([1, 32], dtype=pl.UINT8, target_memory=pl.Mem.Vec)
        y = pl.tile.sel(mask, v, v, tmp)
        #   ^^^ split-full-width-operand: 'tile.sel'; 'mask'
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class MaskLoaded:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        mask: pl.Tensor[[128, 128], pl.UINT8],
        data: pl.Tensor[[128, 128], pl.FP32],
        out: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        m = pl.tile.load(mask, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        tmp = pl.tile.create([1, 32], dtype=pl.UINT8, target_memory=pl.Mem.Vec)
        y = pl.tile.sel(m, v, v, tmp)
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class ScratchWhole:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        out: pl.Out[pl.Tensor[[128, 1], pl.FP32]],
    ) -> pl.Tensor[[128, 1], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        tmp = pl.tile.create([128, 128], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        y = pl.tile.row_sum(v, tmp)
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class ScratchPinned:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        out: pl.Out[pl.Tensor[[128, 1], pl.INT32]],
    ) -> pl.Tensor[[128, 1], pl.INT32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        tmp = pl.tile.create([128, 128], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        y = pl.tile.row_argmax(v, tmp)
        #   ^^^ split-full-width-operand: 'tile.row_argmax'; 'tmp'
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class ScratchPinnedHalved:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        out: pl.Out[pl.Tensor[[128, 1], pl.INT32]],
    ) -> pl.Tensor[[128, 1], pl.INT32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        tmp = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        y = pl.tile.row_argmax(v, tmp)
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class StoreAsReturn:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[128, 128], pl.FP32],
        out: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        return pl.tile.store(v, [0, 0], out)


@pl.program
class BroadcastLoad:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        data: pl.Tensor[[1, 128], pl.FP32],
        out: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        row = pl.tile.load(data, [0, 0], [1, 128], target_memory=pl.Mem.Vec)
        y = pl.tile.col_expand_mul(half, row)
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class ScalarMaskWhole:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc],
        mask: pl.Tile[[128, 128], pl.UINT8, pl.Mem.Vec],
        data: pl.Tensor[[128, 128], pl.FP32],
        out: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v = pl.tile.load(data, [0, 0], [128, 128], target_memory=pl.Mem.Vec)
        tmp = pl.tile.create([1, 32], dtype=pl.UINT8, target_memory=pl.Mem.Vec)
        y = pl.tile.sels(mask, v, tmp, 0.0)
        #   ^^^ split-full-width-operand: 'tile.sels'; 'mask'
        res = pl.tile.store(y, [0, 0], out)
        return res


@pl.program
class TransposedWhole:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        acc: pl.Tile[[32, 32], pl.FP32, pl.Mem.Acc],
        vec: pl.Tile[[32, 32], pl.FP32, pl.Mem.Vec],
        out: pl.Out[pl.Tensor[[32, 32], pl.FP32]],
    ) -> pl.Tensor[[32, 32], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.LEFT_RIGHT})
        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        turned = pl.tile.transpose(vec, 0, 1)
        #        ^^^ split-transpose: 'tile.transpose'; 'turned'; 'vec'; full-width; 32; dim 1; LEFT_RIGHT
        res = pl.tile.store(turned, [0, 0], out)
        return res
