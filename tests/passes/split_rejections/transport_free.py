# passes: stamp_tfree_split
import pypto.language as pl


@pl.program
class OtherCore:
    @pl.function(type=pl.FunctionType.AIV)
    def vec(self, out: pl.Out[pl.Tensor[[16, 128], pl.FP32]]) -> pl.Tensor[[16, 128], pl.FP32]:
        ring = pl.reserve_buffer(name="c2v", size=32768, base=0x1000)
        pl.aiv_initialize_pipe(ring, pl.const(0, pl.INT32), dir_mask=1, slot_size=8192)
        x: pl.Tile[[16, 128], pl.FP32, pl.Mem.Vec] = pl.tpop_from_aic(split=0)
        z = pl.add(x, x)
        pl.tfree_to_aiv(x)
      # ^^^ tfree-direction: system.tfree_to_aiv; tile.tpop_from_aiv; tile.tpop_from_aic
        res = pl.store(z, [0, 0], out)
        return res


@pl.program
class SameCore:
    @pl.function(type=pl.FunctionType.AIV)
    def vec(self, out: pl.Out[pl.Tensor[[16, 128], pl.FP32]]) -> pl.Tensor[[16, 128], pl.FP32]:
        ring = pl.reserve_buffer(name="c2v", size=32768, base=0x1000)
        pl.aiv_initialize_pipe(ring, pl.const(0, pl.INT32), dir_mask=1, slot_size=8192)
        x: pl.Tile[[16, 128], pl.FP32, pl.Mem.Vec] = pl.tpop_from_aic(split=0)
        z = pl.add(x, x)
        pl.tfree_to_aic(x)
        res = pl.store(z, [0, 0], out)
        return res


@pl.program
class OtherPipe:
    @pl.function(type=pl.FunctionType.AIV)
    def vec(self, out: pl.Out[pl.Tensor[[16, 128], pl.FP32]]) -> pl.Tensor[[16, 128], pl.FP32]:
        ring = pl.reserve_buffer(name="c2v", size=32768, base=0x1000)
        pl.aiv_initialize_pipe(ring, pl.const(0, pl.INT32), dir_mask=1, slot_size=8192)
        x: pl.Tile[[16, 128], pl.FP32, pl.Mem.Vec] = pl.tpop_from_aic(split=0, id=0)
        z = pl.add(x, x)
        pl.tfree_to_aic(x, id=3)
      # ^^^ tfree-id-mismatch: system.tfree_to_aic; id 0; id 3
        res = pl.store(z, [0, 0], out)
        return res


@pl.program
class SamePipe:
    @pl.function(type=pl.FunctionType.AIV)
    def vec(self, out: pl.Out[pl.Tensor[[16, 128], pl.FP32]]) -> pl.Tensor[[16, 128], pl.FP32]:
        ring = pl.reserve_buffer(name="c2v", size=32768, base=0x1000)
        pl.aiv_initialize_pipe(ring, pl.const(0, pl.INT32), dir_mask=1, slot_size=8192)
        x: pl.Tile[[16, 128], pl.FP32, pl.Mem.Vec] = pl.tpop_from_aic(split=0, id=3)
        z = pl.add(x, x)
        pl.tfree_to_aic(x, id=3)
        res = pl.store(z, [0, 0], out)
        return res


@pl.program
class ImplicitPipeZero:
    @pl.function(type=pl.FunctionType.AIV)
    def vec(self, out: pl.Out[pl.Tensor[[16, 128], pl.FP32]]) -> pl.Tensor[[16, 128], pl.FP32]:
        ring = pl.reserve_buffer(name="c2v", size=32768, base=0x1000)
        pl.aiv_initialize_pipe(ring, pl.const(0, pl.INT32), dir_mask=1, slot_size=8192)
        x: pl.Tile[[16, 128], pl.FP32, pl.Mem.Vec] = pl.tpop_from_aic(split=0)
        z = pl.add(x, x)
        pl.tfree_to_aic(x, id=0)
        res = pl.store(z, [0, 0], out)
        return res


@pl.program
class NoPop:
    @pl.function(type=pl.FunctionType.AIV)
    def vec(self, out: pl.Out[pl.Tensor[[16, 128], pl.FP32]]) -> pl.Tensor[[16, 128], pl.FP32]:
        ring = pl.reserve_buffer(name="c2v", size=32768, base=0x1000)
        pl.aiv_initialize_pipe(ring, pl.const(0, pl.INT32), dir_mask=1, slot_size=8192)
        x: pl.Tile[[16, 128], pl.FP32, pl.Mem.Vec] = pl.tpop_from_aic(split=0)
        z = pl.add(x, x)
        pl.tfree_to_aic(z)
      # ^^^ tfree-no-tpop: system.tfree_to_aic; tpop
        res = pl.store(z, [0, 0], out)
        return res
