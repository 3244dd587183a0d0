"""What every verifier is: a property name, a rule name and a check of one function (docs/spec/verifiers.md §1).

A check yields diagnostics, raises nothing and stops at nothing. It reads the function, and through the context the
signatures of the functions around it and the chip.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pypto_core.analysis.names import written_name
from pypto_core.backend import Backend
from pypto_core.diagnostics import Diagnostic, Related, Severity
from pypto_core.ir import Function, Program, Span, Var

__all__ = ["Check", "Context", "Finding", "Located", "Verifier", "author_name"]


@dataclass(frozen=True, slots=True)
class Context:
    """Surroundings of the function under check; ``backend`` is None when no chip is chosen."""

    program: Program
    backend: Backend | None = None


Check = Callable[[Function, Context], Iterator[Diagnostic]]

#: A finding and the name of the function in which it is.
Located = tuple[str, Diagnostic]


@dataclass(frozen=True, slots=True)
class Verifier:
    """The verifier of one property.

    ``rule`` is the name that users of the compiler know. ``needs_backend`` verifiers say nothing without a chip.
    """

    prop: str
    rule: str
    check: Check = field(repr=False)
    needs_backend: bool = False

    def run(self, program: Program, backend: Backend | None) -> list[Diagnostic]:
        """Findings of every function of ``program``."""
        return [finding for _, finding in self.run_located(program, backend)]

    def run_located(self, program: Program, backend: Backend | None) -> list[Located]:
        """Findings of every function of ``program``, with the function's name."""
        if self.needs_backend and backend is None:
            return []
        context = Context(program, backend)
        return [(f.name, finding) for f in program.functions for finding in self.check(f, context)]


@dataclass(frozen=True, slots=True)
class Finding:
    """Maker of diagnostics of one rule."""

    rule: str
    severity: Severity = Severity.ERROR

    def __call__(
        self,
        code: str,
        number: int,
        message: str,
        span: Span,
        *,
        related: tuple[Related, ...] = (),
        data: dict[str, Any] | None = None,
    ) -> Diagnostic:
        return Diagnostic(
            code, message, span, self.severity, related, data or {}, rule=self.rule, number=number
        )


def author_name(var: Var) -> str:
    """The variable as its author wrote it."""
    return written_name(var.name_hint, var.span)


def best_span(*spans: Span) -> Span:
    """The first span with a place in a source; the unknown span when there is none."""
    for span in spans:
        if span.is_valid:
            return span
    return spans[0]
