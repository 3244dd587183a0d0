"""No text makes the frontend fail: nesting beyond measure, and kernels with random damage."""

from __future__ import annotations

import gc
import random
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pypto_core.frontend import parse

GOLDEN = Path(__file__).parents[1] / "golden"
_T = "pl.Tensor[[64, 64], pl.FP32]"
_HEAD = f"import pypto.language as pl\n@pl.jit\ndef k(x: {_T}, n: pl.Scalar[pl.INDEX], y: pl.Out[{_T}]):\n"

DEEP = {
    "sum": "    a = n" + " + n" * 3000,
    "minus": "    a = " + "-" * 3000 + "n",
    "calls": "    a = " + "pl.neg(" * 150 + "x" + ")" * 150,
    "slices": "    a = x" + "[0:64]" * 800,
    "attributes": "    a = x" + ".y" * 3000,
    "branches": "".join("    " + " " * i + "if n > 1:\n" for i in range(95)) + " " * 99 + "pass",
    "clauses": "    if n > 0:\n        pass\n" + "    elif n > 1:\n        pass\n" * 1500,
    "conjunction": "    a = " + "n > 1 and " * 2000 + "n > 2",
    "tuple": "    a = (" + "n, " * 3000 + ")",
    "annotation": "    a: " + "pl.Tensor[" * 90 + "x" + "]" * 90 + " = x",
}


@pytest.mark.parametrize("name", DEEP)
def test_deep_nesting(name: str) -> None:
    result = parse(f"{_HEAD}{DEEP[name]}\n    return y\n")
    assert all(d.span.line <= 3004 for d in result.diagnostics)


_JUNK = [
    "(",
    ")",
    "[",
    "]",
    ":",
    ",",
    "=",
    ".",
    "'",
    '"',
    "\n",
    "    ",
    "pl.",
    "None",
    "-1",
    "@",
    "#",
    "\\",
    "*",
    "lambda:",
    "é",
    "\t",
]
SOURCES = [
    GOLDEN / "kernels" / "mini_decoder" / "blocks.py",
    GOLDEN / "kernels" / "graph_submit.py",
    GOLDEN / "kernels" / "flash_prefill_block.py",
    GOLDEN / "kernels" / "ragged_rows_pool.py",
]


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.stem)
def test_random_damage(path: Path) -> None:
    text = path.read_text()
    dice = random.Random(path.stem)
    for _ in range(25):
        damaged = text
        for _ in range(dice.randint(1, 3)):
            start = dice.randrange(len(damaged))
            length = dice.choice((0, 1, 1, 5, 40))
            damaged = damaged[:start] + dice.choice(_JUNK) + damaged[start + length :]
        for diagnostic in parse(damaged, path.name).diagnostics:
            assert diagnostic.message
            assert 0 < diagnostic.span.line <= damaged.count("\n") + 1


def test_threads_may_parse_at_once() -> None:
    """Each of four threads gets what it would get alone, though a collection that ends in Python code lets others go on inside the parser."""
    text = f"{_HEAD}    a = {'(' * 40}n{' + 1)' * 40}\n    return y\n"

    def read(_: int) -> list[str]:
        return [d.message for d in parse(text).diagnostics]

    def pause(*_: object) -> None:
        time.sleep(0.0001)

    alone, threshold = read(0), gc.get_threshold()
    gc.callbacks.append(pause)
    gc.set_threshold(50)
    try:
        with ThreadPoolExecutor(4) as pool:
            assert all(found == alone for found in pool.map(read, range(20)))
    finally:
        gc.callbacks.remove(pause)
        gc.set_threshold(*threshold)
