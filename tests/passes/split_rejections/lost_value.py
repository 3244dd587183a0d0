# passes: expand_mixed_kernel
import pypto.language as pl


@pl.program
class CubeTileThroughVectorLoop:
    @pl.function(type=pl.FunctionType.InCore)
    def kern(
        acc: pl.Tile[[32, 32], pl.FP32, pl.Mem.Acc],
        b: pl.Tensor[[32, 32], pl.FP32],
        out: pl.Out[pl.Tensor[[32, 32], pl.FP32]],
    ) -> pl.Tensor[[32, 32], pl.FP32]:
        for i, (held,) in pl.range(4, init_values=(acc,)):
            part = pl.tile.load(b, [0, 0], [32, 32], target_memory=pl.Mem.Vec)
            pl.tile.store(part, [0, 0], out)
            kept = pl.yield_(held)
        whole = pl.tile.move(kept, target_memory=pl.Mem.Vec)
        #       ^^^ compiler-internal: 'kept'; cube side
        res = pl.tile.store(whole, [0, 0], out)
        return res


@pl.program
class CubeTilePastVectorLoop:
    @pl.function(type=pl.FunctionType.InCore)
    def kern(
        acc: pl.Tile[[32, 32], pl.FP32, pl.Mem.Acc],
        b: pl.Tensor[[32, 32], pl.FP32],
        out: pl.Out[pl.Tensor[[32, 32], pl.FP32]],
    ) -> pl.Tensor[[32, 32], pl.FP32]:
        for i in pl.range(4):
            part = pl.tile.load(b, [0, 0], [32, 32], target_memory=pl.Mem.Vec)
            pl.tile.store(part, [0, 0], out)
        whole = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        res = pl.tile.store(whole, [0, 0], out)
        return res
