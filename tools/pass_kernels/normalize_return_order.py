import pypto.language as pl


@pl.program
class NormalizeReturnOrder:
    @pl.function(type=pl.FunctionType.InCore)
    def negated_and_raised(
        self,
        x: pl.Tensor[[32, 64], pl.FP32],
        low: pl.Out[pl.Tensor[[32, 64], pl.FP32]],
        high: pl.Out[pl.Tensor[[32, 64], pl.FP32]],
    ) -> tuple[pl.Tensor[[32, 64], pl.FP32], pl.Tensor[[32, 64], pl.FP32]]:
        rows = pl.load(x, [0, 0], [32, 64])
        low = pl.store(pl.neg(rows), [0, 0], low)
        high = pl.store(pl.exp(rows), [0, 0], high)
        return high, low

    @pl.function(type=pl.FunctionType.Orchestration)
    def kernel(
        self,
        x: pl.Tensor[[32, 64], pl.FP32],
        low: pl.Out[pl.Tensor[[32, 64], pl.FP32]],
        high: pl.Out[pl.Tensor[[32, 64], pl.FP32]],
    ) -> tuple[pl.Tensor[[32, 64], pl.FP32], pl.Tensor[[32, 64], pl.FP32]]:
        raised, negated = self.negated_and_raised(x, low, high)
        return raised, negated
