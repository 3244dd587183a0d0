"""What the passes and verifiers cost grows with the length of a kernel, not with its square, and not with the power of its depth.

Calls are counted (tests/support/costs.py): no test here depends on the machine.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pypto_core.diagnostics import Severity
from pypto_core.engine.lowering import lower
from pypto_core.ir import Program
from pypto_core.ops import deduced
from pypto_core.passes.pipeline import AT_INPUT, PIPELINE, make_pass, properties_to_verify
from pypto_core.verify import hints_of, verify, warnings_of
from tests.benchmarks.pass_kernels import nested_kernel
from tests.benchmarks.pass_times import BACKEND, KERNELS, program_of
from tests.support.costs import calls_counted

SHORT, LONG = 100, 400
#: What every branch adds to the cost of the ones behind it is little: it takes many of them to show.
LENGTHS = {"branches": (400, 1600)}
#: What a step may cost beyond its share on the longer kernel, and what costs so little that the share says nothing.
SLACK, FEW = 1.2, 20_000


def step_costs(program: Program) -> dict[str, int]:
    """Calls of each step of the checked pipeline."""
    costs: dict[str, int] = {}

    def counted(name: str, step: Callable[..., object], *arguments: object) -> object:
        with calls_counted() as calls:
            made = step(*arguments)
        costs[name] = calls[0]
        return made

    counted("warnings", warnings_of, program, BACKEND)
    counted("input", verify, program, AT_INPUT, BACKEND)
    verified = AT_INPUT
    for name in PIPELINE:
        made = counted(name, make_pass(name, BACKEND), program)
        assert isinstance(made, Program)
        program = made
        todo, verified = properties_to_verify(name, verified)
        for prop in sorted(todo):
            counted(f"{name}: {prop}", verify, program, {prop}, BACKEND)
    counted("hints", hints_of, program, BACKEND)
    return costs


def _unknown_costs(text: str) -> dict[str, int]:
    """Costs of a program of which nothing is remembered."""
    deduced._results.clear()
    return step_costs(program_of(text))


def _growth(short: str, long: str, times: float) -> dict[str, float]:
    """Steps that cost more than their share on the longer program."""
    step_costs(program_of(short))  # Modules are imported and tables filled.
    few, many = _unknown_costs(short), _unknown_costs(long)
    return {
        name: many[name] / few[name]
        for name in few
        if many[name] > FEW and many[name] > few[name] * times * SLACK
    }


@pytest.mark.parametrize("kernel", KERNELS)
def test_costs_grow_with_the_length(kernel: str) -> None:
    make = KERNELS[kernel]
    short, long = LENGTHS.get(kernel, (SHORT, LONG))
    assert _growth(make(short), make(long), long / short) == {}


def test_costs_do_not_double_with_every_level() -> None:
    """A level inside others may cost a look from each of them, so the square of the depth is allowed."""
    assert _growth(nested_kernel(16), nested_kernel(64), (64 / 16) ** 2) == {}


@pytest.mark.parametrize("depth", [10, 50, 90])
def test_deep_nesting_goes_through_all_passes(depth: int) -> None:
    lowering = lower(program_of(nested_kernel(depth)), BACKEND)
    assert not lowering.stopped
    assert [d.message for d in lowering.diagnostics if d.severity < Severity.HINT] == []
