"""Code actions that come with the finding or are resolved later, and tokens that tell only what has changed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from lsprotocol import types

from pypto_core import rules
from pypto_lsp.features.code_actions import FIX_ALL
from tests.server.clients import capabilities
from tests.server.kernels import REGION, WRONG
from tests.server.session import Session, session

pytestmark = pytest.mark.asyncio(loop_scope="module")
CODE = "aiv-reduce-split-axis"


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=["vscode", "vscode-push"])
async def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Session]:
    """Clients that keep data and resolve edits: one that pulls, one that is pushed to."""
    async with session(tmp_path_factory.mktemp("actions"), capabilities(request.param)) as made:
        yield made


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bare(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Session]:
    """A client that keeps no data and resolves nothing."""
    async with session(tmp_path_factory.mktemp("bare"), capabilities("bare")) as made:
        yield made


async def found(server: Session, uri: str, code: str = CODE) -> types.Diagnostic:
    """The first finding of a code once everything is known, its repairs included."""
    if server.client.capabilities.text_document.diagnostic is not None:  # type: ignore[union-attr]
        keeps_data = server.client.capabilities.text_document.diagnostic.data_support  # type: ignore[union-attr]
        while True:
            report = await server.client.text_document_diagnostic_async(
                types.DocumentDiagnosticParams(server.document(uri))
            )
            assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
            told = next(d for d in report.items if d.code == code)
            if told.data is not None or not keeps_data:
                return told
            await asyncio.sleep(0.05)
    await server.until(lambda: any(d.data is not None for d in server.client.diagnostics.get(uri, ())))
    return next(d for d in server.client.diagnostics[uri] if d.code == code)


async def actions(server: Session, uri: str, *told: types.Diagnostic) -> list[types.CodeAction]:
    context = types.CodeActionContext(list(told))
    made = await server.client.text_document_code_action_async(
        types.CodeActionParams(server.document(uri), told[0].range, context)
    )
    return [a for a in made or () if isinstance(a, types.CodeAction)]


def changed(text: str, edit: types.WorkspaceEdit | None) -> str:
    """An ASCII text after an edit of one document."""
    assert edit is not None
    (document,) = edit.document_changes or ()
    assert isinstance(document, types.TextDocumentEdit)
    lines = text.split("\n")

    def offset(place: types.Position) -> int:
        return sum(len(line) + 1 for line in lines[: place.line]) + place.character

    made = sorted(
        (offset(e.range.start), offset(e.range.end), e.new_text)
        for e in document.edits
        if isinstance(e, types.TextEdit)
    )
    for start, end, new in reversed(made):
        text = text[:start] + new + text[end:]
    return text


async def test_a_finding_carries_its_repairs_and_they_are_resolved(server: Session) -> None:
    uri = await server.open(WRONG)
    finding = await found(server, uri)
    assert finding.data["version"] == 1
    titles = [fix["title"] for fix in finding.data["fixes"]]
    offered = await actions(server, uri, finding)
    assert [a.title for a in offered] == [*titles, f"Ignore {CODE} on this line"]
    assert all(a.edit is None and a.data is not None for a in offered)
    whole = await server.client.code_action_resolve_async(offered[0])
    repaired = changed(WRONG, whole.edit)
    await server.change(uri, repaired)
    assert CODE not in [d.code for d in await _left(server, uri)]


async def _left(server: Session, uri: str) -> list[types.Diagnostic]:
    if server.client.capabilities.text_document.diagnostic is not None:  # type: ignore[union-attr]
        report = await server.client.text_document_diagnostic_async(
            types.DocumentDiagnosticParams(server.document(uri))
        )
        assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
        return list(report.items)
    version = server.versions[uri]
    await server.until(lambda: any(p.uri == uri and p.version == version for p in server.client.published))
    return list(server.client.diagnostics[uri])


async def test_repairs_of_an_older_version_are_not_used(server: Session) -> None:
    uri = await server.open(WRONG)
    finding = await found(server, uri)
    (offered, *_) = await actions(server, uri, finding)
    await server.change(uri, "# one line more\n" + WRONG)
    again = await actions(server, uri, moved(finding))
    whole = await server.client.code_action_resolve_async(again[0])
    assert CODE not in changed(server.texts[uri], whole.edit)
    assert changed(server.texts[uri], whole.edit).startswith("# one line more\n")
    with pytest.raises(Exception, match="Content Modified"):
        await server.client.code_action_resolve_async(offered)


def moved(finding: types.Diagnostic) -> types.Diagnostic:
    """The finding a line further down, with the repairs of the text before."""
    start, end = finding.range.start, finding.range.end
    span = types.Range(
        types.Position(start.line + 1, start.character), types.Position(end.line + 1, end.character)
    )
    return types.Diagnostic(span, finding.message, code=finding.code, source="pypto", data=finding.data)


async def test_data_that_is_not_ours_does_no_harm(server: Session) -> None:
    uri = await server.open(WRONG)
    finding = await found(server, uri)
    for data in (None, 3, "x", [1], {"version": 1}, {"version": 1, "fixes": [{"title": 4, "edits": [7]}]}):
        finding.data = data
        offered = await actions(server, uri, finding)
        assert offered[-1].title == f"Ignore {CODE} on this line"
    for data in (None, 3, {"uri": uri}, {"uri": uri, "version": 1, "edits": [{"place": "?", "text": 1}]}):
        action = types.CodeAction(title="made up", data=data)
        try:
            await server.client.code_action_resolve_async(action)
        except Exception as fault:
            assert "Content Modified" in str(fault)
    assert await server.alive()


async def test_a_client_that_resolves_nothing_gets_the_edits(bare: Session) -> None:
    uri = await bare.open(WRONG)
    await bare.until(lambda: CODE in bare.codes(uri))
    finding = next(d for d in bare.client.diagnostics[uri] if d.code == CODE)
    assert finding.data is None
    offered = await actions(bare, uri, finding)
    assert all(a.edit is not None and a.data is None for a in offered)
    assert f"# pypto: ignore[{CODE}]" in changed(WRONG, offered[-1].edit)


async def test_tokens_tell_what_changed(server: Session) -> None:
    uri = await server.open(REGION)
    client = server.client
    assert server.capabilities.semantic_tokens_provider is not None
    assert server.capabilities.semantic_tokens_provider.full == types.SemanticTokensFullDelta(delta=True)
    first = await client.text_document_semantic_tokens_full_async(
        types.SemanticTokensParams(server.document(uri))
    )
    assert first is not None and first.result_id is not None
    same = await client.text_document_semantic_tokens_full_delta_async(
        types.SemanticTokensDeltaParams(server.document(uri), first.result_id)
    )
    assert isinstance(same, types.SemanticTokensDelta)
    assert not same.edits
    await server.edit(uri, "pl.mul(share, mine)", "pl.exp(pl.add(share, mine))")
    delta = await client.text_document_semantic_tokens_full_delta_async(
        types.SemanticTokensDeltaParams(server.document(uri), same.result_id or "")
    )
    whole = await client.text_document_semantic_tokens_full_async(
        types.SemanticTokensParams(server.document(uri))
    )
    assert isinstance(delta, types.SemanticTokensDelta) and whole is not None
    (edit,) = delta.edits
    numbers = list(first.data)
    numbers[edit.start : edit.start + edit.delete_count] = edit.data or []
    assert numbers == list(whole.data)
    assert len(edit.data or ()) < len(whole.data) / 2
    unknown = await client.text_document_semantic_tokens_full_delta_async(
        types.SemanticTokensDeltaParams(server.document(uri), "no such answer")
    )
    assert isinstance(unknown, types.SemanticTokens)
    assert unknown.data == whole.data


OUTSIDE = """\
import pypto.language as pl


@pl.jit
def k(a: pl.Tensor[[64, 128], pl.BF16], b: pl.Tensor[[128, 64], pl.BF16], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        s = pl.matmul(a, b, out_dtype=pl.FP32)
        t = pl.exp(s)
        for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
            u = pl.aiv_shard(t)
            y[lane * 32 : lane * 32 + 32, :] = pl.exp(u)
    return y
"""


async def fix_all(server: Session, uri: str) -> list[types.CodeAction]:
    context = types.CodeActionContext([], only=[FIX_ALL])
    whole = types.Range(types.Position(0, 0), types.Position(999, 0))
    made = await server.client.text_document_code_action_async(
        types.CodeActionParams(server.document(uri), whole, context)
    )
    return [a for a in made or () if isinstance(a, types.CodeAction)]


async def test_fix_all_leaves_out_a_repair_that_brings_an_error(server: Session) -> None:
    """The first text has a safe repair that does not hold; one that holds beside it is applied alone."""
    uri = await server.open(OUTSIDE)
    before = {str(d.code) for d in await _left(server, uri)}
    assert "aiv-vector-outside-region" in before
    assert await fix_all(server, uri) == []
    assert {str(d.code) for d in await _left(server, uri)} == before
    failing = rules()["attrs-on-decorator"].failing.rstrip()
    rest = OUTSIDE.partition("\n\n\n")[2]
    both = f"{failing}\n\n\n{rest}"
    await server.change(uri, both)
    (action,) = await fix_all(server, uri)
    after = changed(both, action.edit)
    assert after != both and after.endswith(rest)


TAIL = """\
import pypto.language as pl


@pl.jit
def tail(
    a: pl.Tensor[[64, 128], pl.BF16],
    b: pl.Tensor[[128, 64], pl.BF16],
    data: pl.Tensor[[64, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    z: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP):
        product = pl.matmul(a, b, out_dtype=pl.FP32)
        for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
            share = pl.aiv_shard(product)
            y[lane * 32 : lane * 32 + 32, :] = pl.exp(share)
        grown = pl.exp({operand})
        z[:, :] = grown
    return y, z
"""


@pytest.mark.parametrize(("operand", "repairs"), [("data", True), ("product", False)])
async def test_work_moved_into_a_region_is_preferred_only_where_that_repairs(
    server: Session, operand: str, repairs: bool
) -> None:
    """A value of the cube core has to be received in the region as well, which the wrapping alone does not do."""
    text = TAIL.replace("{operand}", operand)
    uri = await server.open(text)
    finding = await found(server, uri, "aiv-vector-outside-region")
    for _ in range(2):
        first, *_ = await actions(server, uri, finding)
        assert first.title == "Wrap the vector phase in a region of its own"
        assert bool(first.is_preferred) is repairs
    whole = await server.client.code_action_resolve_async(first)
    assert "        for _ in pl.split_aiv(2, mode=pl.SplitMode.NONE):" in changed(text, whole.edit)
    assert [d.code for d in await _left(server, uri)].count("aiv-vector-outside-region") == 1, (
        "it was a trial"
    )


OPERANDS = """\
import pypto.language as pl


@pl.jit
def operands(x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]], n: pl.Scalar[pl.INT64]):
    with pl.at(level=pl.Level.CORE_GROUP):
        {statement}
        y[:, :] = pl.add(x, 1.0)
    return y
"""


@pytest.mark.parametrize(
    ("statement", "code", "repairs"),
    [
        ("m = 0 < n < 9", "compare-chained", True),
        ("m = x < x < x", "compare-chained", False),
    ],
)
async def test_a_repair_that_some_types_do_not_allow_is_preferred_only_where_it_repairs(
    server: Session, statement: str, code: str, repairs: bool
) -> None:
    uri = await server.open(OPERANDS.replace("{statement}", statement))
    finding = await found(server, uri, code)
    for action in await actions(server, uri, finding):
        if action.title.startswith("Write "):
            assert bool(action.is_preferred) is repairs
            return
    assert not repairs
