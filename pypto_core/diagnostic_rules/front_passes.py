"""Codes of the front passes: inlining, unrolling, scalar folding, outlining (docs/spec/passes_front.md)."""

from __future__ import annotations

from pypto_core.diagnostics import Rule

_HEAD = "import pypto.language as pl\n\n\n"

RULES: tuple[Rule, ...] = (
    Rule(
        "inline-recursion",
        "An inline function calls itself",
        "The body of an inline function is copied into each caller. A function that reaches itself, directly or through "
        "other inline functions, would be copied for ever. Break the cycle, or make one of the functions a kernel of its "
        "own, which is called and not copied.",
        failing=_HEAD
        + """@pl.program
class P:
    @pl.function(type=pl.FunctionType.Inline)
    def ping(self, t: pl.Tensor[[16], pl.FP32]) -> pl.Tensor[[16], pl.FP32]:
        r = self.pong(t)
        return r

    @pl.function(type=pl.FunctionType.Inline)
    def pong(self, t: pl.Tensor[[16], pl.FP32]) -> pl.Tensor[[16], pl.FP32]:
        r = self.ping(t)
        return r

    @pl.function
    def main(self, a: pl.Tensor[[16], pl.FP32]) -> pl.Tensor[[16], pl.FP32]:
        r = self.ping(a)
        return r
""",
        repaired=_HEAD
        + """@pl.program
class P:
    @pl.function(type=pl.FunctionType.Inline)
    def ping(self, t: pl.Tensor[[16], pl.FP32]) -> pl.Tensor[[16], pl.FP32]:
        r: pl.Tensor[[16], pl.FP32] = pl.add(t, t)
        return r

    @pl.function
    def main(self, a: pl.Tensor[[16], pl.FP32]) -> pl.Tensor[[16], pl.FP32]:
        r = self.ping(a)
        return r
""",
    ),
    Rule(
        "inline-return",
        "An inline function returns in the middle",
        "An inline function is spliced into its caller, so it can end only at its end. Compute the value in the branches "
        "and return it once, as the last statement.",
    ),
    Rule(
        "inline-tuple-return",
        "An inline function returns a tuple that is no literal",
        "The elements of a returned tuple take the places of their uses in the caller, so they must be visible: return "
        "`a, b`, or a name that was assigned `(a, b)` in the function.",
    ),
    Rule(
        "unroll-bounds",
        "pl.unroll over bounds that are not constant",
        "pl.unroll copies the body once per trip while compiling, so start, stop and step must be integers that are known "
        "then. Use pl.range for a count that is known only at run time.",
    ),
    Rule(
        "unroll-step",
        "pl.unroll with step 0",
        "A step of zero never reaches the end of the range.",
    ),
    Rule(
        "unroll-trips",
        "pl.unroll over more than 1024 trips",
        "Each trip is a copy of the body. Above 1024 copies the kernel grows past what the compiler accepts: shorten the "
        "range, or use pl.range, which keeps the loop.",
        failing=_HEAD
        + """@pl.program
class P:
    @pl.function
    def main(self, x: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
        for i in pl.unroll(1025):
            x = pl.add(x, x)
        return x
""",
        repaired=_HEAD
        + """@pl.program
class P:
    @pl.function
    def main(self, x: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
        for i in pl.range(1025):
            x = pl.add(x, x)
        return x
""",
    ),
    Rule(
        "constant-division-by-zero",
        "A scalar is divided by a constant zero",
        "A scalar that is known while compiling is zero and stands on the right of `//` or `%`.",
        failing=_HEAD
        + """@pl.program
class P:
    @pl.function
    def main(self, o: pl.Tensor[[64], pl.INDEX], n: pl.Scalar[pl.INDEX]) -> pl.Tensor[[64], pl.INDEX]:
        z: pl.Scalar[pl.INDEX] = 0
        pl.write(o, [0], n // z)
        return o
""",
        repaired=_HEAD
        + """@pl.program
class P:
    @pl.function
    def main(self, o: pl.Tensor[[64], pl.INDEX], n: pl.Scalar[pl.INDEX]) -> pl.Tensor[[64], pl.INDEX]:
        z: pl.Scalar[pl.INDEX] = 2
        pl.write(o, [0], n // z)
        return o
""",
    ),
    Rule(
        "no-dep-not-captured",
        "no_dep_args names a tensor that the block does not use",
        "`no_dep_args=[...]` switches off dependency tracking for arguments of the kernel that a `pl.at` block becomes. A "
        "tensor that the block does not read or write is no argument. Remove it from the list, or use it.",
        failing=_HEAD
        + """@pl.program
class P:
    @pl.function
    def main(
        self, x: pl.Tensor[[64], pl.FP32], w: pl.Tensor[[64], pl.FP32]
    ) -> pl.Tensor[[64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, no_dep_args=[w]):
            y: pl.Tensor[[64], pl.FP32] = pl.mul(x, x)
        return y
""",
        repaired=_HEAD
        + """@pl.program
class P:
    @pl.function
    def main(
        self, x: pl.Tensor[[64], pl.FP32], w: pl.Tensor[[64], pl.FP32]
    ) -> pl.Tensor[[64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, no_dep_args=[w]):
            y: pl.Tensor[[64], pl.FP32] = pl.mul(x, w)
        return y
""",
    ),
    Rule(
        "split-region-conflict",
        "pl.split together with a pl.split_aiv region",
        "`pl.split(mode)` asks the compiler to split the whole block over the two lanes; a `pl.split_aiv` region says which "
        "part runs on the lanes. One block uses one of the two.",
        fix="review",
    ),
    Rule(
        "deferred-waiter",
        "A block with pld.system.defer_wait does something else",
        "A block that registers deferred waits is run by the runtime and not by a core. It may compute scalars, read a "
        "tensor before the first registration and loop a known number of times; it has no results, no predicate and no "
        "early resolve, and registers at most 64 waits.",
    ),
    Rule(
        "spmd-width-inside-cluster",
        "The width of pl.spmd is computed inside its cluster",
        "The number of blocks is needed before the cluster is launched. Compute it in front of `with pl.cluster():`.",
    ),
)
