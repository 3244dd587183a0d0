import pypto.language as pl


@pl.program
class ResolveBackendOpLayouts:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self, x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 1], pl.FP32]]
    ) -> pl.Tensor[[16, 1], pl.FP32]:
        rows = pl.load(x, [0, 0], [16, 64])
        scratch = pl.create_tile([16, 64], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        total = pl.row_sum(rows, scratch)
        mean = pl.mul(total, 0.015625)
        y = pl.store(mean, [0, 0], y)
        return y
