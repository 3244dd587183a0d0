"""Codes of the front passes: inlining, unrolling, scalar folding, outlining (docs/spec/passes_front.md)."""

from __future__ import annotations

from textwrap import dedent, indent

from pypto_core.diagnostic_rules.samples import T, function, one, program
from pypto_core.diagnostics import Rule

_HEAD = "import pypto.language as pl\n\n\n"


def _picked(body: str) -> str:
    """An inline function with ``body``, and a kernel that calls it."""
    params = f"x: {T}; n: pl.Scalar[pl.INDEX]"
    call = """
        with pl.at(level=pl.Level.CORE_GROUP):
            y = self.pick(x, n)
        return y
    """
    return program(function(body, params, T, "Inline", "pick"), function(call, params))


def _both(result: str) -> str:
    """An inline function that returns what a kernel with two results gives."""
    pair = f"tuple[{T}, {T}]"
    params = f"x: {T}; a: pl.Out[{T}]; b: pl.Out[{T}]"
    two = """
        tile = pl.load(x, [0, 0], [64, 128])
        a = pl.store(tile, [0, 0], a)
        b = pl.store(pl.exp(tile), [0, 0], b)
        return a, b
    """
    both = f"""
        r = self.two(x, a, b)
        return {result}
    """
    main = """
        p, q = self.both(x, a, b)
        return p, q
    """
    return program(
        function(two, params, pair, "InCore", "two"),
        function(both, f"x: {T}; a: {T}; b: {T}", pair, "Inline", "both"),
        function(main, params, pair, "Orchestration"),
    )


def _steps(step: str) -> str:
    body = f"""
        with pl.at(level=pl.Level.CORE_GROUP):
            for i in pl.unroll(0, 4, {step}):
                x = pl.add(x, x)
        return x
    """
    return one(body, f"x: {T}")


def _regions(optimizations: str, work: str) -> str:
    """A product and ``work`` on its lanes; ``self.act(mm, out)`` does it in an inline function."""
    act = """
        for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
            out[lane * 32 : lane * 32 + 32, 0:64] = pl.exp(pl.aiv_shard(mm))
        return out
    """
    main = f"""
        «with pl.at(level=pl.Level.CORE_GROUP{optimizations}):»
            mm = pl.matmul(a, b, out_dtype=pl.FP32)
            {indent(dedent(work).strip(), " " * 12).strip()}
        return out
    """
    half, full = "pl.Tensor[[64, 64], pl.FP16]", "pl.Tensor[[64, 64], pl.FP32]"
    kernel = function(main, f"a: {half}; b: {half}; out: pl.Out[{full}]", full)
    inline = function(act, f"mm: {full}; out: {full}", full, "Inline", "act")
    return program(inline, kernel) if "self.act" in work else program(kernel)


def _waiter(next_block: str) -> str:
    """A wait for a signal, then work that comes after it."""
    body = f"""
        «with pl.at(level=pl.Level.CORE_GROUP):»
            pld.system.defer_wait(signal=signal, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)
        {next_block}
            out[:, :] = pl.exp(x)
        return out
    """
    lines = "\n".join(line for line in body.split("\n") if line.strip())
    params = f"x: {T}; signal: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]; out: pl.Out[{T}]"
    return program(function(lines, params, T, "Orchestration"), distributed=True)


def _launch(before: str, inside: str) -> str:
    """A kernel that is launched over ``blocks`` cores from inside a cluster."""
    scale = """
        i = pl.tile.get_block_idx()
        out = pl.store(pl.exp(pl.load(x, [i, 0], [1, 128])), [i, 0], out)
        return out
    """
    body = f"""
        {before}
        «with pl.cluster():»
            {inside}
            with pl.spmd(blocks):
                out = self.scale(x, out)
        return out
    """
    lines = "\n".join(line for line in body.split("\n") if line.strip())
    return program(
        function(scale, f"x: {T}; out: pl.Out[{T}]", T, "InCore", "scale"),
        function(lines, f"x: {T}; n: pl.Scalar[pl.INDEX]; out: pl.Out[{T}]", T, "Orchestration"),
    )


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
        failing=_picked(
            """
            if n > 0:
                «return pl.add(x, x)»
            return x
            """
        ),
        repaired=_picked(
            """
            if n > 0:
                x = pl.add(x, x)
            return x
            """
        ),
    ),
    Rule(
        "inline-tuple-return",
        "An inline function returns a tuple that is no literal",
        "The elements of a returned tuple take the places of their uses in the caller, so they must be visible: return "
        "`a, b`, or a name that was assigned `(a, b)` in the function.",
        failing=_both("«r»"),
        repaired=_both("r[0], r[1]"),
    ),
    Rule(
        "unroll-bounds",
        "pl.unroll over bounds that are not constant",
        "pl.unroll copies the body once per trip while compiling, so start, stop and step must be integers that are known "
        "then. Use pl.range for a count that is known only at run time.",
        no_source="In a source the same fault is `unroll-const`; this code is for printed IR.",
    ),
    Rule(
        "unroll-step",
        "pl.unroll with step 0",
        "A step of zero never reaches the end of the range.",
        failing=_steps("«0»"),
        repaired=_steps("2"),
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
        failing=_regions(", optimizations=[pl.split(pl.SplitMode.UP_DOWN)]", "out = self.act(mm, out)"),
        repaired=_regions(
            "",
            """
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                out[lane * 32 : lane * 32 + 32, 0:64] = pl.exp(pl.aiv_shard(mm))
            """,
        ),
    ),
    Rule(
        "deferred-waiter",
        "A block with pld.system.defer_wait does something else",
        "A block that registers deferred waits is run by the runtime and not by a core. It may compute scalars, read a "
        "tensor before the first registration and loop a known number of times; it has no results, no predicate and no "
        "early resolve, and registers at most 64 waits.",
        failing=_waiter(""),
        repaired=_waiter("with pl.at(level=pl.Level.CORE_GROUP):"),
    ),
    Rule(
        "spmd-width-inside-cluster",
        "The width of pl.spmd is computed inside its cluster",
        "The number of blocks is needed before the cluster is launched. Compute it in front of `with pl.cluster():`.",
        failing=_launch("", "blocks = n * 2"),
        repaired=_launch("blocks = n * 2", ""),
    ),
)
