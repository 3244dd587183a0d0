"""The thread beside the event loop that does all analysis.

The newest text of a file replaces an older waiting one; a new edit interrupts everything but the edit of another file, a request of the user
interrupts background work, at the next check point. Interrupted work starts again by itself, and what it had finished is remembered.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from itertools import count
from typing import Any, TypeVar

from pypto_core import Cancelled, Workspace

T = TypeVar("T")
log = logging.getLogger("pypto_lsp")


class Worker:
    """Runs *edits* first, then *requests*, then *background* jobs, *idle* jobs last; jobs of one key replace each other."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._wake = threading.Condition()
        self._edits: OrderedDict[str, Callable[[], None]] = OrderedDict()
        self._requests: deque[tuple[Callable[[], Any], asyncio.Future[Any]]] = deque()
        self._background: OrderedDict[str, Callable[[], None]] = OrderedDict()
        self._idle: OrderedDict[str, Callable[[], None]] = OrderedDict()
        self._asked = count()
        #: What requests wait for among the idle jobs.
        self._patient: dict[str, asyncio.Future[Any]] = {}
        self._running: tuple[str, str] = ("", "")
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="pypto-analysis", daemon=True)
        self._thread.start()

    # --------------------------------------------------------------------------------------- called on the event loop
    def edit(self, key: str, job: Callable[[], None]) -> None:
        """Change inputs; an earlier edit of the same file is dropped or broken off (its text is old)."""
        with self._wake:
            self._edits.pop(key, None)
            self._edits[key] = job
            kind, running = self._running
            if kind != "edit" or running == key:
                self.workspace.interrupt()
            self._wake.notify()

    def background(self, key: str, job: Callable[[], None]) -> None:
        """Something to do when nobody waits for an answer."""
        with self._wake:
            self._background.pop(key, None)
            self._background[key] = job
            if self._running[0] == "idle":
                self.workspace.interrupt()
            self._wake.notify()

    def idle(self, key: str, job: Callable[[], None]) -> None:
        """Something to do when there is nothing else."""
        with self._wake:
            self._idle.pop(key, None)
            self._idle[key] = job
            self._wake.notify()

    def ask_idly(self, job: Callable[[], T]) -> asyncio.Future[T]:
        """Something that a request waits for, wanted when there is nothing else to do. Nothing replaces it: it would wait for ever."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        key = f"asked {next(self._asked)}"

        def run() -> None:
            if not future.cancelled():
                try:
                    value = job()
                except Cancelled:
                    raise
                except Exception as fault:
                    _post(future.get_loop(), _fail, future, fault)
                else:
                    _post(future.get_loop(), _resolve, future, value)
            del self._patient[key]

        self._patient[key] = future
        self.idle(key, run)
        return future

    def ask(self, job: Callable[[], T]) -> asyncio.Future[T]:
        """Something that a request waits for."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        with self._wake:
            self._requests.append((job, future))
            if self._running[0] in ("background", "idle"):
                self.workspace.interrupt()
            self._wake.notify()
        return future

    def stop(self) -> None:
        with self._wake:
            self._stopped = True
            self._wake.notify()
        self.workspace.interrupt()

    @property
    def waiting(self) -> dict[str, int]:
        """How much there is to do, for debug information."""
        return {
            "edits": len(self._edits),
            "requests": len(self._requests),
            "background": len(self._background),
            "idle": len(self._idle),
        }

    # ------------------------------------------------------------------------------------------ the analysis thread
    def _run(self) -> None:
        while True:
            with self._wake:
                self._running = ("", "")
                while not (self._stopped or self._edits or self._requests or self._background or self._idle):
                    self._wake.wait()
                if self._stopped:
                    self._give_up()
                    return
                key, job, future = "", None, None
                if self._edits:
                    kind, (key, job) = "edit", self._edits.popitem(last=False)
                elif self._requests:
                    kind, (job, future) = "request", self._requests.popleft()
                elif self._background:
                    kind, (key, job) = "background", self._background.popitem(last=False)
                else:
                    kind, (key, job) = "idle", self._idle.popitem(last=False)
                self._running = (kind, key)
                self.workspace.resume()
            if future is not None:
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
                self._requests.appendleft((job, future))
        except Exception as fault:
            _post(loop, _fail, future, fault)
        else:
            _post(loop, _resolve, future, value)

    def _do(self, kind: str, key: str, job: Callable[[], None]) -> None:
        try:
            job()
        except Cancelled:
            with self._wake:
                queue = {"edit": self._edits, "background": self._background, "idle": self._idle}[kind]
                queue.setdefault(key, job)
        except Exception:
            log.exception("analysis of %s failed", key)

    def _give_up(self) -> None:
        for future in (*(future for _, future in self._requests), *self._patient.values()):
            _post(future.get_loop(), future.cancel)
        self._requests.clear()


def _post(loop: asyncio.AbstractEventLoop, call: Callable[..., Any], *args: Any) -> None:
    """Call on the loop; nobody waits when that has ended."""
    try:
        loop.call_soon_threadsafe(call, *args)
    except RuntimeError:
        log.debug("the event loop has ended")


def _resolve(future: asyncio.Future[Any], value: Any) -> None:
    if not future.done():
        future.set_result(value)


def _fail(future: asyncio.Future[Any], fault: Exception) -> None:
    if not future.done():
        future.set_exception(fault)
