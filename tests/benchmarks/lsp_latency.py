"""Latency of language servers as an editor sees it (docs/spec/design/decisions.md 14).

Each server gets the same file and the same edits: a line with a call of an undefined name is put into the middle of the file, which adds a
diagnostic, and taken out again. The clock starts just before ``didChange`` is written and stops when diagnostics arrive that reflect the edit.
Usage: ``python -m tests.benchmarks.lsp_latency FILE NAME=COMMAND...``.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.benchmarks.lsp_client import Client, Message, Process

#: Seconds after which an edit counts as missed.
TIMEOUT = 30.0


@dataclass(slots=True)
class Latency:
    """Times in milliseconds, memory in MiB. ``start``: from the start of the process to the first diagnostics."""

    name: str
    initialize: float = 0.0
    opened: float = 0.0
    start: float = 0.0
    edits: list[float] = field(default_factory=list)
    hovers: list[float] = field(default_factory=list)
    missed: int = 0
    memory: float = 0.0

    @property
    def median(self) -> float:
        return percentile(self.edits, 50)

    @property
    def p95(self) -> float:
        return percentile(self.edits, 95)


def percentile(values: Sequence[float], percent: float) -> float:
    """Nearest-rank percentile; NaN of nothing."""
    ordered = sorted(values)
    return ordered[max(math.ceil(percent / 100 * len(ordered)) - 1, 0)] if ordered else math.nan


@dataclass(frozen=True, slots=True)
class Edit:
    """``lines`` take the place of what the edit before put at ``line``; ``marker`` is in a message when ``present``."""

    line: int
    removed: int
    text: str
    marker: str
    present: bool


def undefined_names(line: int, indent: str, count: int) -> list[Edit]:
    """A call of an undefined name comes and goes."""
    return [
        Edit(line, k % 2, "" if k % 2 else f"{indent}zz_v = zz_undefined_{k}(1)\n", f"zz_undefined_{k - k % 2}", not k % 2)
        for k in range(count)
    ]  # fmt: skip


def statement_near(lines: Sequence[str], wanted: int) -> tuple[int, str]:
    """Line, at or below ``wanted``, of a statement on one line behind another one, and its indentation."""
    for number in range(max(wanted, 1), len(lines)):
        text, above = lines[number], lines[number - 1].rstrip()
        if text.startswith("    ") and text.rstrip().endswith(")") and above.endswith((")", ":")):
            return number, text[: len(text) - len(text.lstrip())]
    raise ValueError("no place for an edit")


def apply(client: Client, uri: str, version: int, edit: Edit, lines: list[str]) -> None:
    """Send the edit as the server wants changes."""
    lines[edit.line : edit.line + edit.removed] = [edit.text] if edit.text else []
    sync = client.capabilities.get("textDocumentSync")
    kind = sync if isinstance(sync, int) else (sync or {}).get("change", 1)
    change: Message = {"text": "".join(lines)}
    if kind == 2:
        start, end = ({"line": n, "character": 0} for n in (edit.line, edit.line + edit.removed))
        change = {"range": {"start": start, "end": end}, "text": edit.text}
    client.change(uri, version, [change])


def measure(
    name: str,
    command: str,
    file: Path,
    edits: Callable[[Sequence[str]], list[Edit]],
    gap: float = 0.15,
    settle: float = 2.0,
    hover: bool = True,
) -> Latency:
    """Start a server, open ``file``, and make ``edits`` of it, ``gap`` seconds apart."""
    found = Latency(name)
    text = file.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    uri = file.as_uri()
    with Process(command, file.parent) as server:
        client = server.client
        found.initialize = client.initialize() * 1e3
        begin = time.perf_counter()
        client.open(uri, text)
        first = client.published(uri, 1, lambda messages: True, TIMEOUT)
        if first is None:
            raise TimeoutError(f"{name} published nothing")
        found.opened, found.start = (first - begin) * 1e3, (first - server.started) * 1e3
        _settle(client, settle)
        version = 1
        for edit in edits(lines):
            version += 1
            begin = time.perf_counter()
            apply(client, uri, version, edit, lines)
            came = client.published(
                uri,
                version,
                lambda messages, e=edit: any(e.marker in m for m in messages) is e.present,
                TIMEOUT,
            )
            if came is None:
                found.missed += 1
                continue
            found.edits.append((came - begin) * 1e3)
            if hover:
                # The lowering of this edit runs now.
                here = {"textDocument": {"uri": uri}, "position": {"line": edit.line + 1, "character": 9}}
                found.hovers.append(client.call("textDocument/hover", here)[0] * 1e3)
            time.sleep(gap)
        found.memory = server.memory(peak=True)
    return found


def _settle(client: Client, seconds: float) -> None:
    """Let a first analysis in the background end."""
    end = time.perf_counter() + seconds
    while client.next(end - time.perf_counter()) is not None:
        continue


def middle(count: int) -> Callable[[Sequence[str]], list[Edit]]:
    """``count`` edits in the middle of a file."""

    def edits(lines: Sequence[str]) -> list[Edit]:
        line, indent = statement_near(lines, len(lines) // 2)
        return undefined_names(line, indent, count)

    return edits


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("servers", nargs="+", metavar="NAME=COMMAND")
    parser.add_argument("--edits", type=int, default=30)
    parser.add_argument("--gap", type=float, default=0.15, help="seconds between two edits")
    parser.add_argument(
        "--settle", type=float, default=2.0, help="seconds between opening and the first edit"
    )
    given = parser.parse_args()
    print(f"{'server':12}{'start':>9}{'open':>9}{'median':>9}{'p95':>9}{'hover':>9}{'missed':>8}{'MiB':>8}")
    for server in given.servers:
        name, _, command = server.partition("=")
        m = measure(name, command, given.file.resolve(), middle(given.edits), given.gap, given.settle)
        print(
            f"{m.name:12}{m.start:9.1f}{m.opened:9.1f}{m.median:9.1f}{m.p95:9.1f}"
            f"{percentile(m.hovers, 95):9.1f}{m.missed:8}{m.memory:8.1f}"
        )


if __name__ == "__main__":
    main()
