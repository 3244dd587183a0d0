"""Codes of the verifiers, warnings and hints (docs/spec/verifiers.md)."""

from __future__ import annotations

from pypto_core.diagnostic_rules import verifiers_authors, verifiers_lowered, verifiers_structure
from pypto_core.diagnostic_rules.samples import T, one
from pypto_core.diagnostics import Rule, Severity

_HEAD = "import pypto.language as pl\n\n\n"


def _blocks(load: str, store: str) -> str:
    """A kernel that works on blocks of ``x``."""
    body = f"""
        for i in pl.range(16):
            tile = {load}
            out = {store}
        return out
    """
    return one(body, f"x: {T}; out: pl.Out[{T}]", kind="InCore")


_ADVICE = (
    Rule(
        "unused-variable",
        "A value is never read",
        "The name is assigned and never used. Delete the statement, or drop the name when the statement is there for its "
        "effect.",
        Severity.WARNING,
        failing=_HEAD
        + """@pl.program
class P:
    @pl.function
    def kern(self, x: pl.Tensor[[16, 16], pl.FP32]) -> pl.Tensor[[16, 16], pl.FP32]:
        y: pl.Tensor[[16, 16], pl.FP32] = pl.add(x, 1.0)
        z: pl.Tensor[[16, 16], pl.FP32] = pl.mul(x, 2.0)
        return z
""",
        repaired=_HEAD
        + """@pl.program
class P:
    @pl.function
    def kern(self, x: pl.Tensor[[16, 16], pl.FP32]) -> pl.Tensor[[16, 16], pl.FP32]:
        z: pl.Tensor[[16, 16], pl.FP32] = pl.mul(x, 2.0)
        return z
""",
        fix="review",
        tags=("unnecessary",),
    ),
    Rule(
        "unused-result",
        "A loop or branch result is never read",
        "The value is carried or merged for nothing.",
        Severity.WARNING,
        tags=("unnecessary",),
        no_source="As in the compiler, the check is off unless it is asked for by name: `UnusedControlFlowResult`.",
    ),
    Rule(
        "out-param-write-dropped",
        "An Out parameter is given another value",
        "`out = value` makes the name stand for another tensor; the caller's buffer is not written. `out[:] = value` writes "
        "into it. Rebinding to something computed from the parameter itself is how a store is written, and is fine.",
        Severity.WARNING,
        failing=_HEAD
        + """@pl.program
class P:
    @pl.function
    def kern(
        self,
        a: pl.Tensor[[16, 16], pl.FP32],
        b: pl.Tensor[[16, 16], pl.FP32],
        out: pl.Out[pl.Tensor[[16, 16], pl.FP32]],
    ) -> pl.Tensor[[16, 16], pl.FP32]:
        out = pl.add(a, b)
        return out
""",
        repaired=_HEAD
        + """@pl.program
class P:
    @pl.function
    def kern(
        self,
        a: pl.Tensor[[16, 16], pl.FP32],
        b: pl.Tensor[[16, 16], pl.FP32],
        out: pl.Out[pl.Tensor[[16, 16], pl.FP32]],
    ) -> pl.Tensor[[16, 16], pl.FP32]:
        out[:, :] = pl.add(a, b)
        return out
""",
        fix="review",
    ),
    Rule(
        "out-param-undeclared",
        "A parameter that is written is declared as an input",
        "The compiler finds out by itself which parameters a kernel writes, and makes them Out, or InOut where the kernel reads them "
        "as well. Who calls the kernel, and who reads it, sees the declaration alone: write `pl.Out[...]` or `pl.InOut[...]`.",
        Severity.HINT,
        each_place=True,
        failing=_HEAD
        + """@pl.jit
def grow(x: pl.Tensor[[64, 128], pl.FP32], «y: pl.Tensor[[64, 128], pl.FP32]»):
    with pl.at(level=pl.Level.CORE_GROUP):
        y[:, :] = pl.exp(x)
    return y
""",
        repaired=_HEAD
        + """@pl.jit
def grow(x: pl.Tensor[[64, 128], pl.FP32], y: pl.Out[pl.Tensor[[64, 128], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        y[:, :] = pl.exp(x)
    return y
""",
        fix="safe",
    ),
    Rule(
        "tile-innermost-dim",
        "Short rows between global and on-chip memory",
        "Global memory is moved in bursts. When the innermost dimension of a tile is shorter than the recommended size (512 "
        "bytes on a2a3, 128 on a5), each row wastes part of a burst. Make the last dimension longer, or load several rows "
        "as one.",
        Severity.HINT,
        failing=_blocks("«pl.load(x, [0, 8 * i], [64, 8])»", "pl.store(pl.exp(tile), [0, 8 * i], out)"),
        repaired=_blocks("pl.load(x, [4 * i, 0], [4, 128])", "pl.store(pl.exp(tile), [4 * i, 0], out)"),
    ),
)

RULES: tuple[Rule, ...] = (
    *verifiers_structure.RULES,
    *verifiers_authors.RULES,
    *verifiers_lowered.RULES,
    *_ADVICE,
)
