"""Definitions, references, names: where ``$0`` leads, and who else leads there."""

from __future__ import annotations

import pytest

from pypto_core import Target, Workspace
from tests.server.cursor import Files, source
from tests.server.kernels import JIT, REGION, TILES

PARTS = """\
import pypto.language as pl

ROWS = 8


@pl.jit.inline
def half(x: pl.Tensor, by: pl.Scalar[pl.FP32]):
    return pl.mul(x, by)
"""


class Project:
    """Files with one cursor in one of them."""

    def __init__(self, **marked: str) -> None:
        texts = {}
        for name, text in marked.items():
            if "$0" in text:
                self.at = source(text)
                self.path = f"/w/{name}.py"
                text = self.at.text
            texts[f"{name}.py"] = text
        self.core = Workspace(Files(texts))
        self.files = [f"/w/{name}" for name in texts]
        self.core.open(self.path, self.at.text)

    def target(self) -> Target | None:
        names = self.core.names(self.path)
        use = names.at(self.at.line, self.at.column)
        return self.core.finder().target(names, use) if use is not None else None

    def where(self) -> str:
        """``file:line:column`` of the definition, 1-based; ``file`` alone for a module, empty for nothing."""
        found = self.target()
        if found is None:
            return ""
        file = found.names.path.rpartition("/")[2]
        return file if found.span is None else f"{file}:{found.span.line}:{found.span.column}"

    def references(self) -> list[str]:
        found = self.target()
        assert found is not None
        uses = self.core.finder().references(found, [self.core.names(path) for path in self.files])
        return sorted(f"{n.path.rpartition('/')[2]}:{u.span.line}:{u.span.column}" for n, u in uses)


def in_kernel(text: str, word: str, place: int = 1) -> str:
    """Cursor behind the first character of ``word``, at its ``place``-th occurrence."""
    start = -1
    for _ in range(place):
        start = text.index(word, start + 1)
    return f"{text[: start + 1]}$0{text[start + 1 :]}"


def test_a_value_leads_to_its_assignment() -> None:
    assert Project(k=in_kernel(TILES, "local, 0.125")).where() == "k.py:19:9"


def test_a_value_that_is_assigned_twice_leads_to_the_assignment_above() -> None:
    text = "import pypto.language as pl\n\n\ndef f(x):\n    a = x\n    b = a\n    a = b\n    return $0a\n"
    assert Project(k=text).where() == "k.py:7:5"


def test_a_parameter_and_a_constant() -> None:
    assert Project(k=in_kernel(TILES, "a, [0, 0]")).where() == "k.py:9:9"
    assert Project(k=in_kernel(REGION, "ROWS", 3)).where() == "k.py:3:1"


def test_a_method_behind_self() -> None:
    text = (
        REGION
        + "\n    @pl.function\n    def other(self, a: pl.Tensor[[4, 4], pl.FP32]):\n        x = self.ga$0ted(a)\n"
    )
    assert Project(k=text).where() == "k.py:10:9"


@pytest.mark.parametrize(
    ("statement", "use", "expected"),
    [
        ("from parts import half", "half", "parts.py:7:5"),
        ("from parts import half as h", "h", "parts.py:7:5"),
        ("import parts", "parts.half", "parts.py:7:5"),
        ("import parts as p", "p.ROWS", "parts.py:3:1"),
        ("from parts import *", "ROWS", "parts.py:3:1"),
        ("import parts", "parts", "parts.py"),
        ("from again import half", "half", "parts.py:7:5"),
    ],
)
def test_names_of_other_files(statement: str, use: str, expected: str) -> None:
    text = f"import pypto.language as pl\n{statement}\n\nvalue = {use[:-1]}$0{use[-1]}\n"
    assert Project(k=text, parts=PARTS, again="from parts import half\n").where() == expected


def test_a_keyword_leads_to_the_parameter() -> None:
    text = "from parts import half\n\nvalue = half(1, b$0y=2)\n"
    assert Project(k=text, parts=PARTS).where() == "parts.py:7:24"


@pytest.mark.parametrize(
    "marked",
    ["import pypto.language as pl\nx = pl.ex$0p(1)\n", "x = pri$0nt(1)\n", "from nowhere import th$0ing\n"],
)
def test_names_that_lead_nowhere(marked: str) -> None:
    assert Project(k=marked).where() == ""


def test_references_of_a_local_value_stay_in_its_function() -> None:
    text = TILES + TILES.replace("class Scaled", "class Twice").partition("\n\n\n")[2]
    assert Project(k=in_kernel(text, "product = ")).references() == ["k.py:18:9", "k.py:19:25"]


def test_references_across_files_follow_imports_and_aliases() -> None:
    user = "from parts import half\n\nvalue = half(1, by=2)\n"
    other = "import parts\nfrom parts import half as h\n\nvalue = parts.half(h(1, 2), 3)\n"
    found = Project(parts=in_kernel(PARTS, "half"), user=user, other=other).references()
    assert found == [
        "other.py:2:19",  # the name in the import
        "other.py:2:27",  # its alias
        "other.py:4:15",
        "other.py:4:20",
        "parts.py:7:5",
        "user.py:1:19",
        "user.py:3:9",
    ]


def test_references_of_a_parameter_are_keywords_too() -> None:
    user = "from parts import half\n\nvalue = half(1, by=2)\nby = 3\n"
    found = Project(parts=in_kernel(PARTS, "by:"), user=user).references()
    assert found == ["parts.py:7:24", "parts.py:8:22", "user.py:3:17"]


def test_references_of_a_dimension_name() -> None:
    text = JIT.replace("ROWS = 64", 'ROWS = pl.dynamic("ROWS")')
    assert len(Project(k=in_kernel(text, "ROWS")).references()) == 4


def test_another_files_name_of_the_same_spelling_is_another_thing() -> None:
    stranger = "ROWS = 5\n\nx = ROWS\n"
    found = Project(parts=in_kernel(PARTS, "ROWS"), stranger=stranger).references()
    assert found == ["parts.py:3:1"]


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("x = [i for i in range(3)]\ni = 4\nprint($0i)\n", "k.py:2:1"),
        ("x = [i for i in range($0n)]\nn = 1\n", "k.py:2:1"),
        ("def f():\n    global G\n    G = 1\n\n\nprint($0G)\n", "k.py:3:5"),
        ("def f(a):\n    def g():\n        return $0a\n    return g\n", "k.py:1:7"),
        ("class C:\n    size = 1\n\n    def f(self):\n        return siz$0e\n", ""),
        ("f = lambda x: $0x + 1\n", "k.py:1:12"),
        ("with open('f') as handle:\n    handl$0e.read()\n", "k.py:1:19"),
        ("try:\n    pass\nexcept ValueError as e:\n    print($0e)\n", "k.py:3:22"),
        ("if (n := 3) > 2:\n    print($0n)\n", "k.py:1:5"),
    ],
)
def test_pythons_scoping(marked: str, expected: str) -> None:
    assert Project(k=marked).where() == expected


def test_names_of_a_broken_file_are_found_all_the_same() -> None:
    text = TILES.replace("product = pl.matmul(a_l0, b_l0)", "product = pl.matmul(a_l0, b_l0")
    assert Project(k=in_kernel(text, "product, target")).where() == "k.py:18:9"
