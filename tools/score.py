"""Exact golden cases / all golden cases: per pass, then for reading, chains, verification, whole files and reports.

Every number counts cases of ``tests/golden`` (front, tile, split, kernels of both backends, reports) as the tests compare them.
Exit status 1 when a case is not exact.

    python -m tools.score              the table
    python -m tools.score --failures   and the cases that are not exact
    python -m tools.score --only Simplify chain
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from pypto_core.passes.pipeline import ALL_PASSES, PIPELINE, factory_of

#: Names what a case counts for, from the arguments of the test.
Label = Callable[..., str]

_DOCUMENT_NAMES = {factory_of(name): name for name in PIPELINE}


def _name(written: str) -> str:
    return _DOCUMENT_NAMES.get(written, written)


def _last_pass(case: Any) -> str:
    return _name(case.data["passes"][-1])


def _step(case: Any, step: int) -> str:
    return _name(case.data["passes"][step])


def _stage(stage: Any) -> str:
    return str(stage.pass_name)


def _row(name: str) -> Label:
    return lambda *_: name


@dataclass(frozen=True, slots=True)
class Check:
    """A parametrised test whose cases are counted."""

    module: str
    test: str
    label: Label


_FRONT, _TILE, _SPLIT = (f"tests.passes.test_golden_{part}" for part in ("front", "tile", "split"))
_RUN, _VERIFY = "tests.passes.test_whole_run", "tests.verify.test_golden_verify"

CHECKS: tuple[Check, ...] = (
    Check(_FRONT, "test_chain_from_recorded_text", _last_pass),
    Check(_FRONT, "test_error", _last_pass),
    Check(_FRONT, "test_kernel_stage", _stage),
    Check("tests.passes.test_golden_tensor_to_tile", "test_recorded_stage", _stage),
    Check(_TILE, "test_tile_case", _last_pass),
    Check(_TILE, "test_tile_error", _last_pass),
    Check(_TILE, "test_kernel_stage", _stage),
    Check(_SPLIT, "test_pass_from_recorded_text", _step),
    Check(_SPLIT, "test_refused_from_recorded_text", _last_pass),
    Check(_SPLIT, "test_kernel_stage", _stage),
    Check("tests.frontend.test_golden_sources", "test_source_parses_to_recorded_text", _row("parse")),
    Check("tests.frontend.test_golden_sources", "test_refused_source_is_told_in_place", _row("parse")),
    Check("tests.frontend.test_kernels", "test_program", _row("parse")),
    Check("tests.frontend.test_printed_roundtrip", "test_golden_text_reads_back", _row("print and read")),
    Check(_FRONT, "test_chain_from_source", _row("chain")),
    Check(_FRONT, "test_error_has_a_place_in_the_source", _row("chain")),
    Check(_TILE, "test_chain_from_source", _row("chain")),
    Check(_TILE, "test_error_from_source", _row("chain")),
    Check(_SPLIT, "test_chain_from_source", _row("chain")),
    Check(_SPLIT, "test_refused_in_source", _row("chain")),
    Check(_RUN, "test_chain", _row("chain")),
    Check(_SPLIT, "test_verifier", _row("verify")),
    Check(_SPLIT, "test_verifier_in_source", _row("verify")),
    Check(_VERIFY, "test_golden", _row("verify")),
    Check(_VERIFY, "test_golden_lines", _row("verify")),
    Check(_VERIFY, "test_hard_syncall", _row("verify")),
    Check(_RUN, "test_whole_run", _row("whole files")),
    Check(_RUN, "test_report", _row("reports")),
)


def cases_of(check: Check) -> Iterator[tuple[Callable[..., None], tuple[Any, ...]]]:
    """The test function and the arguments of each of its cases."""
    test = getattr(import_module(check.module), check.test)
    (mark,) = (mark for mark in test.pytestmark if mark.name == "parametrize")
    names = mark.args[0]
    single = isinstance(names, str) and "," not in names
    for values in mark.args[1]:
        yield test, (values,) if single else tuple(values)


@dataclass(slots=True)
class Row:
    """Counts of one line of the table."""

    exact: int = 0
    total: int = 0
    failures: list[str] = field(default_factory=list)


def score(only: Sequence[str] = ()) -> dict[str, Row]:
    """The rows of the table, passes in pipeline order first."""
    rows: dict[str, Row] = {}
    for check in CHECKS:
        for test, arguments in cases_of(check):
            label = check.label(*arguments)
            if only and label not in only:
                continue
            row = rows.setdefault(label, Row())
            row.total += 1
            fault = _fault(test, arguments)
            if fault is None:
                row.exact += 1
            else:
                shown = " ".join(_shown(argument) for argument in arguments)
                row.failures.append(f"{check.module}::{check.test} [{shown}] {fault}")
    order = {name: index for index, name in enumerate(ALL_PASSES)}
    return dict(sorted(rows.items(), key=lambda row: order.get(row[0], len(order))))


def _fault(test: Callable[..., None], arguments: tuple[Any, ...]) -> str | None:
    """What keeps a case from being exact, None for one that is."""
    try:
        test(*arguments)
    except (Exception, pytest.fail.Exception) as fault:
        lines = str(fault).strip().splitlines()
        return f"{type(fault).__name__}: {lines[0] if lines else ''}"
    return None


def _shown(argument: Any) -> str:
    text = argument.stem if isinstance(argument, Path) else str(argument)
    return text if len(text) <= 60 else text[:57] + "..."


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 when a case is not exact."""
    parser = argparse.ArgumentParser(prog="score", description="Exact golden cases per pass.")
    parser.add_argument("--failures", action="store_true", help="list the cases that are not exact")
    parser.add_argument("--only", nargs="+", default=(), metavar="ROW", help="only these rows")
    options = parser.parse_args(arguments)
    rows = score(options.only)
    width = max((len(name) for name in rows), default=0)
    for name, row in rows.items():
        print(f"{name:{width}} {row.exact:5} / {row.total:<5}{'' if row.exact == row.total else '  <--'}")
        for failure in row.failures if options.failures else ():
            print(f"    {failure}")
    exact, total = sum(r.exact for r in rows.values()), sum(r.total for r in rows.values())
    print(f"{'all':{width}} {exact:5} / {total}")
    return 0 if total and exact == total else 1


if __name__ == "__main__":
    sys.exit(main())
