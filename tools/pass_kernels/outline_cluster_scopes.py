import pypto.language as pl


@pl.program
class OutlineClusterScopes:
    @pl.function
    def kernel(self, x: pl.Tensor[[64, 64], pl.FP32]) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.cluster(name_hint="pair"):
            with pl.at(level=pl.Level.CORE_GROUP, name_hint="exponent"):
                y = pl.exp(x)
        return y
