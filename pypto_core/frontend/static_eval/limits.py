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


#: Steps between two calls of the checkpoint: a few milliseconds.
_BETWEEN_CHECKS = 2048
#: An allowance is the number of steps left with this many leading bits: at most 3 % less.
_ALLOWANCE_BITS = 6


class Budget:
    """Steps left for one root; ``checkpoint`` is called now and then and may raise to cancel the evaluation.

    ``mark`` is the number of steps left at which something has to be done: the end, or the next call of ``checkpoint``.
    Whoever spends single steps in a hot place does ``left -= 1`` and calls :meth:`pause` below the mark.

    A statement of a module may spend :attr:`allowance` steps: what is left for the root, rounded down a little, so that small
    edits elsewhere in the file leave it what it was, and with it the outcome of a statement that uses all of it.
    """

    __slots__ = ("_checkpoint", "_floor", "_granted", "left", "limits", "mark")

    def __init__(self, limits: Limits, checkpoint: Callable[[], None] | None = None) -> None:
        self.limits = limits
        self.left = limits.steps
        self._granted = limits.steps
        self._floor = 0
        self._checkpoint = checkpoint
        self.mark = max(self.left - _BETWEEN_CHECKS, 0)

    @property
    def spent(self) -> int:
        """Steps spent so far."""
        return self._granted - self.left

    def spend(self, steps: int = 1) -> None:
        self.left -= steps
        if self.left < self.mark:
            self.pause()

    def pause(self) -> None:
        """Below the mark: the end, or a checkpoint."""
        if self.left < self._floor:
            raise LimitReached("step limit")
        self.mark = max(self.left - _BETWEEN_CHECKS, self._floor)
        if self._checkpoint is not None:
            self._checkpoint()

    def _grant(self, left: int) -> None:
        self._granted += left - self.left
        self.left = left
        self.mark = max(left - _BETWEEN_CHECKS, self._floor)

    @property
    def allowance(self) -> int:
        """Steps that the current statement may still spend."""
        return self.left - self._floor

    def begin_statement(self) -> int:
        """Called before each module-level statement; what it returns goes to :meth:`end_statement`."""
        outer = self._floor
        self.refill()
        self._floor = self.left & ((1 << max(self.left.bit_length() - _ALLOWANCE_BITS, 0)) - 1)
        self.mark = max(self.mark, self._floor)
        return outer

    def end_statement(self, outer: int) -> None:
        """Back to the statement that imports the module of this one, if any; it goes on even if nothing is left of its share."""
        self._floor = outer if self.left >= outer else 0
        self.mark = max(self.left - _BETWEEN_CHECKS, self._floor)

    def refill(self) -> None:
        """Called before an expression outside the modules is evaluated, and before each module-level statement."""
        if self.left < self.limits.reserve:
            self._grant(self.limits.reserve)

    def for_kernel(self) -> None:
        """Called before a kernel is read: what it may spend does not depend on what was spent before."""
        self._floor = 0
        self._grant(self.limits.kernel_steps)

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
