"""Bounds of one evaluation: steps, call depth, sizes, memory (docs/spec/static-eval.md §1, item 4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """``steps`` and ``iterations`` are per root and per loop, ``elements`` per string or container, ``bits`` per integer.

    ``reserve`` steps are granted to each module-level statement once the root's steps are spent, so that the literals
    below a hostile statement keep their values; ``kernel_steps`` are for the expressions of one kernel.

    ``memory`` is what all values of a root may take together, in bytes as the evaluator estimates them when it makes them.
    Once it is spent, each module-level statement is granted ``reserve_memory``, as long as ``spare_memory`` lasts;
    ``kernel_memory`` is for the expressions of one kernel.
    """

    steps: int = 3_000_000
    depth: int = 40
    iterations: int = 100_000
    elements: int = 1_000_000
    bits: int = 4096
    reserve: int = 500
    kernel_steps: int = 100_000
    memory: int = 40 * 1024 * 1024
    reserve_memory: int = 4096
    spare_memory: int = 4 * 1024 * 1024
    kernel_memory: int = 4 * 1024 * 1024


class LimitReached(Exception):
    """A bound was hit; the names concerned become Unknown. Never leaves the evaluator."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


#: Longest reason, in characters.
_REASON = 300


class CannotEvaluate(Exception):
    """An operation has no value here; the expression becomes Unknown. Never leaves the evaluator.

    ``fault`` marks what Python itself would refuse (division by zero, a missing attribute).
    """

    def __init__(self, reason: str, fault: bool = False) -> None:
        # A reason may quote what the user wrote, and that may be a megabyte.
        if len(reason) > _REASON:
            reason = reason[: _REASON - 3] + "..."
        super().__init__(reason)
        self.reason = reason
        self.fault = fault


#: Steps between two calls of the checkpoint: a few milliseconds.
_BETWEEN_CHECKS = 2048
#: An allowance is the number of steps left with this many leading bits: at most 3 % less.
_ALLOWANCE_BITS = 6

# Estimates of memory, in bytes.
#: One more reference in a container.
SLOT = 8
#: A value made anew, with its payload and the reference to it.
VALUE = 96
#: An entry of a dict or a set, with key and value.
ENTRY = 256
#: An instance, a closure, a bound name: an object with a table of its own.
OBJECT = 768
#: Texts and integers up to so many bytes are part of :data:`VALUE`.
_SMALL = 64
#: What a journal keeps of one element of a container: before, after and while it is put back.
_NOTED = 48


def _rounded(left: int) -> int:
    """What is to stay of ``left`` so that an allowance has few leading bits."""
    return left & ((1 << max(left.bit_length() - _ALLOWANCE_BITS, 0)) - 1)


class Budget:
    """Steps and bytes left for one root; ``checkpoint`` is called now and then and may raise to cancel the evaluation.

    ``mark`` is the number of steps left at which something has to be done: the end, or the next call of ``checkpoint``.
    Whoever spends single steps in a hot place does ``left -= 1`` and calls :meth:`pause` below the mark.

    A statement of a module may spend :attr:`allowance` steps: what is left for the root, rounded down a little, so that small
    edits elsewhere in the file leave it what it was, and with it the outcome of a statement that uses all of it. The same goes
    for the bytes in ``room``. They are taken before a value is made and never given back, so the end does not depend on when
    a value dies; only what journals note is given back at the end of the statement.
    """

    __slots__ = (
        "_borrowed",
        "_checkpoint",
        "_floor",
        "_granted",
        "_room_floor",
        "_spare",
        "left",
        "limits",
        "mark",
        "room",
    )

    def __init__(self, limits: Limits, checkpoint: Callable[[], None] | None = None) -> None:
        self.limits = limits
        self.left = limits.steps
        self._granted = limits.steps
        self._floor = 0
        self._checkpoint = checkpoint
        self.room = limits.memory
        self._room_floor = 0
        self._spare = limits.spare_memory
        self._borrowed = 0
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
    def allowance(self) -> tuple[int, int]:
        """Steps and bytes that the current statement may still spend."""
        return self.left - self._floor, self.room - self._room_floor

    @property
    def kept(self) -> int:
        """Bytes left once the current statement has ended."""
        return self.room + self._borrowed

    def begin_statement(self) -> tuple[int, int, int]:
        """Called before each module-level statement; what it returns goes to :meth:`end_statement`."""
        outer = self._floor, self._room_floor, self._borrowed
        self.refill()
        self._floor, self._room_floor, self._borrowed = _rounded(self.left), _rounded(self.room), 0
        self.mark = max(self.mark, self._floor)
        return outer

    def end_statement(self, outer: tuple[int, int, int]) -> None:
        """Back to the statement that imports the module of this one, if any; it goes on even if nothing is left of its share."""
        floor, room_floor, borrowed = outer
        self.room += self._borrowed
        self._borrowed = borrowed
        self._floor = floor if self.left >= floor else 0
        self._room_floor = room_floor if self.room >= room_floor else 0
        self.mark = max(self.left - _BETWEEN_CHECKS, self._floor)

    def refill(self) -> None:
        """Called before an expression outside the modules is evaluated, and before each module-level statement."""
        if self.left < self.limits.reserve:
            self._grant(self.limits.reserve)
        if self.room < self.limits.reserve_memory:
            granted = min(self.limits.reserve_memory - self.room, self._spare)
            self._spare -= granted
            self.room += granted

    def for_kernel(self) -> None:
        """Called before a kernel is read: what it may spend does not depend on what was spent before."""
        self._floor = self._room_floor = 0
        self._grant(self.limits.kernel_steps)
        self.room = self.limits.kernel_memory

    def hold(self, size: int) -> None:
        """Account for so many bytes that are about to be taken."""
        if self.room - size < self._room_floor:
            raise LimitReached(
                f"the values of this file would take more than {self.limits.memory >> 20} MiB of memory"
            )
        self.room -= size

    def borrow(self, elements: int) -> None:
        """Account for a copy of so many elements that is gone when the statement ends."""
        size = elements * _NOTED
        self.hold(size)
        self._borrowed += size

    def made(self, values: int, size: int = VALUE) -> None:
        """Account for a container of so many values that are made with it, of ``size`` bytes each."""
        self.size(values)
        self.hold(values * size)

    def text(self, characters: int) -> None:
        """Account for a text of so many characters."""
        self.size(characters)
        if characters > _SMALL:
            self.hold(characters)

    def copy(self, elements: int) -> None:
        """Account for a container that holds so many values that are there already."""
        self.size(elements)
        self.hold(elements * SLOT)

    def size(self, elements: int) -> None:
        """Account for the steps of a result of so many elements or characters."""
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
        if type(value) is int and (bits := value.bit_length()) > 8 * _SMALL:
            if bits > self.limits.bits:
                raise LimitReached(f"integer of more than {self.limits.bits} bits")
            self.hold(bits >> 3)
