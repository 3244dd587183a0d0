"""The first look at the workspace folders, with progress; and what changes on disk afterwards."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Iterable

from lsprotocol import types

from pypto_lsp.server import PyptoServer

log = logging.getLogger("pypto_lsp")
#: Seconds between two progress reports, and work per turn of the analysis thread.
_REPORT, _TURN = 0.2, 0.02


class Scan:
    """Looks at all files of the workspace, a few at a time, when the analysis thread is idle."""

    def __init__(self, server: PyptoServer) -> None:
        self._server = server
        self._todo: list[str] = []
        self._total = 0
        self._token: str | None = None
        self._reported = 0.0
        self.done = asyncio.Event()

    async def start(self, roots: Iterable[str]) -> None:
        """Begin with the files of some folders."""
        folders = list(roots)
        self.done.clear()
        if not folders:
            self._finish()
            return
        files = await asyncio.get_running_loop().run_in_executor(None, self._server.project.discover, folders)
        self._todo = files
        self._total = len(files)
        await self._begin()
        self._next()

    def look_at(self, paths: Iterable[str]) -> None:
        """Some files have changed."""
        for path in paths:
            self._server.worker.idle(f"look at {path}", lambda path=path: self._server.project.look_at(path))  # type: ignore[misc]

    # ------------------------------------------------------------------------------------------------------ steps
    def _next(self) -> None:
        if not self._todo:
            self._finish()
            return
        loop = asyncio.get_running_loop()

        def some() -> None:
            end = time.monotonic() + _TURN
            while self._todo and time.monotonic() < end:
                self._server.project.look_at(self._todo[-1])
                self._todo.pop()
            loop.call_soon_threadsafe(self._report)

        self._server.worker.idle("scan", some)

    def _report(self) -> None:
        now = time.monotonic()
        if self._token is not None and self._todo and now - self._reported > _REPORT:
            self._reported = now
            seen = self._total - len(self._todo)
            self._server.work_done_progress.report(
                self._token,
                types.WorkDoneProgressReport(
                    message=f"{seen} of {self._total} files", percentage=100 * seen // max(self._total, 1)
                ),
            )
        self._next()

    async def _begin(self) -> None:
        window = self._server.client_capabilities.window
        if window is None or not window.work_done_progress or not self._total:
            return
        token = str(uuid.uuid4())
        try:
            await self._server.work_done_progress.create_async(token)
        except Exception:
            log.info("the client takes no progress")
            return
        self._token = token
        self._server.work_done_progress.begin(
            token,
            types.WorkDoneProgressBegin(title="PyPTO: looking for kernels", percentage=0, cancellable=False),
        )

    def _finish(self) -> None:
        project = self._server.project
        project.complete = True
        if self._token is not None:
            kernels = sum(1 for found in project.defined.values() for d in found if d.kind == "kernel")
            self._server.work_done_progress.end(
                self._token,
                types.WorkDoneProgressEnd(message=f"{kernels} kernels in {len(project.defined)} files"),
            )
            self._token = None
        log.info("looked at %d files, %d of them name the language", self._total, len(project.defined))
        self.done.set()
