# passes: split_vector_kernel
import pypto.language as pl


@pl.program
class TwoAxes:
    @pl.function(type=pl.FunctionType.AIV)
    def vec(self, out: pl.Out[pl.Tensor[[16, 128], pl.FP32]]) -> pl.Tensor[[16, 128], pl.FP32]:
        ring = pl.reserve_buffer(name="c2v", size=32768, base=0x1000)
        pl.aiv_initialize_pipe(ring, pl.const(0, pl.INT32), dir_mask=1, slot_size=8192)
        x: pl.Tile[[16, 128], pl.FP32, pl.Mem.Vec] = pl.tpop_from_aic(split=1)
        y: pl.Tile[[16, 128], pl.FP32, pl.Mem.Vec] = pl.tpop_from_aic(split=2)
        #                                            ^^^ split-conflicting-codes: conflicting; split
        pl.tfree_to_aic(y)
        z = pl.add(x, x)
        pl.tfree_to_aic(x)
        res = pl.store(z, [0, 0], out)
        return res


@pl.program
class OneAxis:
    @pl.function(type=pl.FunctionType.AIV)
    def vec(self, out: pl.Out[pl.Tensor[[16, 128], pl.FP32]]) -> pl.Tensor[[16, 128], pl.FP32]:
        ring = pl.reserve_buffer(name="c2v", size=32768, base=0x1000)
        pl.aiv_initialize_pipe(ring, pl.const(0, pl.INT32), dir_mask=1, slot_size=8192)
        x: pl.Tile[[16, 128], pl.FP32, pl.Mem.Vec] = pl.tpop_from_aic(split=1)
        y: pl.Tile[[16, 128], pl.FP32, pl.Mem.Vec] = pl.tpop_from_aic(split=1)
        pl.tfree_to_aic(y)
        z = pl.add(x, x)
        pl.tfree_to_aic(x)
        res = pl.store(z, [0, 0], out)
        return res


@pl.program
class NoSuchCode:
    @pl.function(type=pl.FunctionType.AIV)
    def vec(self, out: pl.Out[pl.Tensor[[16, 128], pl.FP32]]) -> pl.Tensor[[16, 128], pl.FP32]:
        ring = pl.reserve_buffer(name="c2v", size=32768, base=0x1000)
        pl.aiv_initialize_pipe(ring, pl.const(0, pl.INT32), dir_mask=1, slot_size=8192)
        x: pl.Tile[[16, 128], pl.FP32, pl.Mem.Vec] = pl.tpop_from_aic(split=7)
        #                                            ^^^ split-conflicting-codes: split; 7
        z = pl.add(x, x)
        pl.tfree_to_aic(x)
        res = pl.store(z, [0, 0], out)
        return res


@pl.program
class AttributeDisagrees:
    @pl.function(type=pl.FunctionType.AIV)
    def vec(self, out: pl.Out[pl.Tensor[[16, 128], pl.FP32]]) -> pl.Tensor[[16, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.LEFT_RIGHT})
        ring = pl.reserve_buffer(name="c2v", size=32768, base=0x1000)
        pl.aiv_initialize_pipe(ring, pl.const(0, pl.INT32), dir_mask=1, slot_size=8192)
        x: pl.Tile[[16, 128], pl.FP32, pl.Mem.Vec] = pl.tpop_from_aic(split=1)
        #                                            ^^^ split-conflicting-codes: conflicting
        z = pl.add(x, x)
        pl.tfree_to_aic(x)
        res = pl.store(z, [0, 0], out)
        return res
