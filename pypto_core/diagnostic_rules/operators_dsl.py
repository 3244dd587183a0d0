"""Calls of the language that are refused before an operator sees them (docs/spec/language.md §7.5)."""

from __future__ import annotations

from pypto_core.diagnostics import Rule


def _kernel(*body: str, extra: str = "") -> str:
    """A small core kernel around ``body``; ``x`` is a tensor, ``a`` a tile, ``n`` an INDEX scalar."""
    lines = "\n".join(f"        {line}" for line in body)
    return f"""import pypto.language as pl


@pl.program
class Example:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self, x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]{extra}
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        a = pl.load(x, [0, 0], [64, 64])
{lines}
        res = pl.store(y, [0, 0], out)
        return res
"""


_REGION = """import pypto.language as pl


@pl.program
class Example:
    @pl.function
    def kernel(
        self,
        x: pl.Tensor[[64, 64], pl.FP16],
        w: pl.Tensor[[64, 64], pl.FP16],
        out: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP):
            mm = pl.matmul(x, w, out_dtype=pl.FP32)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                half = {shard}
                out[lane * 32 : lane * 32 + 32, 0:64] = pl.exp(half)
        return out
"""

_INDEX = ", n: pl.Scalar[pl.INDEX]"
_TASKS = """import pypto.language as pl


@pl.program
class Example:
    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[64, 64], pl.FP32]) -> pl.Tensor[[64, 64], pl.FP32]:
        first = pl.system.task_dummy({first})
        second = pl.system.task_dummy(deps=[first])
        return x
"""

RULES: tuple[Rule, ...] = (
    Rule(
        "op-unknown-in-namespace",
        "No such operator in this namespace",
        "The namespace (`pl.tile`, `pl.tensor`, `pl.system`, `pl.array`, `pl.prefetch`, `pld` and its categories) has no "
        "operator of this name. Where another namespace has it, the message says which.",
        failing=_kernel("y = pl.tile.sqrtt(a)"),
        repaired=_kernel("y = pl.tile.sqrt(a)"),
        fix="review",
    ),
    Rule(
        "op-bad-arguments",
        "Arguments do not fit the signature",
        "The call cannot be bound to the operator's signature: too many or missing arguments, a keyword that it does not "
        "have, two values for one parameter, or a combination that no form of the operator takes. The message ends "
        "with the signature.",
        failing=_kernel("y = pl.row_expand_mul(a, pl.row_max(a), clamp=True)"),
        repaired=_kernel(
            "t = pl.create_tile([64, 64], dtype=pl.FP32)", "y = pl.row_expand_mul(a, pl.row_max(a, t))"
        ),
        fix="review",
    ),
    Rule(
        "scalar-left-operand",
        "Scalar in front of a tensor or tile",
        "Element-wise operators take their scalar on the right. Swap the operands of a commutative operator; for a "
        "difference or quotient compute the negative or the reciprocal first.",
        failing=_kernel("y = pl.add(1.0, a)"),
        repaired=_kernel("y = pl.add(a, 1.0)"),
        fix="safe",
    ),
    Rule(
        "index-scalar-operand",
        "INDEX variable as scalar operand",
        "An integer literal takes the element type of the tensor or tile, a variable of type INDEX does not: its "
        "conversion has to be written, so that it is clear in which type the operation computes.",
        failing=_kernel("y = pl.mul(a, n)", extra=_INDEX),
        repaired=_kernel("y = pl.mul(a, pl.cast(n, pl.FP32))", extra=_INDEX),
        fix="safe",
    ),
    Rule(
        "scalar-category-mismatch",
        "Integer and float scalar mixed",
        "A scalar operation needs two integers or two floats. Write the literal in the other form (`1.0` for `1`) or "
        "convert one side with pl.cast.",
        failing=_kernel("y = pl.mul(a, s + 1)", extra=", s: pl.Scalar[pl.FP32]"),
        repaired=_kernel("y = pl.mul(a, s + 1.0)", extra=", s: pl.Scalar[pl.FP32]"),
        fix="sometimes",
    ),
    Rule(
        "shard-gather-form",
        "Malformed crossing between cube and vector",
        "`pl.aiv_shard` and `pl.aic_gather` take one positional operand. Inside a `pl.split_aiv` region the region's mode "
        "decides which axis is split, so no keyword is allowed; outside, `split=` must be given and the operand must be a "
        "tile. A distributed tensor cannot cross.",
        failing=_REGION.format(shard="pl.aiv_shard(mm, split=1)"),
        repaired=_REGION.format(shard="pl.aiv_shard(mm)"),
        fix="review",
    ),
    Rule(
        "alloc-form",
        "Malformed allocation",
        "An allocation, as printed IR shows it, has a memory space and a size in bytes as its two positional arguments and "
        "perhaps `pinned=True` or `pinned=False`.",
        failing=_kernel("buf = pl.tile.alloc(64, 1024)", "y = pl.exp(a)"),
        repaired=_kernel("buf = pl.tile.alloc(pl.Mem.Vec, 1024)", "y = pl.exp(a)"),
    ),
    Rule(
        "task-dummy-form",
        "Malformed empty task",
        "`pl.system.task_dummy` takes exactly the keyword `deps`, a list of task ids to wait for.",
        failing=_TASKS.format(first="[]"),
        repaired=_TASKS.format(first="deps=[]"),
    ),
)
