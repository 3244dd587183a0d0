"""Files that no author means: depth, size, bytes, encodings, line ends. The analysis ends with findings, never with a fault."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import pypto_core as pc
from pypto_lsp.check import Checker
from tests.cli.kernels import BAD, BAD_CODE, GOOD
from tests.support.costs import calls_counted
from tools.fuzz.analysis import crash_of

HEADER = "import pypto.language as pl\n\n\n"
START = """import pypto.language as pl


@pl.program
class P:
    @pl.function
    def k(self, x: pl.Tensor[[64, 512], pl.FP32], y: pl.Out[pl.Tensor[[64, 512], pl.FP32]]) -> pl.Tensor[[64, 512], pl.FP32]:
"""
END = "        return y\n"


def kernel(*lines: str) -> str:
    """A kernel with this body."""
    return START + "".join(f"        {line}\n" for line in lines) + END


def nested(header: str, depth: int, last: str = "z = pl.add(x, x)") -> str:
    """A statement below so many headers."""
    body = "".join(f"{' ' * (8 + level)}{header.format(level)}\n" for level in range(depth))
    return START + body + " " * (8 + depth) + last + "\n" + END


DEEP = {
    "parentheses": kernel("z = " + "(" * 3000 + "x" + ")" * 3000),
    "some parentheses": kernel("z = " + "(" * 90 + "x" + ")" * 90),
    "lists": kernel("z = " + "[" * 3000 + "]" * 3000),
    "open brackets": kernel("z = " + "[" * 3000),
    "open parentheses": kernel("z = " + "pl.add(" * 3000),
    "calls": kernel("z = " + "pl.add(x, " * 60 + "x" + ")" * 60),
    "many calls": kernel("z = " + "pl.add(x, " * 190 + "x" + ")" * 190),
    "too many calls": kernel("z = " + "pl.add(x, " * 2000 + "x" + ")" * 2000),
    "left calls": kernel("z = " + "pl.add(" * 150 + "x" + ", x)" * 150),
    "sum": kernel("z = " + "x + " * 900 + "x"),
    "long sum": kernel("z = " + "x + " * 20000 + "x"),
    "number sum": kernel("n = " + "1 + " * 900 + "1", "z = pl.add(x, n)"),
    "constants": HEADER + "N = " + "1 + " * 900 + "1\n" + GOOD.replace("64", "N"),
    "minus": kernel("z = " + "-" * 900 + "x"),
    "long minus": kernel("z = " + "-" * 20000 + "x"),
    "not": kernel("z = " + "not " * 900 + "x"),
    "and": kernel("z = " + "x and " * 5000 + "x"),
    "comparison": kernel("z = " + "x < " * 5000 + "x"),
    "attributes": kernel("z = x" + ".a" * 900),
    "long attributes": kernel("z = x" + ".a" * 20000),
    "subscripts": kernel("z = x" + "[0]" * 900),
    "slices": kernel("z = x" + "[0:1, 0:1]" * 90),
    "lambda": kernel("z = " + "lambda: " * 900 + "x"),
    "conditional": kernel("z = " + "x if x else " * 900 + "x"),
    "strings": kernel("z = " + "'a' " * 50000),
    "f-string": kernel("z = " + "f'{" * 40 + "x" + "}'" * 40),
    "if": nested("if x:", 90),
    "too many ifs": nested("if x:", 200),
    "loops": nested("for i{0} in pl.range(4):", 18),
    "too many loops": nested("for i{0} in pl.range(4):", 90),
    "regions": nested("for l{0} in pl.split_aiv(2, mode=pl.SplitMode.NONE):", 15),
    "scopes": nested("with pl.at(level=pl.Level.CORE_GROUP):", 18),
    "while": nested("while x:", 18),
    "functions": nested("def f{0}(a):", 90, "return a"),
    "classes": "".join(f"{' ' * level}class C{level}:\n" for level in range(90)) + " " * 90 + "pass\n",
    "elif": kernel(
        "if x == 0:", "    z = x", *[part for i in range(900) for part in (f"elif x == {i}:", "    z = x")]
    ),
    "long elif": kernel(
        "if x == 0:", "    z = x", *[part for i in range(800) for part in (f"elif x == {i}:", "    z = x")]
    ),
    "decorators": HEADER + "@pl.jit\n" * 900 + "def k(x: pl.Tensor[[4], pl.FP32]):\n    return x\n",
    "tuple type": START.replace(
        "pl.Out[pl.Tensor[[64, 512], pl.FP32]]", "pl.Tuple[" * 300 + "pl.FP32" + "]" * 300
    )
    + END,
    "target": kernel("(" * 900 + "a" + ",)" * 900 + " = x"),
    "string prefix": kernel("z = " + "b" * 5000 + "'x'"),
    "backslashes": kernel("z = " + "\\\n" * 5000 + "x"),
    "printed": "# pypto.program: P\n" + kernel("z = " + "pl.tensor.add(x, " * 500 + "x" + ")" * 500),
}

_IN = "self, x: pl.Tensor[[64, 512], pl.FP32]"
_OUT = "pl.Tensor[[64, 512], pl.FP32]"
#: Each function calls the next one twice.
INLINED = (
    HEADER
    + "@pl.program\nclass P:\n"
    + "".join(
        f"    @pl.function(type=pl.FunctionType.Inline)\n    def f{i}({_IN}) -> {_OUT}:\n        x = self.f{i + 1}(x)\n"
        f"        x = self.f{i + 1}(x)\n        return x\n\n"
        for i in range(30)
    )
    + f"    @pl.function(type=pl.FunctionType.Inline)\n    def f30({_IN}) -> {_OUT}:\n        return pl.add(x, x)\n\n"
    + f"    @pl.function\n    def k({_IN}) -> {_OUT}:\n        x = self.f0(x)\n        return x\n"
)

LONG = {
    "inlined": INLINED,
    "many statements": kernel(*[f"v{i} = pl.add(x, x)" for i in range(400)]),
    "many parameters": HEADER
    + "@pl.jit\ndef k("
    + ", ".join(f"a{i}: pl.Tensor[[4], pl.FP32]" for i in range(400))
    + "):\n    return a0\n",
    "many dimensions": GOOD.replace("64, 512", ", ".join(["2"] * 2000)),
    "many functions": HEADER + "".join(f"def f{i}(x):\n    return x\n\n\n" for i in range(800)),
    "many names": HEADER + "".join(f"N{i} = {i}\n" for i in range(4000)),
    "many empty kernels": HEADER
    + "".join(f"@pl.jit\ndef k{i}(x: pl.Tensor[[4], pl.FP32]):\n    return x\n\n\n" for i in range(60)),
    "comments": "# pypto\n" + "# " + "x" * 1_500_000 + "\n" + GOOD,
    "blank lines": GOOD + "\n" * 200_000,
    "one line": "pypto = [" + "1, " * 60_000 + "]\n",
    "one string": HEADER + 'S = """' + "x\n" * 500_000 + '"""\n' + GOOD,
    "long name": GOOD.replace("Doubled", "D" * 100_000),
    "long number": GOOD.replace("512", "5" * 4000),
    "too long number": GOOD.replace("512", "5" * 50_000),
    "hexadecimal": GOOD.replace("512", "0x" + "f" * 50_000),
    "huge dimensions": GOOD.replace("64, 512", "2**62, 2**62"),
    "negative dimensions": GOOD.replace("64, 512", "-64, -512"),
    "no dimensions": GOOD.replace("64, 512", ""),
    "zero dimensions": GOOD.replace("64, 512", "0, 0"),
    "float dimensions": GOOD.replace("64, 512", "1e400, 0.5"),
    "huge loop": kernel("for i in pl.range(10**30):", "    z = pl.add(x, x)"),
    "huge unroll": kernel("for i in pl.unroll(100000):", "    z = pl.add(x, x)"),
    "nested unrolls": nested("for i{0} in pl.unroll(1024):", 4),
    "negative unroll": kernel("for i in pl.unroll(10, 0, -1):", "    z = pl.add(x, x)"),
    "zero step": kernel("for i in pl.range(0, 10, 0):", "    z = pl.add(x, x)"),
    "zero step unrolled": kernel("for i in pl.unroll(0, 10, 0):", "    z = pl.add(x, x)"),
}

TEXTS = {
    "nothing": "",
    "newline": "\n",
    "spaces": "   \t \n  pypto",
    "backslash": "import pypto\\",
    "only a backslash": "\\",
    "open string": HEADER + 'x = """pypto',
    "open quote": HEADER + "x = 'pypto\ny = 1\n",
    "zero": GOOD.replace("pl.add", "pl.\0add"),
    "only zeros": "pypto" + "\0" * 1000,
    "surrogate": GOOD.replace("doubled", "d\ud800"),
    "surrogate in a comment": "# \udfff pypto\n" + GOOD,
    "mark in the middle": GOOD.replace("import", "\ufeffimport"),
    "tabs": GOOD.replace("    ", "\t"),
    "tabs and spaces": GOOD.replace("        ", "\t", 1),
    "form feeds": GOOD.replace("@pl.program", "\f@pl.program"),
    "vertical tab": GOOD.replace("@pl.program", "\v@pl.program"),
    "line separator": GOOD.replace("pl.add(x, x)", "pl.add(x,\u2028x)"),
    "no final newline": GOOD.rstrip("\n"),
    "cookie": "# -*- coding: latin-1 -*-\n" + GOOD,
    "unknown cookie": "# coding: no-such-codec\n" + GOOD,
    "cookie rot13": "# coding: rot13\n" + GOOD,
    "one line kernel": HEADER + "@pl.jit\ndef k(x: pl.Tensor[[4], pl.FP32]): y = pl.add(x, x); return y\n",
    "right to left": GOOD.replace("doubled", "\u202edelbuod"),
    "wide letters": GOOD.replace("doubled", "ｄｏｕｂｌｅｄ"),
    "digits of other scripts": GOOD.replace("64", "٦٤"),
    "emoji": GOOD.replace('name_hint="doubled"', 'name_hint="🙂👩‍👩‍👧"'),
    "combining": GOOD.replace("doubled", "d́oubled"),
    "python 2": HEADER + "print 'pypto'\nexec 'x'\n",
    "future syntax": HEADER
    + "type X[T] = list[T]\ndef f[T](x: T): ...\ntry:\n    pass\nexcept* ValueError:\n    pass\n",
    "match": HEADER + "match x:\n    case {'a': [1, *_]}:\n        pass\n",
    "notebook": HEADER + "%matplotlib inline\n!ls\n" + GOOD,
    "merge": "<<<<<<< HEAD\n" + GOOD + "=======\n" + GOOD + ">>>>>>> other\n",
    "binary": bytes(range(256)).decode("latin-1") * 40 + "pypto",
    "json": '{"pypto": [1, 2, {"a": null}]}',
    "half a file": GOOD[: len(GOOD) // 2],
    "header without a program": "# pypto.program: P\n",
    "header and junk": "# pypto.program: P\n)))((( pl.",
}


@pytest.mark.parametrize("name", DEEP)
def test_deep(name: str) -> None:
    assert crash_of(DEEP[name], seconds=30) is None


@pytest.mark.parametrize("name", LONG)
def test_long(name: str) -> None:
    assert crash_of(LONG[name], seconds=30) is None


@pytest.mark.parametrize("name", TEXTS)
def test_text(name: str) -> None:
    assert crash_of(TEXTS[name], seconds=30) is None


def test_the_recursion_limit_of_the_process_stays() -> None:
    before = sys.getrecursionlimit()
    for text in (DEEP["too many calls"], DEEP["sum"]):
        crash_of(text)
    assert sys.getrecursionlimit() == before


# ----------------------------------------------------------------------------------------------- right in spite of it
def found(text: str) -> list[tuple[str, int, int, int]]:
    core = pc.Workspace()
    core.open("/k.py", text)
    return [(d.code, d.span.line, d.span.column, d.span.end_column) for d in core.diagnostics("/k.py")]


def test_columns_are_characters_not_bytes() -> None:
    text = BAD.replace(
        "peak[0:1, 0:512] = pl.col_max(share)", "größe = pl.col_max(share); peak[0:1, 0:512] = größe"
    )
    line = text.split("\n")[11]
    start = line.index("pl.col_max") + 1
    assert (BAD_CODE, 12, start, start + len("pl.col_max(share)")) in found(text)


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.replace("    ", "\t"),
        lambda t: t.replace("\n", "\r\n"),
        lambda t: t.replace("\n", "\r"),
        lambda t: t.rstrip("\n"),
    ],
)
def test_layout_changes_no_finding(change: object) -> None:
    assert callable(change)
    assert [f[:2] for f in found(change(BAD))] == [(BAD_CODE, 12)]


def test_letters_that_python_takes_for_one() -> None:
    """``ｓｈａｒｅ`` is the name ``share`` for Python."""
    assert [f[:2] for f in found(BAD.replace("pl.col_max(share)", "pl.col_max(ｓｈａｒｅ)"))] == [
        (BAD_CODE, 12)
    ]


def test_a_broken_function_leaves_the_others() -> None:
    broken = "def broken(:\n    pass\n\n\n"
    text = BAD.replace("@pl.program", broken + "@pl.program", 1)
    assert [(code, line) for code, line, *_ in found(text)] == [("python-syntax", 4), (BAD_CODE, 16)]


# ---------------------------------------------------------------------------------------------------------------- size
def test_files_above_the_limit_cost_nothing(tmp_path: Path) -> None:
    file = tmp_path / "large.py"
    file.write_text(GOOD + "# " + "x" * 5_000_000 + "\n")
    with calls_counted() as calls:
        checked = Checker().check(str(file))
    assert [f.code for f in checked.findings] == ["file-too-large"]
    assert calls[0] < 10_000


def test_a_sparse_file_of_many_gigabytes(tmp_path: Path) -> None:
    file = tmp_path / "sparse.py"
    with file.open("wb") as out:
        out.truncate(200 * 2**30)
    assert [f.code for f in Checker().check(str(file)).findings] == ["file-too-large"]


def test_an_open_text_above_the_limit() -> None:
    assert [f[0] for f in found(GOOD + "#" * 3_000_000)] == ["file-too-large"]
