import pypto.language as pl


@pl.program
class OptimizeOrchTensors:
    @pl.function
    def kernel(self, x: pl.Tensor[[64, 64], pl.FP32]) -> pl.Tensor[[64, 64], pl.FP32]:
        state = pl.create_tensor([64, 64], dtype=pl.FP32)
        for _ in pl.range(4):
            with pl.at(level=pl.Level.CORE_GROUP, name_hint="step"):
                state = pl.add(state, x)
        return state
