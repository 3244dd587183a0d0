"""Workspace diagnostics: the files of the workspace that are not open, analysed when there is nothing else to do.

Only with the setting ``diagnosticMode: workspace``; the answer waits until something has changed since the client asked last, as
clients ask all the time.
"""

from __future__ import annotations

import asyncio
from itertools import count

from lsprotocol import types

from pypto_core import Diagnostic
from pypto_lsp.check import read_source
from pypto_lsp.features.diagnostics import to_protocol
from pypto_lsp.positions import Positions, uri_of
from pypto_lsp.protocol import Written
from pypto_lsp.server import PyptoServer

#: How long an answer without news is held back, in seconds.
HOLD = 30.0
#: Reports of one answer: the client asks again at once, and need not wait until all files have been analysed.
BATCH = 50
#: Files that are looked at before others get their turn on the event loop, and after whose analysis garbage is looked for.
_TURN = 20


def analyse(server: PyptoServer, path: str) -> tuple[Diagnostic, ...] | None:
    """Findings of a file that is not open, None if it is; nothing but these is kept. Runs on the analysis thread."""
    if server.core.document(path) is not None:
        return None
    settings = server.config_of(path).core()
    text, fault = read_source(path, settings.max_bytes)
    if fault is not None:
        return (fault,)
    server.core.configure(settings, path)
    server.core.open(path, text)
    try:
        return server.core.diagnostics(path)
    finally:
        server.core.close(path)
        server.core.trim()


def register(server: PyptoServer) -> None:
    """Answer ``workspace/diagnostic``."""
    #: Result id and findings, in JSON, of every file.
    results: dict[str, tuple[str, bytes]] = {}
    analysed = count(1)

    async def report(path: str, known: dict[str, str]) -> bytes | None:
        """The report of one file; None when the client has it already."""
        uri = uri_of(path)
        stamp = server.disk.stamp(path)
        config = server.config_of(path)
        result_id = f"{stamp}:{config.backend}:{','.join(config.ignore)}"
        if known.get(uri) == result_id:
            return None
        found = results.get(path)
        if found is None or found[0] != result_id:
            findings = await server.worker.ask_idly(lambda: analyse(server, path))
            if next(analysed) % _TURN == 0:
                server.worker.idle("garbage", server.collector.collect)
            if findings is None:
                return None
            positions = Positions((), server.workspace.position_codec)
            made = [to_protocol(f, positions, server) for f in findings]
            found = results[path] = (result_id, server.protocol.in_json(made).encode())
        return _report(uri, result_id, found[1])

    def _report(uri: str, result_id: str | None, items: bytes) -> bytes:
        around = {"kind": "full", "uri": uri, "version": None, "resultId": result_id}
        return b'%s,"items":%s}' % (server.protocol.in_json(around)[:-1].encode(), items)

    @server.feature(types.WORKSPACE_DIAGNOSTIC)
    async def workspace_diagnostic(params: types.WorkspaceDiagnosticParams) -> Written:
        known = {previous.uri: previous.value for previous in params.previous_result_ids}
        loop = asyncio.get_running_loop()
        end = loop.time() + HOLD
        while True:
            await server.scanned()
            opened = {d.path for d in server.documents.values()}
            wanted = [p for p in server.project.files() if server.config_of(p).diagnostic_mode == "workspace"]
            for path in results.keys() - set(wanted):
                del results[path]
            items: list[bytes] = []
            for number, path in enumerate(wanted):
                if number % _TURN == 0:
                    await asyncio.sleep(0)
                found = await report(path, known) if path not in opened else None
                if found is not None:
                    items.append(found)
                    if len(items) == BATCH:
                        return Written({}, "items", items)
            gone = set(known) - {uri_of(p) for p in wanted if p not in opened}
            items += [_report(uri, None, b"[]") for uri in gone if known[uri]]
            if items or loop.time() >= end or not wanted:
                return Written({}, "items", items)
            await asyncio.sleep(1.0 + len(wanted) / 500)
