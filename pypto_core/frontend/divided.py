"""Line numbers of divided statements: what tells their pieces apart (:meth:`~pypto_core.frontend.syntax.SourceMap.of`).

The nodes of a divided statement come from several runs of the parser, each of which counts its lines from one. Pieces that were
parsed together have the numbers of that text; a piece that is parsed by itself gets numbers that no other piece has.
"""

from __future__ import annotations

import ast
import threading
from bisect import bisect_right
from collections.abc import Iterable

from pypto_core.frontend.syntax import SourceMap

#: Statements whose body may stand in chunks of its own.
DIVISIBLE = (ast.With, ast.For, ast.While, ast.If)
#: Numbers that no file has lines for.
_FIRST, _LAST = 1 << 22, 1 << 30
_next_line = _FIRST
_numbering = threading.Lock()


def renumbered(nodes: Iterable[ast.stmt], source: SourceMap) -> SourceMap:
    """Give the nodes of a piece line numbers of their own; the map for these."""
    global _next_line
    first, last = source.lines
    lines = last - first + 2
    with _numbering:
        base = _next_line if _next_line + lines < _LAST else _FIRST
        _next_line = base + lines
    for node in nodes:
        ast.increment_lineno(node, base)
    return source.moved(base)


def collide(maps: Iterable[SourceMap]) -> bool:
    """Whether two pieces share a line number."""
    before = 0
    for first, last in sorted(source.lines for source in maps):
        if first <= before:
            return True
        before = last
    return False


def end_at_header(node: ast.With | ast.For | ast.While | ast.If, source: SourceMap) -> None:
    """Let a compound statement end with the colon of its header."""
    if isinstance(node, ast.With):
        item = node.items[-1]
        last: ast.expr = item.optional_vars or item.context_expr
    else:
        last = node.iter if isinstance(node, ast.For) else node.test
    text = source.text
    colon = text.find(":", source.end(last) - source.base) + 1
    line_start = max(text.rfind("\n", 0, colon), text.rfind("\r", 0, colon)) + 1
    starts = source.starts
    node.end_lineno = source.lines[0] + bisect_right(starts, colon - 1) - 1
    node.end_col_offset = len(text[line_start:colon].encode(errors="surrogatepass"))
