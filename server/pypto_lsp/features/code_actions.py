"""Code actions: the repairs of a finding, "ignore on this line", and fix-all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from lsprotocol import types

from pypto_core import Diagnostic, Fix, Source, fixes_for
from pypto_lsp.features.diagnostics import SOURCE, to_protocol
from pypto_lsp.positions import Positions
from pypto_lsp.server import Open, PyptoServer

FIX_ALL = f"source.fixAll.{SOURCE}"


def workspace_edit(fix_edits: Iterable[object], document: Open, positions: Positions) -> types.WorkspaceEdit:
    """Edits of the core in the protocol's form, tied to the document's version."""
    edits: list[types.TextEdit | types.AnnotatedTextEdit | types.SnippetTextEdit] = [
        types.TextEdit(range=positions.range(edit.span), new_text=edit.text)  # type: ignore[attr-defined]
        for edit in fix_edits
    ]
    identifier = types.OptionalVersionedTextDocumentIdentifier(uri=document.uri, version=document.version)
    return types.WorkspaceEdit(
        document_changes=[types.TextDocumentEdit(text_document=identifier, edits=edits)]
    )


def overlaps(a: types.Range, b: types.Range) -> bool:
    """Whether two ranges touch."""
    start_a, end_a = (a.start.line, a.start.character), (a.end.line, a.end.character)
    start_b, end_b = (b.start.line, b.start.character), (b.end.line, b.end.character)
    return start_a <= end_b and start_b <= end_a


def ignore_edit(finding: Diagnostic, document: Open, positions: Positions) -> types.TextEdit:
    """A ``# pypto: ignore[code]`` comment at the end of the finding's first line."""
    line = finding.span.line - 1
    text = document.lines[line].rstrip("\r\n") if line < len(document.lines) else ""
    place = positions.position(line, len(text))
    marker = text.rfind("# pypto: ignore[")
    if marker >= 0 and text.rstrip().endswith("]"):
        place = positions.position(line, len(text.rstrip()) - 1)
        return types.TextEdit(range=types.Range(start=place, end=place), new_text=f", {finding.code}")
    return types.TextEdit(
        range=types.Range(start=place, end=place), new_text=f"  # pypto: ignore[{finding.code}]"
    )


def safe_fixes(found: Iterable[Diagnostic], source: Source, code: str | None = None) -> list[Fix]:
    """The first safe fix of every finding (of one code, when given) that does not overlap an earlier one."""
    taken: list[tuple[tuple[int, int], tuple[int, int]]] = []
    chosen = []
    for finding in found:
        if code is not None and finding.code != code:
            continue
        fix = next((f for f in fixes_for(finding, source) if f.safe), None)
        if fix is None:
            continue
        places = [((e.span.line, e.span.column), (e.span.end_line, e.span.end_column)) for e in fix.edits]
        if any(start < end_t and start_t < end for start, end in places for start_t, end_t in taken):
            continue
        taken += places
        chosen.append(fix)
    return chosen


def register(server: PyptoServer) -> None:
    """Answer ``textDocument/codeAction``."""

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(
            code_action_kinds=[types.CodeActionKind.QuickFix, FIX_ALL],
            resolve_provider=False,
        ),
    )
    async def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        document = server.document(params.text_document.uri)
        if document is None:
            return []
        await server.settled(document)
        positions = server.positions(document)
        found = server.findings(document)
        source = Source(document.path, document.text)
        only = params.context.only
        answer: list[types.CodeAction] = []
        if _wanted(only, types.CodeActionKind.QuickFix.value):
            for finding in found:
                if overlaps(positions.range(finding.span), params.range):
                    answer += await server.ask(
                        partial(for_finding, finding, found, source, document, positions)
                    )
        if only is not None and _wanted(only, FIX_ALL):
            fixes = await server.ask(lambda: safe_fixes(found, source))
            if fixes:
                edits = [e for fix in fixes for e in fix.edits]
                answer.append(
                    types.CodeAction(
                        title="PyPTO: fix all that can be fixed safely",
                        kind=FIX_ALL,
                        edit=workspace_edit(edits, document, positions),
                    )
                )
        return answer


def for_finding(
    finding: Diagnostic, found: Iterable[Diagnostic], source: Source, document: Open, positions: Positions
) -> list[types.CodeAction]:
    """Repairs of one finding, fix-all of its code when there are several, and the ignore comment."""
    published = to_protocol(finding, positions)
    quick = types.CodeActionKind.QuickFix
    answer = []
    fixes = fixes_for(finding, source)
    for fix in fixes:
        answer.append(
            types.CodeAction(
                title=fix.title,
                kind=quick,
                diagnostics=[published],
                is_preferred=True if fix.safe and fix is fixes[0] else None,
                edit=workspace_edit(fix.edits, document, positions),
            )
        )
    same = safe_fixes(found, source, finding.code)
    if len(same) > 1:
        edits = [e for fix in same for e in fix.edits]
        answer.append(
            types.CodeAction(
                title=f"Fix all {finding.code} in this file",
                kind=quick,
                diagnostics=[published],
                edit=workspace_edit(edits, document, positions),
            )
        )
    answer.append(
        types.CodeAction(
            title=f"Ignore {finding.code} on this line",
            kind=quick,
            diagnostics=[published],
            edit=types.WorkspaceEdit(
                document_changes=[
                    types.TextDocumentEdit(
                        text_document=types.OptionalVersionedTextDocumentIdentifier(
                            uri=document.uri, version=document.version
                        ),
                        edits=[ignore_edit(finding, document, positions)],
                    )
                ]
            ),
        )
    )
    return answer


def _wanted(only: Sequence[types.CodeActionKind | str] | None, kind: str) -> bool:
    if only is None:
        return True
    texts = [str(getattr(k, "value", k)) for k in only]
    return any(kind == text or kind.startswith(text + ".") for text in texts)
