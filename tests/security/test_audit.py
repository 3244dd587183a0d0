"""What the product does to the machine, seen by Python's own audit events: it reads files, and nothing else."""

from __future__ import annotations

import ast
import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

from tests.security.hostile import build

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
#: Libraries that talk to other machines or start programs. Nothing of ours imports one.
FORBIDDEN = {
    "socket", "ssl", "http", "urllib.request", "requests", "httpx", "aiohttp", "ftplib", "smtplib", "telnetlib", "subprocess", "pickle", "marshal", "shelve", "ctypes",
    "webbrowser", "runpy", "code", "codeop", "pty", "telemetry", "sentry_sdk", "xmlrpc",
}  # fmt: skip


RUNS_TEXT = {"eval", "exec", "compile", "__import__"}


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    build(tmp_path / "repo", tmp_path / "mark")
    return tmp_path


def audited(log: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-B", str(HERE / "audited.py"), str(log), *arguments]


def harm(log: Path, repository: Path) -> list[str]:
    """Events beyond reading: all but the execution of code of the installed product."""
    events = log.read_text(encoding="utf-8").splitlines()
    return [e for e in events if not e.startswith("run ") or str(repository) in e]


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "."),
        ("check", "kernels.py", "--format", "sarif"),
        ("lanes", "kernels.py"),
        ("lower", "kernels.py", "--entry", "entry"),
    ],
    ids=" ".join,
)
def test_commands_only_read(hostile: Path, arguments: tuple[str, ...]) -> None:
    log = hostile / "events"
    subprocess.run(
        audited(log, *arguments, *(["--jobs", "1"] if arguments[0] == "check" else [])),
        cwd=hostile / "repo",
        capture_output=True,
        timeout=250,
    )
    assert log.read_text(encoding="utf-8").count("run "), "the hook saw nothing"
    assert harm(log, hostile / "repo") == []


def test_the_log_would_show_it(tmp_path: Path) -> None:
    """The same look at a command that may write."""
    (tmp_path / "k.py").write_text(
        "import pypto.language as pl\n\n\n@pl.jit\ndef k(x: pl.Tensor[[4, 4], pl.FP32]):\n    return x\n"
    )
    log = tmp_path / "events"
    subprocess.run(
        audited(log, "lower", "k.py", "-o", "out.txt"), cwd=tmp_path, capture_output=True, timeout=250
    )
    assert [e.split()[1] for e in harm(log, tmp_path) if e.startswith("write")] == ["'out.txt'"]


# --------------------------------------------------------------------------------------------------------------- server
class Session:
    """A client on standard input and output, as small as it can be."""

    def __init__(self, command: list[str], folder: Path) -> None:
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert self.process.stdin is not None and self.process.stdout is not None
        self._in: IO[bytes] = self.process.stdin
        self._out: IO[bytes] = self.process.stdout
        self._number = 0
        self.published: list[dict[str, object]] = []

    def notify(self, method: str, params: object) -> None:
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method: str, params: object) -> object:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        while True:
            message = self.read()
            if message.get("id") == self._number and "method" not in message:
                return message.get("result")

    def _send(self, message: object) -> None:
        data = json.dumps(message).encode()
        self._in.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self._in.flush()

    def read(self) -> dict[str, object]:
        length = 0
        while line := self._out.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        message: dict[str, object] = json.loads(self._out.read(length))
        if "method" in message and "id" in message:
            self._send({"jsonrpc": "2.0", "id": message["id"], "result": None})
        elif message.get("method") == "textDocument/publishDiagnostics":
            self.published.append(message)
        return message


def test_the_server_only_reads(hostile: Path) -> None:
    repository, log = hostile / "repo", hostile / "events"
    session = Session(audited(log, "serve"), repository)
    try:
        folder = {"uri": repository.as_uri(), "name": "repo"}
        session.request(
            "initialize",
            {
                "processId": None,
                "rootUri": repository.as_uri(),
                "workspaceFolders": [folder],
                "capabilities": {},
            },
        )
        session.notify("initialized", {})
        for name in ("kernels.py", "evil.py", "uses_pipes.py"):
            file = repository / name
            item = {"uri": file.as_uri(), "languageId": "python", "version": 1, "text": file.read_text()}
            session.notify("textDocument/didOpen", {"textDocument": item})
        place = {
            "textDocument": {"uri": (repository / "kernels.py").as_uri()},
            "position": {"line": 22, "character": 12},
        }
        for method in (
            "textDocument/hover",
            "textDocument/definition",
            "textDocument/completion",
            "textDocument/documentHighlight",
        ):
            session.request(method, place)
        session.request("textDocument/documentSymbol", {"textDocument": place["textDocument"]})
        session.request("workspace/symbol", {"query": "kernel"})
        while not any("kernels.py" in str(message) for message in session.published):
            session.read()
        session.request("shutdown", None)
        session.notify("exit", None)
        assert session.process.wait(60) == 0
    finally:
        session.process.kill()
    assert harm(log, repository) == []
    assert not (hostile / "mark").exists()


def test_tcp_binds_to_this_machine_only(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = tmp_path / "events"
    process = subprocess.Popen(
        audited(log, "serve", "--tcp", "--port", str(port)), cwd=tmp_path, stderr=subprocess.DEVNULL
    )
    try:
        connected = None
        for _ in range(600):
            with socket.socket() as client:
                client.settimeout(0.2)
                if client.connect_ex(("127.0.0.1", port)) == 0:
                    connected = port
                    break
            try:
                process.wait(0.1)
                break
            except subprocess.TimeoutExpired:
                continue
        assert connected == port
    finally:
        process.kill()
        process.wait()
    binds = [e for e in harm(log, tmp_path) if e.startswith("socket.bind")]
    assert binds and all(f"('127.0.0.1', {port})" in e for e in binds)


# ------------------------------------------------------------------------------------------------------------ the source
def reaching_out(tree: ast.AST) -> set[str]:
    """Forbidden libraries that are imported, and calls that run text."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in RUNS_TEXT:
            found.add(f"{node.func.id}()")
    return {n for n in found if n in FORBIDDEN or n.partition(".")[0] in FORBIDDEN or n.endswith("()")}


@pytest.mark.parametrize("folder", ["pypto_core", "server/pypto_lsp"])
def test_nothing_of_ours_reaches_out(folder: str) -> None:
    files = sorted((ROOT / folder).rglob("*.py"))
    assert len(files) > 20
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert reaching_out(ast.parse(text)) == set(), file


def test_the_look_at_the_source_would_see_it() -> None:
    text = "import os, socket\nfrom urllib import request\nexec('x')\nimport pickle as p\n"
    assert reaching_out(ast.parse(text)) == {"socket", "urllib.request", "exec()", "pickle"}
