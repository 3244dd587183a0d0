"""Texts that are no kernels, messages that are no messages: one clear answer each, and the server lives on."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from lsprotocol import types

from tests.server.clients import capabilities
from tests.server.kernels import REGION, TILES
from tests.server.session import Session, session

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Session]:
    async with session(tmp_path_factory.mktemp("bad"), capabilities("vscode-push")) as made:
        yield made


def half(text: str) -> str:
    """Half a function: the text ends in the middle of a call."""
    return text[: text.index("pl.matmul(a_l0") + len("pl.matmul(a_l0")]


BROKEN = {
    "half a function": (half(TILES), {"python-syntax"}),
    "an open string": (TILES.replace("0.125)", "0.125, '"), {"python-syntax"}),
    "an unknown decorator": (
        "import pypto.language as pl\n\n\n@pl.jitt\ndef f(x: pl.Tensor[[4, 4], pl.FP32]):\n    return x\n",
        None,
    ),
    "tabs and spaces": (TILES.replace("        product", "\t  product"), None),
    "null characters": ("import pypto.language as pl\n\0\0\0\n" + REGION, None),
    "binary junk": ("pypto " + "".join(chr(i * 37 % 1114) for i in range(4000)), None),
    "lone surrogates escaped": ("# pypto \\ud800\nx = '\\udfff'\n", set()),
    "an empty kernel": ("import pypto.language as pl\n\n\n@pl.jit\ndef f():\n", {"python-syntax"}),
    "deep nesting": ("import pypto.language as pl\nx = " + "(" * 500 + "1" + ")" * 500 + "\n", None),
    "a million operators": ("import pypto.language as pl\nx = " + "+".join(["1"] * 20_000) + "\n", None),
    "only the word": ("pypto", set()),
    "carriage returns": (REGION.replace("\n", "\r\n"), set()),
    "old carriage returns": (REGION.replace("\n", "\r"), set()),
}


@pytest.mark.parametrize("name", BROKEN)
async def test_broken_texts(server: Session, name: str) -> None:
    text, expected = BROKEN[name]
    uri = await server.open(text)
    found = {
        d.code for d in server.client.diagnostics.get(uri, ()) if d.severity is types.DiagnosticSeverity.Error
    }
    if expected is not None:
        assert found == expected
    assert "internal" not in {d.code for d in server.client.diagnostics.get(uri, ())}
    everywhere = types.Range(types.Position(0, 0), types.Position(10_000, 0))
    document = server.document(uri)
    client = server.client
    await client.text_document_hover_async(types.HoverParams(document, types.Position(3, 9)))
    await client.text_document_completion_async(types.CompletionParams(document, types.Position(0, 3)))
    await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    await client.text_document_folding_range_async(types.FoldingRangeParams(document))
    await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document))
    await client.text_document_inlay_hint_async(types.InlayHintParams(document, everywhere))
    await client.text_document_code_lens_async(types.CodeLensParams(document))
    context = types.CodeActionContext(diagnostics=[])
    await client.text_document_code_action_async(types.CodeActionParams(document, everywhere, context))
    assert not [m for m in client.messages if "internal error" in m.message]
    assert await server.alive()


async def test_one_finding_for_half_a_function_and_the_rest_still_known(server: Session) -> None:
    text = (
        half(TILES)
        + "\n        local = pl.move(product, target_memory=pl.Mem.Vec)\n\n\n"
        + REGION.partition("\n\n\n")[2]
    )
    uri = await server.open("import pypto.language as pl\n\nROWS = 64\nHALF = 32\n" + text.partition("\n")[2])
    errors = [d for d in server.client.diagnostics[uri] if d.severity is types.DiagnosticSeverity.Error]
    assert [d.code for d in errors] == ["python-syntax"]
    hover = await server.client.text_document_hover_async(
        types.HoverParams(server.document(uri), server.position(uri, "share = ", 1))
    )
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert "per lane" in hover.contents.value


async def test_a_file_of_five_megabytes_is_left_alone(server: Session) -> None:
    uri = await server.open("import pypto.language as pl\n" + "x = 1  # a long file\n" * 250_000)
    assert server.codes(uri) == ["file-too-large"]
    assert server.client.diagnostics[uri][0].severity is types.DiagnosticSeverity.Information
    assert "2.0 MiB" in server.client.diagnostics[uri][0].message
    server.close(uri)


async def test_positions_outside_the_text(server: Session) -> None:
    uri = await server.open(TILES)
    for place in (types.Position(99_999, 0), types.Position(0, 99_999), types.Position(21, 30)):
        document = server.document(uri)
        await server.client.text_document_hover_async(types.HoverParams(document, place))
        await server.client.text_document_completion_async(types.CompletionParams(document, place))
        await server.client.text_document_definition_async(types.DefinitionParams(document, place))
    beyond = types.RenameParams(server.document(uri), types.Position(99_999, 0), "x")
    with pytest.raises(Exception, match="no name of yours"):
        await server.client.text_document_rename_async(beyond)
    wild = types.TextDocumentContentChangePartial(
        range=types.Range(types.Position(99_999, 5), types.Position(99_999, 9)), text="# end\n"
    )
    server.versions[uri] += 1
    identifier = types.VersionedTextDocumentIdentifier(uri=uri, version=server.versions[uri])
    server.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [wild]))
    await server.analysed(uri)
    assert await server.alive()


async def test_notifications_about_documents_that_are_not_open(server: Session) -> None:
    nobody = types.VersionedTextDocumentIdentifier(uri="file:///nowhere/no.py", version=7)
    change = types.TextDocumentContentChangeWholeDocument(text="# pypto\n")
    server.client.text_document_did_change(types.DidChangeTextDocumentParams(nobody, [change]))
    server.client.text_document_did_close(types.DidCloseTextDocumentParams(nobody))
    server.client.text_document_did_save(types.DidSaveTextDocumentParams(nobody))
    assert await server.alive()


async def test_versions_that_do_not_grow(server: Session) -> None:
    uri = await server.open(REGION)
    server.versions[uri] = -5
    await server.change(uri, REGION.replace("pl.mul(share, mine)", "pl.nothing(share)"))
    await server.until(lambda: "op-unknown" in server.codes(uri))
    server.versions[uri] = -5
    await server.change(uri, REGION)
    await server.until(lambda: "op-unknown" not in server.codes(uri))


async def test_opened_twice_closed_twice(server: Session) -> None:
    uri = await server.open(REGION)
    document = types.TextDocumentItem(uri=uri, language_id="python", version=9, text=TILES)
    server.client.text_document_did_open(types.DidOpenTextDocumentParams(document))
    server.texts[uri] = TILES
    await server.analysed(uri)
    hover = await server.client.text_document_hover_async(
        types.HoverParams(server.document(uri), server.position(uri, "local = ", 1))
    )
    assert hover is not None
    close = types.DidCloseTextDocumentParams(server.document(uri))
    server.client.text_document_did_close(close)
    server.client.text_document_did_close(close)
    assert await server.alive()


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("pypto.server.entries", ["file:///nowhere.py"]),
        ("pypto.server.sourceMap", [{"uri": "file:///nowhere.py"}]),
        ("pypto.server.sourceMap", [17]),
        ("pypto.server.loweredText", [None]),
    ],
)
async def test_commands_with_odd_arguments(server: Session, command: str, arguments: list[object]) -> None:
    try:
        await server.command(command, *arguments)
    except Exception as refused:
        assert "Timeout" not in type(refused).__name__
    assert await server.alive()


async def test_unknown_methods_and_commands_are_refused(server: Session) -> None:
    for method in ("textDocument/dance", "$/nothing"):
        with pytest.raises(Exception, match=r"(?i)not found"):
            await server.request(method, {})
    with pytest.raises(Exception, match="not defined"):
        await server.command("pypto.server.dance")
    server.client.protocol.notify("textDocument/dance", {})
    assert await server.alive()


# ------------------------------------------------------------------------------------------------------ below the protocol
class Wire:
    """A server process and raw messages."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.number = 0

    def send(self, body: bytes, length: int | None = None) -> None:
        assert self.process.stdin is not None
        size = len(body) if length is None else length
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (size, body))

    async def answer(self, number: int) -> dict[str, object]:
        """The answer to a request; everything else that arrives before is skipped."""
        assert self.process.stdout is not None
        while True:
            header = await asyncio.wait_for(self.process.stdout.readuntil(b"\r\n\r\n"), 30)
            size = int(header.split(b"Content-Length:")[1].split(b"\r\n")[0])
            message = json.loads(await asyncio.wait_for(self.process.stdout.readexactly(size), 30))
            if message.get("id") == number:
                return message  # type: ignore[no-any-return]

    async def ask(self, method: str, params: object) -> dict[str, object]:
        self.number += 1
        self.send(
            json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}).encode()
        )
        return await self.answer(self.number)


@pytest.mark.parametrize(
    "junk",
    [
        b"this is no JSON",
        b"[1, 2, 3]",
        b'"text"',
        b"{}",
        b'{"jsonrpc": "1.0", "id": 1, "method": "shutdown"}',
        b'{"jsonrpc": "2.0", "method": 17}',
        b'{"jsonrpc": "2.0", "id": {"a": 1}, "method": "textDocument/hover", "params": {}}',
        b'{"jsonrpc": "2.0", "id": 900, "method": "textDocument/hover", "params": {"position": "here"}}',
        b'{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": null}}',
        b'{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": []}',
        b'{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 12345}}',
        b'{"jsonrpc": "2.0", "id": 901, "result": {"unasked": true}}',
        b"\xff\xfe\x00\x01",
        b"",
        b'[{"jsonrpc": "2.0", "id": 902, "method": "shutdown"}]',
        b'{"jsonrpc": "2.0", "jsonrpc": "3", "id": 903, "id": 904, "method": "x", "method": "y"}',
        b'{"jsonrpc": "2.0", "id": 905, "method": "textDocument/hover", "params": '
        + b"[" * 100_000
        + b"]" * 100_000
        + b"}",
        b'{"jsonrpc": "2.0", "id": 906, "method": "textDocument/hover", "params": ' + b"9" * 100_000 + b"}",
        b'{"jsonrpc": "2.0", "id": 907, "method": "initialize", "params": {"processId": null, "capabilities": {}}}',
        b'{"jsonrpc": "2.0", "method": "initialized", "params": {}}',
        b'{"jsonrpc": "2.0", "id": 908, "method": "textDocument/hover", "params": {"textDocument": {"uri": "file:///a.py"}, '
        b'"position": {"line": 1099511627776, "character": -7}}}',
        b'{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///a.py", '
        b'"version": "one"}, "contentChanges": [{"text": 5}]}}',
        b'{"jsonrpc": "2.0", "method": "workspace/didChangeConfiguration", "params": {"settings": {"pypto": '
        b'{"backend": 5, "maxFileSize": "x", "searchPath": {"a": [1]}}}}}',
        b'{"jsonrpc": "2.0", "method": "workspace/didChangeWatchedFiles", "params": {"changes": [{"uri": "", "type": 9}]}}',
    ],
    ids=lambda junk: junk[:60].decode("latin-1"),
)
async def test_messages_that_are_no_messages(junk: bytes, tmp_path: Path) -> None:
    async with _raw() as wire:
        made = await wire.ask(
            "initialize", {"processId": None, "rootUri": tmp_path.as_uri(), "capabilities": {}}
        )
        assert "result" in made
        wire.send(junk)
        answer = await wire.ask("workspace/executeCommand", {"command": "pypto.server.debugInformation"})
        assert "pypto-lsp" in str(answer["result"])
        await wire.ask("shutdown", None)
        wire.send(b'{"jsonrpc": "2.0", "method": "exit"}')
        assert await asyncio.wait_for(wire.process.wait(), 20) == 0


@pytest.mark.parametrize(
    "header",
    [
        b"Hello: world\r\n\r\n",
        b"Content-Length: -5\r\n\r\n",
        b"Content-Length: many\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}",
    ],
    ids=lambda header: header[:20].decode(),
)
async def test_headers_that_are_no_headers(header: bytes, tmp_path: Path) -> None:
    async with _raw() as wire:
        await wire.ask("initialize", {"processId": None, "rootUri": tmp_path.as_uri(), "capabilities": {}})
        assert wire.process.stdin is not None
        wire.process.stdin.write(header)
        answer = await wire.ask("workspace/executeCommand", {"command": "pypto.server.debugInformation"})
        assert "pypto-lsp" in str(answer["result"])


@pytest.mark.parametrize(
    "params",
    [
        {"x": 1},
        [],
        {"textDocument": {"uri": "file:///a.py"}, "position": {"line": -1, "character": 0}},
        {"textDocument": {"uri": "file:///a.py"}, "position": "here"},
    ],
    ids=str,
)
async def test_a_request_with_wrong_parameters_is_refused(params: object, tmp_path: Path) -> None:
    async with _raw() as wire:
        await wire.ask("initialize", {"processId": None, "rootUri": tmp_path.as_uri(), "capabilities": {}})
        answer = await wire.ask("textDocument/hover", params)
        assert answer["error"]["code"] == -32602  # type: ignore[index]
        assert "textDocument/hover" in answer["error"]["message"]  # type: ignore[index]


async def test_messages_before_the_first_and_after_the_last(tmp_path: Path) -> None:
    async with _raw() as wire:
        hover = {"textDocument": {"uri": "file:///a.py"}, "position": {"line": 0, "character": 0}}
        early = await wire.ask("textDocument/hover", hover)
        assert early.get("result") is None
        made = await wire.ask(
            "initialize", {"processId": None, "rootUri": tmp_path.as_uri(), "capabilities": {}}
        )
        assert "result" in made
        await wire.ask("shutdown", None)
        late = await wire.ask("textDocument/hover", hover)
        assert late["error"]["code"] == -32600  # type: ignore[index]
        wire.send(b'{"jsonrpc": "2.0", "method": "exit"}')
        assert await asyncio.wait_for(wire.process.wait(), 20) == 0


@asynccontextmanager
async def _raw() -> AsyncIterator[Wire]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "pypto_lsp", "serve", "--log-level", "error",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield Wire(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


#: Addresses that editors use for texts without a file, and some that no file can have.
ADDRESSES = {
    "untitled": "untitled:Untitled-1",
    "web": "http://example.com/a.py",
    "data": "data:,x",
    "zero": "file:///a%00b.py",
    "nothing": "",
    "no address": "not an address",
    "other machine": "file://server/share/a.py",
    "cell": "vscode-notebook-cell:/a.ipynb#x",
    "long name": f"file:///{'a' * 10_000}.py",
    "deep": f"file:///{'a/' * 3_000}b.py",
    "versions": "git:/a.py?{}",
}


@pytest.mark.parametrize("name", ADDRESSES)
async def test_addresses_of_texts(server: Session, name: str) -> None:
    uri = ADDRESSES[name]
    text = "import pypto.language as pl\nfrom x import N\n\n\n@pl.jit\ndef k(a: pl.Tensor[[N, 4], pl.FP32]):\n    b = pl.add(a)\n    return a\n"
    document = types.TextDocumentItem(uri=uri, language_id="python", version=1, text=text)
    server.client.text_document_did_open(types.DidOpenTextDocumentParams(document))
    await server.client.text_document_hover_async(
        types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(4, 10))
    )
    server.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
    assert not [m for m in server.client.messages if "internal error" in m.message]
    assert await server.alive()


async def test_the_server_ends_with_its_client(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "pypto_lsp", "serve",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    wire = Wire(process)
    await wire.ask("initialize", {"processId": None, "rootUri": tmp_path.as_uri(), "capabilities": {}})
    assert process.stdin is not None
    process.stdin.close()
    await asyncio.wait_for(process.wait(), 20)
