"""Workspace diagnostics: the files of the workspace that are not open, analysed when there is nothing else to do.

Only with the setting ``diagnosticMode: workspace``; the answer waits until something has changed since the client asked last, as
clients ask all the time.
"""

from __future__ import annotations

import asyncio

from lsprotocol import types

from pypto_core import Diagnostic
from pypto_lsp.check import read_source
from pypto_lsp.features.diagnostics import to_protocol
from pypto_lsp.positions import Positions, split_lines, uri_of
from pypto_lsp.server import PyptoServer

#: How long an answer without news is held back, in seconds.
HOLD = 30.0
Report = types.WorkspaceFullDocumentDiagnosticReport | types.WorkspaceUnchangedDocumentDiagnosticReport


def analyse(server: PyptoServer, path: str) -> tuple[str, tuple[Diagnostic, ...]]:
    """Text and findings of a file that is not open. Runs on the analysis thread."""
    settings = server.config_of(path).core()
    text, fault = read_source(path, settings.max_bytes)
    if fault is not None:
        return text, (fault,)
    server.core.configure(settings, path)
    server.core.open(path, text)
    try:
        return text, server.core.diagnostics(path)
    finally:
        server.core.close(path)


def register(server: PyptoServer) -> None:
    """Answer ``workspace/diagnostic``."""
    results: dict[str, tuple[str, list[types.Diagnostic]]] = {}

    async def report(path: str, known: dict[str, str]) -> Report | None:
        """The report of one file; None when the client has it already."""
        uri = uri_of(path)
        stamp = server.disk.stamp(path)
        config = server.config_of(path)
        result_id = f"{stamp}:{config.backend}:{','.join(config.ignore)}"
        if known.get(uri) == result_id:
            return None
        found = results.get(path)
        if found is None or found[0] != result_id:
            text, findings = await server.ask(lambda: analyse(server, path))
            positions = Positions(split_lines(text), server.workspace.position_codec)
            found = results[path] = (result_id, [to_protocol(f, positions, server) for f in findings])
        return types.WorkspaceFullDocumentDiagnosticReport(
            uri=uri, items=found[1], result_id=result_id, version=None
        )

    @server.feature(types.WORKSPACE_DIAGNOSTIC)
    async def workspace_diagnostic(
        params: types.WorkspaceDiagnosticParams,
    ) -> types.WorkspaceDiagnosticReport:
        known = {previous.uri: previous.value for previous in params.previous_result_ids}
        loop = asyncio.get_running_loop()
        end = loop.time() + HOLD
        while True:
            await server.scanned()
            opened = {d.path for d in server.documents.values()}
            wanted = [p for p in server.project.files() if server.config_of(p).diagnostic_mode == "workspace"]
            items: list[Report] = []
            for path in wanted:
                if path not in opened:
                    found = await report(path, known)
                    if found is not None:
                        items.append(found)
            gone = set(known) - {uri_of(p) for p in wanted if p not in opened}
            items += [
                types.WorkspaceFullDocumentDiagnosticReport(uri=uri, items=[], version=None)
                for uri in gone
                if known[uri]
            ]
            if items or loop.time() >= end or not wanted:
                return types.WorkspaceDiagnosticReport(items=items)
            await asyncio.sleep(1.0)
