# passes: expand_mixed_kernel
import pypto.language as pl


@pl.program
class ValueOfTheGroupsBody:
    @pl.function(type=pl.FunctionType.AIC)
    def produce(self, a: pl.Tensor[[64, 32], pl.FP16], b: pl.Tensor[[32, 64], pl.FP16]):
        left = pl.load(a, [0, 0], [64, 32], target_memory=pl.Mem.Mat)
        right = pl.load(b, [0, 0], [32, 64], target_memory=pl.Mem.Mat)
        acc = pl.matmul(pl.move(left, target_memory=pl.Mem.Left), pl.move(right, target_memory=pl.Mem.Right))
        pl.tpush_to_aiv(acc, split=1)

    @pl.function(type=pl.FunctionType.AIV)
    def consume(self, y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        part: pl.Tile[[32, 64], pl.FP32, pl.Mem.Vec] = pl.tpop_from_aic(split=1)
        y = pl.store(part, [0, 0], y)
        pl.tfree_to_aic(part)
        return y

    @pl.function(type=pl.FunctionType.Group)
    def pair(
        self,
        a: pl.Tensor[[128, 32], pl.FP16],
        b: pl.Tensor[[32, 64], pl.FP16],
        y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        top = pl.tensor.slice(a, [64, 32], [0, 0])
        self.produce(top, b)
    #   ^^^ group-member-layout: 'pair'; 'produce'; parameters
        y = self.consume(y)
        return y


@pl.program
class ParametersInAnotherOrder:
    @pl.function(type=pl.FunctionType.AIC)
    def produce(self, b: pl.Tensor[[32, 64], pl.FP16], a: pl.Tensor[[64, 32], pl.FP16]):
        left = pl.load(a, [0, 0], [64, 32], target_memory=pl.Mem.Mat)
        right = pl.load(b, [0, 0], [32, 64], target_memory=pl.Mem.Mat)
        acc = pl.matmul(pl.move(left, target_memory=pl.Mem.Left), pl.move(right, target_memory=pl.Mem.Right))
        pl.tpush_to_aiv(acc, split=1)

    @pl.function(type=pl.FunctionType.AIV)
    def consume(self, y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        part: pl.Tile[[32, 64], pl.FP32, pl.Mem.Vec] = pl.tpop_from_aic(split=1)
        y = pl.store(part, [0, 0], y)
        pl.tfree_to_aic(part)
        return y

    @pl.function(type=pl.FunctionType.Group)
    def pair(
        self,
        a: pl.Tensor[[64, 32], pl.FP16],
        b: pl.Tensor[[32, 64], pl.FP16],
        y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        self.produce(b, a)
        y = self.consume(y)
        return y


@pl.program
class ExternalMemberInAnotherOrder:
    @pl.function(type=pl.FunctionType.AIC, external_source="/kernels/produce.cpp")
    def produce(self, b: pl.Tensor[[32, 64], pl.FP16], a: pl.Tensor[[64, 32], pl.FP16], y: pl.Tensor[[64, 64], pl.FP32]):
        ...

    @pl.function(type=pl.FunctionType.AIV)
    def consume(
        self,
        a: pl.Tensor[[64, 32], pl.FP16],
        b: pl.Tensor[[32, 64], pl.FP16],
        y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        part: pl.Tile[[32, 64], pl.FP32, pl.Mem.Vec] = pl.tpop_from_aic(split=1)
        y = pl.store(part, [0, 0], y)
        pl.tfree_to_aic(part)
        return y

    @pl.function(type=pl.FunctionType.Group)
    def pair(
        self,
        a: pl.Tensor[[64, 32], pl.FP16],
        b: pl.Tensor[[32, 64], pl.FP16],
        y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        self.produce(b, a, y)
    #   ^^^ group-member-layout: 'pair'; 'produce'; no body
        y = self.consume(a, b, y)
        return y


@pl.program
class ExternalMemberInOrder:
    @pl.function(type=pl.FunctionType.AIC, external_source="/kernels/produce.cpp")
    def produce(self, a: pl.Tensor[[64, 32], pl.FP16], b: pl.Tensor[[32, 64], pl.FP16], y: pl.Tensor[[64, 64], pl.FP32]):
        ...

    @pl.function(type=pl.FunctionType.AIV)
    def consume(
        self,
        a: pl.Tensor[[64, 32], pl.FP16],
        b: pl.Tensor[[32, 64], pl.FP16],
        y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        part: pl.Tile[[32, 64], pl.FP32, pl.Mem.Vec] = pl.tpop_from_aic(split=1)
        y = pl.store(part, [0, 0], y)
        pl.tfree_to_aic(part)
        return y

    @pl.function(type=pl.FunctionType.Group)
    def pair(
        self,
        a: pl.Tensor[[64, 32], pl.FP16],
        b: pl.Tensor[[32, 64], pl.FP16],
        y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        self.produce(a, b, y)
        y = self.consume(a, b, y)
        return y


@pl.program
class NoDependenceOfAPart:
    @pl.function(type=pl.FunctionType.AIC)
    def produce(self, n: pl.Scalar[pl.INDEX], b: pl.Tensor[[32, 64], pl.FP16], a: pl.Tensor[[64, 32], pl.FP16]):
        left = pl.load(a, [n, 0], [64, 32], target_memory=pl.Mem.Mat)
        right = pl.load(b, [0, 0], [32, 64], target_memory=pl.Mem.Mat)
        acc = pl.matmul(pl.move(left, target_memory=pl.Mem.Left), pl.move(right, target_memory=pl.Mem.Right))
        pl.tpush_to_aiv(acc, split=1)

    @pl.function(type=pl.FunctionType.AIV)
    def consume(self, y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        part: pl.Tile[[32, 64], pl.FP32, pl.Mem.Vec] = pl.tpop_from_aic(split=1)
        y = pl.store(part, [0, 0], y)
        pl.tfree_to_aic(part)
        return y

    @pl.function(type=pl.FunctionType.Group)
    def pair(
        self,
        a: pl.Tensor[[64, 32], pl.FP16],
        b: pl.Tensor[[32, 64], pl.FP16],
        y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        self.produce(0, pl.no_dep(b), a)
        y = self.consume(y)
        return y
