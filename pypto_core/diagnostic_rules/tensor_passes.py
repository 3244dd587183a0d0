"""Codes of ConvertTensorToTileOps (docs/spec/passes_tensor_to_tile.md)."""

from __future__ import annotations

from pypto_core.diagnostics import Rule

RULES: tuple[Rule, ...] = (
    Rule(
        "store-channel-mixed",
        "One tensor is written by tile stores and by scalar stores",
        "Inside one kernel a tensor in global memory is written both as whole tiles (`pl.assemble`, `pl.store`) and element by element "
        "(`pl.write`). The two go through different engines that do not wait for one another, so the result would depend on their speed. "
        "Write the tensor one way: put the elements into the tile before it is stored, or split the kernel in two.",
        failing="""import pypto.language as pl


@pl.program
class Marked:
    @pl.function(type=pl.FunctionType.InCore)
    def mark(
        self,
        o: pl.Out[pl.Tensor[[64, 128], pl.FP32]],
        x: pl.Tensor[[16, 128], pl.FP32],
        v: pl.Scalar[pl.FP32],
    ) -> pl.Tensor[[64, 128], pl.FP32]:
        u = pl.assemble(o, pl.exp(x), [0, 0])
        pl.tensor.write(u, [20, 0], v)
        return u
""",
        repaired="""import pypto.language as pl


@pl.program
class Marked:
    @pl.function(type=pl.FunctionType.InCore)
    def mark(
        self,
        o: pl.Out[pl.Tensor[[64, 128], pl.FP32]],
        x: pl.Tensor[[16, 128], pl.FP32],
        v: pl.Scalar[pl.FP32],
    ) -> pl.Tensor[[64, 128], pl.FP32]:
        e = pl.exp(x)
        e = pl.tensor.write(e, [15, 0], v)
        u = pl.assemble(o, e, [0, 0])
        return u
""",
    ),
)
