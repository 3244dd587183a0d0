"""Publishing findings: at once what is known while typing, then everything; tied to the document's version.

Clients that pull get the same findings on request with result ids; nothing is pushed to them.
"""

from __future__ import annotations

from lsprotocol import types

from pypto_core import Diagnostic, Severity, rules
from pypto_lsp.positions import Positions, uri_of
from pypto_lsp.server import Open, PyptoServer

SOURCE = "pypto"
RULE_PAGES = "https://pypto-lsp.readthedocs.io/en/latest/rules/"
_TAGS = {"unnecessary": types.DiagnosticTag.Unnecessary, "deprecated": types.DiagnosticTag.Deprecated}


def rule_page(code: str) -> str:
    """Address of the page of a code."""
    return f"{RULE_PAGES}{code}/"


def to_protocol(finding: Diagnostic, positions: Positions) -> types.Diagnostic:
    """A finding in the protocol's form."""
    rule = rules().get(finding.code)
    related = [
        types.DiagnosticRelatedInformation(
            location=types.Location(uri=uri_of(other.span.filename), range=positions.range(other.span)),
            message=other.message,
        )
        for other in finding.related
        if other.span.is_valid
    ]
    return types.Diagnostic(
        range=positions.range(finding.span),
        message=finding.message,
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        code_description=types.CodeDescription(href=rule_page(finding.code)),
        source=SOURCE,
        tags=[_TAGS[tag] for tag in rule.tags] if rule is not None and rule.tags else None,
        related_information=related or None,
    )


_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFORMATION: types.DiagnosticSeverity.Information,
    Severity.HINT: types.DiagnosticSeverity.Hint,
}


def register(server: PyptoServer) -> None:
    """Publish after every computation; answer pulls."""

    def pulls() -> bool:
        text_document = server.client_capabilities.text_document
        return text_document is not None and text_document.diagnostic is not None

    def publish(document: Open, full: bool) -> None:
        if pulls():
            if full and _refreshes(server):
                server.workspace_diagnostic_refresh(None)
            return
        found = document.full if full else document.typed
        assert found is not None
        server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(
                uri=document.uri, version=document.version, diagnostics=converted(document, found[1])
            )
        )

    def converted(document: Open, found: tuple[Diagnostic, ...]) -> list[types.Diagnostic]:
        positions = server.positions(document)
        return [to_protocol(f, positions) for f in found]

    def clear(uri: str) -> None:
        if not pulls():
            server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri=uri, diagnostics=[]))

    @server.feature(
        types.TEXT_DOCUMENT_DIAGNOSTIC,
        types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=False, identifier=SOURCE),
    )
    async def pull(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        document = server.document(params.text_document.uri)
        if document is None:
            return types.RelatedFullDocumentDiagnosticReport(items=[])
        await server.settled(document)
        full = document.full
        tier, found = (
            ("full", full) if full is not None and full[0] == document.version else ("quick", document.typed)
        )
        assert found is not None
        result_id = f"{document.version}:{tier}"
        if params.previous_result_id == result_id:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=result_id)
        return types.RelatedFullDocumentDiagnosticReport(
            items=converted(document, found[1]), result_id=result_id
        )

    server.listeners.append(publish)
    server.closed_listeners.append(clear)


def _refreshes(server: PyptoServer) -> bool:
    workspace = server.client_capabilities.workspace
    return (
        workspace is not None
        and workspace.diagnostics is not None
        and bool(workspace.diagnostics.refresh_support)
    )
