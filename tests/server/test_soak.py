"""A long session over TCP: random edits, random requests, some of them cancelled. Nothing crashes, hangs, stays unanswered or out of date.

``SOAK_EDITS`` sets the number of edits (``make soak-server``: 10,000), shared out over two clients, each of a server of its own, at once.
"""

from __future__ import annotations

import os
import random
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from lsprotocol.converters import get_converter
from pygls.workspace import PositionCodec

from pypto_core import Workspace
from pypto_core.engine.workspace import Settings
from pypto_core.frontend.chunk_table import common_ends
from pypto_lsp.features.diagnostics import to_protocol
from pypto_lsp.modules import Disk
from pypto_lsp.positions import Positions, split_lines
from tests.benchmarks.lsp_client import Client, Message, connect, resident
from tests.engine.edits import KINDS, Edit
from tests.support.golden import GOLDEN

TOTAL = int(os.environ.get("SOAK_EDITS", "200"))
CLIENTS = 2
#: Edits of one file before it is closed and the next one opened; edits between two comparisons with a fresh analysis.
PER_FILE, PER_CHECK = 60, 10
#: MiB that a server may grow by from a tenth of a long session to its end.
GROWTH = 48
TIMEOUT = 120.0
FILES = sorted(f for f in (GOLDEN / "kernels").glob("*.py") if f.stem != "bench_suite_a")
CONVERTER = get_converter()
CODEC = PositionCodec(types.PositionEncodingKind.Utf16)
_KINDS = tuple(kind for kind in KINDS if kind != "undo")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def position(text: str, offset: int) -> Message:
    """UTF-16 position of an offset; never between the two halves of a CRLF."""
    lines = split_lines(text[:offset])
    return {"line": len(lines) - 1, "character": CODEC.client_num_units(lines[-1])}


def change(old: str, new: str) -> Message:
    """The one replacement that leads from a text to another."""
    start, behind = common_ends(old, new)
    if _inside_crlf(old, start) or _inside_crlf(old, len(old) - behind):
        return {"text": new}
    place = {"start": position(old, start), "end": position(old, len(old) - behind)}
    return {"range": place, "text": new[start : len(new) - behind]}


def _inside_crlf(text: str, offset: int) -> bool:
    return text[offset - 1 : offset + 1] == "\r\n"


def shown(diagnostic: Message) -> tuple[object, ...]:
    start, end = diagnostic["range"]["start"], diagnostic["range"]["end"]
    places = [
        (r["message"], r["location"]["range"]["start"]["line"])
        for r in diagnostic.get("relatedInformation") or ()
    ]
    return (
        diagnostic["code"], diagnostic["message"], start["line"], start["character"], end["line"], end["character"], str(places),
    )  # fmt: skip


def expected(path: Path, text: str) -> list[tuple[object, ...]]:
    """What a client is shown of a text that was opened just now."""
    core = Workspace(Disk(), Settings("a2a3"))
    core.open(str(path), text)
    positions = Positions(split_lines(text), CODEC)
    found = [to_protocol(finding, positions) for finding in core.diagnostics(str(path))]
    return sorted(shown(CONVERTER.unstructure(d)) for d in found)


class Session:
    """One client at work."""

    def __init__(self, client: Client, root: Path, seed: int) -> None:
        self.client = client
        self.root = root
        self.random = random.Random(seed)
        self.waiting: dict[int, str] = {}
        self.answered = 0
        self.compared = 0
        self.published: dict[str, tuple[int, list[Message]]] = {}
        self.recent: list[str] = []

    def work(self, edits: int) -> None:
        for number in range(max(edits // PER_FILE, 1)):
            self._file(number, min(PER_FILE, edits))

    def _file(self, number: int, edits: int) -> None:
        path = self.root / f"kernel{number % 7}.py"
        uri, text = path.as_uri(), self.random.choice(FILES).read_text(encoding="utf-8")
        self.client.open(uri, text)
        self.recent = texts = [text]
        for version in range(2, edits + 2):
            text = self._next(texts)
            texts.append(text)
            self.client.change(uri, version, [change(texts[-2], text)])
            for _ in range(self.random.choice((0, 0, 1, 1, 2, 4))):
                self._ask(uri, text)
            if version % PER_CHECK == 0:
                self._compare(path, uri, text, version)
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        self._drain(uri)
        self.published.pop(uri, None)

    def _next(self, texts: list[str]) -> str:
        pick = self.random
        if len(texts) > 2 and pick.random() < 0.3:  # files would be nothing but damage soon
            return texts[-2 - pick.randrange(min(len(texts) - 1, 4))]
        edit = Edit(pick.choice(_KINDS), pick.randrange(2**20), pick.randrange(2**8), pick.randrange(2**16))
        made = KINDS[edit.kind](texts[-1], edit)
        return made if len(made) < 40_000 else texts[0]

    def _ask(self, uri: str, text: str) -> None:
        document = {"textDocument": {"uri": uri}}
        lines = split_lines(text)
        line = self.random.randrange(len(lines))
        here = {"line": line, "character": self.random.randrange(len(lines[line]) + 1)}
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": len(lines), "character": 0}}
        method, params = self.random.choice(
            (
                ("hover", {"position": here}),
                ("completion", {"position": here}),
                ("signatureHelp", {"position": here}),
                ("definition", {"position": here}),
                ("references", {"position": here, "context": {"includeDeclaration": True}}),
                ("documentHighlight", {"position": here}),
                ("prepareRename", {"position": here}),
                ("documentSymbol", {}),
                ("foldingRange", {}),
                ("semanticTokens/full", {}),
                ("inlayHint", {"range": whole}),
                ("codeLens", {}),
                ("codeAction", {"range": {"start": here, "end": here}, "context": {"diagnostics": []}}),
            )
        )
        number = self.client.send(f"textDocument/{method}", {**document, **params})
        self.waiting[number] = method
        if self.random.random() < 0.2:
            self.client.notify("$/cancelRequest", {"id": number})

    # ---------------------------------------------------------------------------------------------------------- looking
    def _take(self, message: Message) -> None:
        if message.get("method") == "textDocument/publishDiagnostics":
            params = message["params"]
            version = params.get("version")
            if version is not None:
                before = self.published.get(params["uri"], (0, []))[0]
                assert version >= before, f"version {version} after {before}"
                self.published[params["uri"]] = (version, params["diagnostics"])
        elif message.get("method") == "window/showMessage":
            raise AssertionError(self._said(message))
        elif message.get("method") == "window/logMessage":
            assert message["params"]["type"] != types.MessageType.Error, self._said(message)
        elif "id" in message:
            method = self.waiting.pop(message["id"], "")
            self.answered += 1
            code = message.get("error", {}).get("code")
            assert code in (None, -32800, -32801, -32803), (method, message)

    def _said(self, message: Message) -> str:
        """What the server said, and the texts since the last comparison, one of which it was about."""
        return "\n\n".join((message["params"]["message"], *self.recent[-PER_CHECK:]))

    def _drain(self, uri: str) -> None:
        """Take everything that came until the newest text is analysed and all questions are answered."""
        params = {"command": "pypto.server.analysed", "arguments": [uri]}
        number = self.client.send("workspace/executeCommand", params)
        self.waiting[number] = "analysed"
        end = time.monotonic() + TIMEOUT
        while self.waiting:
            found = self.client.next(end - time.monotonic())
            assert found is not None, f"no answer: {self.waiting}"
            self._take(found[1])

    def _compare(self, path: Path, uri: str, text: str, version: int) -> None:
        self._drain(uri)
        of, diagnostics = self.published[uri]
        assert of == version
        assert sorted(map(shown, diagnostics)) == expected(path, text), text
        self.compared += 1


def run(folder: Path, seed: int, edits: int) -> dict[str, Any]:
    """One server and its client; answers, comparisons, memory early and late."""
    folder.mkdir()
    port = free_port()
    command = [
        sys.executable,
        "-m",
        "pypto_lsp",
        "serve",
        "--tcp",
        "--port",
        str(port),
        "--log-level",
        "error",
    ]
    server = subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL)
    try:
        session = Session(_connected(port, folder), folder, seed)
        session.client.initialize()
        session.work(max(edits // 10, 1))
        early = resident(server.pid)
        session.work(edits - edits // 10)
        late = resident(server.pid)
        assert server.poll() is None
        session.client.shut_down()
        server.wait(20)
        return {"answered": session.answered, "compared": session.compared, "early": early, "late": late}
    finally:
        if server.poll() is None:
            server.kill()
        server.wait()


def _connected(port: int, root: Path) -> Client:
    end = time.monotonic() + TIMEOUT
    while True:
        try:
            return connect(port, root)
        except ConnectionRefusedError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


@pytest.mark.timeout(0 if TOTAL > 1_000 else 600)
def test_two_clients_for_a_long_time(tmp_path: Path) -> None:
    seeds = range(CLIENTS) if TOTAL <= 1_000 else [random.randrange(10**6) for _ in range(CLIENTS)]
    print("seeds", list(seeds))
    with ThreadPoolExecutor(CLIENTS) as pool:
        jobs = [pool.submit(run, tmp_path / str(seed), seed, TOTAL // CLIENTS) for seed in seeds]
        found = [job.result() for job in jobs]
    print(found)
    for one in found:
        assert one["compared"] and one["answered"]
        if TOTAL >= 2_000:
            assert one["late"] - one["early"] < GROWTH
