"""What a pass does not change stays the very same object: the memory of the engine and everything behind it rely on it.

Every pass runs on every recorded text that it meets: the stages of the kernels, and its own cases.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from pypto_core.ir import Program, print_ir
from pypto_core.passes.base import PassError
from pypto_core.passes.pipeline import PIPELINE, factory_of, make_pass
from tests.support.golden import GOLDEN, cases, kernel_records, read_program, recorded_stages

#: Passes that change their own result, by the specification.
NOT_IDEMPOTENT = {
    "ConvertToSSA": "versions every definition again (passes_front.md §4.10)",
    "InsertMxScaleAddr": "every product gets bindings of its own, also for a bound scale (passes_tile.md §7)",
    "LowerAutoVectorSplit": "a region that it made might be the author's, whose ragged extents it repairs (passes_split.md §8)",
    "SplitVectorKernel": "a function that both lanes run is replayed on the second one each time (passes_split.md §12.1)",
}


@cache
def _program(text: str) -> Program:
    return read_program(text)


@cache
def _inputs() -> dict[str, list[tuple[str, str | None]]]:
    """Pass -> the texts that it meets, each with its chip."""
    found: dict[str, list[tuple[str, str | None]]] = {name: [] for name in PIPELINE}
    for _, backend, _, entry in kernel_records():
        if "program" not in entry:
            continue
        text = entry["program"]
        stages = recorded_stages(GOLDEN / "kernels", entry)
        for name in PIPELINE:
            found[name].append((text, backend))
            text = stages.get(name, text)
    by_factory = {factory_of(name): name for name in PIPELINE}
    for folder in ("front", "split", "tile"):
        for case in cases(folder):
            first = by_factory.get(next(iter(case.data.get("passes") or ()), ""))
            if first is not None and case.data.get("before"):
                found[first].append((case.data["before"], case.backend))
    return found


def _results(name: str) -> Iterator[tuple[Program, Program, str | None]]:
    for text, backend in _inputs()[name]:
        program = _program(text)
        try:
            yield program, make_pass(name, backend)(program), backend
        except PassError:
            continue


@pytest.mark.parametrize("name", PIPELINE)
def test_what_reads_the_same_is_the_same(name: str) -> None:
    """A function whose text stayed is the object that it was, and so is a program none of whose functions changed."""
    seen = 0
    for before, after, _ in _results(name):
        seen += 1
        for function in after.functions:
            old = before.get_function(function.name)
            if old is not None and old is not function:
                alone, now = before.with_functions([old]), before.with_functions([function])
                assert print_ir(alone) != print_ir(now), function.name
        if {id(f) for f in before.functions} == {id(f) for f in after.functions}:
            unchanged = after is before
            assert unchanged
    assert seen > 50


@pytest.mark.parametrize("name", [name for name in PIPELINE if name not in NOT_IDEMPOTENT])
def test_second_run_changes_nothing(name: str) -> None:
    seen = 0
    for _, after, backend in _results(name):
        seen += 1
        again = make_pass(name, backend)(after)
        if again is not after:
            pytest.fail(f"{name} made of its own result:\n{print_ir(again)}")
    assert seen > 50


@pytest.mark.parametrize("name", NOT_IDEMPOTENT)
def test_exceptions_are_needed(name: str) -> None:
    """A pass on the list above does change its own result somewhere."""
    assert any(make_pass(name, backend)(after) is not after for _, after, backend in _results(name))
