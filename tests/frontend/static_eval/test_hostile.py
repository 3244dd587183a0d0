"""Hostile or broken modules cost at most the limits and run nothing (docs/spec/static-eval.md §1, items 1 - 4)."""

from __future__ import annotations

from pathlib import Path

import pytest

from pypto_core.frontend.modules import ModuleFile
from pypto_core.frontend.static_eval.costly import CostlyStatements
from pypto_core.frontend.static_eval.graph import ModuleGraph
from pypto_core.frontend.static_eval.limits import Limits
from tests.support.costs import calls_counted

HOSTILE = {
    "endless_loop": "while True:\n    pass\n",
    "endless_for": "for i in range(10 ** 18):\n    x = i\n",
    "nested_loops": "for i in range(10 ** 6):\n    for j in range(10 ** 6):\n        y = j\n",
    "endless_growth": "l = [1]\nwhile True:\n    l += l\n",
    "many_texts": "l = []\nwhile True:\n    l.append('x' * 900000)\n",
    "power": "x = 10 ** 10 ** 10\n",
    "power_tower": "x = 9 ** 9 ** 9 ** 9\ny = pow(10, 10 ** 9)\n",
    "shift": "x = 1 << 10 ** 12\n",
    "factorial": "x = 1\nfor i in range(1, 99999):\n    x *= i\n",
    "wide_text": "x = 'a' * 10 ** 12\ny = f'{1:999999999}'\nz = '%999999999d' % 1\nw = '{:>999999999}'.format(1)\n",
    "replace": "x = ('a' * 99999).replace('a', 'b' * 99999)\n",
    "long_list": "x = list(range(10 ** 12))\ny = [0] * 10 ** 12\nz = tuple(range(10 ** 9))\n",
    "sum_of_range": "x = sum(range(10 ** 12))\ny = max(range(10 ** 12))\n",
    "recursion": "def f(n):\n    return f(n + 1) + f(n + 2)\nx = f(0)\n",
    "mutual": "def f(n):\n    return g(n)\ndef g(n):\n    return [f(n)]\nx = f(0)\n",
    "deep_parentheses": "x = " + "(" * 5000 + "1" + ")" * 5000 + "\n",
    "deep_sum": "x = " + "1+" * 20000 + "1\n",
    "deep_not": "x = " + "not " * 5000 + "1\n",
    "deep_attributes": "x = a" + ".b" * 20000 + "\n",
    "deep_calls": "x = f" + "()" * 20000 + "\n",
    "self_containing": "l = []\nl.append(l)\nd = {}\nd['d'] = d\nx = l == l\ny = repr(l)\nz = sorted([l, l])\n",
    "getattr_chain": "class A:\n    def __getattr__(self, n):\n        return getattr(self, n + 'x')\nx = A().y\n",
    "property_loop": "class A:\n    @property\n    def p(self):\n        return self.p\nx = A().p\n",
    "iterates_itself": "class A:\n    def __iter__(self):\n        return self\nx = list(A())\n",
    "bool_of_itself": "class A:\n    def __bool__(self):\n        return bool(self)\nx = 1 if A() else 2\n",
    "bases": "class A(A):\n    pass\nx = A()\n",
    "imports_itself": "import m\nfrom m import x\nx = 1\n",
    "comprehension": "x = [i for i in range(10 ** 9)]\ny = {i: j for i in range(9999) for j in range(9999)}\n",
    "nulls": "x = 1\0\n",
    "int_of_text": "x = int('9' * 500000)\n",
    "format_attributes": "x = '{0.__class__.__mro__}'.format(1)\n",
    "math": "import math\nx = math.prod(range(1, 99999))\ny = math.exp(10 ** 9)\nz = math.lcm(*range(1, 9999))\n",
    "slices": "l = list(range(100000))\nwhile True:\n    y = l[:]\n",
    "copies": "d = {i: i for i in range(10000)}\nwhile True:\n    y = dict(d)\n    z = d.copy()\n",
    "membership": "t = 'ab' * 450000\nwhile True:\n    y = 'zz' in t\n",
    "methods": "t = 'ab' * 450000\nwhile True:\n    y = t.upper()\n    z = t.count('zz')\n",
    "definitions": "while True:\n    class E:\n        def f(self):\n            return 1\n",
    "definitions_in_unknown_loop": "for i in u:\n    class E:\n        x = i\n",
    "shared_parts": "x = []\n" + "x = [x, x]\n" * 60 + "y = str(x)\nz = x == [x]\n",
    "shared_keys": "x = ()\n" + "x = (x, x)\n" * 60 + "y = {x: 1}\n",
    "wide_in_wide": "x = ((0,) * 10**6,) * 10**6\ny = x == (x, x)\n",
    "join": "x = ('y' * 99999).join(['z'] * 99999)\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_bounded(name: str) -> None:
    text = HOSTILE[name] + "AFTER = 6 * 7\n"
    with calls_counted() as calls:
        graph = ModuleGraph(
            ModuleFile("m", "m.py", text), limits=Limits(steps=200_000), costly=CostlyStatements()
        )
    assert calls[0] < 5_000_000
    assert graph.interpreter.budget.spent < 250_000
    if "\0" not in text:
        after = graph.root.value("AFTER")
        assert after is not None and after.data == 42


def test_nothing_runs(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    text = f"""
import os, sys, subprocess, pathlib, shutil, importlib
PATH = {str(victim)!r}
open(PATH, "w").write("x")
pathlib.Path(PATH).write_text("x")
os.system("touch " + PATH)
subprocess.run(["touch", PATH])
__import__("os").system("touch " + PATH)
importlib.import_module("os").system("touch " + PATH)
eval("open(PATH, 'w')")
exec("open(PATH, 'w')")
(lambda: 0).__globals__["__builtins__"]["open"](PATH, "w")
().__class__.__base__.__subclasses__()
@lambda f: open(PATH, "w")
def g(): pass
class Meta(type):
    def __new__(*a): open(PATH, "w")
class C(metaclass=Meta): pass
sys.exit(3)
os._exit(4)
AFTER = 1
"""
    graph = ModuleGraph(ModuleFile("m", "m.py", text))
    assert not victim.exists()
    after = graph.root.value("AFTER")
    assert after is not None and after.data == 1


def test_cancellation() -> None:
    class Cancelled(Exception):
        pass

    def checkpoint() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        ModuleGraph(ModuleFile("m", "m.py", "while True:\n    pass\n"), checkpoint=checkpoint)
