"""Every request over the wire, under the capabilities of several clients."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from lsprotocol import types

from tests.server.clients import CLIENTS, capabilities
from tests.server.kernels import JIT, REGION, TILES, WRONG
from tests.server.session import Session, session

pytestmark = pytest.mark.asyncio(loop_scope="module")
EVERYWHERE = types.Range(types.Position(0, 0), types.Position(10_000, 0))


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=CLIENTS)
async def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Session]:
    """One server process for all tests of this file and client."""
    root: Path = tmp_path_factory.mktemp("workspace")
    (root / "parts.py").write_text(JIT, encoding="utf-8")
    async with session(root, capabilities(request.param)) as made:
        made.name = request.param  # type: ignore[attr-defined]
        yield made


async def findings(server: Session, uri: str) -> list[types.Diagnostic]:
    """Findings of a document, pushed or pulled as the client can."""
    client = server.client
    text_document = client.capabilities.text_document if client.capabilities is not None else None
    if text_document is not None and text_document.diagnostic is not None:
        report = await client.text_document_diagnostic_async(
            types.DocumentDiagnosticParams(server.document(uri))
        )
        assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
        return list(report.items)
    await server.until(lambda: sum(p.uri == uri for p in client.published) >= 2)
    return list(client.diagnostics[uri])


async def test_diagnostics_have_place_code_and_link(server: Session) -> None:
    uri = await server.open(WRONG)
    found = next(d for d in await findings(server, uri) if d.code == "aiv-reduce-split-axis")
    assert found.source == "pypto"
    assert found.severity is types.DiagnosticSeverity.Error
    assert server.texts[uri].split("\n")[found.range.start.line].strip().startswith("y[lane")
    if server.name != "bare":  # type: ignore[attr-defined]
        assert found.code_description is None or found.code_description.href.endswith(
            "aiv-reduce-split-axis/"
        )


async def test_hover(server: Session) -> None:
    uri = await server.open(TILES)
    hover = await server.client.text_document_hover_async(
        types.HoverParams(server.document(uri), server.position(uri, "scaled = pl.mul", 1))
    )
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert "per lane" in hover.contents.value
    assert hover.range is not None
    assert hover.range.end.character - hover.range.start.character == len("scaled")


async def test_completion_and_its_documentation(server: Session) -> None:
    document, position = await server.marked(TILES.replace("pl.mul(local, 0.125)", "pl.$0"))
    found = await server.client.text_document_completion_async(types.CompletionParams(document, position))
    assert isinstance(found, types.CompletionList)
    item = next(i for i in found.items if i.label == "exp")
    resolved = await server.client.completion_item_resolve_async(item)
    text = resolved.documentation
    assert "e to the power" in (text.value if isinstance(text, types.MarkupContent) else text or "")


async def test_signature_help(server: Session) -> None:
    document, position = await server.marked(TILES.replace("pl.mul(local, 0.125)", "pl.mul(local, $0)"))
    found = await server.client.text_document_signature_help_async(
        types.SignatureHelpParams(document, position)
    )
    assert found is not None
    assert found.signatures[0].label.startswith("pl.mul(lhs")
    assert found.active_parameter == 1


async def test_definition_references_highlight(server: Session) -> None:
    uri = await server.open(TILES)
    document, position = server.document(uri), server.position(uri, "local, 0.125", 1)
    definition = await server.client.text_document_definition_async(
        types.DefinitionParams(document, position)
    )
    assert isinstance(definition, types.Location)
    assert definition.uri == uri
    assert definition.range.start == server.position(uri, "local = ")
    references = await server.client.text_document_references_async(
        types.ReferenceParams(types.ReferenceContext(include_declaration=False), document, position)
    )
    assert [r.range.start for r in references or ()] == [server.position(uri, "local, 0.125")]
    marks = await server.client.text_document_document_highlight_async(
        types.DocumentHighlightParams(document, position)
    )
    assert sorted(m.kind.name for m in marks or () if m.kind is not None) == ["Read", "Write"]


async def test_rename_across_files(server: Session) -> None:
    await server.open(JIT, "shared.py")
    uri = await server.open(
        "import pypto.language as pl\nfrom shared import shifted\n\nf = shifted\n", "user.py"
    )
    params = types.PrepareRenameParams(server.document(uri), server.position(uri, "f = shifted", 5))
    prepared = await server.client.text_document_prepare_rename_async(params)
    assert isinstance(prepared, types.PrepareRenamePlaceholder)
    assert prepared.placeholder == "shifted"
    edit = await server.client.text_document_rename_async(
        types.RenameParams(server.document(uri), params.position, "moved_by")
    )
    assert edit is not None
    count = {
        change.text_document.uri: len(change.edits)
        for change in edit.document_changes or ()
        if isinstance(change, types.TextDocumentEdit)
    } or {u: len(e) for u, e in (edit.changes or {}).items()}
    assert count == {uri: 2, server.uri("shared.py"): 1}


async def test_rename_never_changes_what_a_name_means(server: Session) -> None:
    uri = await server.open(REGION)
    for old, new in (
        ("share = ", "pl"),  # the language, read in the same kernel
        ("share = ", "HALF"),  # a constant, read in the same kernel
        ("share = ", "mine"),
        ("share = ", "class"),
        ("HALF = ", "lane"),
    ):
        params = types.RenameParams(server.document(uri), server.position(uri, old), new)
        with pytest.raises(Exception, match=f"'{new}'"):
            await server.client.text_document_rename_async(params)
    fine = types.RenameParams(server.document(uri), server.position(uri, "share = "), "ROWS")
    assert await server.client.text_document_rename_async(fine) is not None


async def test_rename_refuses_names_of_the_language(server: Session) -> None:
    uri = await server.open(TILES)
    params = types.RenameParams(server.document(uri), server.position(uri, "matmul", 2), "x")
    with pytest.raises(Exception, match="no name of yours"):
        await server.client.text_document_rename_async(params)
    taken = types.RenameParams(server.document(uri), server.position(uri, "local = ", 1), "product")
    with pytest.raises(Exception, match="already"):
        await server.client.text_document_rename_async(taken)


async def test_symbols(server: Session) -> None:
    uri = await server.open(REGION)
    found = await server.client.text_document_document_symbol_async(
        types.DocumentSymbolParams(server.document(uri))
    )
    names = {s.name for s in found or ()}
    assert {"ROWS", "Region"} <= names
    await server.command("pypto.server.scanned")
    everywhere = await server.client.workspace_symbol_async(types.WorkspaceSymbolParams("softmax"))
    assert server.uri("parts.py") in {s.location.uri for s in everywhere or ()}


async def test_call_hierarchy(server: Session) -> None:
    caller = JIT.replace("rows = x[", "rows = shifted(x[").replace(
        "0:COLS]\n            peak", "0:COLS], 1.0)\n            peak"
    )
    uri = await server.open(caller)
    items = await server.client.text_document_prepare_call_hierarchy_async(
        types.CallHierarchyPrepareParams(server.document(uri), server.position(uri, "row_softmax", 1))
    )
    assert items is not None
    calls = await server.client.call_hierarchy_outgoing_calls_async(
        types.CallHierarchyOutgoingCallsParams(items[0])
    )
    assert [c.to.name for c in calls or ()] == ["shifted"]
    assert calls is not None
    back = await server.client.call_hierarchy_incoming_calls_async(
        types.CallHierarchyIncomingCallsParams(calls[0].to)
    )
    assert (uri, "row_softmax") in {(c.from_.uri, c.from_.name) for c in back or ()}


async def test_folding_and_tokens(server: Session) -> None:
    uri = await server.open(REGION)
    folding = await server.client.text_document_folding_range_async(
        types.FoldingRangeParams(server.document(uri))
    )
    assert len(folding or ()) >= 4
    tokens = await server.client.text_document_semantic_tokens_full_async(
        types.SemanticTokensParams(server.document(uri))
    )
    assert tokens is not None
    assert tokens.data
    assert len(tokens.data) % 5 == 0
    part = await server.client.text_document_semantic_tokens_range_async(
        types.SemanticTokensRangeParams(
            server.document(uri), types.Range(types.Position(0, 0), types.Position(4, 0))
        )
    )
    assert part is not None
    assert 0 < len(part.data) < len(tokens.data)


async def test_inlay_hints_and_their_tooltips(server: Session) -> None:
    uri = await server.open(TILES)
    found = await server.client.text_document_inlay_hint_async(
        types.InlayHintParams(server.document(uri), EVERYWHERE)
    )
    hint = next(h for h in found or () if h.position.line == server.position(uri, "scaled = ").line)
    assert isinstance(hint.label, (list, tuple))
    shape, share = hint.label
    assert (shape.value, share.value) == (": [128, 128] FP32", " → [64, 128]/lane")
    assert share.location is not None, "it leads to what shares out"
    assert share.location.uri == uri
    assert share.location.range.start.line in (
        server.position(uri, "@pl.function").line,
        server.position(uri, "def scaled").line,
    )
    resolved = await server.client.inlay_hint_resolve_async(hint)
    assert isinstance(resolved.tooltip, types.MarkupContent)
    assert "per lane" in resolved.tooltip.value
    top = types.Range(types.Position(0, 0), types.Position(5, 0))
    assert (
        await server.client.text_document_inlay_hint_async(types.InlayHintParams(server.document(uri), top))
        == ()
    )


async def test_code_lens(server: Session) -> None:
    uri = await server.open(TILES)
    found = await server.client.text_document_code_lens_async(types.CodeLensParams(server.document(uri)))
    assert [lens.command.title for lens in found or () if lens.command is not None] == [
        "AIC + AIV · split UP_DOWN · 1 boundary crossing · Show lowered IR"
    ]
    assert found is not None
    assert found[0].command is not None
    assert found[0].command.arguments == (uri, "Scaled") or found[0].command.arguments == [uri, "Scaled"]


async def test_code_actions(server: Session) -> None:
    uri = await server.open(WRONG)
    line = server.position(uri, "col_max").line
    span = types.Range(types.Position(line, 0), types.Position(line, 200))
    context = types.CodeActionContext(diagnostics=[])
    found = await server.client.text_document_code_action_async(
        types.CodeActionParams(server.document(uri), span, context)
    )
    titles = [a.title for a in found or () if isinstance(a, types.CodeAction)]
    assert "Ignore aiv-reduce-split-axis on this line" in titles
    only = types.CodeActionContext(diagnostics=[], only=["source.fixAll.pypto"])
    everything = await server.client.text_document_code_action_async(
        types.CodeActionParams(server.document(uri), span, only)
    )
    assert all(isinstance(a, types.CodeAction) and a.kind == "source.fixAll.pypto" for a in everything or ())


async def test_documents_that_are_not_open_answer_empty(server: Session) -> None:
    nobody = types.TextDocumentIdentifier("file:///nowhere/at_all.py")
    place = types.Position(3, 3)
    client = server.client
    assert not await client.text_document_hover_async(types.HoverParams(nobody, place))
    assert not await client.text_document_definition_async(types.DefinitionParams(nobody, place))
    assert not await client.text_document_references_async(
        types.ReferenceParams(types.ReferenceContext(True), nobody, place)
    )
    assert not await client.text_document_completion_async(types.CompletionParams(nobody, place))
    assert not await client.text_document_signature_help_async(types.SignatureHelpParams(nobody, place))
    assert not await client.text_document_document_symbol_async(types.DocumentSymbolParams(nobody))
    assert not await client.text_document_folding_range_async(types.FoldingRangeParams(nobody))
    assert not await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(nobody))
    assert not await client.text_document_inlay_hint_async(types.InlayHintParams(nobody, EVERYWHERE))
    assert not await client.text_document_code_lens_async(types.CodeLensParams(nobody))
    assert not await client.text_document_rename_async(types.RenameParams(nobody, place, "x"))
    assert not await client.text_document_document_highlight_async(
        types.DocumentHighlightParams(nobody, place)
    )
    assert not await client.text_document_prepare_call_hierarchy_async(
        types.CallHierarchyPrepareParams(nobody, place)
    )
    context = types.CodeActionContext(diagnostics=[])
    assert not await client.text_document_code_action_async(
        types.CodeActionParams(nobody, EVERYWHERE, context)
    )


async def test_other_python_files_cost_nothing(server: Session) -> None:
    uri = await server.open("import os\n\nprint(os.name)\n", wait=False)
    assert not await server.client.text_document_hover_async(
        types.HoverParams(server.document(uri), types.Position(2, 1))
    )
    assert uri not in server.client.diagnostics
