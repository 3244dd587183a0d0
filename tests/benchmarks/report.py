"""``python -m tests.benchmarks.report``: the table of latencies and memory, ours beside other servers on the same file and edits.

Servers that are not installed are left out (``pip install -e '.[bench]'`` brings them). Ratios are of one run on one machine.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.long_files import PROBE, long_file, long_kernel
from tests.benchmarks.lsp_client import Process
from tests.benchmarks.lsp_latency import Edit, Latency, apply, measure, middle, percentile

BIN = Path(sys.executable).parent
OURS = f"{sys.executable} -m pypto_lsp serve --log-level error"
OTHERS = {"ty": "ty server", "pyright": "pyright-langserver --stdio"}
LENGTHS = (200, 2_000, 20_000)
STATEMENTS = 500
#: Files of a large folder.
LARGE = 3_000


def servers() -> dict[str, str]:
    """Ours, and the others that this environment has."""
    found = {"pypto-lsp": OURS}
    for name, command in OTHERS.items():
        if (BIN / command.split()[0]).exists():
            found[name] = f"{BIN}/{command}"
    return found


def in_the_probe(count: int) -> object:
    """Edits of the same function, wherever it stands."""

    def edits(lines: Sequence[str]) -> list[Edit]:
        start = next(n for n, line in enumerate(lines) if line.startswith(f"def {PROBE}("))
        line = next(n for n in range(start, len(lines)) if "inv = pl.rsqrt" in lines[n])
        return middle_at(line, count)

    return edits


def middle_at(line: int, count: int) -> list[Edit]:
    from tests.benchmarks.lsp_latency import undefined_names

    return undefined_names(line, " " * 8, count)


def refused_reductions(count: int) -> object:
    """Edits of the long kernel with a finding each that only its lowering makes, in other words each time."""

    def edits(lines: Sequence[str]) -> list[Edit]:
        line = next(n for n, text in enumerate(lines) if "grown25 =" in text)
        return [
            Edit(line, min(k, 1), f"        zz_{k} = pl.{name}(biased25)\n", f"pl.{name}", True)
            for k in range(count)
            for name in (("col_sum", "col_max")[k % 2],)
        ]

    return edits


def memory_of_many_files(folder: Path, count: int) -> tuple[float, float]:
    """Resident memory after start and with ``count`` open files, all analysed."""
    with Process(OURS, folder) as server:
        client = server.client
        client.initialize()
        text = long_file(200)
        for number in range(count):
            uri = (folder / f"file{number}.py").as_uri()
            client.open(uri, text.replace("EPS", f"EPS_{number}"))
            if number == 0:
                client.call(
                    "workspace/executeCommand", {"command": "pypto.server.analysed", "arguments": [uri]}
                )
                one = server.memory()
        for number in range(count):
            uri = (folder / f"file{number}.py").as_uri()
            client.call("workspace/executeCommand", {"command": "pypto.server.analysed", "arguments": [uri]})
        return one, server.memory()


def memory_of_many_edits(file: Path, count: int) -> tuple[float, float]:
    """Resident memory after a tenth of the edits and after all."""
    text = file.read_text(encoding="utf-8")
    lines, uri = text.splitlines(keepends=True), file.as_uri()
    with Process(OURS, file.parent) as server:
        client = server.client
        client.initialize()
        client.open(uri, text)
        edits = in_the_probe(count)(lines)  # type: ignore[operator]
        early = 0.0
        for number, edit in enumerate(edits, 2):
            apply(client, uri, number, edit, lines)
            client.call("workspace/executeCommand", {"command": "pypto.server.analysed", "arguments": [uri]})
            if number == count // 10:
                early = server.memory()
        return early, server.memory()


def keystrokes_in_a_large_folder(folder: Path, files: int, count: int) -> tuple[Latency, float]:
    """Edits of a file of 200 lines while the server looks at ``files`` others beside it; resident memory when it has."""
    root = folder / "large"
    root.mkdir()
    text = long_file(200)
    for number in range(files):
        (root / f"file{number}.py").write_text(text.replace("EPS", f"EPS_{number}"), encoding="utf-8")
    file = root / "edited.py"
    file.write_text(text, encoding="utf-8")
    found = measure("ours", OURS, file, in_the_probe(count), settle=0.5, gap=0.05)  # type: ignore[arg-type]
    with Process(OURS, root) as server:
        server.client.initialize()
        server.client.call("workspace/executeCommand", {"command": "pypto.server.scanned"}, timeout=600)
        return found, server.memory()


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """Markdown; numbers without more digits than mean something."""

    def cell(value: object) -> str:
        if isinstance(value, float):
            return f"{value:,.1f}" if value < 10 else f"{value:,.0f}"
        return str(value)

    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    return lines + ["| " + " | ".join(map(cell, row)) + " |" for row in rows]


def report(folder: Path, edits: int, keystrokes: int, files: int) -> list[str]:
    """The lines of the page."""
    lines = [
        f"Measured on {time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; milliseconds."
    ]

    file = folder / "kernels.py"
    file.write_text(long_file(2_000), encoding="utf-8")
    found = [measure(name, command, file, middle(edits), settle=6.0) for name, command in servers().items()]
    ours = found[0]
    lines += ["", "**The same file of 2,000 lines, the same edits.**", ""]
    lines += table(
        ("server", "start to findings", "open to findings", "keystroke, median", "p95", "ours / it", "hover, p95", "missed", "MiB"),
        [(m.name, m.start, m.opened, m.median, m.p95, ours.median / m.median, percentile(m.hovers, 95), m.missed, m.memory) for m in found],
    )  # fmt: skip

    by_length: list[tuple[int, Latency]] = []
    for length in LENGTHS:
        file = folder / f"kernels{length}.py"
        file.write_text(long_file(length), encoding="utf-8")
        settle = 4.0 + length / 1000
        by_length.append((length, measure("ours", OURS, file, in_the_probe(edits), settle=settle)))  # type: ignore[arg-type]
    base = by_length[0][1]
    lines += ["", "**The same function in files of other lengths.**", ""]
    lines += table(
        ("lines", "open to findings", "keystroke, median", "p95", "median / that of 200 lines"),
        [(f"{n:,}", m.opened, m.median, m.p95, m.median / base.median) for n, m in by_length],
    )

    file = folder / "long_kernel.py"
    file.write_text(long_file(1_450).rstrip() + "\n\n\n" + long_kernel(STATEMENTS), encoding="utf-8")
    deep = measure("ours", OURS, file, refused_reductions(edits), settle=6.0, gap=0.6)  # type: ignore[arg-type]
    lines += [
        "",
        f"**A kernel of {STATEMENTS} statements in a file of 2,000 lines: from the keystroke to what its lowering finds.**",
        "",
    ]
    lines += table(
        ("", "median", "p95", "missed"),
        [
            ("finding of the lowering", deep.median, deep.p95, deep.missed),
            ("hover after it", percentile(deep.hovers, 50), percentile(deep.hovers, 95), 0),
        ],
    )

    among, looked_at = keystrokes_in_a_large_folder(folder, LARGE, edits)
    lines += ["", f"**A file of 200 lines in a folder of {LARGE:,}, which are looked at meanwhile.**", ""]
    lines += table(
        ("", "median", "p95", "missed", "MiB when all are known"),
        [("keystroke", among.median, among.p95, among.missed, looked_at)],
    )

    one, all_of_them = memory_of_many_files(folder, files)
    file = folder / "kernels2000.py"
    early, late = memory_of_many_edits(file, keystrokes)
    lines += ["", "**Resident memory, MiB.**", ""]
    lines += table(
        ("", "before", "after"),
        [
            (f"one file open, then {files} of 200 lines, all lowered", one, all_of_them),
            (f"after {keystrokes // 10:,} edits of a file of 2,000 lines, after {keystrokes:,}", early, late),
        ],
    )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--edits", type=int, default=60)
    parser.add_argument("--keystrokes", type=int, default=5_000, help="edits of the memory measurement")
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--out", type=Path, default=Path("build/speed.md"))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lines = report(Path(folder), given.edits, given.keystrokes, given.files)
    text = "\n".join(lines) + "\n"
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
