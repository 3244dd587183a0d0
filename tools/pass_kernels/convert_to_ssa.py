import pypto.language as pl


@pl.program
class ConvertToSSA:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        x: pl.Tensor[[32, 64], pl.FP32],
        rounds: pl.Scalar[pl.INDEX],
        y: pl.Out[pl.Tensor[[32, 64], pl.FP32]],
    ) -> pl.Tensor[[32, 64], pl.FP32]:
        power = pl.load(x, [0, 0], [32, 64])
        for _ in pl.range(rounds):
            power = pl.mul(power, power)
        if rounds > 4:
            power = pl.exp(power)
        y = pl.store(power, [0, 0], y)
        return y
