import pypto.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def number(self, x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        pl.func_attr({"split": 7})
        a = pl.load(x, [0, 0], [64, 64])
        return pl.store(a, [0, 0], out)

    @pl.function(type=pl.FunctionType.InCore)
    def no_mode(self, x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.SIDEWAYS})
        a = pl.load(x, [0, 0], [64, 64])
        return pl.store(a, [0, 0], out)

    @pl.function(type=pl.FunctionType.InCore)
    def other(self, x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        pl.func_attr({"level": pl.Level.HOST, "role": None})
        a = pl.load(x, [0, 0], [64, 64])
        return pl.store(a, [0, 0], out)
