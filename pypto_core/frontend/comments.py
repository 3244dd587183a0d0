"""Comments and docstrings as leading comments of statements (docs/spec/language.md §4.1)."""

from __future__ import annotations

import ast
from bisect import bisect_left

from pypto_core.frontend.lines import Comment, scan
from pypto_core.frontend.syntax import SourceMap
from pypto_core.ir import Chunk


class CommentReader:
    """Finds the comments that belong to a statement: those above it since the last statement, a docstring above it, and
    those on its own (header) lines. Each is given once; comments at the end of a block belong to nobody."""

    def __init__(self) -> None:
        self._chunks: dict[int, list[Comment]] = {}
        self._docstring: tuple[str, ...] = ()
        self._keep: list[Chunk] = []

    def take(self, source: SourceMap, node: ast.stmt) -> tuple[str, ...]:
        """Comment lines for ``node``, without ``#``."""
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            self._docstring += tuple(_docstring_lines(node.value.value))
            return ()
        comments = self._of(source.chunk)
        docstring, self._docstring = self._docstring, ()
        if not comments:
            return docstring
        end = _own_end(source, node)
        taken = bisect_left([c.offset for c in comments], end)
        line_end = source.chunk.text.find("\n", end)
        while (
            taken < len(comments)
            and not comments[taken].own_line
            and (line_end < 0 or comments[taken].offset < line_end)
        ):
            taken += 1
        start = source.start(node)
        found = [
            c
            for c in comments[:taken]
            if not c.own_line or c.offset > start or not _ends_a_block(source, c.offset, start)
        ]
        del comments[:taken]
        return (*docstring, *(_text(c) for c in found))

    def _of(self, chunk: Chunk) -> list[Comment]:
        found = self._chunks.get(id(chunk))
        if found is None:
            self._keep.append(chunk)
            found = self._chunks[id(chunk)] = scan(chunk.text).comments if "#" in chunk.text else []
        return found


def _ends_a_block(source: SourceMap, comment: int, start: int) -> bool:
    """Whether a comment above a statement is further in than the statement, or than a clause such as ``else`` between them:
    it stands at the end of the block before and is nobody's."""
    text, column = source.chunk.text, _column(source, comment)
    if column > _column(source, start):
        return True
    between = (line.expandtabs(1) for line in text[comment:start].splitlines()[1:])
    return any(
        line.strip() and not line.lstrip().startswith("#") and len(line) - len(line.lstrip()) < column
        for line in between
    )


def _column(source: SourceMap, offset: int) -> int:
    text = source.chunk.text
    return offset - (max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1)


def _own_end(source: SourceMap, node: ast.stmt) -> int:
    """End of the statement's own lines: of its header when it has a body."""
    body = getattr(node, "body", None)
    if isinstance(body, list) and body and isinstance(body[0], ast.stmt) and source.of(body[0]) is source:
        first = source.start(body[0])
        comments_end = source.chunk.text.rfind(":", 0, first)
        return comments_end + 1 if comments_end >= 0 else first
    return source.end(node)


def _text(comment: Comment) -> str:
    text = comment.text[1:]
    return text[1:] if text.startswith(" ") else text


def _docstring_lines(text: str) -> list[str]:
    import inspect

    return inspect.cleandoc(text).splitlines()
