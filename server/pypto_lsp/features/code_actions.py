"""Code actions: the repairs of a finding, "ignore on this line", and fix-all.

A finding that the client sends back with its repairs in ``data`` is answered at once; for others the analysis is waited for. Edits
come by ``codeAction/resolve`` where the client can ask for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from lsprotocol import types

from pypto_core import Diagnostic, Fix, Source, fixes_for
from pypto_lsp.features.diagnostics import SOURCE, to_protocol
from pypto_lsp.guard import ContentModified
from pypto_lsp.positions import Positions
from pypto_lsp.repairs import Offer, Repairs, carried_fixes, offers, plain_edit, text_edit, text_edits
from pypto_lsp.safe import Check, safe_repairs, verified
from pypto_lsp.server import Open, PyptoServer

FIX_ALL = f"source.fixAll.{SOURCE}"
QUICK = types.CodeActionKind.QuickFix


def workspace_edit(edits: Iterable[types.TextEdit], uri: str, version: int) -> types.WorkspaceEdit:
    """Edits of one document, tied to its version."""
    identifier = types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=version)
    return types.WorkspaceEdit(
        document_changes=[types.TextDocumentEdit(text_document=identifier, edits=list(edits))]
    )


def overlaps(a: types.Range, b: types.Range) -> bool:
    """Whether two ranges touch."""
    start_a, end_a = (a.start.line, a.start.character), (a.end.line, a.end.character)
    start_b, end_b = (b.start.line, b.start.character), (b.end.line, b.end.character)
    return start_a <= end_b and start_b <= end_a


def ignore_edit(code: str, line: int, lines: Sequence[str], positions: Positions) -> types.TextEdit:
    """A ``# pypto: ignore[code]`` comment at the end of the finding's first line (0-based)."""
    text = lines[line].rstrip("\r\n") if line < len(lines) else ""
    place = positions.position(line, len(text))
    marker = text.rfind("# pypto: ignore[")
    if marker >= 0 and text.rstrip().endswith("]"):
        place = positions.position(line, len(text.rstrip()) - 1)
        return types.TextEdit(range=types.Range(start=place, end=place), new_text=f", {code}")
    return types.TextEdit(range=types.Range(start=place, end=place), new_text=f"  # pypto: ignore[{code}]")


def safe_fixes(
    found: Iterable[Diagnostic], source: Source, code: str | None = None, repairs: Repairs | None = None
) -> list[Fix]:
    """The first safe fix of every finding (of one code, when given) that does not overlap an earlier one; ``repairs`` are those that
    are known already."""
    return [fix for _, fix in safe_repairs(found, source, code, repairs)]


class Maker:
    """Makes the actions of one request; with ``lazy`` their edits come when the client asks for them."""

    def __init__(self, document: Open, positions: Positions, lazy: bool) -> None:
        self.document = document
        self.positions = positions
        self.lazy = lazy

    def action(
        self,
        title: str,
        edits: Sequence[types.TextEdit],
        published: types.Diagnostic | None,
        preferred: bool = False,
    ) -> types.CodeAction:
        uri, version = self.document.uri, self.document.version
        action = types.CodeAction(
            title=title,
            kind=QUICK,
            diagnostics=[published] if published is not None else None,
            is_preferred=True if preferred else None,
        )
        if self.lazy:
            action.data = {"uri": uri, "version": version, "edits": [plain_edit(e) for e in edits]}
        else:
            action.edit = workspace_edit(edits, uri, version)
        return action

    def repairs(
        self, published: types.Diagnostic, found: Sequence[Offer], failed: bool = False
    ) -> Iterator[types.CodeAction]:
        """The first one is preferred when it is safe; not when it ``failed`` a trial."""
        for offer in found:
            preferred = offer.safe and offer is found[0] and not failed
            yield self.action(offer.title, offer.edits, published, preferred)

    def all_of(self, code: str, published: types.Diagnostic, fixes: Sequence[Fix]) -> types.CodeAction:
        edits = text_edits((e for fix in fixes for e in fix.edits), self.positions)
        return self.action(f"Fix all {code} in this file", edits, published)

    def ignore(self, code: str, published: types.Diagnostic) -> types.CodeAction:
        edit = ignore_edit(code, published.range.start.line, self.document.lines, self.positions)
        return self.action(f"Ignore {code} on this line", [edit], published)


def register(server: PyptoServer) -> None:
    """Answer ``textDocument/codeAction`` and ``codeAction/resolve``."""

    #: What came of the repairs that were tried, by document: its version, and whether each failed.
    trials: dict[str, tuple[int, dict[object, bool]]] = {}

    def forget(document: Open) -> None:
        trials.pop(document.uri, None)

    server.closed_listeners.append(forget)

    @contextmanager
    def on_trial(document: Open) -> Iterator[Check]:
        """Findings of other texts in the place of a document; on the analysis thread, which has its own text again afterwards."""
        text, version = document.text, document.version

        def tried(changed: str) -> Sequence[Diagnostic]:
            server.core.open(document.path, changed, version)
            return server.core.diagnostics(document.path)

        try:
            yield tried
        finally:
            server.core.open(document.path, text, version)

    def lazy() -> bool:
        text_document = server.client_capabilities.text_document
        can = text_document.code_action if text_document is not None else None
        resolve = can.resolve_support if can is not None else None
        return bool(can and can.data_support and resolve is not None and "edit" in resolve.properties)

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(
            code_action_kinds=[types.CodeActionKind.QuickFix, FIX_ALL], resolve_provider=True
        ),
    )
    async def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        document = server.document(params.text_document.uri)
        if document is None:
            return []
        only = params.context.only
        answer: list[types.CodeAction] = []
        if _wanted(only, QUICK.value):
            answer += brought(document, params.context.diagnostics) or await looked_up(document, params.range)
        if only is not None and _wanted(only, FIX_ALL):
            answer += await everything(document)
        return answer

    def brought(document: Open, told: Sequence[types.Diagnostic]) -> list[types.CodeAction]:
        """Actions for findings that come with their repairs; nothing unless all of ours do, and none has to be tried."""
        ours = [d for d in told if d.source == SOURCE and isinstance(d.code, str)]
        carried = [carried_fixes(d.data, document.version) for d in ours]
        if not ours or None in carried or not document.reached(document.expected):
            return []
        if any(fixes and fixes[0].trial for fixes in carried):
            return []
        make = Maker(document, server.positions(document), lazy())
        known = document.newest
        source = Source(document.path, document.text)
        answer: list[types.CodeAction] = []
        for published, fixes in zip(ours, carried, strict=True):
            code = str(published.code)
            answer += make.repairs(published, fixes or ())
            if known is not None and fixes and fixes[0].safe:
                found = [f for f in known.findings if id(f) in known.repairs]
                same = safe_fixes(found, source, code, known.repairs)
                if len(same) > 1:
                    answer.append(make.all_of(code, published, same))
            answer.append(make.ignore(code, published))
        return answer

    async def looked_up(document: Open, place: types.Range) -> list[types.CodeAction]:
        """Actions for the findings of the newest version at a place."""
        await server.settled(document)
        positions = server.positions(document)
        make = Maker(document, positions, lazy())
        found = server.findings(document)
        answer: list[types.CodeAction] = []
        for finding in found:
            if overlaps(positions.range(finding.span), place):
                published = to_protocol(finding, positions, server, document)
                answer += await server.ask(
                    partial(for_finding, finding, found, document, make, published, fails)
                )
        return answer

    def fails(document: Open, finding: Diagnostic, found: Sequence[Diagnostic], fix: Fix) -> bool:
        """Whether a repair leaves its finding or brings another one; asked once per version. Runs on the analysis thread."""
        version = document.version
        known = trials.get(document.uri)
        outcomes = known[1] if known is not None and known[0] == version else {}
        trials[document.uri] = version, outcomes
        key = fix.title, tuple((edit.span.line, edit.span.column, edit.text) for edit in fix.edits)
        if key not in outcomes:
            with on_trial(document) as tried:
                outcomes[key] = not verified([(finding, fix)], found, document.text, tried)
        return outcomes[key]

    async def everything(document: Open) -> list[types.CodeAction]:
        await server.settled(document)
        found, repairs, version = server.findings(document), document.repairs, document.version
        source = Source(document.path, document.text)

        def chosen() -> list[Fix]:
            candidates = safe_repairs(found, source, repairs=repairs)
            with on_trial(document) as tried:
                return verified(candidates, tried(source.text), source.text, tried)

        fixes = await server.ask(chosen)
        if document.version != version:
            raise ContentModified
        if not fixes:
            return []
        edits = text_edits((e for fix in fixes for e in fix.edits), server.positions(document))
        return [
            types.CodeAction(
                title="PyPTO: fix all that can be fixed safely",
                kind=FIX_ALL,
                edit=workspace_edit(edits, document.uri, document.version),
            )
        ]

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve(action: types.CodeAction) -> types.CodeAction:
        data: Any = action.data
        if not isinstance(data, dict) or action.edit is not None:
            return action
        document = server.document(str(data.get("uri")))
        if document is None or document.version != data.get("version"):
            raise ContentModified
        edits = [made for edit in data.get("edits") or () if (made := text_edit(edit)) is not None]
        action.edit = workspace_edit(edits, document.uri, document.version)
        return action


def for_finding(
    finding: Diagnostic,
    found: Sequence[Diagnostic],
    document: Open,
    make: Maker,
    published: types.Diagnostic,
    fails: Callable[[Open, Diagnostic, Sequence[Diagnostic], Fix], bool],
) -> list[types.CodeAction]:
    """Repairs of one finding, fix-all of its code when there are several, and the ignore comment.

    A repair that has to be tried is preferred when it does not ``fail``.
    """
    source = Source(document.path, document.text)
    known = document.repairs.get(id(finding))
    made = fixes_for(finding, source) if known is None else known
    failed = bool(made) and made[0].trial and fails(document, finding, found, made[0])
    fixes = offers(made, make.positions)
    answer = list(make.repairs(published, fixes, failed))
    all_alike = bool(fixes) and fixes[0].safe and not failed
    same = safe_fixes(found, source, finding.code, document.repairs) if all_alike else ()
    if len(same) > 1:
        answer.append(make.all_of(finding.code, published, same))
    answer.append(make.ignore(finding.code, published))
    return answer


def _wanted(only: Sequence[types.CodeActionKind | str] | None, kind: str) -> bool:
    if only is None:
        return True
    texts = [str(getattr(k, "value", k)) for k in only]
    return any(kind == text or kind.startswith(text + ".") for text in texts)
