"""What statements and expressions of the language become (docs/spec/language.md §3 to §5); cases in ``data/language.txt``.

A case is ``=== title (function type)``, the body of a function, ``---`` and the printed body.
"""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent, indent

import pytest

from pypto_core.diagnostics import Severity
from pypto_core.frontend import parse
from pypto_core.ir import print_ir

_CASE = re.compile(r"^=== (.+) \((\w+)\)\n", re.MULTILINE)
_T = "pl.Tensor[[64, 64], pl.FP32]"


def around(body: str, kind: str) -> str:
    """A program whose only function has ``body``."""
    params = (
        f"x: {_T}, y: {_T}, z: pl.Tensor[[M, 64], pl.FP32], t3: pl.Tensor[[4, 64, 64], pl.FP32], "
        f"n: pl.Scalar[pl.INDEX], i32: pl.Scalar[pl.INT32], s: pl.Scalar[pl.FP32], c: pl.Scalar[pl.BOOL], out: pl.Out[{_T}]"
    )
    return (
        'import math\nimport pypto.language as pl\n\nM = pl.dynamic("M")\n\n\n@pl.program\nclass P:\n'
        f"    @pl.function(type=pl.FunctionType.{kind})\n    def k(self, {params}):\n{indent(body, ' ' * 8)}\n"
    )


def printed_body(text: str) -> str:
    """Lines of the only function behind its signature."""
    lines = text.split("\n")
    start = next(i for i, line in enumerate(lines) if line.lstrip().startswith("def "))
    return dedent("\n".join(lines[start + 1 :])).strip("\n")


def _cases() -> list[tuple[str, str, str, str]]:
    parts = _CASE.split((Path(__file__).parent / "data" / "language.txt").read_text())[1:]
    found = []
    for title, kind, text in zip(parts[::3], parts[1::3], parts[2::3]):
        body, _, printed = text.partition("\n---\n")
        found.append((title, kind, body, printed.strip("\n")))
    return found


@pytest.mark.parametrize(("kind", "body", "printed"), [c[1:] for c in _cases()], ids=[c[0] for c in _cases()])
def test_body_becomes(kind: str, body: str, printed: str) -> None:
    result = parse(around(body, kind))
    assert [d for d in result.diagnostics if d.severity is Severity.ERROR] == []
    assert result.program is not None
    assert printed_body(print_ir(result.program)) == printed


@pytest.mark.parametrize(("kind", "body", "printed"), [c[1:] for c in _cases()], ids=[c[0] for c in _cases()])
def test_printed_form_reads_back(kind: str, body: str, printed: str) -> None:
    result = parse(around(body, kind))
    assert result.program is not None
    text = print_ir(result.program)
    again = parse(text)
    assert again.diagnostics == ()
    assert again.program is not None
    assert print_ir(again.program) == text


@pytest.mark.parametrize("extent", ["-4", "COLS", "4 - 8", "COLS * 2", "0"])
@pytest.mark.parametrize("head", ["@pl.jit", "@pl.function"])
def test_a_constant_extent_that_holds_nothing_is_told_however_it_is_written(head: str, extent: str) -> None:
    text = f"import pypto.language as pl\n\nCOLS = -4\n\n\n{head}\ndef k(x: pl.Tensor[[32, {extent}], pl.FP32]):\n    return x\n"
    found = [(d.code, d.span.text) for d in parse(text).diagnostics if d.code == "dim-not-positive"]
    assert found == [("dim-not-positive", extent)]
