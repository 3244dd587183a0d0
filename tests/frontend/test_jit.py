"""JIT programs and their faults (docs/spec/language.md §2); cases in ``data/jit.txt``.

A case is ``=== title`` and files (``--- name.py``, ``k.py`` is parsed, the others can be imported). A line that ends in
``#! code: words`` expects that finding there (``code (w)`` with severity warning), with `` @ file:line`` for its related place;
there are no others above a hint.
``+++ entry.function`` is followed by the printed function of an entry's program.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent

import pytest

from pypto_core.diagnostics import Severity
from pypto_core.frontend import ParseResult, parse
from pypto_core.frontend.modules import FileResolver, ModuleFile
from pypto_core.frontend.parse import parse_module
from pypto_core.ir import print_ir

_MARK = re.compile(
    r"#! (?P<code>[\w-]+)(?: \((?P<severity>\w)\))?(?:: (?P<words>.*?))?(?: @ (?P<file>[\w.]+):(?P<line>\d+))?$"
)


@dataclass
class Case:
    title: str
    files: dict[str, str] = field(default_factory=dict)
    printed: dict[str, str] = field(default_factory=dict)


def _cases() -> list[Case]:
    cases: list[Case] = []
    lines: list[str] = []
    into: dict[str, str] = {}
    name = ""

    def close() -> None:
        if name:
            into[name] = "".join(lines)

    for line in (Path(__file__).parent / "data" / "jit.txt").read_text().splitlines(keepends=True):
        if line.startswith(("=== ", "--- ", "+++ ")):
            close()
            lines, name = [], line[4:].strip()
            if line.startswith("==="):
                cases.append(Case(name))
                name = ""
            else:
                into = cases[-1].files if line.startswith("---") else cases[-1].printed
        else:
            lines.append(line)
    close()
    return cases


CASES = _cases()


def read(case: Case) -> ParseResult:
    return parse(case.files["k.py"], "k.py", resolver=lambda module: case.files.get(f"{module}.py"))


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.title)
def test_findings(case: Case) -> None:
    expected: list[tuple[str, int, str]] = []
    words: dict[tuple[str, int, str], re.Match[str]] = {}
    for file, text in case.files.items():
        for number, line in enumerate(text.splitlines(), 1):
            mark = _MARK.search(line)
            if mark is not None:
                key = (file, number, mark["code"])
                expected.append(key)
                words[key] = mark
    found = [d for d in read(case).diagnostics if d.severity < Severity.HINT]
    assert sorted((d.span.filename, d.span.line, d.code) for d in found) == sorted(expected)
    for diagnostic in found:
        mark = words[diagnostic.span.filename, diagnostic.span.line, diagnostic.code]
        assert (mark["words"] or "").strip() in diagnostic.message
        if mark["severity"]:
            assert diagnostic.severity.text[0] == mark["severity"]
        if mark["file"]:
            places = [(r.span.filename, r.span.line) for r in diagnostic.related]
            assert (mark["file"], int(mark["line"])) in places


PRINTED = [(case, key) for case in CASES for key in case.printed]


@pytest.mark.parametrize(("case", "key"), PRINTED, ids=[f"{c.title}-{k}" for c, k in PRINTED])
def test_printed(case: Case, key: str) -> None:
    entry, function = key.split(".")
    text = print_ir(read(case).programs[entry])
    blocks = re.split(r"(?m)^    @pl\.function.*\n", text)[1:]
    printed = {re.match(r"\s*def (\w+)", b)[1]: dedent(b).strip("\n") for b in blocks}  # type: ignore[index]
    assert printed[function] == case.printed[key].strip("\n")


class _Files:
    """Files in memory."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files

    def read(self, path: str) -> str | None:
        return self.files.get(path)

    def is_directory(self, path: str) -> bool:
        return any(name.startswith(path + "/") for name in self.files)


def test_source_of_external_kernel_is_looked_up_beside_the_file() -> None:
    text = (
        "import pypto.language as pl\n"
        '@pl.jit.extern(core_type="aic", source="csrc/gemm.cpp", include_dirs=["inc", "csrc"])\n'
        "def gemm(x: pl.Tensor[[64, 64], pl.FP32]):\n    ...\n"
        '@pl.jit.extern(core_type="aiv", source="csrc/lost.cpp")\n'
        "def lost(x: pl.Tensor[[64, 64], pl.FP32]):\n    ...\n"
    )
    resolver = FileResolver(_Files({"/w/csrc/gemm.cpp": "", "/w/k.py": text}))
    found = parse_module(ModuleFile("k", "/w/k.py", text), resolver).diagnostics
    assert [(d.code, d.span.text, d.data["path"]) for d in found] == [
        ("extern-source-missing", 'include_dirs=["inc", "csrc"]', "/w/inc"),
        ("extern-source-missing", 'source="csrc/lost.cpp"', "/w/csrc/lost.cpp"),
    ]


def test_unknown_dimension_keeps_a_kernel_from_being_lowered() -> None:
    text = (
        "import pypto.language as pl\nimport torch\nN = torch.cuda.device_count()\n@pl.jit\n"
        "def entry(x: pl.Tensor[[N, 64], pl.FP32], y: pl.Out[pl.Tensor[[N, 64], pl.FP32]]):\n"
        "    with pl.at(level=pl.Level.CORE_GROUP):\n        y[:, :] = pl.mul(x, 2.0)\n    return y\n"
    )
    result = parse(text)
    assert [d for d in result.diagnostics if d.severity < Severity.INFORMATION] == []
    assert result.incomplete == {("entry", "entry")}
    assert "y: pl.Tensor[[N, 64], pl.FP32] = pl.tensor.assemble(y" in print_ir(result.programs["entry"])
