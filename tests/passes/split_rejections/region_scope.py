# passes: lower_auto_vector_split
import pypto.language as pl


@pl.program
class RegionInScope:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, a: pl.Tensor[[128, 128], pl.FP32], c: pl.Out[pl.Tensor[[128, 128], pl.FP32]]) -> pl.Tensor[[128, 128], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP):
            for lane in pl.split_aiv(2, mode=pl.SplitMode.NONE):
          # ^^^ split-region-scope: pl.split_aiv; scope
                base = lane * 64
                c = pl.store(pl.exp(pl.load(a, [base, 0], [64, 128])), [base, 0], c)
        return c


@pl.program
class RegionAlone:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, a: pl.Tensor[[128, 128], pl.FP32], c: pl.Out[pl.Tensor[[128, 128], pl.FP32]]) -> pl.Tensor[[128, 128], pl.FP32]:
        for lane in pl.split_aiv(2, mode=pl.SplitMode.NONE):
            base = lane * 64
            c = pl.store(pl.exp(pl.load(a, [base, 0], [64, 128])), [base, 0], c)
        return c


@pl.program
class ScopeInRegion:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, a: pl.Tensor[[128, 128], pl.FP32], c: pl.Out[pl.Tensor[[128, 128], pl.FP32]]) -> pl.Tensor[[128, 128], pl.FP32]:
        for lane in pl.split_aiv(2, mode=pl.SplitMode.NONE):
            base = lane * 64
            with pl.at(level=pl.Level.CORE_GROUP):
          # ^^^ split-region-scope: scope; pl.split_aiv
                c = pl.store(pl.exp(pl.load(a, [base, 0], [64, 128])), [base, 0], c)
        return c


@pl.program
class ScopeBesideRegion:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, a: pl.Tensor[[128, 128], pl.FP32], c: pl.Out[pl.Tensor[[128, 128], pl.FP32]]) -> pl.Tensor[[128, 128], pl.FP32]:
        for lane in pl.split_aiv(2, mode=pl.SplitMode.NONE):
            base = lane * 64
            c = pl.store(pl.exp(pl.load(a, [base, 0], [64, 128])), [base, 0], c)
        with pl.at(level=pl.Level.CORE_GROUP):
      # ^^^ split-region-scope: scope; pl.split_aiv
            c = pl.store(pl.exp(pl.load(a, [0, 0], [64, 128])), [0, 0], c)
        return c


@pl.program
class ScopeBeforeHiddenRegion:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, a: pl.Tensor[[128, 128], pl.FP32], c: pl.Out[pl.Tensor[[128, 128], pl.FP32]]) -> pl.Tensor[[128, 128], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP):
            c = pl.store(pl.exp(pl.load(a, [0, 0], [64, 128])), [0, 0], c)
        with pl.at(level=pl.Level.CORE_GROUP):
            for lane in pl.split_aiv(2, mode=pl.SplitMode.NONE):
          # ^^^ split-region-scope: pl.split_aiv; scope
                base = lane * 64
                c = pl.store(pl.exp(pl.load(a, [base, 0], [64, 128])), [base, 0], c)
        return c
