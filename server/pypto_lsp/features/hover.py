"""Hover: values with what each lane holds, callables of the language with their documentation."""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol import types

from pypto_core import Workspace, callable_path, find_callable, hover_text, value_at, word_at
from pypto_lsp.render.value import type_text, value_markdown
from pypto_lsp.server import PyptoServer


@dataclass(frozen=True, slots=True)
class HoverText:
    """Markdown for the characters ``start`` to ``end`` of ``line`` (0-based, columns in characters)."""

    markdown: str
    line: int
    start: int
    end: int


def hover_at(
    core: Workspace, path: str, text_line: str, line: int, column: int, lowered: bool = True
) -> HoverText | None:
    """What stands at a place; with ``lowered`` the lanes and stages as well."""
    word = word_at(text_line, line, column)
    if word is None:
        return None
    parsed = core.last_parsed(path)
    callee = find_callable(callable_path(parsed, word.path))
    if callee is not None:
        signature = f"```python\n{callee.path}{callee.signature}\n```"
        return HoverText(f"{signature}\n\n{hover_text(callee)}", line, word.start, word.end)
    if parsed is None or "." in word.path:
        return None
    found = value_at(parsed, path, word)
    if found is None:
        return None
    name = word.name
    history = None
    if lowered and found.stmt is not None:
        histories = core.histories(path, found.entry)
        history = histories.of(found.stmt.span, name) if histories is not None else None
    if history is None:
        return HoverText(f"```text\n{name}: {type_text(found.var.type)}\n```", line, word.start, word.end)
    markdown = value_markdown(name, history, core.settings(path).backend)
    return HoverText(markdown, line, word.start, word.end)


def plain(markdown: str) -> str:
    """The same for clients without Markdown."""
    lines = [line.rstrip() for line in markdown.split("\n") if not line.startswith("```")]
    return "\n".join(lines).replace("**", "").replace("`", "").strip()


def register(server: PyptoServer) -> None:
    """Answer ``textDocument/hover``."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        document = server.document(params.text_document.uri)
        if document is None or params.position.line >= len(document.lines):
            return None
        await server.settled(document)
        positions = server.positions(document)
        line = params.position.line
        text, column = document.lines[line], positions.column(params.position)
        found = await server.ask(lambda: hover_at(server.core, document.path, text, line, column))
        if found is None:
            return None
        wanted = getattr(server.client_capabilities.text_document, "hover", None)
        formats = (wanted.content_format if wanted is not None else None) or [types.MarkupKind.Markdown]
        markdown = types.MarkupKind.Markdown in formats
        content = types.MarkupContent(
            kind=types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText,
            value=found.markdown if markdown else plain(found.markdown),
        )
        span = types.Range(
            start=positions.position(found.line, found.start), end=positions.position(found.line, found.end)
        )
        return types.Hover(contents=content, range=span)
