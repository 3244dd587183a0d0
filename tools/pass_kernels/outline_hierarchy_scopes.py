import pypto.language as pl


@pl.program
class OutlineHierarchyScopes:
    @pl.function
    def kernel(self, x: pl.Tensor[[64, 64], pl.FP32]) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.HOST, name_hint="prepare"):
            window = pl.slice(x, [32, 64], [0, 0])
            copy = pl.assemble(x, window, [32, 0])
        return copy
