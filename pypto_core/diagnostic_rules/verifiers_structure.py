"""Codes of the verifiers of SSA form, types, nested calls and jumps (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from pypto_core.diagnostic_rules.samples import T, one
from pypto_core.diagnostic_rules.verifiers_lowered import internal as _internal
from pypto_core.diagnostics import Rule

_X_N = f"x: {T}; n: pl.Scalar[pl.INDEX]"
_LEAVES = "In a source the same fault is `loop-escape`; this code is for printed IR."


def _carried(value: str, more: str = "") -> str:
    """A loop that starts from ``x`` and yields ``value``."""
    body = f"""
        «for i, (total,) in pl.range(n, init_values=(x,)):»
            result = pl.yield_({value})
        return result
    """
    return one(body, f"{_X_N}; {more}")


def _pair(value: str) -> str:
    """A loop that carries a pair and yields ``value``."""
    body = f"""
        both = (x, x)
        «for i, (pair,) in pl.range(n, init_values=(both,)):»
            result = pl.yield_({value})
        return result[0]
    """
    return one(body, _X_N)


def _tiles(value: str) -> str:
    """A loop that carries a ragged tile and yields ``value``."""
    body = f"""
        part = pl.load(x, [0, 0], [64, 128], [32, 128])
        «for i, (total,) in pl.range(n, init_values=(part,)):»
            result = pl.yield_({value})
        out = pl.store(result, [0, 0], out)
        return out
    """
    return one(body, f"{_X_N}; out: pl.Out[{T}]", kind="InCore")


_SSA = (
    _internal(
        "ssa-multiple-assignment",
        "A variable has two definitions",
        "After conversion to SSA each variable is defined once; loops carry values and branches merge them.",
    ),
    _internal(
        "ssa-missing-yield",
        "A body does not yield its results",
        "A loop that carries values and both sides of a branch with results end in a yield.",
    ),
    _internal(
        "ssa-iter-args",
        "Carried values and results of a loop differ in number",
        "A loop has one result for each value that it carries.",
    ),
    _internal(
        "ssa-yield-count",
        "A yield has the wrong number of values",
        "A yield hands on one value for each result of its loop or branch.",
    ),
    Rule(
        "ssa-scope",
        "A value is used where it may not exist",
        "The name gets its value inside a loop, a branch or a block that is not always run, and is read outside of it. Give "
        "it a value before: a loop that may run zero times leaves the name without one.",
        failing=one(
            """
            for i in pl.range(n):
                «y» = pl.add(x, x)
            return y
            """,
            _X_N,
        ),
        repaired=one(
            """
            y = pl.mul(x, 1.0)
            for i in pl.range(n):
                y = pl.add(x, x)
            return y
            """,
            _X_N,
        ),
    ),
    _internal(
        "ssa-misplaced-yield", "A yield is not last", "Nothing runs after the yield of a loop or branch body."
    ),
)

_TYPES = (
    Rule(
        "type-kind-mismatch",
        "Two different kinds of values meet",
        "A carried value, a branch result or a yield must be of one kind throughout: a tile stays a tile, a tensor a tensor.",
        failing=_carried("s", "s: pl.Scalar[pl.FP32]"),
        repaired=_carried("pl.mul(total, s)", "s: pl.Scalar[pl.FP32]"),
    ),
    Rule(
        "type-dtype-mismatch",
        "Two element types meet",
        "A value that a loop carries or that both sides of a branch give must keep its element type. Cast it before the "
        "yield.",
        failing=_carried("pl.cast(total, pl.BF16)", ""),
        repaired=_carried("pl.add(total, x)", ""),
    ),
    Rule(
        "type-rank-mismatch",
        "Two numbers of dimensions meet",
        "A value that a loop carries or that both sides of a branch give must keep its number of dimensions; a valid shape "
        "has as many dimensions as the shape.",
        failing=_carried("y", "y: pl.Tensor[[64, 128, 1], pl.FP32]"),
        repaired=_carried("pl.reshape(y, [64, 128])", "y: pl.Tensor[[64, 128, 1], pl.FP32]"),
    ),
    Rule(
        "type-extent-mismatch",
        "Two extents differ",
        "A value that a loop carries or that both sides of a branch give must provably keep its extents, and a valid extent "
        "must stay inside the shape.",
        failing=_carried("total[0:32, 0:128]", ""),
        repaired=_carried("pl.add(total, x)", ""),
    ),
    Rule(
        "type-size-mismatch",
        "Two numbers of values meet",
        "Carried values, yielded values and results are lists of equal length; so are tuples that meet.",
        failing=_pair("(x, x, x)"),
        repaired=_pair("(pair[1], pair[0])"),
    ),
    Rule(
        "condition-not-scalar",
        "A condition is not a scalar",
        "The control flow of a kernel depends on scalars. Read an element of the tensor or tile first: `pl.read(x, [0])`.",
        no_source="In a source the same fault is `cond-not-bool`; this code is for printed IR.",
    ),
    Rule(
        "range-not-scalar",
        "A loop bound is not a scalar",
        "Start, stop and step of a loop are scalars. Read an element of the tensor first.",
        no_source="In a source the same fault is `loop-bound`; this code is for printed IR.",
    ),
    Rule(
        "condition-not-bool",
        "A condition is a number",
        "There is no implicit truth of numbers in a kernel. Say what is meant: `if n > 0:` or `if n != 0:`.",
        fix="review",
        no_source="In a source the same fault is `cond-not-bool`; this code is for printed IR.",
    ),
    Rule(
        "type-pad-mismatch",
        "Two paddings meet",
        "Tensors that meet in a loop or branch must agree on what lies outside their valid shape.",
        failing=_carried("y", "y: pl.Tensor[[64, 128], pl.FP32, pl.TensorView(pad=pl.PadValue.zero)]"),
        repaired=_carried(
            "pl.add(total, x)", "y: pl.Tensor[[64, 128], pl.FP32, pl.TensorView(pad=pl.PadValue.zero)]"
        ),
    ),
    Rule(
        "type-window-mismatch",
        "Distributed tensors of two windows meet",
        "A distributed tensor belongs to one communication window; a loop or branch cannot change it.",
        no_source="A distributed tensor knows its window only after MaterializeCommDomainScopes, which comes after the passes that are run here.",
    ),
    Rule(
        "type-tile-view-mismatch",
        "Tiles of two layouts meet",
        "Tiles that meet in a loop or branch must lie in memory in the same way.",
        failing=_tiles("pl.set_validshape(pl.fillpad(total, pad_value=pl.PadValue.zero), 32, 128)"),
        repaired=_tiles("pl.exp(total)"),
    ),
)

_NESTED = tuple(
    _internal(code, f"A call stands in {place}", "Each call gets a statement of its own before lowering.")
    for code, place in (
        ("nested-call-argument", "the arguments of another call"),
        ("nested-call-condition", "an if condition"),
        ("nested-call-range", "a loop range"),
        ("nested-call-binary", "a binary expression"),
        ("nested-call-unary", "a unary expression"),
        ("nested-call-while", "a while condition"),
    )
)

_LEAVING = tuple(
    Rule(
        f"{keyword}-in-{kind}",
        f"{keyword} inside pl.{kind}",
        f"The iterations of a pl.{kind} loop do not run one after the other, so none of them can "
        f"{'end the loop' if keyword == 'break' else 'go on to the next'}. Use pl.range.",
        fix="review",
        no_source=_LEAVES,
    )
    for keyword in ("break", "continue")
    for kind in ("parallel", "unroll")
) + tuple(
    Rule(
        f"{keyword}-outside-loop",
        f"{keyword} without a loop",
        f"`{keyword}` belongs to a loop around it.",
        no_source=_LEAVES,
    )
    for keyword in ("break", "continue")
)

RULES: tuple[Rule, ...] = (*_SSA, *_TYPES, *_NESTED, *_LEAVING)
