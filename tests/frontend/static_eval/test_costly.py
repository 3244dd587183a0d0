"""Costly statements run once: whatever is edited around them, the values are those of a fresh evaluation (docs/spec/static-eval.md §10)."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from pypto_core.frontend.chunk_table import SyntaxMemory
from pypto_core.frontend.modules import ModuleFile, NoModules
from pypto_core.frontend.static_eval.costly import CostlyStatements, Run
from pypto_core.frontend.static_eval.graph import ModuleGraph
from pypto_core.frontend.static_eval.interpreter import Interpreter
from pypto_core.frontend.static_eval.limits import Limits
from pypto_core.frontend.static_eval.scopes import ModuleEnvironment
from pypto_core.frontend.static_eval.values import Site

LIMITS = Limits(steps=60_000, reserve=500)
#: What may stand in a file: cheap statements that costly ones depend on in various ways, and costly ones.
POOL = (
    "N = 20000",
    "N = 20001",
    "N = 4",
    "del N",
    "x = 0",
    "x = y = []",
    "x = []\ny = []",
    "y = [x]",
    "x.append(1)",
    "z = len(x)",
    "from math import floor",
    "import math",
    "import os",
    "def f(n):\n    return n * 2",
    "def f(n):\n    return n * 3",
    "def f(n, into=[]):\n    into.append(n)\n    return len(into)",
    "def f(n):\n    global x\n    x = n\n    return g(n)",
    "g = lambda n: n + 1",
    "g = f",
    "class C:\n    n = 3",
    "if unknown: N = 3",
    "for i in range(30000): s = i * N",
    "for i in range(3000): s = f(i)",
    "while True: N = N + 1",
    "while True: x.append(N)",
    "while N > 0:\n    N = N - 1\n    if N % 2: del s\n    else: s = N",
    "t = [i * N for i in range(9000)]\nu = tuple(t[:9])",
    "t = sum([f(i) for i in range(4000)])",
    "for i in range(9000):\n    if i % 2: q = floor(i / 2)\n    elif unknown: r = i",
    "for i in range(9000): C.n = i",
    "for i in range(9000): e = os.environ.get('E')",
    "def h(n):\n    return h(n + 1) + N\nv = h(0)",
    "while True:\n    import math",
)


def picture(graph: ModuleGraph) -> dict[str, object]:
    """Everything that the rest of the product can see of a module."""
    module = graph.root
    names = {
        name: (repr(b.value), b.value.assumed, b.reads, b.uncertain, _place(b.site))
        for name in module.names
        if (b := module.binding(name)) is not None
    }
    it = graph.interpreter
    return {
        "names": names,
        "order": module.names,
        "gaps": module.gaps,
        "doubt": it.doubt,
        "left": it.budget.left,
    }


def _place(site: Site | None) -> tuple[int, int, str] | None:
    return (site.span.line, site.span.column, site.text) if site is not None else None


@pytest.mark.parametrize("seed", range(16))
def test_edits_around_costly_statements(seed: int) -> None:
    random = Random(seed)
    costly, syntax = CostlyStatements(), SyntaxMemory("m.py")
    statements = random.choices(POOL, k=random.randint(4, 9))
    for _ in range(9):
        text = "".join(s + "\n" for s in statements)
        root = ModuleFile("m", "m.py", "", False, syntax.parse(text))
        remembered = ModuleGraph(root, NoModules(), limits=LIMITS, costly=costly)
        fresh = ModuleGraph(ModuleFile("m", "m.py", text), NoModules(), limits=LIMITS)
        assert picture(remembered) == picture(fresh), text
        place = random.randrange(len(statements))
        edit = random.randrange(3)
        if edit == 0:
            statements.insert(place, random.choice(POOL))
        elif edit == 1 and len(statements) > 2:
            del statements[place]
        else:
            statements[place] = random.choice(POOL)


class Counted(CostlyStatements):
    """Counts the steps of statements that are run, not recalled."""

    spent = 0

    def run(self, it: Interpreter, module: ModuleEnvironment, item: Any, action: Callable[[], Run]) -> None:
        left = it.budget.left
        super().run(it, module, item, action)
        self.spent += left - it.budget.left


def _spent_anew(texts: list[str]) -> list[int]:
    """Steps that each text of a history costs."""
    costly, syntax, counts = Counted(), SyntaxMemory("m.py"), []
    for text in texts:
        costly.spent = 0
        ModuleGraph(ModuleFile("m", "m.py", "", False, syntax.parse(text)), limits=LIMITS, costly=costly)
        counts.append(costly.spent)
    return counts


@pytest.mark.parametrize(
    "loop",
    [
        "while True:\n    y = 1\n    for j in range(99999): y = j\n",
        "z = []\nwhile True:\n    z.append(1)\n",
        "def f(n):\n    return f(n + 1) + f(n + 2)\n\nx = f(0)\n",
        "K = 3\nt = sum([i * K for i in range(9000)])\n",
    ],
)
def test_typing_elsewhere_runs_it_once(loop: str) -> None:
    typed = [f"A = 1\n\n{loop}\nB = 2\n\nC = {'1 + ' * n}1\n" for n in range(1, 6)]
    typed += [f"{'# more' * n}\nA = {'1 + ' * n}1\n\n{loop}\nB = 2\n\nC = 5\n" for n in range(1, 6)]
    first, *others = _spent_anew(typed)
    assert first > 15_000
    assert max(others) < 1000


def test_what_it_reads_runs_it_again() -> None:
    loop = "for i in range(9000): x = i * N\n"
    first, second, third = _spent_anew([f"N = {n}\n\n{loop}\nB = {n}\n" for n in (3, 4, 3)])
    assert first > 15_000
    assert second > 15_000
    assert third < 1000


def test_a_list_that_a_loop_was_filling_is_unknown() -> None:
    text = "x = []\ny = x\nwhile True:\n    x.append(1)\n    for i in range(999): z = i\nN = len(y)\n"
    graph = ModuleGraph(ModuleFile("m", "m.py", text), limits=LIMITS)
    length = graph.root.value("N")
    assert length is not None
    assert length.is_unknown
