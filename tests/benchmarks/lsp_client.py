"""A small synchronous client of a language server, for measurements and soaks. Standard library alone: nothing stands between the clock and the wire."""

from __future__ import annotations

import json
import os
import queue
import shlex
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

Message = dict[str, Any]

#: What a current VS Code can do, as far as it matters here; diagnostics are pushed.
CAPABILITIES: Message = {
    "general": {"positionEncodings": ["utf-16"]},
    "window": {"workDoneProgress": True},
    "workspace": {
        "configuration": True,
        "workspaceFolders": True,
        "applyEdit": True,
        "didChangeWatchedFiles": {"dynamicRegistration": True},
    },
    "textDocument": {
        "synchronization": {"didSave": True},
        "publishDiagnostics": {
            "versionSupport": True,
            "relatedInformation": True,
            "codeDescriptionSupport": True,
            "dataSupport": True,
            "tagSupport": {"valueSet": [1, 2]},
        },
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "source"]}}},
    },
}


class ServerEnded(Exception):
    """The server closed the connection."""


class Client:
    """One connection. Messages are read by a thread that notes when each came."""

    def __init__(self, reader: BinaryIO, writer: BinaryIO, root: Path) -> None:
        self._reader, self._writer = reader, writer
        self._came: queue.Queue[tuple[float, Message | None]] = queue.Queue()
        self._number = 0
        self.root = root
        self.capabilities: Message = {}
        #: Methods that the server registered at run time.
        self.registered: set[str] = set()
        threading.Thread(target=self._read, daemon=True).start()

    # -------------------------------------------------------------------------------------------------------- sending
    def notify(self, method: str, params: Any) -> None:
        self._write({"jsonrpc": "2.0", "method": method, "params": params})

    def send(self, method: str, params: Any) -> int:
        """A request; returns its id."""
        self._number += 1
        self._write({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        return self._number

    def call(self, method: str, params: Any, timeout: float = 60.0) -> tuple[float, Message]:
        """Seconds until the answer, and the answer."""
        start = time.perf_counter()
        number = self.send(method, params)
        found = self.wait(lambda m: m.get("id") == number, timeout)
        if found is None:
            raise TimeoutError(method)
        return found[0] - start, found[1]

    def _write(self, message: Message) -> None:
        body = json.dumps(message).encode()
        self._writer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._writer.flush()

    # ------------------------------------------------------------------------------------------------------ receiving
    def wait(self, wanted: Callable[[Message], bool], timeout: float) -> tuple[float, Message] | None:
        """The next message that is ``wanted``, with the time it came; None when none came in time."""
        end = time.perf_counter() + timeout
        while True:
            found = self.next(end - time.perf_counter())
            if found is None or wanted(found[1]):
                return found

    def next(self, timeout: float) -> tuple[float, Message] | None:
        """The next message that is no request of the server's; those are answered here."""
        end = time.perf_counter() + timeout
        while True:
            try:
                came, message = self._came.get(timeout=max(0.0, end - time.perf_counter()))
            except queue.Empty:
                return None
            if message is None:
                raise ServerEnded
            if "id" not in message or "method" not in message:
                return came, message
            self._answer(message)

    def _answer(self, request: Message) -> None:
        result: Any = None
        if request["method"] == "workspace/configuration":
            result = [None] * len(request["params"]["items"])
        elif request["method"] == "client/registerCapability":
            self.registered |= {r["method"] for r in request["params"]["registrations"]}
        elif request["method"] == "workspace/workspaceFolders":
            result = [{"uri": self.root.as_uri(), "name": "root"}]
        self._write({"jsonrpc": "2.0", "id": request["id"], "result": result})

    def _read(self) -> None:
        while True:
            length = 0
            while True:
                line = self._reader.readline()
                if not line:
                    self._came.put((time.perf_counter(), None))
                    return
                if line in (b"\r\n", b"\n"):
                    break
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            self._came.put((time.perf_counter(), json.loads(self._reader.read(length))))

    # ------------------------------------------------------------------------------------------------------ life cycle
    def initialize(self) -> float:
        """Shake hands; seconds until the server answered."""
        params = {
            "processId": os.getpid(),
            "rootUri": self.root.as_uri(),
            "capabilities": CAPABILITIES,
            "workspaceFolders": [{"uri": self.root.as_uri(), "name": "root"}],
        }
        seconds, answer = self.call("initialize", params)
        self.capabilities = answer["result"]["capabilities"]
        self.notify("initialized", {})
        return seconds

    def shut_down(self) -> None:
        self.call("shutdown", None, 20)
        self.notify("exit", None)

    # ------------------------------------------------------------------------------------------------------- documents
    def open(self, uri: str, text: str, version: int = 1) -> None:
        item = {"uri": uri, "languageId": "python", "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def change(self, uri: str, version: int, changes: list[Message]) -> None:
        identifier = {"uri": uri, "version": version}
        self.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": changes})

    def published(
        self, uri: str, version: int, reflects: Callable[[list[str]], bool], timeout: float
    ) -> float | None:
        """When diagnostics of ``uri``, not older than ``version``, came whose messages ``reflect`` the text."""

        def wanted(message: Message) -> bool:
            if message.get("method") != "textDocument/publishDiagnostics":
                return False
            params = message["params"]
            if params["uri"] != uri or (params.get("version") or version) < version:
                return False
            return reflects([d["message"] for d in params["diagnostics"]])

        found = self.wait(wanted, timeout)
        return found[0] if found is not None else None


class Process:
    """A server on its standard input and output, with a client of it."""

    def __init__(self, command: str, root: Path) -> None:
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            shlex.split(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=root,
        )
        assert self.process.stdin is not None and self.process.stdout is not None
        self.client = Client(self.process.stdout, self.process.stdin, root)  # type: ignore[arg-type]

    def __enter__(self) -> Process:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self.client.shut_down()
            self.process.wait(10 if kind is None else 0)
        except (subprocess.TimeoutExpired, ServerEnded, TimeoutError, BrokenPipeError):
            self.process.kill()
        self.process.wait()

    def memory(self, peak: bool = False) -> float:
        """Resident memory of the process and its children in MiB; 0 where that cannot be read."""
        return resident(self.process.pid, peak)


def connect(port: int, root: Path) -> Client:
    """A client of a server on a local port."""
    made = socket.create_connection(("127.0.0.1", port), timeout=30)
    made.settimeout(None)
    stream = made.makefile("rwb")
    return Client(stream, stream, root)  # type: ignore[arg-type]


def resident(pid: int, peak: bool = False) -> float:
    """Resident memory of a process tree in MiB, now or at its peak (Linux; 0 elsewhere)."""
    field, total, todo = ("VmHWM:" if peak else "VmRSS:"), 0, [pid]
    while todo:
        folder = Path(f"/proc/{todo.pop()}")
        try:
            for line in (folder / "status").read_text().splitlines():
                if line.startswith(field):
                    total += int(line.split()[1])
            for task in (folder / "task").iterdir():
                todo += [int(child) for child in (task / "children").read_text().split()]
        except OSError:
            continue
    return total / 1024
