"""Code lenses above kernels: cores, split, boundary crossings; a click shows the lowered IR."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types

from pypto_core import FileFacts, Histories, KernelSummary, summaries
from pypto_lsp.server import PyptoServer, Tier
from pypto_lsp.views import view_of

SHOW_COMMAND = "pypto.showLoweredIR"
#: How long lenses wait for the lowering, in seconds; the client is asked to come back otherwise.
PATIENCE = 0.5


def title_of(summary: KernelSummary, complete: bool = True) -> str:
    """``AIC + AIV · split UP_DOWN · 3 boundary crossings``; ``complete`` says whether the kernel could be read as a whole."""
    if not complete:
        return "not lowered: it has errors"
    if summary.refused:
        where = "before the first pass" if summary.refused == "pipeline_input" else f"at {summary.refused}"
        return f"refused {where}"
    parts = []
    if summary.kernels > 1:
        parts.append(f"{summary.kernels} kernels")
    parts.append(" + ".join(summary.cores) or "no core")
    if summary.splits:
        parts.append("split " + " / ".join(mode.name for mode in summary.splits))
    if summary.crossings:
        parts.append(f"{summary.crossings} boundary crossing{'s' if summary.crossings > 1 else ''}")
    return " · ".join(parts)


def lenses(facts: FileFacts, histories: Iterable[tuple[str, Histories]]) -> list[KernelSummary]:
    """Summaries of the kernels of a file; a function that several entries share has the first one's."""
    found: dict[tuple[int, int], KernelSummary] = {}
    for entry, values in histories:
        for summary in summaries(entry, values, facts.path):
            found.setdefault((id(summary.span.chunk), summary.span.start), summary)
    return sorted(found.values(), key=lambda s: s.span.line)


def register(server: PyptoServer) -> None:
    """Answer ``textDocument/codeLens``."""

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=False))
    async def code_lens(params: types.CodeLensParams) -> list[types.CodeLens] | None:
        view = await view_of(server, params.text_document.uri, Tier.TYPED)
        if view is None or view.lowered or not server.config_of(view.document.path).code_lens:
            return None
        document = view.document
        await server.settled(document, document.expected, PATIENCE)
        server.refreshes.note("code lenses", document)
        facts = document.facts
        if facts is None:
            return None
        known = [(e.name, h) for e in facts.entries if (h := document.histories(e.name)) is not None]
        broken = {entry for entry, _ in facts.parsed.incomplete} if facts.parsed is not None else set()
        answer = []
        for summary in await server.aside(document, lambda: lenses(facts, known)):
            line = summary.span.line - 1
            place = types.Range(start=view.positions.position(line, 0), end=view.positions.position(line, 0))
            title = title_of(summary, summary.entry not in broken)
            if server.client_commands:
                command = types.Command(
                    title=f"{title} · Show lowered IR",
                    command=SHOW_COMMAND,
                    arguments=[document.uri, summary.entry],
                )
            else:
                command = types.Command(title=title, command="")
            answer.append(types.CodeLens(range=place, command=command))
        return answer
