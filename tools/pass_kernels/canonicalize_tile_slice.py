import pypto.language as pl


@pl.program
class CanonicalizeTileSlice:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        x: pl.Tensor[[32, 128], pl.FP32],
        gain: pl.Tensor[[1, 64], pl.FP32],
        y: pl.Out[pl.Tensor[[32, 64], pl.FP32]],
    ) -> pl.Tensor[[32, 64], pl.FP32]:
        rows = pl.load(x, [0, 0], [32, 128])
        gains = pl.load(gain, [0, 0], [1, 64])
        right_half = pl.tile.slice(rows, [32, 64], [0, 64])
        scaled = pl.col_expand_mul(right_half, gains)
        y = pl.store(scaled, [0, 0], y)
        return y
