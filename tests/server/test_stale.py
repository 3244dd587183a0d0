"""What an importer finds in an open file is told with the version that it is about, and with no other."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.workspace import Workspace

from pypto_lsp.positions import Text
from pypto_lsp.protocol import Written
from pypto_lsp.server import Open, PyptoServer, Tier, create_server

PIECES = """\
import pypto.language as pl

{above}
@pl.jit.inline
def peak_of(rows: pl.Tensor):
    return pl.row_max(rows, rows, rows)
"""
USER = """\
import pypto.language as pl
from pieces import peak_of


@pl.jit
def kernel(x: pl.Tensor[[64, 128], pl.FP32], y: pl.Out[pl.Tensor[[64, 1], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        y[:, :] = peak_of(x)
    return y
"""
OLD = PIECES.format(above="zz = pl.no_such_name()\n")
NEW = PIECES.format(above="\n" * 10)


class _Nothing:
    """The capabilities of a client that is pushed to; of the class, as the library has a property there."""

    def __get__(self, server: object, owner: object) -> types.ClientCapabilities:
        return types.ClientCapabilities()


class Case:
    """A server without a client, both files open and analysed; what it pushed, with versions."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.server: PyptoServer = create_server()
        self.pushed: list[tuple[str, int, bytes]] = []
        monkeypatch.setattr(PyptoServer, "client_capabilities", _Nothing())
        monkeypatch.setattr(self.server.protocol, "_workspace", Workspace(None))
        monkeypatch.setattr(self.server.protocol, "notify_written", self._note)
        monkeypatch.setattr(self.server, "text_document_publish_diagnostics", lambda params: None)
        self.pieces, self.user = (folder / name for name in ("pieces.py", "user.py"))

    def _note(self, method: str, found: Written) -> None:
        self.pushed.append((found.around["uri"], found.around["version"], b"".join(found.items)))

    async def opened(self) -> tuple[Open, Open]:
        for path, text in ((self.pieces, OLD), (self.user, USER)):
            self.server.opened(path.as_uri(), text, 1)
            await self.server.settled(self.document(path), Tier.FULL)
        return self.document(self.pieces), self.document(self.user)

    def document(self, path: Path) -> Open:
        return self.server.documents[path.as_uri()]


@pytest.fixture
def case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Case]:
    made = Case(tmp_path, monkeypatch)
    yield made
    made.server.worker.stop()


def test_findings_of_an_older_text_are_not_pushed_as_those_of_a_newer(case: Case) -> None:
    async def play() -> None:
        pieces, user = await case.opened()
        held = threading.Event()
        case.server.worker.edit("held", lambda: held.wait(30) and None)  # the analysis thread is busy
        case.server.changed(pieces.uri, Text(NEW), 2)
        before = len(case.pushed)
        for listener in case.server.listeners:
            listener(user, Tier.FULL)  # what the importer found is told just now
        assert [(uri, version) for uri, version, _ in case.pushed[before:] if uri == pieces.uri] == []
        held.set()
        await case.server.settled(pieces, Tier.FULL)
        await case.server.settled(user, Tier.FULL)
        newer = [text for uri, version, text in case.pushed if uri == pieces.uri and version == 2]
        assert newer and not any(b"no_such_name" in text for text in newer)
        assert b"op-bad-arguments" in newer[-1]

    asyncio.run(play())


def test_what_an_importer_found_in_an_older_text_is_not_told_of_a_newer(case: Case) -> None:
    async def play() -> None:
        pieces, user = await case.opened()
        assert b"op-bad-arguments" in case.pushed[-1][2]
        case.server.changed(pieces.uri, Text(NEW.replace("rows, rows, rows", "rows")), 2)
        await case.server.settled(pieces, Tier.FULL)
        await case.server.settled(user, Tier.FULL)
        newer = [text for uri, version, text in case.pushed if uri == pieces.uri and version == 2]
        assert newer and not any(b"op-bad-arguments" in text for text in newer)

    asyncio.run(play())
