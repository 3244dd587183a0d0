"""What is said about lane regions while typing is part of what is said after lowering (docs/spec/design/decisions.md 8)."""

from __future__ import annotations

from pathlib import Path

import pytest

from pypto_core.diagnostics import Diagnostic, PassError, Severity
from pypto_core.engine.lowering import PassMemory, early_findings, with_split_findings
from pypto_core.engine.workspace import Settings, Workspace
from pypto_core.frontend import ParseResult, parse
from pypto_core.ir import Program
from pypto_core.passes.pipeline import make_pass, passes_until
from pypto_core.verify.aiv_split import verify_aiv_split
from tests.support.golden import GOLDEN
from tests.support.regions import broken_regions

BACKEND = "a2a3"
#: After these passes AivSplitValid is verified.
POINTS = frozenset({"OutlineIncoreScopes", "ConvertTensorToTileOps", "InferTileMemorySpace"})
SOURCES = sorted(
    f
    for folder in ("kernels", "kernels/mini_decoder", "split", "reports")
    for f in (GOLDEN / folder).glob("*.py")
)
REGIONS = [
    f
    for f in SOURCES
    if "split_aiv" in f.read_text(encoding="utf-8") or "CORE_GROUP" in f.read_text(encoding="utf-8")
]


def read(text: str, path: Path) -> ParseResult:
    def module(name: str, *_: object) -> str | None:
        file = path.parent / (name.replace(".", "/") + ".py")
        return file.read_text(encoding="utf-8") if file.exists() else None

    return parse(text, str(path), resolver=module)


def places(found: list[Diagnostic] | tuple[Diagnostic, ...]) -> set[tuple[str, int, int, int, int]]:
    return {(d.code, d.span.line, d.span.column, d.span.end_line, d.span.end_column) for d in found}


def late(program: Program) -> list[Diagnostic] | None:
    """The findings of all verification points, whatever the earlier ones say; None when a pass refuses the program before the last."""
    found: list[Diagnostic] = []
    for name in passes_until("InferTileMemorySpace"):
        try:
            program = make_pass(name, BACKEND)(program)
        except PassError:
            return None
        if name in POINTS:
            found += verify_aiv_split(program)
    return found


def early(program: Program) -> tuple[Diagnostic, ...]:
    return with_split_findings(early_findings(program, BACKEND), program, BACKEND, PassMemory()).split


def compare(text: str, path: Path) -> tuple[int, int, int]:
    """Early findings, late ones, and programs compared."""
    result = read(text, path)
    counts = [0, 0, 0]
    for entry, program in result.programs.items():
        if entry in {name for name, _ in result.incomplete}:
            continue
        after = late(program)
        if after is None:
            continue
        before = early(program)
        extra = places(before) - places(after)
        assert not extra, (extra, text)
        counts = [counts[0] + len(places(before)), counts[1] + len(places(after)), counts[2] + 1]
    return counts[0], counts[1], counts[2]


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.stem)
def test_golden_sources(path: Path) -> None:
    compare(path.read_text(encoding="utf-8"), path)


PER_FILE = 4


def sample(path: Path) -> list[str]:
    """Some of the broken forms of a file, spread over all kinds."""
    texts = list(dict.fromkeys(broken_regions(path.read_text(encoding="utf-8"))))
    return texts[:: max(len(texts) // PER_FILE, 1)]


BROKEN = [(path, text) for path in REGIONS for text in sample(path)]


@pytest.mark.parametrize(("path", "text"), BROKEN, ids=lambda v: v.stem if isinstance(v, Path) else "")
def test_broken_regions(path: Path, text: str) -> None:
    compare(text, path)


KERNEL = """import pypto.language as pl

@pl.jit
def kernel(
    a: pl.Tensor[[64, 64], pl.FP16],
    b: pl.Tensor[[64, 64], pl.FP16],
    x: pl.Tensor[[64, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP):
{body}
    return y
"""
REGION = "for lane in pl.split_aiv(2, mode=pl.SplitMode.{}):"
#: code, the text that the finding covers, the statements of the kernel
BODIES = (
    (
        "aiv-cube-in-region",
        "pl.matmul(a, b, out_dtype=pl.FP32)",
        [REGION.format("NONE"), "    p = pl.matmul(a, b, out_dtype=pl.FP32)", "    y[:, :] = pl.exp(x)"],
    ),
    (
        "aiv-reduce-split-axis",
        "pl.col_sum(h)",
        [
            "p = pl.matmul(a, b, out_dtype=pl.FP32)",
            REGION.format("UP_DOWN"),
            "    h = pl.aiv_shard(p)",
            "    s = pl.col_sum(h)",
            "    y[lane * 32 : lane * 32 + 32, :] = pl.col_expand_add(h, s)",
        ],
    ),
    (
        "aiv-reduce-split-axis",
        "pl.row_max(h)",
        [
            "p = pl.matmul(a, b, out_dtype=pl.FP32)",
            REGION.format("LEFT_RIGHT"),
            "    h = pl.aiv_shard(p)",
            "    s = pl.row_max(h)",
            "    y[:, lane * 32 : lane * 32 + 32] = pl.row_expand_sub(h, s)",
        ],
    ),
    (
        "aiv-boundary-memory",
        "pl.aiv_shard(e)",
        [
            REGION.format("UP_DOWN"),
            "    e = pl.exp(x)",
            "    y[lane * 32 : lane * 32 + 32, :] = pl.aiv_shard(e)",
        ],
    ),
    (
        "aiv-vector-outside-region",
        "pl.exp(x)",
        [
            "e = pl.exp(x)",
            "p = pl.matmul(a, b, out_dtype=pl.FP32)",
            REGION.format("NONE"),
            "    y[:, :] = pl.add(pl.aiv_shard(p), e)",
        ],
    ),
    (
        "aiv-unnamed-gather",
        "pl.matmul(v, b, out_dtype=pl.FP32)",
        [
            REGION.format("NONE"),
            "    v = pl.add(a, a)",
            "y[:, :] = pl.matmul(v, b, out_dtype=pl.FP32)",
        ],
    ),
    (
        "aiv-unnamed-shard",
        "pl.exp(p)",
        [
            "p = pl.matmul(a, b, out_dtype=pl.FP32)",
            REGION.format("NONE"),
            "    y[:, :] = pl.exp(p)",
        ],
    ),
    (
        "aiv-boundary-other-region",
        "pl.exp(h)",
        [
            "p = pl.matmul(a, b, out_dtype=pl.FP32)",
            REGION.format("UP_DOWN"),
            "    h = pl.aiv_shard(p)",
            REGION.format("UP_DOWN"),
            "    y[lane * 32 : lane * 32 + 32, :] = pl.exp(h)",
        ],
    ),
    (
        "aiv-mixed-boundary-modes",
        "pl.aiv_shard(p)",
        [
            "p = pl.matmul(a, b, out_dtype=pl.FP32)",
            REGION.format("NONE"),
            "    y[:, :] = pl.aiv_shard(p)",
            REGION.format("UP_DOWN"),
            "    y[lane * 32 : lane * 32 + 32, :] = pl.aiv_shard(p)",
        ],
    ),
)


@pytest.mark.parametrize(("code", "covers", "body"), BODIES, ids=[f"{c}-{t[:10]}" for c, t, _ in BODIES])
def test_jit_kernel_while_typing(code: str, covers: str, body: list[str]) -> None:
    """The finding is there before anything is lowered, and the lowering adds no second one at its place."""
    core = Workspace(settings=Settings(backend=BACKEND))
    core.open("k.py", KERNEL.format(body="\n".join("        " + line for line in body)))
    typed = [d for d in core.typing_diagnostics("k.py") if d.severity is Severity.ERROR]
    assert [(d.code, d.span.text) for d in typed] == [(code, covers)]
    assert "lowered" not in core.db.computed
    everything = core.diagnostics("k.py")
    assert [d.message for d in everything if d.code == code and d.span.text == covers] == [typed[0].message]


INLINED = """import pypto.language as pl

@pl.jit.inline
def prepared(t: pl.Tensor[[64, 64], pl.FP32]):
    return pl.exp(t)

@pl.jit
def kernel(
    x: pl.Tensor[[64, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP):
        e = prepared(x)
        for lane in pl.split_aiv(2, mode=pl.SplitMode.NONE):
            y[:, :] = pl.neg(e)
    return y
"""


def test_inlined_function_while_typing() -> None:
    """A fault in an inlined function is found in the kernel that inlines it, with the call beside it."""
    core = Workspace(settings=Settings(backend=BACKEND))
    core.open("k.py", INLINED)
    (found,) = (d for d in core.typing_diagnostics("k.py") if d.severity is Severity.ERROR)
    assert (found.code, found.span.text) == ("aiv-vector-outside-region", "pl.exp(t)")
    assert [r.span.text for r in found.related] == ["prepared(x)"]
