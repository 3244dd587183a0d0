"""A broken statement costs that statement, a broken function that function; nothing ever crashes (docs/spec/design/architecture.md §3)."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from pypto_core.diagnostic_rules.frontend_samples import core
from pypto_core.diagnostics import Severity
from pypto_core.frontend import lines, parse
from pypto_core.frontend.chunks import cut
from pypto_core.frontend.recovery import FunctionSyntax
from pypto_core.frontend.units import parse_file

GOLDEN = Path(__file__).parents[1] / "golden"
SOURCES = sorted(p for p in GOLDEN.glob("*/*.py"))
KERNELS = sorted(p for p in GOLDEN.glob("kernels/*.py"))

_KERNEL = """import pypto.language as pl

ROWS = 64


@pl.program
class Example:
    @pl.function(type=pl.FunctionType.InCore)
    def first(self, x: pl.Tensor[[ROWS, 64], pl.FP32], out: pl.Out[pl.Tensor[[ROWS, 64], pl.FP32]]):
        a = pl.load(x, [0, 0], [64, 64])
        for i in pl.range(4):
            b = pl.exp(a)
            if i > 2:
                c = pl.neg(b)
                d = pl.add(c, b)
            e = pl.mul(b, 2.0)
        f = pl.add(a, a)
        out = pl.store(f, [0, 0], out)

    @pl.function(type=pl.FunctionType.InCore)
    def second(self, x: pl.Tensor[[ROWS, 64], pl.FP32], out: pl.Out[pl.Tensor[[ROWS, 64], pl.FP32]]):
        g = pl.load(x, [0, 0], [64, 64])
        h = pl.exp(g)
        out = pl.store(h, [0, 0], out)


NUMBER = 4
"""
_BODY_LINES = [i for i, line in enumerate(_KERNEL.split("\n")) if line.startswith("        ")]
_DAMAGE = (
    "{} + (",
    "{}, [0,",
    "{})",
    "{} {{",
    "{} = = 3",
    '{} + "open',
    "{} @ ]",
    "{} +",
    "for z in pl.range(",
    "if a b:",
    '"""{}',
)


@pytest.mark.parametrize("damage", _DAMAGE)
@pytest.mark.parametrize("row", _BODY_LINES)
def test_one_broken_line_gives_one_error_there(row: int, damage: str) -> None:
    lines = _KERNEL.split("\n")
    line = lines[row]
    indent = line[: len(line) - len(line.lstrip())]
    lines[row] = indent + damage.format(line.strip())
    found = [d for d in parse("\n".join(lines)).diagnostics if d.severity is Severity.ERROR]
    assert {d.code for d in found} == {"python-syntax"}
    assert row + 1 in {d.span.line for d in found} or all(abs(d.span.line - row - 1) <= 1 for d in found)
    assert len(found) == 1


@pytest.mark.parametrize("path", KERNELS, ids=lambda p: p.stem)
def test_every_stage_of_typing_is_survived(path: Path) -> None:
    text = path.read_text()
    for end in range(0, len(text), max(len(text) // 24, 1)):
        prefix = text[:end]
        last = prefix.count("\n") + 1
        for found in parse(prefix, path.name).diagnostics:
            if found.code == "python-syntax":
                assert last - found.span.line < 40


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n\n",
        "\x00\x01\x02",
        "@pl.program",
        "@pl.program\nclass",
        "@pl.program\nclass X:",
        "@pl.program\nclass X:\n    @pl.function",
        "@pl.program\nclass X:\n    @pl.function\n    def",
        "@pl.program\nclass X:\n    @pl.function\n    def f(",
        "@pl.program\nclass X:\n    @pl.function\n    def f(self, x: pl.Tensor[[",
        "(" * 5000,
        "[" * 300 + "]" * 300,
        "x = " + "-" * 20000 + "1",
        "def f():\n\treturn 1\n        return 2\n",
        "\ufeffimport pypto.language as pl\n",
        "# pypto.program: P",
        "# pypto.program: P\nclass P:\n  def f(self): return " + "(" * 400,
        "'''" * 101,
        "a = 1\r\nb = 2\rc = (\r\nd = 3",
        "ééé = pl.dynamic('ééé')\n",
    ],
)
def test_any_text_is_answered(text: str) -> None:
    result = parse(text)
    assert all(d.message for d in result.diagnostics)


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_chunks_hold_every_statement_in_place(path: Path) -> None:
    text = path.read_text()
    lines = text.split("\n")
    for unit in cut(path.name, text):
        for chunk in unit.chunks():
            assert text.startswith(chunk.text, sum(len(line) + 1 for line in lines[: chunk.first_line]))
    syntax = parse_file(path.name, text)
    assert syntax.faults == []
    for item in syntax.items:
        statements = item.body if isinstance(item, FunctionSyntax) else []
        for statement in statements:
            span = statement.source.span(statement.node)
            assert lines[span.line - 1][span.column - 1 :].startswith(span.text.split("\n")[0])


def test_typing_above_a_function_changes_no_chunk_of_it() -> None:
    before = cut("k.py", _KERNEL)
    after = cut("k.py", _KERNEL.replace("ROWS = 64", "ROWS = 64\nCOLS = 32\n# more"))
    texts = [[c.text for c in unit.chunks()] for unit in before if unit.kind == "class"]
    assert texts == [[c.text for c in unit.chunks()] for unit in after if unit.kind == "class"]


def test_an_edit_in_a_statement_changes_its_chunk_only() -> None:
    before = [c.text for unit in cut("k.py", _KERNEL) for c in unit.chunks()]
    after = [
        c.text
        for unit in cut("k.py", _KERNEL.replace("pl.mul(b, 2.0)", "pl.mul(b, 3.0)"))
        for c in unit.chunks()
    ]
    assert sum(a != b for a, b in zip(before, after)) == 1
    assert len(before) == len(after)


_CUT = {
    "loop without its condition": """
        for (b,) in pl.while_(init_values=(a,)):
            pl.cond(n <
            b = pl.yield_(b)
    """,
    "else without its body": """
        if n > 3:
            b = pl.yield_(a)
        else:
    """,
    "else whose yield is cut": """
        if n > 3:
            b = pl.yield_(a)
        else:
            b = pl.yield_(a
    """,
    "loop whose yield is cut": """
        for i, (b, c) in pl.range(4, init_values=(a, a)):
            b, c = pl.yield_(b,
            d = pl.yield_(b)
    """,
    "template whose return is cut": """
        b = halved(a)
    """,
    "loop over cores whose call is cut": """
        with pl.spmd(4):
            out = self.work(x,
    """,
}


@pytest.mark.parametrize("name", _CUT)
def test_what_is_missing_behind_a_cut_is_not_told(name: str) -> None:
    template = "@pl.inline\ndef halved(t):\n    return pl.mul(t,\n\n\n" if "template" in name else ""
    text = core(dedent(_CUT[name])).replace("@pl.program", f"{template}@pl.program")
    found = [d for d in parse(text).diagnostics if d.severity is Severity.ERROR]
    assert {d.code for d in found} == {"python-syntax"}


@pytest.mark.parametrize("path", SOURCES[::4], ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_lines_that_are_known_are_those_that_are_scanned(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole texts, texts that break off, and other line ends."""
    text = path.read_text()
    texts = [text, text.replace("\n", "\r\n"), text.replace("\n", "\r", 40), text.replace("(", "", 3)]
    texts += [
        text[:end] + damage
        for end in range(0, len(text), len(text) // 6 + 1)
        for damage in ("", '"""', "\\\n", "[\n")
    ]
    known = [lines.scan(each) for each in texts]
    monkeypatch.setattr(lines, "_complete_line", lambda line: None)
    assert known == [lines.scan(each) for each in texts]
