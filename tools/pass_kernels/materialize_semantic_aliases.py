import pypto.language as pl


@pl.program
class MaterializeSemanticAliases:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self, x: pl.Tensor[[256, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        total = pl.tile.full([64, 64], dtype=pl.FP32, value=0.0)
        for block in pl.range(4):
            rows = pl.load(x, [block * 64, 0], [64, 64])
            total = pl.add(total, rows)
        y = pl.store(total, [0, 0], y)
        return y
