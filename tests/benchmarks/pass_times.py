"""What every pass and verifier costs, in processor milliseconds per 100 statements of the author's.

``python -m tests.benchmarks.pass_times`` prints the table for kernels of 250, 500, 1000 and 2000 statements: a column that grows
to the right says that a step takes more than its share on long kernels.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import pypto_core as pc
from pypto_core.ir import Program
from pypto_core.passes.pipeline import AT_INPUT, PIPELINE, make_pass, properties_to_verify
from pypto_core.verify import hints_of, verify, warnings_of
from tests.benchmarks import pass_kernels
from tests.benchmarks.long_files import long_kernel

T = TypeVar("T")

KERNELS: dict[str, Callable[[int], str]] = {
    "mixed": pass_kernels.mixed_kernel,
    "tiles": pass_kernels.tile_kernel,
    "tasks": pass_kernels.task_kernel,
    "branches": pass_kernels.branch_kernel,
    "rows": lambda statements: f"import pypto.language as pl\n\n\n{long_kernel(statements)}",
}
BACKEND = "a2a3"
SIZES = (250, 500, 1000, 2000)
#: Steps that never cost as much as this, in ms per 100 statements, are left out of the table.
SHOWN = 0.3


def program_of(text: str) -> Program:
    """The program of a file without faults."""
    result = pc.parse(text, filename="kernel.py")
    assert result.program is not None and not result.diagnostics, result.diagnostics[:3]
    return result.program


@contextmanager
def _no_collection() -> Iterator[None]:
    """Garbage is not looked for meanwhile, as in the server (its pauses would be counted to whoever runs then)."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def step_times(program: Program, backend: str = BACKEND) -> dict[str, float]:
    """Seconds of processor time of each step of the checked pipeline; verifiers as ``pass: property``."""
    times: dict[str, float] = {}

    def timed(name: str, step: Callable[..., T], *arguments: object) -> T:
        start = time.process_time()
        made = step(*arguments)
        times[name] = time.process_time() - start
        return made

    with _no_collection():
        timed("warnings", warnings_of, program, backend)
        for prop in sorted(AT_INPUT):
            timed(f"input: {prop}", verify, program, {prop}, backend)
        verified = AT_INPUT
        for name in PIPELINE:
            program = timed(name, make_pass(name, backend), program)
            todo, verified = properties_to_verify(name, verified)
            for prop in sorted(todo):
                timed(f"{name}: {prop}", verify, program, {prop}, backend)
        timed("hints", hints_of, program, backend)
    return times


def least_times(text: str, rounds: int) -> dict[str, float]:
    """:func:`step_times`, of each step the least of several rounds on fresh programs."""
    runs = [step_times(program_of(text)) for _ in range(rounds)]
    return {name: min(run[name] for run in runs) for name in runs[0]}


def table(kernel: str, sizes: tuple[int, ...] = SIZES) -> str:
    """The costs of one kind of kernel at several lengths, one step per line."""
    make = KERNELS[kernel]
    columns = [least_times(make(size), max(2, 2500 // size)) for size in sizes]
    lines = [f"{kernel + ' kernel: ms per 100 statements':<52}" + "".join(f"{size:>8}" for size in sizes)]
    for name in columns[0]:
        costs = [column[name] * 1e5 / size for column, size in zip(columns, sizes, strict=True)]
        if max(costs) >= SHOWN:
            lines.append(f"{name:<52}" + "".join(f"{cost:8.2f}" for cost in costs))
    totals = [sum(column.values()) * 1e3 for column in columns]
    lines.append(f"{'all steps, ms':<52}" + "".join(f"{total:8.0f}" for total in totals))
    return "\n".join(lines)


if __name__ == "__main__":
    for one in KERNELS:
        print(table(one), end="\n\n")
