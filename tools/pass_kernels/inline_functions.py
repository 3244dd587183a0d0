import pypto.language as pl


@pl.program
class InlineFunctions:
    @pl.function(type=pl.FunctionType.Inline)
    def scaled(self, x: pl.Tensor[[64, 64], pl.FP32]) -> pl.Tensor[[64, 64], pl.FP32]:
        doubled = pl.add(x, x)
        return doubled

    @pl.function
    def kernel(
        self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP):
            twice = self.scaled(x)
            y[:, :] = pl.exp(twice)
        return y
