"""Bounds of one evaluation: steps, call depth, sizes (docs/spec/static-eval.md §1, item 4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """``steps`` and ``iterations`` are per root and per loop, ``elements`` per string or container, ``bits`` per integer.

    ``reserve`` steps are granted to each module-level statement once the root's steps are spent, so that the literals
    below a hostile statement keep their values; ``kernel_steps`` are for the expressions of one kernel.
    """

    steps: int = 3_000_000
    depth: int = 40
    iterations: int = 100_000
    elements: int = 1_000_000
    bits: int = 4096
    reserve: int = 500
    kernel_steps: int = 100_000


class LimitReached(Exception):
    """A bound was hit; the names concerned become Unknown. Never leaves the evaluator."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class CannotEvaluate(Exception):
    """An operation has no value here; the expression becomes Unknown. Never leaves the evaluator.

    ``fault`` marks what Python itself would refuse (division by zero, a missing attribute).
    """

    def __init__(self, reason: str, fault: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.fault = fault


class Budget:
    """Steps left for one root; ``checkpoint`` is called now and then and may raise to cancel the evaluation."""

    __slots__ = ("_checkpoint", "_next", "left", "limits", "spent")

    def __init__(self, limits: Limits, checkpoint: Callable[[], None] | None = None) -> None:
        self.limits = limits
        self.left = limits.steps
        self.spent = 0
        self._checkpoint = checkpoint
        self._next = 4096

    def spend(self, steps: int = 1) -> None:
        self.left -= steps
        self.spent += steps
        if self.left < 0:
            raise LimitReached("step limit")
        if self.spent >= self._next:
            self._next = self.spent + 4096
            if self._checkpoint is not None:
                self._checkpoint()

    def refill(self) -> None:
        """Called before each module-level statement."""
        self.left = max(self.left, self.limits.reserve)

    def for_kernel(self) -> None:
        """Called before a kernel is read: what it may spend does not depend on what was spent before."""
        self.left = self.limits.kernel_steps

    def size(self, elements: int) -> None:
        """Account for a result of so many elements or characters."""
        if elements > self.limits.elements:
            raise LimitReached(f"more than {self.limits.elements} elements")
        self.pass_over(elements)

    def pass_over(self, elements: int) -> None:
        """Account for a look at, or a copy of, so many elements or characters."""
        if elements > 64:
            self.spend(elements >> 4)

    def walk(self, parts: int) -> None:
        """Account for a visit to each of so many parts of a nested value; a part costs more than an element of a copy."""
        if parts > 64:
            self.spend(parts >> 2)

    def integer(self, value: object) -> None:
        if type(value) is int and value.bit_length() > self.limits.bits:
            raise LimitReached(f"integer of more than {self.limits.bits} bits")
