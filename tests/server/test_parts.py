"""The parts below the features: guards, the analysis thread, positions, settings, files, refreshes of texts."""

from __future__ import annotations

import asyncio
import logging
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types
from pygls.workspace import PositionCodec

from pypto_core import CallContext, Chunk, Diagnostic, Span, Workspace, cursor_at
from pypto_core.engine.findings import merged
from pypto_lsp.config import Config, ConfigError, from_pyproject, with_editor_settings
from pypto_lsp.features.rename import conflict
from pypto_lsp.features.workspace_symbols import score, search
from pypto_lsp.guard import ContentModified, ServerCancelled, guarded
from pypto_lsp.modules import Disk, has_no_path
from pypto_lsp.positions import Positions, Text, path_of, split_lines, uri_of
from pypto_lsp.project import Defined, Project, python_files
from pypto_lsp.server import FAULT, create_server
from pypto_lsp.worker import Worker
from tests.server.cursor import source
from tests.support.costs import calls_counted


# --------------------------------------------------------------------------------------------------------------- guards
def test_a_failing_handler_answers_null_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    told: list[str] = []

    async def handler(params: object) -> str:
        raise KeyError("boom")

    with caplog.at_level(logging.ERROR, "pypto_lsp"):
        assert asyncio.run(guarded("textDocument/hover", handler, told.append)(None)) is None
    assert told == ["textDocument/hover"]
    assert "internal error in textDocument/hover" in caplog.text
    assert "boom" in caplog.text


def test_a_failing_synchronous_handler() -> None:
    told: list[str] = []

    def handler(params: object) -> str:
        raise ValueError

    assert guarded("shutdown", handler, told.append)(None) is None
    assert told == ["shutdown"]


def test_outdated_requests_are_no_faults() -> None:
    async def handler(params: object) -> str:
        raise ContentModified

    told: list[str] = []
    with pytest.raises(ContentModified):
        asyncio.run(guarded("textDocument/hover", handler, told.append)(None))
    assert told == []


def test_findings_are_never_answered_empty_by_a_fault() -> None:
    async def handler(params: object) -> str:
        raise RuntimeError

    with pytest.raises(ServerCancelled):
        asyncio.run(guarded(types.TEXT_DOCUMENT_DIAGNOSTIC, handler, lambda _: None)(None))


# -------------------------------------------------------------------------------------------------------- analysis thread
def test_the_newest_edit_of_a_file_replaces_a_waiting_one() -> None:
    worker = Worker(Workspace())
    done: list[int] = []
    started, release = threading.Event(), threading.Event()

    def first() -> None:
        started.set()
        release.wait(5)

    worker.edit("other", first)
    assert started.wait(5)
    for number in range(5):
        worker.edit("file", lambda number=number: done.append(number))  # type: ignore[misc]
    last = threading.Event()
    worker.background("last", last.set)
    release.set()
    assert last.wait(5)
    assert done == [4]
    worker.stop()


def test_requests_come_before_background_work_and_idle_work_last() -> None:
    async def run() -> list[str]:
        worker = Worker(Workspace())
        order: list[str] = []
        started, release = threading.Event(), threading.Event()

        def first() -> None:
            started.set()
            release.wait(5)

        worker.edit("first", first)
        started.wait(5)
        end = threading.Event()
        worker.idle("idle", lambda: (order.append("idle"), end.set())[0])
        worker.background("background", lambda: order.append("background"))
        answer = worker.ask(lambda: order.append("request"))
        release.set()
        await answer
        end.wait(5)
        worker.stop()
        return order

    assert asyncio.run(run()) == ["request", "background", "idle"]


def test_a_failing_job_does_not_end_the_thread() -> None:
    async def run() -> int:
        worker = Worker(Workspace())

        def fail() -> None:
            raise KeyError

        worker.edit("file", fail)
        with pytest.raises(ZeroDivisionError):
            await worker.ask(lambda: 1 // 0)
        answer = await worker.ask(lambda: 7)
        worker.stop()
        return answer

    assert asyncio.run(run()) == 7


def test_all_who_wait_for_idle_work_get_their_answers() -> None:
    async def run() -> list[int]:
        worker = Worker(Workspace())
        started, release = threading.Event(), threading.Event()

        def first() -> None:
            started.set()
            release.wait(5)

        worker.edit("first", first)
        started.wait(5)
        answers = [worker.ask_idly(lambda number=number: number) for number in range(3)]  # type: ignore[misc]
        release.set()
        found = await asyncio.wait_for(asyncio.gather(*answers), 5)
        worker.stop()
        return found

    assert asyncio.run(run()) == [0, 1, 2]


def test_whoever_waits_is_released_when_the_thread_stops() -> None:
    async def run() -> None:
        worker = Worker(Workspace())
        started, release = threading.Event(), threading.Event()

        def first() -> None:
            started.set()
            release.wait(5)

        worker.edit("first", first)
        started.wait(5)
        answers = (worker.ask(lambda: 1), worker.ask_idly(lambda: 2))
        worker.stop()
        release.set()
        for answer in answers:
            with pytest.raises(asyncio.CancelledError):
                await answer

    asyncio.run(run())


# ------------------------------------------------------------------------------------------------------------- positions
CODEC = PositionCodec(types.PositionEncodingKind.Utf16)


def change(text: str, *parts: tuple[tuple[int, int], tuple[int, int], str]) -> str:
    events: list[types.TextDocumentContentChangeEvent] = [
        types.TextDocumentContentChangePartial(
            range=types.Range(types.Position(*s), types.Position(*e)), text=t
        )
        for s, e, t in parts
    ]
    changed = Text(text).changed(events, CODEC)
    assert changed.lines == split_lines(changed.text)
    return changed.text


@pytest.mark.parametrize(
    ("text", "start", "end", "new", "expected"),
    [
        ("ab\ncd\n", (0, 1), (1, 1), "X", "aXd\n"),
        ("ab\ncd\n", (2, 0), (2, 0), "e", "ab\ncd\ne"),
        ("ab", (0, 2), (0, 2), "\n", "ab\n"),
        ("", (0, 0), (0, 0), "new", "new"),
        ("a\r\nb\r\n", (1, 0), (1, 1), "c", "a\r\nc\r\n"),
        ("a\rb\r", (1, 0), (1, 1), "c", "a\rc\r"),
        ("😀x\n", (0, 2), (0, 3), "y", "😀y\n"),
        ("a\x0cb\u2028c\nd\n", (1, 0), (1, 1), "e", "a\x0cb\u2028c\ne\n"),
        ("ab\n", (9, 9), (10, 0), "z", "ab\nz"),
        ("ab\n", (0, 1), (0, 99), "z", "az\n"),
        ("aa\r\ra", (2, 0), (0, 2), "z", "aa\r\rza"),
    ],
)
def test_changes_are_applied_as_the_client_means_them(
    text: str, start: tuple[int, int], end: tuple[int, int], new: str, expected: str
) -> None:
    assert change(text, (start, end, new)) == expected


def test_changes_build_on_each_other() -> None:
    assert change("abc\n", ((0, 0), (0, 1), ""), ((0, 0), (0, 1), ""), ((0, 1), (0, 1), "!")) == "c!\n"


_PLACE = st.tuples(st.integers(0, 7), st.integers(0, 5))
_TYPED = st.text(st.sampled_from("ab😀\r\n\t\x0c\u2028"), max_size=6)


@given(
    _TYPED,
    st.lists(st.tuples(_PLACE, _PLACE, _TYPED), max_size=6),
    st.sampled_from(["utf-8", "utf-16", "utf-32"]),
)
def test_any_change_is_that_of_the_whole_text(
    start: str, parts: list[tuple[tuple[int, int], tuple[int, int], str]], encoding: str
) -> None:
    """Lines are those of the new text, and the text is the one that offsets in the old one give, in every unit and with every line end."""
    codec, text = PositionCodec(types.PositionEncodingKind(encoding)), Text(start)
    for begin, end, new in parts:
        positions = Positions(text.lines, codec)

        def offset(place: tuple[int, int], lines: list[str], of: Positions) -> int:
            line, column = place
            if line >= len(lines):
                return sum(map(len, lines))
            return sum(map(len, lines[:line])) + of.column(types.Position(line, column))

        first, last = (offset(place, text.lines, positions) for place in (begin, end))
        expected = text.text[:first] + new + text.text[max(first, last) :]
        event = types.TextDocumentContentChangePartial(
            range=types.Range(types.Position(*begin), types.Position(*end)), text=new
        )
        text = text.changed([event], codec)
        assert text.text == expected
        assert text.lines == split_lines(expected)


@pytest.mark.parametrize("text", ["", "a", "a\n", "a\nb", "a\r\nb\r\n", "\n\n", "a\rb"])
def test_lines_make_the_text(text: str) -> None:
    lines = split_lines(text)
    assert "".join(lines) == text
    assert not lines[-1].endswith(("\n", "\r"))


def test_columns_in_the_clients_units() -> None:
    positions = Positions(split_lines("é😀 = 1\n"), CODEC)
    assert positions.position(0, 2) == types.Position(0, 3)
    assert positions.column(types.Position(0, 3)) == 2
    assert positions.position(7, 0) == types.Position(1, 0)


def test_paths_and_addresses() -> None:
    assert path_of("file:///tmp/a%20b.py") == "/tmp/a b.py"
    assert path_of("untitled:Untitled-1") == "untitled:Untitled-1"
    assert uri_of("untitled:Untitled-1") == "untitled:Untitled-1"
    assert uri_of("/tmp/a b.py") == "file:///tmp/a%20b.py"
    assert has_no_path("untitled:Untitled-1")
    assert not has_no_path("C:/kernel.py")


# -------------------------------------------------------------------------------------------------------------- settings
def test_the_editor_wins_over_the_project(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.pypto-lsp]\nbackend = "a5"\nignore = ["unused-variable"]\n'
    )
    config = from_pyproject(tmp_path / "kernel.py")
    assert (config.backend, config.ignore) == ("a5", ("unused-variable",))
    config = with_editor_settings(config, {"backend": "a2a3", "inlayHints": {"lanes": False}}, str(tmp_path))
    assert (config.backend, config.ignore, config.hint_lanes) == ("a2a3", ("unused-variable",), False)


@pytest.mark.parametrize(
    "section",
    [
        {"backend": 3},
        {"run": "sometimes"},
        {"codeLens": "yes"},
        {"maxFileSize": -1},
        {"searchPath": "folder"},
        {"diagnosticMode": "all"},
    ],
)
def test_wrong_values_are_named(section: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=next(iter(section))):
        with_editor_settings(Config(), section)


def test_search_paths_are_expanded() -> None:
    config = with_editor_settings(
        Config(), {"searchPath": ["${workspaceFolder}/lib", "src", "~/kernels"]}, "/w"
    )
    assert config.search_path == ("/w/lib", "/w/src", str(Path("~/kernels").expanduser()))


# ----------------------------------------------------------------------------------------------------------------- files
def test_texts_follow_the_disk(tmp_path: Path) -> None:
    disk, file = Disk(), tmp_path / "a.py"
    path = file.as_posix()
    assert disk.read(path) is None
    file.write_text("one")
    assert disk.read(path) == "one"
    file.write_text("longer")
    assert disk.read(path) == "longer"
    file.write_bytes(b"\xff\xfe\x00")
    assert disk.read(path) is None
    file.unlink()
    assert disk.read(path) is None
    assert disk.read("untitled:Untitled-1") is None
    assert disk.read("a\0b") is None


def test_environments_and_hidden_folders_are_left_out(tmp_path: Path) -> None:
    for name in (
        "kernels/a.py",
        ".git/b.py",
        "venv/c.py",
        "myenv/pyvenv.cfg",
        "myenv/d.py",
        "node_modules/e.py",
        "f.txt",
    ):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("x = 1\n")
    assert [Path(p).name for p in python_files(str(tmp_path))] == ["a.py"]


def test_the_project_knows_what_its_files_define(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    file.write_text(
        "import pypto.language as pl\n\nROWS = 4\n\n\n@pl.jit\ndef kernel(x: pl.Tensor):\n    return x\n"
    )
    disk = Disk()
    project = Project(Workspace(disk), disk)
    project.look_at(file.as_posix())
    assert [(d.name, d.kind) for d in project.defined[file.as_posix()]] == [
        ("ROWS", "constant"),
        ("kernel", "kernel"),
    ]
    file.write_text("print()\n")
    project.core.disk_changed(file.as_posix())
    project.look_at(file.as_posix())
    assert project.defined == {}


@pytest.mark.parametrize(
    ("query", "name", "expected"),
    [
        ("", "x", 0),
        ("soft", "softmax", 1),
        ("max", "softmax", 2),
        ("smx", "softmax", 3),
        ("SOFTMAX", "softmax", 0),
        ("xs", "softmax", None),
    ],
)
def test_symbols_are_found_by_their_letters(query: str, name: str, expected: int | None) -> None:
    assert score(query, name) == expected


def test_the_best_symbols_come_first() -> None:
    defined = [
        Defined("/w/k.py", name, "kernel", "", 0, 0, 1)
        for name in ("my_softmax", "softmax", "softmax_rows", "other")
    ]
    assert [d.name for d in search("softmax", defined)] == ["softmax", "softmax_rows", "my_softmax"]


def test_findings_of_several_files_are_merged_by_place() -> None:
    one = Diagnostic("op-kind", "a", Span(Chunk("/w/k.py", "abc\n"), 0, 1))
    same = Diagnostic("op-kind", "b", Span(Chunk("/w/k.py", "abc\n"), 0, 1))
    other = Diagnostic("op-kind", "c", Span(Chunk("/w/k.py", "abc\n"), 1, 2))
    assert [d.message for d in merged((one,), (same, other))] == ["a", "c"]


# --------------------------------------------------------------------------------------------------------------- cursor
def calls(marked: str) -> list[CallContext]:
    at = source(marked)
    return list(cursor_at(at.lines, at.line, at.column).calls)


@pytest.mark.parametrize(
    ("marked", "callee", "index", "keyword"),
    [
        ("f(a, $0", "f", 1, ""),
        ("f(a, key=$0", "f", 1, "key"),
        ("f(a == b, $0", "f", 1, ""),
        ("f((1, 2), [3, 4], $0", "f", 2, ""),
        ("f(')', \"(\", $0", "f", 2, ""),
        ("pl.tile.load(\n    a,\n    $0", "pl.tile.load", 1, ""),
        ("f(a)\ng($0", "g", 0, ""),
        ("f(a\ng($0", "g", 0, ""),
        ("f(a,  # (comment\n  $0", "f", 1, ""),
        ("f('''\n(\n''', $0", "f", 1, ""),
        ("f(x[1, $0", "f", 0, ""),
    ],
)
def test_the_open_call_at_the_cursor(marked: str, callee: str, index: int, keyword: str) -> None:
    at = source(marked)
    call = cursor_at(at.lines, at.line, at.column).call
    assert call is not None
    assert (call.callee, call.index, call.keyword) == (callee, index, keyword)


@pytest.mark.parametrize("marked", ["f(a)$0", "x = $0", "(a, $0", "# f($0", ""])
def test_no_open_call(marked: str) -> None:
    at = source(marked if "$0" in marked else "$0")
    assert cursor_at(at.lines, at.line, at.column).call is None


def test_strings_and_comments_are_known() -> None:
    for marked, in_string, comment in (
        ("x = 'a$0", True, ""),
        ("x = 'a'$0", False, ""),
        ("# a$0", False, "# a"),
        ("'''\na$0", True, ""),
    ):
        at = source(marked)
        found = cursor_at(at.lines, at.line, at.column)
        assert (found.in_string, found.comment) == (in_string, comment)


def test_a_long_text_is_not_read_whole() -> None:
    lines = split_lines("x = f(a, b)\n" * 50_000)
    with calls_counted() as calls:
        cursor_at(lines, 49_999, 5)
    assert calls[0] < 50_000


def test_names_that_cannot_be_taken() -> None:
    from pypto_core import parse_file, read_names
    from pypto_core.engine.finder import Target

    names = read_names("k.py", parse_file("k.py", "def f(a):\n    b = a\n    return b\n"))
    use = names.at(1, 4)
    assert use is not None
    symbol = names.symbol(use)
    assert symbol is not None
    target = Target(names, "b", use.span, symbol)
    assert "already" in conflict("a", target, [])
    assert "no name in Python" in conflict("1x", target, [])
    assert "no name in Python" in conflict("class", target, [])
    assert conflict("c", target, []) == ""


def test_faults_that_the_analysis_survived_are_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    from pypto_core import FileFacts, Settings
    from pypto_lsp.server import Open, PyptoServer, Snapshot, Tier

    server = PyptoServer()
    text = "# pypto\n"
    document = Open("file:///w/k.py", "/w/k.py", text, 1, True, split_lines(text))
    finding = Diagnostic(
        "internal",
        "internal error in Simplify",
        Span(Chunk("/w/k.py", text), 0, 1),
        data={"fault": KeyError("boom")},
    )
    server.documents[document.uri] = document
    names = Workspace().names("/w/k.py")
    found = Snapshot(0, Tier.FULL, (finding,), FileFacts("/w/k.py", text, Settings(), names))
    told: list[Tier] = []
    server.listeners = [lambda document, tier: told.append(tier)]
    with caplog.at_level(logging.ERROR, "pypto_lsp"):
        server._computed(document, found, {})
        server._computed(document, found, {})
    assert caplog.text.count("internal error in Simplify") == 1
    assert "boom" in caplog.text
    assert told == [Tier.FULL, Tier.FULL]
    server._computed(document, Snapshot(7, Tier.FULL, (), found.facts), {})
    assert told == [Tier.FULL, Tier.FULL]
    assert document.full is found
    server.worker.stop()


def test_garbage_is_looked_for_in_pauses() -> None:
    from pypto_lsp.heap import Collector

    async def run() -> list[int]:
        ran: list[int] = []
        collector = Collector(lambda job: ran.append(1), pause=0.1)
        for _ in range(5):
            collector.edited()
            await asyncio.sleep(0.02)
        assert ran == []
        await asyncio.sleep(0.3)
        return ran

    assert asyncio.run(run()) == [1]


def test_our_own_extension_is_told_of_a_fault_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It shows a button for the log, which a plain message of the protocol cannot."""
    server = create_server()
    sent: list[tuple[str, Any]] = []
    monkeypatch.setattr(server.protocol, "notify", lambda method, params=None: sent.append((method, params)))
    server.client_commands = True
    server.report_fault("textDocument/hover")
    server.report_fault("textDocument/hover")
    server.report_fault("textDocument/completion")
    assert [method for method, _ in sent] == [FAULT, FAULT]
    assert "internal error in textDocument/hover" in sent[0][1]["message"]
    server.client_commands = False
    server.report_fault("textDocument/rename")
    assert sent[-1][0] == "window/showMessage"
