# passes: lower_auto_vector_split
import pypto.language as pl


@pl.program
class StoredOutside:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, a: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN, "split_aiv": True})
        for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
            whole = pl.load(a, [0, 0], [64, 64])
            part = pl.exp(whole)
        res = pl.store(part, [0, 0], out)
        #     ^^^ compiler-internal: 'part'; pl.split_aiv
        return res


@pl.program
class StoredInside:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, a: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN, "split_aiv": True})
        for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
            whole = pl.load(a, [0, 0], [64, 64])
            part = pl.exp(whole)
            res = pl.store(part, [0, 0], out)
        return res


@pl.program
class CarriedOut:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, a: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN, "split_aiv": True})
        start = pl.load(a, [0, 0], [64, 64])
        for step, (acc,) in pl.range(4, init_values=(start,)):
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                whole = pl.load(a, [0, 0], [64, 64])
                part = pl.exp(whole)
                last = pl.yield_(part)
                     # ^^^ compiler-internal: 'part'; pl.split_aiv
        res = pl.store(last, [0, 0], out)
        return res
