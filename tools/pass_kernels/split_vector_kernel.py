import pypto.language as pl


@pl.program
class SplitVectorKernel:
    @pl.function(type=pl.FunctionType.AIV)
    def lanes(self, y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        ring = pl.reserve_buffer(name="c2v", size=65536, base=0x1000)
        pl.aiv_initialize_pipe(ring, pl.const(0, pl.INT32), dir_mask=1, slot_size=16384)
        product: pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec] = pl.tpop_from_aic(split=1)
        scaled = pl.mul(product, 0.125)
        pl.tfree_to_aic(product)
        written = pl.store(scaled, [0, 0], y)
        return written
