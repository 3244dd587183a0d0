"""Comments that ignore findings: codes that do not exist, and comments that ignore nothing, are told."""

from __future__ import annotations

import pytest

import pypto_core as pc
from pypto_core.fixes import Source, apply_edits, fixes_for
from tests.cli.kernels import BAD, BAD_CODE, BAD_LINE, GOOD

FILE = "/k.py"
GOOD_LINE = next(line for line in GOOD.splitlines() if "pl.add" in line)

#: A function that JIT kernels call, and one that calls it.
CALLED = """

@pl.jit.{form}
def helper(x: pl.Tensor[[64, 256], pl.FP32], y: pl.Out[pl.Tensor[[64, 256], pl.FP32]]):
    y[:, :] = pl.exp(x)  # pypto: ignore[tile-innermost-dim]
    return y
"""
CALLER = """

@pl.jit
def entry(x: pl.Tensor[[64, 256], pl.FP32], y: pl.Out[pl.Tensor[[64, 256], pl.FP32]]):
    y = helper(x, y)
    return y
"""


def good(comment: str) -> str:
    return GOOD.replace(GOOD_LINE, f"{GOOD_LINE}  {comment}")


def bad(comment: str) -> str:
    return BAD.replace(BAD_LINE, BAD_LINE.rstrip("\n") + f"  {comment}\n")


def found(text: str) -> list[tuple[str, str]]:
    """Code and underlined text of the findings about comments."""
    core = pc.Workspace()
    core.open(FILE, text)
    return [(d.code, d.span.text) for d in core.diagnostics(FILE) if d.code.startswith("ignore-")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (bad(f"# pypto: ignore[{BAD_CODE}]"), []),
        (bad("# pypto: ignore[aiv-*]"), []),
        (bad("# pypto: ignore"), []),
        (bad("# pypto: ignored by nobody"), []),
        (bad("# pypto: ignore[nope]"), [("ignore-unknown", "nope")]),
        (bad(f"# pypto: ignore[{BAD_CODE}, nope , op-shap]"), [("ignore-unknown", "nope"), ("ignore-unknown", "op-shap")]),
        (bad("# pypto: ignore: nope"), [("ignore-unknown", "nope")]),
        (bad("# pypto: ignore[nope-*]"), [("ignore-unknown", "nope-*")]),
        (bad(f"# pypto: ignore[{BAD_CODE}"), [("ignore-unknown", f"# pypto: ignore[{BAD_CODE}")]),
        (bad("; '# pypto: ignore[nope]'"), []),
        (bad("# pypto: ignore[nope, ignore-unknown]"), []),
        # While an error stands, later stages may not have been reached: nothing is called unused.
        (bad("# pypto: ignore[op-shape]"), []),
        (good("# pypto: ignore[op-shape]"), [("ignore-unused", "op-shape")]),
        (good("# pypto: ignore[op-*]  # since"), [("ignore-unused", "op-*")]),
        (good("# pypto: ignore"), [("ignore-unused", "# pypto: ignore")]),
        (good("# pypto: ignore[op-shape, ignore-unused]"), []),
        ("# pypto: ignore[nope]\n" + GOOD, [("ignore-unknown", "nope")]),
        # A function that JIT kernels call has the shapes of its callers, who may be in other files.
        ("import pypto.language as pl\n" + CALLED.format(form="incore"), []),
        ("import pypto.language as pl\n" + CALLED.format(form="inline"), []),
        ("import pypto.language as pl\n" + CALLED.format(form="incore") + CALLER, []),
        # Outside the kernels: what is ignored there may be found from another file.
        ("# pypto: ignore[op-shape]\n" + GOOD, []),
    ],
)  # fmt: skip
def test_told(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


def test_a_near_code_is_suggested() -> None:
    core = pc.Workspace()
    core.open(FILE, good("# pypto: ignore[OP-SHAPES]"))
    [finding] = [d for d in core.diagnostics(FILE) if d.code == "ignore-unknown"]
    assert finding.message.endswith("; did you mean op-shape?")


@pytest.mark.parametrize(
    ("comment", "repaired"),
    [
        ("# pypto: ignore[op-shap]", "  # pypto: ignore[op-shape]"),
        ("# pypto: ignore[op-shape]", ""),
        ("# pypto: ignore", ""),
        ("# noqa  # pypto: ignore[op-shape]", "  # noqa"),
        ("# pypto: ignore[op-shape, ignore-unknown]", "  # pypto: ignore[ignore-unknown]"),
        ("# pypto: ignore[ignore-unknown, op-shape]", "  # pypto: ignore[op-shape]"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_repairs(comment: str, repaired: str, end: str) -> None:
    text = good(comment).replace("\n", end)
    core = pc.Workspace()
    core.open(FILE, text)
    finding = next(d for d in core.diagnostics(FILE) if d.code.startswith("ignore-"))
    [fix] = fixes_for(finding, Source(FILE, text))
    assert apply_edits(text, fix.edits) == GOOD.replace(GOOD_LINE, GOOD_LINE + repaired).replace("\n", end)


def test_ignored_codes_of_the_settings() -> None:
    core = pc.Workspace(settings=pc.Settings(ignore=frozenset({"ignore-unused"})))
    core.open(FILE, good("# pypto: ignore[op-shape]"))
    assert core.diagnostics(FILE) == ()
