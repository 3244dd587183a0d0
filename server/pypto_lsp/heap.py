"""When Python looks for garbage: while nobody types.

A full collection walks every object of every remembered kernel and holds everything up for a fifth of a second. Most garbage has no
cycles and goes by itself, so the walk waits for a long pause of the author, for a short one when much has piled up (many files were opened,
say), and for none when there is more than that: memory is bounded however somebody types.

What has been walked in a pause is left out of later walks, so these are short however much is remembered; when it has become much more,
it is walked again.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable

#: Seconds without an edit after which there is time; when much has piled up, and otherwise.
SHORT_PAUSE, PAUSE = 1.0, 15.0
#: Allocations until the young are looked at, young looks until the middle-aged are, and those until all are: 800,000 objects that
#: have come and not gone, about 100 MiB.
THRESHOLDS = (2_000, 10, 40)
#: Looks at the middle-aged from which on much has piled up.
MUCH = 10
#: All is walked again when so many times as many objects, and so many more, are left out as after the last time.
GROWTH, SLACK = 1.25, 200_000


def settle() -> None:
    """What is loaded at start stays: do not look at it before the first pause, when nobody waits for the first findings any more."""
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
    gc.enable()


class Collector:
    """Collects in the pauses. ``run`` puts a job where it disturbs nobody."""

    def __init__(self, run: Callable[[Callable[[], None]], None], pause: float = PAUSE) -> None:
        self._run = run
        self._pause = pause
        self._timer: asyncio.TimerHandle | None = None
        self._settled = gc.get_freeze_count()

    def edited(self) -> None:
        """Something has changed; called on the event loop."""
        if self._timer is not None:
            self._timer.cancel()
        pause = self._pause if gc.get_count()[2] < MUCH else min(self._pause, SHORT_PAUSE)
        self._timer = asyncio.get_running_loop().call_later(pause, self._collect)

    def _collect(self) -> None:
        self._timer = None
        self._run(self.collect)

    def collect(self) -> None:
        """Walk what has come since the last time, or everything when that has become much. Runs on the analysis thread."""
        everything = gc.get_freeze_count() > GROWTH * self._settled + SLACK
        if everything:
            gc.unfreeze()
        gc.collect()
        gc.freeze()
        if everything:
            self._settled = gc.get_freeze_count()
