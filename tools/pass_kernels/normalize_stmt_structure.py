import pypto.language as pl


@pl.program
class NormalizeStmtStructure:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self, x: pl.Tensor[[32, 64], pl.FP32], y: pl.Out[pl.Tensor[[32, 64], pl.FP32]]
    ) -> pl.Tensor[[32, 64], pl.FP32]:
        rows = pl.load(x, [0, 0], [32, 64])
        raised = pl.exp(rows)
        y = pl.store(raised, [0, 0], y)
        return y
