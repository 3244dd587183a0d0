# passes: expand_mixed_kernel
import pypto.language as pl


@pl.program
class CubeTileReadOnTheVectorSide:
    @pl.function(type=pl.FunctionType.InCore)
    def kern(
        lhs: pl.Tile[[32, 32], pl.FP16, pl.Mem.Left],
        rhs: pl.Tile[[32, 32], pl.FP16, pl.Mem.Right],
        b: pl.Tensor[[64, 32], pl.FP32],
        out: pl.Out[pl.Tensor[[64, 32], pl.FP32]],
    ) -> pl.Tensor[[64, 32], pl.FP32]:
        prod = pl.tile.matmul(lhs, rhs)
        part = pl.tile.load(b, [0, 0], [64, 32], target_memory=pl.Mem.Vec)
        both = pl.tile.assemble(part, prod, [0, 0])
        #      ^^^ compiler-internal: 'prod'; vector side; made on the cube side; no move
        res = pl.tile.store(both, [0, 0], out)
        return res


@pl.program
class CubeTileReadBeforeItsMove:
    @pl.function(type=pl.FunctionType.InCore)
    def kern(
        lhs: pl.Tile[[32, 32], pl.FP16, pl.Mem.Left],
        rhs: pl.Tile[[32, 32], pl.FP16, pl.Mem.Right],
        b: pl.Tensor[[64, 32], pl.FP32],
        out: pl.Out[pl.Tensor[[64, 32], pl.FP32]],
    ) -> pl.Tensor[[64, 32], pl.FP32]:
        prod = pl.tile.matmul(lhs, rhs)
        part = pl.tile.load(b, [0, 0], [64, 32], target_memory=pl.Mem.Vec)
        upper = pl.tile.assemble(part, prod, [0, 0])
        #       ^^^ compiler-internal: 'prod'; made on the cube side; before the move
        moved = pl.tile.move(prod, target_memory=pl.Mem.Vec)
        both = pl.tile.assemble(upper, moved, [32, 0])
        res = pl.tile.store(both, [0, 0], out)
        return res


@pl.program
class CubeTileReadBehindItsMove:
    @pl.function(type=pl.FunctionType.InCore)
    def kern(
        lhs: pl.Tile[[32, 32], pl.FP16, pl.Mem.Left],
        rhs: pl.Tile[[32, 32], pl.FP16, pl.Mem.Right],
        b: pl.Tensor[[64, 32], pl.FP32],
        out: pl.Out[pl.Tensor[[64, 32], pl.FP32]],
    ) -> pl.Tensor[[64, 32], pl.FP32]:
        prod = pl.tile.matmul(lhs, rhs)
        part = pl.tile.load(b, [0, 0], [64, 32], target_memory=pl.Mem.Vec)
        moved = pl.tile.move(prod, target_memory=pl.Mem.Vec)
        upper = pl.tile.assemble(part, prod, [0, 0])
        both = pl.tile.assemble(upper, moved, [32, 0])
        res = pl.tile.store(both, [0, 0], out)
        return res
