"""The thread beside the event loop that does all analysis.

The newest text of a file replaces an older waiting one; a new edit, or a request of the user, interrupts background work at
its next check point. Interrupted background work starts again by itself, and what it had finished is remembered.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Any, TypeVar

from pypto_core import Cancelled, Workspace

T = TypeVar("T")
log = logging.getLogger(__name__)


class Worker:
    """Runs *edits* first, then *requests*, then *background* jobs; background jobs of one key replace each other."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._wake = threading.Condition()
        self._edits: OrderedDict[str, Callable[[], None]] = OrderedDict()
        self._requests: deque[tuple[Callable[[], Any], asyncio.Future[Any]]] = deque()
        self._background: OrderedDict[str, Callable[[], None]] = OrderedDict()
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="pypto-analysis", daemon=True)
        self._thread.start()

    # --------------------------------------------------------------------------------------- called on the event loop
    def edit(self, key: str, job: Callable[[], None]) -> None:
        """Change inputs; an earlier waiting edit of the same file is dropped (its text is old)."""
        with self._wake:
            self._edits.pop(key, None)
            self._edits[key] = job
            self._wake.notify()
        self.workspace.interrupt()

    def background(self, key: str, job: Callable[[], None]) -> None:
        """Something to do when nobody waits for an answer."""
        with self._wake:
            self._background.pop(key, None)
            self._background[key] = job
            self._wake.notify()

    def ask(self, job: Callable[[], T]) -> asyncio.Future[T]:
        """Something that a request waits for."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        with self._wake:
            self._requests.append((job, future))
            self._wake.notify()
        self.workspace.interrupt()
        return future

    def stop(self) -> None:
        with self._wake:
            self._stopped = True
            self._wake.notify()
        self.workspace.interrupt()

    # ------------------------------------------------------------------------------------------ the analysis thread
    def _run(self) -> None:
        while True:
            with self._wake:
                while not (self._stopped or self._edits or self._requests or self._background):
                    self._wake.wait()
                if self._stopped:
                    return
                if self._edits:
                    kind, (key, job) = "edit", self._edits.popitem(last=False)
                elif self._requests:
                    kind, (job, future) = "request", self._requests.popleft()
                else:
                    kind, (key, job) = "background", self._background.popitem(last=False)
            if kind == "request":
                self._answer(job, future)
            else:
                self._do(kind, key, job)

    def _answer(self, job: Callable[[], Any], future: asyncio.Future[Any]) -> None:
        loop = future.get_loop()
        if future.cancelled():
            return
        try:
            value = job()
        except Cancelled:
            with self._wake:
                self._requests.append((job, future))
        except Exception as fault:
            loop.call_soon_threadsafe(_fail, future, fault)
        else:
            loop.call_soon_threadsafe(_resolve, future, value)

    def _do(self, kind: str, key: str, job: Callable[[], None]) -> None:
        try:
            job()
        except Cancelled:
            with self._wake:
                queue = self._edits if kind == "edit" else self._background
                queue.setdefault(key, job)
        except Exception:
            log.exception("analysis of %s failed", key)


def _resolve(future: asyncio.Future[Any], value: Any) -> None:
    if not future.done():
        future.set_result(value)


def _fail(future: asyncio.Future[Any], fault: Exception) -> None:
    if not future.done():
        future.set_exception(fault)
