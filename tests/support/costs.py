"""What a block costs, in a unit that does not depend on the machine or on what it does beside."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def calls_counted() -> Iterator[list[int]]:
    """Python and C calls of the block: what it costs, whatever the machine does beside."""
    calls = [0]

    def count(frame: FrameType, event: str, argument: object) -> None:
        if event in ("call", "c_call"):
            calls[0] += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield calls
    finally:
        sys.setprofile(before)
