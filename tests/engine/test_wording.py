"""What is published speaks the author's language: no generated names, no operators that the author did not write, no pass names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pypto_core.diagnostics import Diagnostic, Related
from pypto_core.engine.wording import in_authors_words
from pypto_core.engine.workspace import Settings, Workspace
from pypto_core.ir import Chunk, Span
from pypto_core.ops.dsl import find_callable
from pypto_core.passes.pipeline import PIPELINE
from pypto_lsp.modules import Disk
from tests.engine.test_early_split import BROKEN
from tests.support.golden import GOLDEN, load_yaml

_INTERNAL = re.compile(
    r"__|\bssa|_incore_|(?<![\w.])(?:tile|tensor|system)\.\w|FunctionType::|" + "|".join(PIPELINE)
)
_QUOTED = re.compile(r"'([\w.]+)'")
#: Words in quotes that need not stand in the source: chips, values of options, parameters of operators.
_WORDS = frozenset(
    {"Ascend910B", "Ascend950", "a2a3", "a5", "aiv_only", "aic_only", "lhs", "mix", "rint", "rhs"}
)

REJECTED = Path(__file__).parent.parent / "passes" / "split_rejections"


def golden_errors() -> Iterator[Path]:
    """Sources of golden cases in which something is wrong."""
    for record in sorted(GOLDEN.glob("*/*.yaml")):
        data = load_yaml(record)
        if "error" in data or data.get("diagnostics") or "diagnostic" in data.get("expect", {}):
            yield record.with_suffix(".py")


def published(text: str, path: str, backend: str) -> tuple[Diagnostic, ...]:
    core = Workspace(Disk(), Settings(backend=backend))
    core.open(path, text)
    return core.diagnostics(path)


def texts(finding: Diagnostic) -> list[str]:
    return [finding.message, *(r.message for r in finding.related)]


def foreign_words(text: str, source: str) -> list[str]:
    """Words of a message that an author cannot know."""
    found = _INTERNAL.findall(text)
    for word in _QUOTED.findall(text):
        stands = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", source)
        if stands is None and word not in _WORDS and find_callable(word) is None:
            found.append(word)
    return found


def assert_readable(found: tuple[Diagnostic, ...], source: str) -> None:
    for finding in found:
        for text in texts(finding):
            assert foreign_words(text, source) == [], text
            assert text == text.strip() and text, "a message is a sentence"


SOURCES = [*golden_errors(), *sorted(REJECTED.glob("*.py"))]


@pytest.mark.parametrize("backend", ["a2a3", "a5"])
@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.stem)
def test_golden_errors(path: Path, backend: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert_readable(published(text, str(path), backend), text)


@pytest.mark.parametrize(("path", "text"), BROKEN[::2], ids=lambda v: v.stem if isinstance(v, Path) else "")
def test_broken_regions(path: Path, text: str) -> None:
    assert_readable(published(text, "k.py", "a2a3"), text)


KERNEL = """
    p = pl.matmul(a, b)
    y[0:8, :] = pl.mul(p, 2.0)
    z = x[0:8, :]
    out = pl.tile.store(z, [0, 0], out)
    pl.tpop_from_aic(split=0)
    t: pl.Tensor[[8, 8], pl.FP32],
"""
#: what a verifier or pass says, the source it points at, what is published
SAID = (
    ("cube op 'tile.matmul' inside", "pl.matmul(a, b)", "cube op 'pl.matmul' inside"),
    ("vector op 'tile.muls' outside", "pl.mul(p, 2.0)", "vector op 'pl.mul' outside"),
    ("'tile.row_expand_mul' reads", "pl.mul(p, 2.0)", "'pl.mul' reads"),
    ("'p' read by 'tile.move' here", "pl.mul(p, 2.0)", "'p' read by 'pl.mul' here"),
    ("'tile.store' of 'p__ssa_v0__tile'", "y[0:8, :] = pl.mul(p, 2.0)", "the write to 'y' of 'p'"),
    ("'tile.assemble' of it", "y[0:8, :] = pl.mul(p, 2.0)", "the write to 'y' of it"),
    ("cube op 'tile.assemble' inside", "y[0:8, :] = pl.mul(p, 2.0)", "the cube side's write to 'y' inside"),
    ("'tile.load' is narrow", "x[0:8, :]", "the read of 'x' is narrow"),
    ("'tile.load' is narrow", "t: pl.Tensor[[8, 8], pl.FP32]", "the read of 't' is narrow"),
    ("tile.aiv_shard: too odd", "pl.mul(p, 2.0)", "the crossing to the vector side: too odd"),
    ("use 'system.tfree_to_aic'", "pl.tpop_from_aic(split=0)", "use 'pl.tfree_to_aic'"),
    ("`pl.tile.store(z)` and pld.tensor.put", "x[0:8, :]", "`pl.tile.store(z)` and pld.tensor.put"),
    ("must be a TileType", "x[0:8, :]", "must be a pl.Tile"),
    ("must be a DistributedTensorType", "x[0:8, :]", "must be a pld.DistributedTensor"),
    ("in function 'matmul_aiv'", "x[0:8, :]", "in function 'matmul'"),
)


@pytest.mark.parametrize(("said", "source", "told"), SAID)
def test_words(said: str, source: str, told: str) -> None:
    chunk = Chunk("k.py", KERNEL)
    start = KERNEL.index(source)
    span = Span(chunk, start, start + len(source))
    finding = Diagnostic("code", said, span, related=(Related(said, span),))
    assert texts(in_authors_words(finding)) == [told, told]


def test_an_operator_of_a_related_place_has_the_words_of_that_place() -> None:
    chunk = Chunk("k.py", KERNEL)
    read, region = KERNEL.index("x[0:8, :]"), Span(chunk, 0, 1)
    related = (Related("'tile.load' runs whole", Span(chunk, read, read + 9)),)
    finding = Diagnostic("code", "'tile.load' would run on both lanes", region, related=related)
    assert in_authors_words(finding).message == "the read of 'x' would run on both lanes"


def test_plain_findings_stay_the_same_object() -> None:
    finding = Diagnostic("code", "nothing to say about 'x'", Span(Chunk("k.py", KERNEL), 0, 1))
    assert in_authors_words(finding) is finding
