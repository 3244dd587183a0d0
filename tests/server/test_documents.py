"""Documents as they change: versions, tiers, refreshes, lowered views, imported files, settings."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import pytest_asyncio
from lsprotocol import types

from tests.server.clients import capabilities
from tests.server.kernels import REGION, TILES, WRONG
from tests.server.session import Session, session

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def push(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Session]:
    """A client that is pushed to."""
    async with session(tmp_path_factory.mktemp("push"), capabilities("vscode-push")) as made:
        yield made


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pull(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Session]:
    """A client that pulls."""
    root: Path = tmp_path_factory.mktemp("pull")
    (root / "other.py").write_text(WRONG, encoding="utf-8")
    (root / "plain.py").write_text("print(1)\n", encoding="utf-8")
    async with session(root, capabilities("vscode")) as made:
        yield made


# --------------------------------------------------------------------------------------------------------- diagnostics
async def test_every_push_has_its_version_and_the_newest_wins(push: Session) -> None:
    uri = await push.open(WRONG)
    await push.change(uri, REGION)
    await push.until(lambda: push.codes(uri).count("aiv-reduce-split-axis") == 0)
    sent = [p for p in push.client.published if p.uri == uri]
    assert [p.version for p in sent] == sorted(p.version or 0 for p in sent)
    assert sent[-1].version == 2
    assert any(d.code == "aiv-reduce-split-axis" for p in sent if p.version == 1 for d in p.diagnostics)


async def test_nothing_empty_is_pushed_in_between(push: Session) -> None:
    uri = await push.open(WRONG)
    for number in range(5):
        await push.edit(
            uri, "ROWS = 64", f"ROWS = {64}  # {number}" if not number else "ROWS = 64", wait=False
        )
    await push.analysed(uri)
    sent = [p for p in push.client.published if p.uri == uri]
    assert all(any(d.code == "aiv-reduce-split-axis" for d in p.diagnostics) for p in sent)


async def test_many_fast_edits_end_in_the_last_text(push: Session) -> None:
    uri = await push.open(REGION)
    for size in (16, 32, 48, 64, 80, 96, 112, 128):
        await push.edit(uri, push.texts[uri].split("\n")[2], f"ROWS = {size}", wait=False)
    await push.analysed(uri)
    hover = await push.client.text_document_hover_async(
        types.HoverParams(push.document(uri), push.position(uri, "ROWS", 1))
    )
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert "ROWS = 128" in hover.contents.value


async def test_closing_clears(push: Session) -> None:
    uri = await push.open(WRONG)
    await push.until(lambda: bool(push.codes(uri)))
    push.close(uri)
    await push.until(lambda: not push.codes(uri))


async def test_a_pulling_client_is_never_pushed_to(pull: Session) -> None:
    uri = await pull.open(WRONG)
    report = await pull.client.text_document_diagnostic_async(
        types.DocumentDiagnosticParams(pull.document(uri))
    )
    assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
    assert [d.code for d in report.items if d.severity is types.DiagnosticSeverity.Error] == [
        "aiv-reduce-split-axis"
    ]
    assert not pull.client.published
    # The repairs follow the findings; once they are there, nothing changes any more.
    while not any(d.data is not None for d in report.items):
        await asyncio.sleep(0.05)
        report = await pull.client.text_document_diagnostic_async(
            types.DocumentDiagnosticParams(pull.document(uri))
        )
        assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
    again = await pull.client.text_document_diagnostic_async(
        types.DocumentDiagnosticParams(pull.document(uri), previous_result_id=report.result_id)
    )
    assert isinstance(again, types.RelatedUnchangedDocumentDiagnosticReport)


async def test_early_answers_are_asked_for_again(pull: Session) -> None:
    head, kernel = TILES.split("@pl.program", 1)
    # So many that the questions below overtake the analysis on any machine.
    many = "".join(f"@pl.program{kernel}\n\n".replace("class ", f"class K{number}") for number in range(60))
    uri = await pull.open(head + many, wait=False)
    await pull.client.text_document_diagnostic_async(types.DocumentDiagnosticParams(pull.document(uri)))
    await pull.client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(pull.document(uri)))
    await pull.analysed(uri)
    await pull.until(
        lambda: (
            {types.WORKSPACE_DIAGNOSTIC_REFRESH, types.WORKSPACE_SEMANTIC_TOKENS_REFRESH}
            <= set(pull.client.refreshed)
        )
    )


async def test_workspace_diagnostics_only_when_wanted(pull: Session) -> None:
    report = await pull.client.workspace_diagnostic_async(
        types.WorkspaceDiagnosticParams(previous_result_ids=[])
    )
    assert list(report.items) == []


# ------------------------------------------------------------------------------------------------------ lowered documents
def address(uri: str, entry: str, name: str) -> str:
    query = json.dumps({"uri": uri, "entry": entry, "pass": name})
    return f"pypto-ir:/{entry}.{name}.pypto-ir?{quote(query)}"


async def lowered(server: Session, uri: str) -> str:
    answer = await server.request(
        types.WORKSPACE_TEXT_DOCUMENT_CONTENT, types.TextDocumentContentParams(uri=uri)
    )
    return str(answer.text)


async def test_lowered_documents_follow_their_source(pull: Session) -> None:
    uri = await pull.open(TILES)
    shown = address(uri, "Scaled", "LowerAutoVectorSplit")
    text = await lowered(pull, shown)
    assert text.startswith("# pypto.program: Scaled\n")
    assert "0.125" in text
    await pull.edit(uri, "0.125", "0.5")
    await pull.until(lambda: shown in pull.client.lowered_refreshed)
    assert "0.5" in await lowered(pull, shown)
    assert any(r.method == types.WORKSPACE_TEXT_DOCUMENT_CONTENT for r in pull.client.registered)


async def test_lowered_documents_outlive_their_source(pull: Session) -> None:
    """A client may still show one when the source is opened again."""
    uri = await pull.open(TILES, "kept.py")
    shown = address(uri, "Scaled", "LowerAutoVectorSplit")
    await lowered(pull, shown)
    pull.close(uri)
    pull.client.lowered_refreshed.clear()
    await pull.open(TILES.replace("0.125", "0.5"), "kept.py")
    await pull.until(lambda: shown in pull.client.lowered_refreshed)
    assert "0.5" in await lowered(pull, shown)


async def test_navigation_inside_lowered_documents(pull: Session) -> None:
    uri = await pull.open(TILES)
    shown = address(uri, "Scaled", "LowerAutoVectorSplit")
    lines = (await lowered(pull, shown)).split("\n")
    document = types.TextDocumentIdentifier(shown)
    row = next(i for i, line in enumerate(lines) if "tile.matmul(" in line)
    use = next(i for i, line in enumerate(lines) if i > row and "product" in line)
    name = lines[use].rindex("product") + 2
    found = await pull.client.text_document_definition_async(
        types.DefinitionParams(document, types.Position(use, name))
    )
    assert isinstance(found, types.Location)
    assert (found.uri, found.range.start.line) == (shown, row)
    back = await pull.client.text_document_definition_async(
        types.DefinitionParams(document, types.Position(row, lines[row].index("product") + 1))
    )
    assert isinstance(back, types.Location)
    assert back.uri == uri
    assert back.range.start.line == pull.position(uri, "product = ").line
    hover = await pull.client.text_document_hover_async(
        types.HoverParams(document, types.Position(use, name))
    )
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert "Tile[128, 128] FP32 · Acc" in hover.contents.value
    assert f"line {pull.position(uri, 'product = ').line + 1}" in hover.contents.value
    symbols = await pull.client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    assert [s.name for s in symbols or ()] == ["Scaled"]
    with pytest.raises(Exception, match="read-only"):
        await pull.client.text_document_rename_async(
            types.RenameParams(document, types.Position(use, name), "x")
        )


async def test_calls_and_crossings_inside_lowered_documents(pull: Session) -> None:
    uri = await pull.open(TILES)
    shown = address(uri, "Scaled", "ExpandMixedKernel")
    lines = (await lowered(pull, shown)).split("\n")
    document = types.TextDocumentIdentifier(shown)

    def place(word: str, inside: str) -> types.Position:
        row = next(i for i, line in enumerate(lines) if word in line)
        return types.Position(row, lines[row].index(inside, lines[row].index(word)) + 1)

    call = place("self.scaled_aic(", "scaled_aic")
    found = await pull.client.text_document_definition_async(types.DefinitionParams(document, call))
    assert isinstance(found, types.Location)
    assert (found.uri, found.range.start.line) == (shown, place("def scaled_aic(", "scaled_aic").line)
    hover = await pull.client.text_document_hover_async(types.HoverParams(document, call))
    assert hover is not None and isinstance(hover.contents, types.MarkupContent)
    assert "def scaled_aic(" in hover.contents.value
    received = place("tpop_from_aic", "tpop_from_aic").line
    value = types.Position(received, len(lines[received]) - len(lines[received].lstrip()) + 1)
    hover = await pull.client.text_document_hover_async(types.HoverParams(document, value))
    assert hover is not None and isinstance(hover.contents, types.MarkupContent)
    assert "**crosses:** cube → vector" in hover.contents.value


async def test_line_maps_lead_both_ways(pull: Session) -> None:
    uri = await pull.open(TILES)
    mapped = await pull.command(
        "pypto.server.sourceMap", {"uri": uri, "entry": "Scaled", "pass": "SkewCrossCorePipeline"}
    )
    lines = (await lowered(pull, address(uri, "Scaled", "SkewCrossCorePipeline"))).split("\n")
    line = pull.position(uri, "local = ").line
    became = [lines[m["lowered"]] for m in mapped if m["source"] == line]
    assert any("tpush_to_aiv" in text for text in became)
    assert any("tpop_from_aic" in text for text in became)


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("pypto-ir:/x?nonsense", "is not the address"),
        ("pypto-ir:/x?" + quote('{"uri": "file:///no.py", "entry": "x", "pass": ""}'), "not open"),
    ],
)
async def test_wrong_addresses_say_so(pull: Session, shown: str, expected: str) -> None:
    assert expected in await lowered(pull, shown)


async def test_entries_and_passes(pull: Session) -> None:
    uri = await pull.open(TILES)
    [entry] = await pull.command("pypto.server.entries", uri)
    assert entry["name"] == "Scaled"
    assert [p["name"] for p in entry["passes"]][-1] == "SkewCrossCorePipeline"
    assert any(p["changed"] for p in entry["passes"])
    assert entry["memoryPasses"][-1] == "FoldNoOpReshape"
    assert "tile.alloc(" in await lowered(pull, address(uri, "Scaled", "AllocateMemoryAddr"))
    assert "no pass" in await lowered(pull, address(uri, "Scaled", "Nonsense"))
    assert "no such kernel" in await lowered(pull, address(uri, "Nobody", ""))


# ---------------------------------------------------------------------------------------------------------- other files
PARTS = """\
import pypto.language as pl


@pl.jit.inline
def peak_of(rows: pl.Tensor):
    return pl.{reduction}(rows)
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


async def test_a_fault_in_an_imported_file_is_shown_there(push: Session) -> None:
    pieces = push.root / "pieces.py"
    pieces.write_text(
        PARTS.format(reduction="row_max").replace("row_max(rows)", "row_max(rows, rows, rows)"),
        encoding="utf-8",
    )
    uri = await push.open(USER, "user.py")
    await push.until(lambda: "op-bad-arguments" in push.codes(pieces.as_uri()))
    assert "op-bad-arguments" not in push.codes(uri)
    fixed = PARTS.format(reduction="row_max")
    await push.open(fixed, "pieces.py")
    await push.analysed(uri)
    await push.until(lambda: "op-bad-arguments" not in push.codes(pieces.as_uri()))
    push.close(pieces.as_uri())
    push.close(uri)


FAULTY = PARTS.format(reduction="row_max").replace("row_max(rows)", "row_max(rows, rows, rows)")


async def test_code_actions_for_a_fault_that_an_importer_found(push: Session) -> None:
    pieces = await push.open(FAULTY.replace("@pl.jit.inline", "@pl.jit.inline  # here"), "pieces.py")
    user = await push.open(USER, "user.py")
    span = types.Range(push.position(pieces, "return pl"), push.position(pieces, "rows)", 5))
    found = await push.client.text_document_code_action_async(
        types.CodeActionParams(push.document(pieces), span, types.CodeActionContext(diagnostics=[]))
    )
    titles = [a.title for a in found or () if isinstance(a, types.CodeAction)]
    assert "Ignore op-bad-arguments on this line" in titles
    push.close(user)
    push.close(pieces)


async def test_a_pull_takes_findings_in_imported_files_along(pull: Session) -> None:
    pieces = pull.root / "pieces.py"
    pieces.write_text(FAULTY, encoding="utf-8")
    uri = await pull.open(USER, "user.py")
    report = await pull.client.text_document_diagnostic_async(
        types.DocumentDiagnosticParams(pull.document(uri))
    )
    assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
    assert report.related_documents is not None
    there = report.related_documents[pieces.as_uri()]
    assert isinstance(there, types.FullDocumentDiagnosticReport)
    assert [d.code for d in there.items] == ["op-bad-arguments"]
    assert "op-bad-arguments" not in [d.code for d in report.items]


async def test_an_edit_reaches_the_files_that_import_it(push: Session) -> None:
    sizes = await push.open("# pypto\nROWS = 64\n", "sizes.py")
    uri = await push.open(REGION.replace("ROWS = 64", "from sizes import ROWS"), "sized.py")
    await push.edit(sizes, "ROWS = 64", "ROWS = 32")
    await push.analysed(uri)
    hover = await push.client.text_document_hover_async(
        types.HoverParams(push.document(uri), push.position(uri, "HALF", 1))
    )
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert "HALF = 16" in hover.contents.value


async def test_a_file_that_changes_on_disk(push: Session) -> None:
    file = push.root / "ondisk.py"
    file.write_text("SIZE = 4\n", encoding="utf-8")
    uri = await push.open("import pypto.language as pl\nfrom ondisk import SIZE\n\nTWICE = SIZE * 2\n")
    file.write_text("SIZE = 40\n", encoding="utf-8")
    change = types.FileEvent(uri=file.as_uri(), type=types.FileChangeType.Changed)
    push.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
    await push.analysed(uri)

    async def value() -> str:
        hover = await push.client.text_document_hover_async(
            types.HoverParams(push.document(uri), push.position(uri, "TWICE", 1))
        )
        return (
            hover.contents.value
            if hover is not None and isinstance(hover.contents, types.MarkupContent)
            else ""
        )

    for _ in range(50):
        if "TWICE = 80" in await value():
            break
        await asyncio.sleep(0.1)
    assert "TWICE = 80" in await value()


# --------------------------------------------------------------------------------------------------------------- settings
async def test_settings_of_every_workspace_folder(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    configuration = {
        "": {"pypto": {}},
        two.as_uri(): {"pypto": {"backend": "a5", "inlayHints": {"types": False}}},
    }
    async with session(
        tmp_path, capabilities("vscode"), configuration=configuration, roots=[one, two]
    ) as server:
        for folder, backend in ((one, "a2a3"), (two, "a5")):
            uri = await server.open(TILES, f"{folder.name}/kernel.py")
            information = await server.command("pypto.server.debugInformation")
            row = next(r for r in information.split("\n") if f"{folder.name}/kernel.py" in r)
            assert f"backend {backend}" in row
            hints = await server.client.text_document_inlay_hint_async(
                types.InlayHintParams(
                    server.document(uri), types.Range(types.Position(0, 0), types.Position(99, 0))
                )
            )
            labels = [str(h.label) for h in hints or ()]
            assert any(label.startswith(": [") for label in labels) is (folder is one)


async def test_a_wrong_setting_is_said_once(tmp_path: Path) -> None:
    configuration = {"": {"pypto": {"backend": "a9"}}}
    async with session(tmp_path, capabilities("vscode"), configuration=configuration) as server:
        await server.open(TILES)
        await server.open(REGION)
        assert await server.alive()
        said = [m.message for m in server.client.messages if "a9" in m.message]
        assert len(said) == 1
        assert "a2a3 or a5" in said[0]


@pytest.mark.parametrize(
    "options",
    [
        {"pypto": {"ignore": ["aiv-reduce-*"]}},
        {"pypto.ignore": ["aiv-reduce-*"]},
        {"ignore": ["aiv-reduce-*"]},
        {"settings": {"ignore": ["aiv-reduce-*"]}},
        {"settings": {"pypto": {"ignore": ["aiv-reduce-*"]}}},
    ],
    ids=str,
)
async def test_settings_in_the_first_message(tmp_path: Path, options: dict[str, Any]) -> None:
    able = capabilities("vscode-push")
    assert able.workspace is not None
    able.workspace.configuration = False
    async with session(tmp_path, able, options=options) as server:
        uri = await server.open(WRONG)
        assert "aiv-reduce-split-axis" not in server.codes(uri)
        assert await server.alive()
        assert server.client.messages == []
        now = types.DidChangeConfigurationParams(settings={"pypto.ignore": []})
        server.client.workspace_did_change_configuration(now)
        await server.until(lambda: "aiv-reduce-split-axis" in server.codes(uri))


async def test_wrong_settings_are_told_and_the_others_hold(tmp_path: Path) -> None:
    able = capabilities("vscode-push")
    assert able.workspace is not None
    able.workspace.configuration = False
    options = {"backend": "a6", "ignore": ["nope"], "inlayHints": {"types": False}}
    async with session(tmp_path, able, options=options) as server:
        await server.until(lambda: len(server.client.messages) >= 2)
        said = [m.message for m in server.client.messages]
        assert [text.split(";")[0] for text in said] == [
            "PyPTO: backend is 'a6'",
            "PyPTO: ignore names 'nope', which is no code",
        ]
        section = {"inlayHints": 5, "backnd": "a5", "ignore": ["aiv-reduce-*"], "trace": {"server": "off"}}
        server.client.workspace_did_change_configuration(
            types.DidChangeConfigurationParams(settings={"pypto": section})
        )
        uri = await server.open(WRONG)
        assert "aiv-reduce-split-axis" not in server.codes(uri)
        await server.until(lambda: len(server.client.messages) >= 4)
        assert [m.message for m in server.client.messages][2:] == [
            "PyPTO: inlayHints is 5; it is a group of settings: types, lanes, parameters, tripCounts",
            "PyPTO: there is no setting pypto.backnd; did you mean pypto.backend?",
        ]


async def test_changed_settings_take_effect(tmp_path: Path) -> None:
    async with session(tmp_path, capabilities("vscode-push")) as server:
        uri = await server.open(WRONG)
        await server.until(lambda: "aiv-reduce-split-axis" in server.codes(uri))
        server.client.set_configuration({"pypto": {"ignore": ["aiv-reduce-split-axis"]}})
        server.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings=None))
        await server.until(lambda: "aiv-reduce-split-axis" not in server.codes(uri))


async def test_lowering_on_save_only(tmp_path: Path) -> None:
    configuration = {"": {"pypto": {"run": "onSave"}}}
    async with session(tmp_path, capabilities("vscode-push"), configuration=configuration) as server:
        uri = await server.open(TILES)
        await server.edit(uri, "0.125", "0.25", wait=False)
        await server.client.text_document_document_symbol_async(
            types.DocumentSymbolParams(server.document(uri))
        )
        hover = types.HoverParams(server.document(uri), server.position(uri, "scaled = pl.mul", 1))
        server.client.text_document_did_save(types.DidSaveTextDocumentParams(server.document(uri)))
        await server.analysed(uri)
        found = await server.client.text_document_hover_async(hover)
        assert found is not None
        assert isinstance(found.contents, types.MarkupContent)
        assert "per lane" in found.contents.value


async def test_the_workspace_is_looked_at_with_progress(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"k{number}.py").write_text(TILES, encoding="utf-8")
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "hidden.py").write_text(TILES, encoding="utf-8")
    async with session(tmp_path, capabilities("vscode")) as server:
        assert await server.command("pypto.server.scanned") == 3
        await server.until(
            lambda: (
                len(server.client.progress_reports) == 1
                and len(next(iter(server.client.progress_reports.values()))) >= 2
            )
        )
        [reports] = server.client.progress_reports.values()
        kinds = [getattr(report, "kind", "") for report in reports]
        assert kinds[0] == "begin"
        assert kinds[-1] == "end"
        assert any("looked at 3 files" in m.message for m in server.client.log_messages)


async def test_workspace_diagnostics(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(WRONG, encoding="utf-8")
    (tmp_path / "right.py").write_text(REGION, encoding="utf-8")
    configuration = {"": {"pypto": {"diagnosticMode": "workspace"}}}
    async with session(tmp_path, capabilities("vscode"), configuration=configuration) as server:
        report = await server.client.workspace_diagnostic_async(
            types.WorkspaceDiagnosticParams(previous_result_ids=[])
        )
        found = {
            item.uri: {str(d.code) for d in item.items}
            for item in report.items
            if isinstance(item, types.WorkspaceFullDocumentDiagnosticReport)
        }
        assert "aiv-reduce-split-axis" in found[server.uri("wrong.py")]
        assert "aiv-reduce-split-axis" not in found[server.uri("right.py")]


async def test_positions_count_as_the_client_counts(tmp_path: Path) -> None:
    text = TILES.replace(
        "scaled = pl.mul(local, 0.125)", "scaled = pl.mul(local, 0.125)  # 😀 wide: scaled"
    ).replace("import pypto", "# 😀😀 \u2028 \x0c\nimport pypto")
    for encodings, units in ((["utf-8"], "utf-8"), (["utf-16"], "utf-16"), (["utf-32"], "utf-32")):
        able = capabilities("vscode-push")
        assert able.general is not None
        able.general.position_encodings = list(encodings)
        async with session(tmp_path, able) as server:
            assert server.capabilities.position_encoding == units
            uri = await server.open(text)
            line = next(i for i, row in enumerate(text.split("\n")) if "scaled = pl.mul" in row)
            hover = await server.client.text_document_hover_async(
                types.HoverParams(server.document(uri), types.Position(line, 10))
            )
            assert hover is not None
            assert hover.range == types.Range(types.Position(line, 8), types.Position(line, 14))
