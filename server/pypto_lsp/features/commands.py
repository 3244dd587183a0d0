"""Commands of the server (``workspace/executeCommand``): the kernels of a file, line maps, debug information."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import version
from typing import Any

from pypto_core import passes
from pypto_lsp import __version__
from pypto_lsp.features.lowered_ir import content
from pypto_lsp.positions import path_of
from pypto_lsp.server import PyptoServer


def register(server: PyptoServer) -> None:
    """Register ``pypto.server.*``."""

    @server.command("pypto.server.entries")
    async def entries(uri: str) -> list[dict[str, Any]]:
        document = server.document(uri)
        if document is None:
            return []
        await server.settled(document)
        return await server.ask(lambda: entry_list(server, document.path))

    @server.command("pypto.server.sourceMap")
    async def source_map(address: Any) -> list[dict[str, int]]:
        wanted = {k: str(_get(address, k)) for k in ("uri", "entry", "pass")}
        text = await content(server, wanted)
        return [{"source": m.source, "sourceEnd": m.source_end, "lowered": m.lowered} for m in text.map]

    @server.command("pypto.server.loweredText")
    async def lowered(address: Any) -> str:
        return (await content(server, {k: str(_get(address, k)) for k in ("uri", "entry", "pass")})).text

    @server.command("pypto.server.analysed")
    async def analysed(uri: str) -> bool:
        """Answers when all that is going to be known of the newest version of a document is known."""
        document = server.document(uri)
        if document is None:
            return False
        return await server.settled(document, document.expected)

    @server.command("pypto.server.scanned")
    async def scanned() -> int:
        """Answers when the files of the workspace have been looked at: how many are of ours."""
        await server.scanned()
        return len(server.project.files())

    @server.command("pypto.server.backend")
    async def backend(uri: str) -> dict[str, str]:
        config = server.config_of(path_of(uri))
        return {"backend": config.backend, "origin": config.origin}

    @server.command("pypto.server.debugInformation")
    async def debug_information() -> str:
        return debug_text(server)


def _get(value: Any, key: str) -> Any:
    """Field of a command argument: clients send objects, pygls may make them attribute bags."""
    return value.get(key, "") if isinstance(value, dict) else getattr(value, key, "")


def entry_list(server: PyptoServer, path: str) -> list[dict[str, Any]]:
    """Kernels with their lines and passes; those that plan the on-chip memory run when one of them is shown."""
    found = []
    for entry in server.core.entries(path):
        lowering = server.core.lowering(path, entry.name)
        stages = lowering.stages if lowering is not None else ()
        span = entry.span
        found.append(
            {
                "name": entry.name,
                "line": max(span.line - 1, 0),
                "endLine": max(entry.last_line(path), 0),
                "passes": [
                    {"name": s.name, "changed": s.changed, "milliseconds": round(s.seconds * 1000, 2)}
                    for s in stages
                ],
                "memoryPasses": list(passes.MEMORY_PASSES),
                "stoppedAt": lowering.stopped_at if lowering is not None else "",
            }
        )
    return found


def debug_text(server: PyptoServer) -> str:
    """What a bug report needs."""
    lines = [
        f"pypto-lsp {__version__}, Python {sys.version.split()[0]} ({sys.executable}), process {os.getpid()}",
        f"{platform.platform()}, pygls {version('pygls')}, lsprotocol {version('lsprotocol')}",
        f"peak memory {peak_memory()}, revision {server.core.db.revision}",
        "",
        "open documents:",
    ]
    for document in server.documents.values():
        config = server.config_of(document.path)
        lines.append(
            f"- {document.path}: version {document.version}, {len(document.lines)} lines, "
            f"backend {config.backend}, run {config.run}, settings from {config.origin}"
        )
    lines += ["", f"workspace folders: {', '.join(server.roots) or 'none'}"]
    state = "complete" if server.project.complete else "running"
    lines.append(f"workspace scan: {state}, {len(server.project.defined)} files name the language")
    lines.append(f"waiting work: {server.worker.waiting}")
    lines += ["", "remembered facts:"]
    lines += [f"- {name}: {count}" for name, count in sorted(server.core.db.memo_count().items())]
    return "\n".join(lines)


def peak_memory() -> str:
    """Peak resident memory of this process, where the platform tells."""
    try:
        import resource
    except ImportError:
        return "unknown"
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB"
