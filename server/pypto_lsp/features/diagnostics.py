"""Publishing findings: at once what is known while typing, then everything; tied to the document's version.

Clients that pull get the same findings on request with result ids; nothing is pushed to them. Findings that a kernel makes in a
file that it imports are shown there.
"""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types

from pypto_core import Diagnostic, Severity, rules
from pypto_lsp.links import rule_page
from pypto_lsp.positions import Positions, range_in_chunk, uri_of
from pypto_lsp.protocol import Written
from pypto_lsp.repairs import data_of
from pypto_lsp.server import Open, PyptoServer, Tier

SOURCE = "pypto"
_TAGS = {"unnecessary": types.DiagnosticTag.Unnecessary, "deprecated": types.DiagnosticTag.Deprecated}


def to_protocol(
    finding: Diagnostic,
    positions: Positions,
    server: PyptoServer | None = None,
    document: Open | None = None,
) -> types.Diagnostic:
    """A finding in the protocol's form, as far as the client understands it (everything when no ``server`` is given); with its repairs
    where those of the ``document`` are known."""
    can = _Abilities(server)
    rule = rules().get(finding.code)
    related = [
        types.DiagnosticRelatedInformation(
            location=types.Location(
                uri=uri_of(other.span.filename), range=range_in_chunk(other.span, positions.codec)
            ),
            message=other.message,
        )
        for other in finding.related
        if other.span.is_valid and can.related
    ]
    fixes = document.repairs.get(id(finding)) if document is not None and can.data else None
    data = data_of(fixes, positions, document.version) if document is not None and fixes is not None else None
    tags = [_TAGS[tag] for tag in rule.tags] if rule is not None and can.tags else []
    return types.Diagnostic(
        range=range_in_chunk(finding.span, positions.codec),
        message=finding.message,
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        code_description=types.CodeDescription(href=rule_page(finding.code)) if can.links else None,
        source=SOURCE,
        tags=tags or None,
        related_information=related or None,
        data=data,
    )


def in_json(document: Open, server: PyptoServer) -> list[bytes]:
    """All findings of a document as they travel; those that an edit only moved, or not even that, are not converted again."""
    findings, positions = server.findings(document), server.positions(document)
    texts = document.wire.texts(findings, lambda f: server.protocol.plain(to_protocol(f, positions, server)))

    repairs = document.repairs if _Abilities(server).data else {}
    if repairs:
        none = server.protocol.in_json(data_of((), positions, document.version)).encode()
        for number, finding in enumerate(findings):
            fixes = repairs.get(id(finding))
            if fixes:
                made = to_protocol(finding, positions, server, document)
                texts[number] = server.protocol.in_json(made).encode()
            elif fixes is not None:
                texts[number] = b'%s,"data":%s}' % (texts[number][:-1], none)
    return texts


class _Abilities:
    """What the client can show of a finding."""

    def __init__(self, server: PyptoServer | None) -> None:
        text_document = server.client_capabilities.text_document if server is not None else None
        pull = text_document.diagnostic if text_document is not None else None
        push = text_document.publish_diagnostics if text_document is not None else None
        known = [c for c in (pull, push) if c is not None]
        everything = server is None
        self.related = everything or any(c.related_information for c in known)
        self.links = everything or any(c.code_description_support for c in known)
        self.data = any(c.data_support for c in known)
        self.tags = everything or any(c.tag_support is not None for c in known)


_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFORMATION: types.DiagnosticSeverity.Information,
    Severity.HINT: types.DiagnosticSeverity.Hint,
}


def register(server: PyptoServer) -> None:
    """Publish after every computation; answer pulls."""
    #: Imported files that hold findings of an open one: path -> the files that made them.
    published_elsewhere: dict[str, set[str]] = {}

    def pulls() -> bool:
        text_document = server.client_capabilities.text_document
        return text_document is not None and text_document.diagnostic is not None

    def converted(found: Iterable[Diagnostic], positions: Positions) -> list[types.Diagnostic]:
        return [to_protocol(f, positions, server) for f in found]

    def push(document: Open) -> None:
        around = {"uri": document.uri, "version": document.version}
        found = Written(around, "diagnostics", in_json(document, server))
        server.protocol.notify_written(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, found)

    def analysed(document: Open, tier: Tier) -> None:
        if tier is Tier.NAMES:
            return
        if pulls():
            if tier is Tier.FULL:
                update_elsewhere(document, document.elsewhere)
            return
        push(document)
        if tier is Tier.FULL:
            update_elsewhere(document, document.elsewhere)

    def mended(document: Open) -> None:
        """Findings with repairs are told again, with them: they are told first when they are found, and nobody waits for repairs."""
        if document.newest is not document.full or not any(document.repairs.values()):
            return
        if not _Abilities(server).data:
            return
        if pulls():
            server.refreshes.send("diagnostics")
        else:
            push(document)

    def update_elsewhere(document: Open, found: dict[str, tuple[Diagnostic, ...]]) -> None:
        """Show what the kernels of ``document`` found in other files, and take back what they do not find any more."""
        before = {p for p, makers in published_elsewhere.items() if document.path in makers}
        for path in before | set(found):
            makers = published_elsewhere.setdefault(path, set())
            (makers.add if path in found else makers.discard)(document.path)
            if not makers:
                del published_elsewhere[path]
            show(path)

    def show(path: str) -> None:
        """All findings in a file that others look into."""
        opened = next((d for d in server.documents.values() if d.path == path), None)
        if opened is not None:
            if pulls():
                server.refreshes.send("diagnostics")
            elif opened.reached(Tier.TYPED):
                push(opened)
            # Otherwise its findings are those of an older text; the newer ones are pushed with these when they come.
            return
        if pulls():
            return
        found = [f for d in server.documents.values() for f in d.elsewhere.get(path, ())]
        server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(
                uri=uri_of(path), diagnostics=converted(found, server.positions_in(path))
            )
        )

    def closed(document: Open) -> None:
        if not pulls() and document.ours:
            server.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(uri=document.uri, diagnostics=[])
            )
        update_elsewhere(document, {})
        if document.path in published_elsewhere:
            show(document.path)

    @server.feature(
        types.TEXT_DOCUMENT_DIAGNOSTIC,
        types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=True, identifier=SOURCE),
    )
    async def pull(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport | Written:
        document = server.document(params.text_document.uri)
        if document is None:
            return types.RelatedFullDocumentDiagnosticReport(items=[])
        await server.settled(document)
        server.refreshes.note("diagnostics", document)
        newest = document.newest
        assert newest is not None
        others = sorted(
            (f.code, f.span.line)
            for d in server.documents.values()
            for f in d.elsewhere.get(document.path, ())
        )
        mended = _Abilities(server).data and any(newest.repairs.values())
        result_id = f"{newest.revision}:{newest.tier.name}:{mended}:{hash(tuple(others))}"
        related = related_documents(document)
        if params.previous_result_id == result_id:
            return types.RelatedUnchangedDocumentDiagnosticReport(
                result_id=result_id, related_documents=related
            )
        report = types.RelatedFullDocumentDiagnosticReport(
            items=[], result_id=result_id, related_documents=related
        )
        around = server.protocol.plain(report)
        del around["items"]
        return Written(around, "items", in_json(document, server))

    def related_documents(
        document: Open,
    ) -> dict[str, types.FullDocumentDiagnosticReport | types.UnchangedDocumentDiagnosticReport] | None:
        """Findings in imported files that are not open, for clients that take them along."""
        text_document = server.client_capabilities.text_document
        wanted = text_document.diagnostic if text_document is not None else None
        if wanted is None or not wanted.related_document_support or not document.elsewhere:
            return None
        opened = {d.path for d in server.documents.values()}
        return {
            uri_of(path): types.FullDocumentDiagnosticReport(
                items=converted(found, server.positions_in(path))
            )
            for path, found in document.elsewhere.items()
            if path not in opened
        }

    server.listeners.append(analysed)
    server.repairs_listeners.append(mended)
    server.closed_listeners.append(closed)
