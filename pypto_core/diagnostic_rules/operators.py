"""Contracts that operators check on their calls (docs/spec/ops_tile.md, docs/spec/ops_tensor.md)."""

from __future__ import annotations

from pypto_core.diagnostics import Rule


def _kernel(*body: str) -> str:
    """A small core kernel around ``body``."""
    lines = "\n".join(f"        {line}" for line in body)
    return f"""import pypto.language as pl


@pl.program
class Example:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self, x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        a = pl.tile.load(x, [0, 0], [64, 64])
{lines}
        res = pl.tile.store(y, [0, 0], out)
        return res
"""


_REPAIRED = _kernel("y = pl.tile.exp(a)")

RULES: tuple[Rule, ...] = (
    Rule(
        "op-unknown",
        "No such operator",
        "The name is not an operator of the language, or one that only the compiler makes. The nearest names are "
        "suggested where there are any.",
        failing=_kernel("y = pl.expp(a)"),
        repaired=_REPAIRED,
        fix="review",
    ),
    Rule(
        "op-arity",
        "Wrong number of operands",
        "The operator takes another number of positional operands. Some take an optional last one, scratch memory for "
        "instance; the message says how many are legal and what they are called.",
        failing=_kernel("y = pl.tile.mgather(x, pl.tile.cast(a, pl.INT32), coalesce='elem', scratch=x)"),
        repaired=_kernel("y = pl.tile.mgather(x, pl.tile.cast(a, pl.INT32), coalesce='elem')"),
    ),
    Rule(
        "op-keyword",
        "Bad keyword of an operator",
        "A keyword is unknown to the operator, missing although required, of the wrong kind of value, or not allowed "
        "together with the others. An integer does not stand for a boolean, nor an IR value for a compile-time one.",
        failing=_kernel(
            "y = pl.tile.create([64, 64], dtype=pl.FP32, target_memory=pl.Mem.Vec, transpose=True)"
        ),
        repaired=_kernel("y = pl.tile.create([64, 64], dtype=pl.FP32, target_memory=pl.Mem.Vec)"),
    ),
    Rule(
        "op-kind",
        "Operand of the wrong kind",
        "The operator wants another kind of value in this place: a tile where a tensor stands, a scalar, a literal list, "
        "a compile-time constant.",
        failing=_kernel("y = pl.tile.add(a, x)"),
        repaired=_kernel("y = pl.tile.add(a, a)"),
        fix="review",
    ),
    Rule(
        "op-dtype",
        "Element type not supported",
        "The operator does not work on this element type, or its operands need one common type. Cast the operand first; "
        "the message lists what is supported.",
        failing=_kernel("h = pl.tile.cast(a, pl.FP16)", "s = pl.tile.sin(h)", "y = pl.tile.cast(s, pl.FP32)"),
        repaired=_kernel("y = pl.tile.sin(a)"),
        fix="review",
    ),
    Rule(
        "op-shape",
        "Shapes do not fit",
        "Extents of the operands contradict each other or the operator: no common broadcast shape, a window past the end "
        "of its source, a valid region that the operator cannot describe. Valid extents are compared as well as physical "
        "ones, and some rules want the equality of symbolic extents to be provable.",
        failing=_kernel("b = pl.tile.load(x, [0, 0], [32, 64])", "y = pl.tile.add(a, b)"),
        repaired=_kernel("b = pl.tile.load(x, [0, 0], [64, 64])", "y = pl.tile.add(a, b)"),
    ),
    Rule(
        "op-rank",
        "Wrong number of dimensions",
        "An operand has another number of dimensions than the operator works on, or a list of offsets or extents has "
        "another length than the shape it belongs to.",
        failing=_kernel("y = pl.tile.slice(a, [64, 64], [0])"),
        repaired=_kernel("y = pl.tile.slice(a, [64, 64], [0, 0])"),
    ),
    Rule(
        "op-memory",
        "Memory or layout not supported",
        "The operator cannot work on a value in this memory or with this layout, or cannot produce its result there.",
        failing=_kernel("y = pl.tile.create([64, 64], dtype=pl.FP32, target_memory=pl.Mem.LeftScale)"),
        repaired=_kernel("y = pl.tile.create([64, 64], dtype=pl.FP32, target_memory=pl.Mem.Vec)"),
    ),
    Rule(
        "op-value",
        "Value out of range",
        "A compile-time value is outside what the operator accepts: a negative offset, a mode that does not exist, an "
        "extent larger than the tile.",
        failing=_kernel("y = pl.tile.set_validshape(a, 65, 64)"),
        repaired=_kernel("y = pl.tile.set_validshape(a, 64, 64)"),
    ),
)
