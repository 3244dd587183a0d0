"""What AutoTileMatmulL0 tells the author when it leaves a product alone (``docs/spec/passes_tile.md`` 4.1, 4.2)."""

from __future__ import annotations

from collections.abc import Callable

from pypto_core.diagnostics import Diagnostic, Severity
from pypto_core.ir import Span

HintSink = Callable[[Diagnostic], None]

CODES = {
    "PH-AT-003": "matmul-subbyte-dtype",
    "PH-AT-005": "matmul-no-l0-tile",
    "PH-AT-006": "matmul-not-split",
    "PH-AT-007": "matmul-unaligned-k",
    "PH-AT-009": "matmul-scratch-dtype",
    "PH-AT-010": "matmul-cast-kept",
    "PH-AT-011": "matmul-bias-not-split",
}
"""The compiler's hint number -> our code."""


def ignore_hint(hint: Diagnostic) -> None:
    """A sink for callers that want the program alone."""


def make_hint(number: str, message: str, span: Span) -> Diagnostic:
    """A performance hint; ``rule`` keeps the compiler's number."""
    return Diagnostic(CODES[number], message, span, Severity.HINT, rule=number)
