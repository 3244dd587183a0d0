"""Modules that grow without end take a bounded amount of memory, and only what they would bind is lost (docs/spec/static-eval.md §1, item 4)."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc

import pytest

from pypto_core.frontend.modules import ModuleFile
from pypto_core.frontend.static_eval.costly import CostlyStatements
from pypto_core.frontend.static_eval.graph import ModuleGraph
from pypto_core.frontend.static_eval.limits import Limits
from pypto_core.frontend.static_eval.values import Unknown

MIB = 1 << 20
#: A tenth of what is allowed in use, so that a case takes a moment.
SMALL = Limits(steps=300_000, memory=4 * MIB, spare_memory=MIB // 4)

_UNKNOWN_BRANCHES = "".join(f"{' ' * i}if ext.u:\n{' ' * (i + 1)}R.append({i})\n" for i in range(90))
HOSTILE = {
    "lists of ranges": "A = [list(range(100_000)) for _ in range(40)]",
    "a million": "A = list(range(1_000_000))",
    "repeated lists": "A = [[0] * 1_000_000 for _ in range(40)]",
    "comprehensions": "A = [[i for i in range(1000)] for j in range(1000)]",
    "texts": "A = [('x' * 999_000) + str(i) for i in range(100)]",
    "integers": "A = [[2 ** 4090 + i for i in range(100)] for j in range(1000)]",
    "dict": "A = {}\nfor i in range(100_000):\n    for j in range(100):\n        A[i * 100 + j] = j",
    "dict comprehension": "A = {i * 1000 + j: j for i in range(1000) for j in range(1000)}",
    "set": "A = {i * 1000 + j for i in range(1000) for j in range(1000)}",
    "long keys": "T = tuple(range(9_000))\nA = {}\nfor i in range(100_000):\n    A[(i, T)] = 1",
    "append": "A = []\nfor i in range(100_000):\n    for j in range(100):\n        A.append(i * j)",
    "closures": "def f(x):\n    return lambda: x\nA = [[f(i) for i in range(1000)] for j in range(1000)]",
    "instances": "class C:\n    def __init__(self, x):\n        self.x = x\nA = [[C(i) for i in range(1000)] for j in range(1000)]",
    "attributes": "class C: pass\nA = C()\nfor i in range(100_000):\n    for j in range(100): setattr(A, f'x{i}_{j}', i)",
    "kernels": "import pypto.language as pl\nfor i in range(100_000):\n    @pl.jit\n    def A(x: pl.Tensor[[4], pl.FP32]): return x",
    "long reasons": "A = [('%sx" + "y" * 100_000 + "' % ()) for i in range(1000)]",
    "missing keys": "K = 'x' * 900_000\nA = [{}[K] for i in range(1000)]",
    "assumptions": "import os\nA = []\nv = 0\nfor i in range(100_000):\n    v = v + int(os.environ.get(f'X{i}', 0))\n    A.append(v)",
    "zip": "R = list(range(10_000))\nA = [list(zip(R, R, R)) for i in range(1000)]",
    "enumerate": "R = [0] * 10_000\nA = [list(enumerate(R)) for i in range(1000)]",
    "map": "R = [0] * 10_000\nA = [list(map(str, R)) for i in range(1000)]",
    "slices": "R = [0] * 100_000\nA = [R[:] for i in range(1000)]",
    "slices of a text": "R = 'x' * 900_000\nA = [R[i:] for i in range(1000)]",
    "split": "R = 'x ' * 400_000\nA = [R.split() for i in range(1000)]",
    "copies": "R = {i: i for i in range(1000)}\nA = [dict(R) for i in range(100_000)]",
    "sets": "R = {i for i in range(1000)}\nA = [R | {i} for i in range(100_000)]",
    "frozen sets": "R = {i for i in range(1000)}\nA = {frozenset(R | {-i}) for i in range(100_000)}",
    "partials": "from functools import partial\nA = [[partial(int, i) for i in range(1000)] for j in range(1000)]",
    "branches": "import ext\nR = [0] * 20_000\n" + _UNKNOWN_BRANCHES + "A = R",
    "cases": "import ext\nR = [0] * 20_000\nmatch ext.u:\n"
    + "".join(f"    case {i}:\n        R.append(1)\n" for i in range(1000))
    + "A = R",
    "wide format": "A = [f'{i:9999}' for i in range(10_000)]",
    "many wide fields": "A = ('%9999d' * 100_000) % ((1,) * 100_000)",
    "long argument": "A = ('{0}' * 100_000).format('x' * 1_000_000)",
    "named argument": "A = ('%(a)s' * 100_000) % {'a': 'x' * 100_000}",
    "join": "S = ['x' * 1000] * 900\nA = [str(i).join(S) for i in range(10000)]",
    "starred": "R = [0] * 100_000\nA = [[*R] for i in range(1000)]",
    "tuple sums": "R = (0,) * 100_000\nA = [R + (i,) for i in range(1000)]",
    "doubling": "A = [0]\n" + "A = A + A\n" * 40,
    "annotations": "import pypto.language as pl\ndef f(x):\n    return pl.Tensor[[x], pl.FP32]\nA = [[f(i) for i in range(1000)] for j in range(1000)]",
    "replace": "from dataclasses import dataclass, replace\n@dataclass(frozen=True)\nclass C:\n    a: int = 1\nX = C()\nA = [[replace(X, a=i) for i in range(1000)] for j in range(1000)]",
    "arguments": "def f(*a, **k):\n    return a, k\nR = [0] * 9000\nA = [f(*R) for i in range(100_000)]",
    "unknown": "A = [[ext.foo + ext.bar for i in range(1000)] for j in range(1000)]",
    "paths": "from pathlib import Path\nP = Path('a' * 100_000)\nA = [P / str(i) for i in range(1000)]",
    "dimensions": "import pypto.language as pl\nM = pl.dynamic('M')\nA = [[M + i for i in range(1000)] for j in range(1000)]",
}  # fmt: skip


def evaluated(text: str, limits: Limits) -> ModuleGraph:
    return ModuleGraph(ModuleFile("m", "m.py", text), limits=limits, costly=CostlyStatements())


@pytest.mark.parametrize("name", HOSTILE)
def test_bounded(name: str) -> None:
    text = HOSTILE[name] + "\nAFTER = (6 * 7, [1, 2], {'a': 3})\n"
    evaluated("import pypto.language as pl\nx = [1]\n", SMALL)  # loads what every evaluation loads
    tracemalloc.start()
    try:
        graph = evaluated(text, SMALL)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2 * SMALL.memory, f"{peak / MIB:.1f} MiB"
    after = graph.root.value("AFTER")
    assert after is not None and after.data[0].data == 42
    lost = graph.root.value("A")
    assert lost is not None


@pytest.mark.parametrize("name", ["lists of ranges", "zip", "dict comprehension", "closures"])
def test_the_reason_is_told(name: str) -> None:
    graph = evaluated(HOSTILE[name], Limits(memory=MIB))
    lost = graph.root.value("A")
    assert lost is not None and isinstance(lost.data, Unknown)
    assert lost.data.reason == "the values of this file would take more than 1 MiB of memory"


@pytest.mark.skipif(sys.platform != "linux", reason="the unit of ru_maxrss differs")
@pytest.mark.parametrize("name", ["lists of ranges", "enumerate", "closures", "copies", "texts"])
def test_the_process_in_use(name: str) -> None:
    """The limits as they are in use, and the memory of the whole process."""
    program = f"""
import resource
import pypto_core as pc

def diagnosed(text):
    core = pc.Workspace()
    core.open("/k.py", text)
    return core.diagnostics("/k.py")

KERNEL = "\\nimport pypto.language as pl\\nN = 4\\n@pl.jit\\ndef k(x: pl.Tensor[[N], pl.FP32]): return x\\n"
diagnosed(KERNEL)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
diagnosed({HOSTILE[name]!r} + KERNEL)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    made = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(made.stdout) * 1024 < 64 * MIB


def test_ordinary_tables_are_evaluated() -> None:
    """What a generated configuration may hold: thousands of entries, stored one by one and looked up in loops."""
    text = (
        "T = {}\n"
        + "".join(f"T['layer{i}'] = ({i}, [{i}, {i + 1}], 'w{i}')\n" for i in range(1000))
        + "L = [i * i for i in range(20_000)]\n"
        + "S = sum(T[f'layer{i}'][0] for i in range(1000))\n"
        + "B = {i: L[i] for i in range(5_000)}\n"
    )
    graph = evaluated(text, Limits())
    assert [graph.root.value(n).data for n in ("S",)] == [499_500]  # type: ignore[union-attr]
    assert len(graph.root.value("L").data.items) == 20_000  # type: ignore[union-attr]
    assert len(graph.root.value("B").data.items) == 5_000  # type: ignore[union-attr]
