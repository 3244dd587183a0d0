"""The lane region verifiers as properties (docs/spec/verifiers.md §4)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core.diagnostics import Diagnostic
from pypto_core.ir import Function
from pypto_core.verify.aiv_split import check_function
from pypto_core.verify.base import Context, Verifier


def _valid(function: Function, context: Context) -> Iterator[Diagnostic]:
    yield from check_function(function, lowered=False)


def _lowered(function: Function, context: Context) -> Iterator[Diagnostic]:
    yield from check_function(function, lowered=True)


VALID = Verifier("AivSplitValid", "AivSplitValid", _valid)
LOWERED = Verifier("AivSplitLoweredValid", "AivSplitLoweredValid", _lowered)
