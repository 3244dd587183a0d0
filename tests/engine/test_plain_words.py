"""What is published instead of the compiler's own words (pypto_core/engine/plain_words.py)."""

from __future__ import annotations

import pytest

from pypto_core import Diagnostic, Severity, Span, Workspace, rules
from pypto_core.engine.plain_words import plain_message

TIDIED = (
    ("'pl.tile.sin': The operator tile.sin is FP32-only, but got fp16", "'pl.tile.sin' is FP32-only, but got FP16"),
    ("'pl.add': pl.tensor.add requires a tile", "'pl.add' requires a tile"),
    ("'pl.tile.set_validshape': tile.set_validshape: 65 exceeds 64", "'pl.tile.set_validshape': 65 exceeds 64"),
    ("'pl.add': pl.mul is another operator", "'pl.add': pl.mul is another operator"),
    ("'pl.add': the scalar must be right, got (ConstFloat, Tile)", "'pl.add': the scalar must be right, got (a number, Tile)"),
    ("'fp32' is annotated bfloat16, `fp16` is int8", "'fp32' is annotated BF16, `fp16` is INT8"),
    ("Scalar operand has dtype `index`: cast it", "Scalar operand has dtype pl.INDEX: cast it"),
    ("x.fp32 and fp32(x) and fp321", "x.fp32 and fp32(x) and fp321"),
)  # fmt: skip


@pytest.mark.parametrize(("raw", "published"), TIDIED)
def test_tidied(raw: str, published: str) -> None:
    assert plain_message(Diagnostic("op-kind", raw, Span(None, 0, 0))) == published


#: code -> words that say what is wrong, why, and what to write
SAYS = {
    "aiv-cube-in-region": ("cube op 'pl.matmul'", "vector lanes, which have no cube unit", "above or below"),
    "aiv-boundary-outside-region": ("outside every pl.split_aiv region", "no lanes", "wrap it in"),
    "aiv-unnamed-gather": ("'v' is made on the vector lanes", "does not see", "`v = pl.aic_gather(v)`"),
    "aiv-unnamed-shard": ("'mm' is made by 'pl.matmul'", "do not see", "`mm = pl.aiv_shard(mm)`"),
    "aiv-boundary-loop-carried": (
        "'share' is carried from one turn of the loop to the next",
        "one iteration",
        "inside the loop",
    ),
    "cast-no-path": ("cannot convert INT8 to FP32", "keep the values", "cast to a type in between"),
    "inline-recursion": ("ping -> pong -> ping", "never end", "break the circle"),
    "orphan-operator": ("'pl.add' computes", "no core runs it", "pl.at(level=pl.Level.CORE_GROUP)"),
    "unroll-trips": ("1025 times", "at most 1024", "use pl.range"),
    "unused-variable": ("'y' is never read", "delete the assignment"),
    "split-generator": ("'pl.arange' makes values that depend on position", "first half", "before the split"),
}


@pytest.mark.parametrize("code", SAYS)
def test_what_why_and_what_to_write(code: str) -> None:
    workspace = Workspace()
    workspace.open("kernel.py", rules()[code].failing)
    (message, *_) = [d.message for d in workspace.diagnostics("kernel.py") if d.code == code]
    positions = [message.index(words) for words in SAYS[code]]
    assert positions == sorted(positions)


def test_a_finding_that_knows_less_keeps_its_words() -> None:
    raw = Diagnostic("unroll-trips", "too many trips", Span(None, 0, 0), Severity.ERROR)
    assert plain_message(raw) == "too many trips"
