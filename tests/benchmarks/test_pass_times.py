"""How long a kernel of 500 statements takes through all passes: from nothing, and after one token of it was edited.

The time of every pass and verifier is in ``extra_info`` of the report; ``python -m tests.benchmarks.pass_times`` prints them.
"""

from __future__ import annotations

import time
from itertools import cycle
from typing import Any

import pytest

from pypto_core.engine.lowering import PassMemory, lower
from pypto_core.engine.workspace import Settings, Workspace
from tests.benchmarks.pass_kernels import EDIT
from tests.benchmarks.pass_times import BACKEND, KERNELS, program_of, step_times

STATEMENTS = 500
#: Processor time, so that what else the machine does is not counted; garbage is looked for between rounds, as in the server.
pytestmark = pytest.mark.benchmark(timer=time.process_time, disable_gc=True, min_rounds=5)


@pytest.mark.parametrize("kernel", KERNELS)
def test_all_passes(benchmark: Any, kernel: str) -> None:
    """The checked pipeline on a program that nobody has seen before."""
    program = program_of(KERNELS[kernel](STATEMENTS))
    times = step_times(program)
    benchmark.extra_info["ms per 100 statements"] = {
        name: round(seconds * 1e5 / STATEMENTS, 2) for name, seconds in times.items()
    }
    lowering = benchmark(lambda: lower(program, BACKEND, memory=PassMemory()))
    assert not lowering.stopped


@pytest.mark.parametrize("kernel", [name for name in KERNELS if EDIT[0] in KERNELS[name](1)])
def test_edited_token(benchmark: Any, kernel: str) -> None:
    """All findings of the file again after one constant in it has become another, in a workspace that knew it before."""
    text = KERNELS[kernel](STATEMENTS)
    assert text.count(EDIT[0]) == 1
    core = Workspace(settings=Settings(backend=BACKEND))
    texts = cycle((text.replace(*EDIT), text))
    core.open("kernel.py", text)
    core.diagnostics("kernel.py")

    def edit() -> None:
        core.open("kernel.py", next(texts))
        core.diagnostics("kernel.py")

    benchmark(edit)
    assert not [d for d in core.diagnostics("kernel.py") if d.severity.text == "error"]
