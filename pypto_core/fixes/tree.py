"""Where a finding stands in the syntax of its file: the tree that fixers read.

Positions are character offsets into the whole text. A file that does not parse elsewhere is read with everything but the
top-level statement of the finding blanked out, so one syntax error never takes the repairs of the rest away.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, TypeVar

from pypto_core.diagnostics import Diagnostic
from pypto_core.fixes.model import Fix, Fixer, Source
from pypto_core.frontend.chunks import cut
from pypto_core.frontend.syntax import Located, SourceMap, SyntaxFault, dotted, parse_text
from pypto_core.ir import Chunk, Span

Node = TypeVar("Node", bound=ast.AST)
Function = ast.FunctionDef | ast.AsyncFunctionDef
Compound = (ast.For, ast.While, ast.If, ast.With, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

_INDENT = re.compile(r"[ \t]*")


class SourceTree:
    """Syntax of one file: nodes with offsets, parents and blocks."""

    def __init__(self, source: Source, tree: ast.Module) -> None:
        self.source = source
        self.text = source.text
        self.module = tree
        self.chunk = Chunk(source.path, source.text)
        self.positions = SourceMap(self.chunk)
        self.newline = "\r\n" if "\r\n" in source.text else "\n"
        self._parents: dict[ast.AST, ast.AST] = {
            child: parent for parent in ast.walk(tree) for child in ast.iter_child_nodes(parent)
        }

    # --- places ------------------------------------------------------------------------------------------------------

    def start(self, node: Located) -> int:
        return self.positions.start(node)

    def end(self, node: Located) -> int:
        return self.positions.end(node)

    def words(self, node: Located) -> str:
        """The author's characters."""
        return self.text[self.start(node) : self.end(node)]

    def range_of(self, span: Span) -> tuple[int, int] | None:
        """Offsets of a span in this text; None when the text there is another one by now."""
        if not span.is_valid or span.filename != self.source.path:
            return None
        start = self.chunk.offset(span.line - 1, span.column - 1)
        end = self.chunk.offset(span.end_line - 1, span.end_column - 1)
        return (start, end) if self.text[start:end] == span.text else None

    # --- nodes -------------------------------------------------------------------------------------------------------

    def parent(self, node: ast.AST) -> ast.AST | None:
        return self._parents.get(node)

    def outwards(self, node: ast.AST | None) -> Iterator[ast.AST]:
        """``node`` and the nodes around it, innermost first."""
        while node is not None:
            yield node
            node = self._parents.get(node)

    def around(self, node: ast.AST, *kinds: type[Node]) -> Node | None:
        """The innermost node of one of these kinds that contains ``node``, itself included."""
        return next((n for n in self.outwards(node) if isinstance(n, kinds)), None)

    def node_at(self, start: int, end: int, *kinds: type[Node]) -> Node | None:
        """The smallest node of one of these kinds that covers the offsets; the outermost of several of one extent."""
        best: Any = None
        node: ast.AST = self.module
        while True:
            inner = next((c for c in self._children(node) if self._covers(c, start, end)), None)
            if inner is None:
                return best  # type: ignore[no-any-return]
            node = inner
            if isinstance(node, kinds):
                same = best is not None and (self.start(best), self.end(best)) == (
                    self.start(node), self.end(node),  # type: ignore[arg-type]
                )  # fmt: skip
                best = best if same else node

    def _children(self, node: ast.AST) -> Iterator[ast.AST]:
        for child in ast.iter_child_nodes(node):
            if hasattr(child, "lineno"):
                yield child
            else:
                yield from self._children(child)

    def _covers(self, node: Any, start: int, end: int) -> bool:
        first = self.start(node)
        for decorator in getattr(node, "decorator_list", ()):
            first = min(first, self.start(decorator))
        return first <= start and end <= self.end(node)

    def at(self, span: Span, *kinds: type[Node]) -> Node | None:
        """The smallest node of these kinds that covers a span."""
        place = self.range_of(span)
        return None if place is None else self.node_at(*place, *kinds)

    def statement(self, span: Span) -> ast.stmt | None:
        """The statement that a span stands in."""
        return self.at(span, ast.stmt)

    def calls(self, span: Span) -> list[ast.Call]:
        """Calls of the language inside a span, outermost first; those of its statement when it only marks a part of it."""
        place = self.range_of(span)
        if place is None:
            return []
        node = self.node_at(*place, ast.Call) or self.node_at(*place, ast.stmt)
        if node is None:
            return []
        inside = [
            c for c in self.nodes_of(node, ast.Call) if place[0] <= self.start(c) and self.end(c) <= place[1]
        ]
        return inside or list(self.nodes_of(node, ast.Call))

    def nodes_of(self, root: ast.AST | Iterable[ast.AST], *kinds: type[Node]) -> list[Node]:
        """Nodes of these kinds below ``root`` in source order, the bodies of nested statements included."""
        roots = [root] if isinstance(root, ast.AST) else list(root)
        found = [n for r in roots for n in ast.walk(r) if isinstance(n, kinds)]
        return sorted(found, key=lambda n: (self.start(n), -self.end(n)))  # type: ignore[arg-type]

    def function(self, node: ast.AST) -> Function | None:
        """The function around a node."""
        found = self.around(node, ast.FunctionDef, ast.AsyncFunctionDef)
        return found if isinstance(found, ast.FunctionDef | ast.AsyncFunctionDef) else None

    def block(self, stmt: ast.stmt) -> list[ast.stmt]:
        """The statements that ``stmt`` stands among."""
        parent = self._parents.get(stmt)
        for field in ("body", "orelse", "finalbody"):
            stmts = getattr(parent, field, None)
            if isinstance(stmts, list) and stmt in stmts:
                return stmts
        return [stmt]

    def member(self, node: ast.AST, block: list[ast.stmt]) -> ast.stmt | None:
        """The statement of ``block`` that contains ``node``."""
        inside = set(map(id, block))
        return next((n for n in self.outwards(node) if id(n) in inside), None)  # type: ignore[return-value]

    # --- lines -------------------------------------------------------------------------------------------------------

    def line_start(self, offset: int) -> int:
        return self.text.rfind("\n", 0, offset) + 1

    def line_end(self, offset: int) -> int:
        """Behind the line break of the line of ``offset``."""
        found = self.text.find("\n", offset)
        return len(self.text) if found < 0 else found + 1

    def indent(self, node: Located) -> str:
        """White space in front of the line of a statement."""
        match = _INDENT.match(self.text, self.line_start(self.first(node)))
        assert match is not None
        return match.group()

    def first(self, node: Located) -> int:
        """Start of a statement, its decorators included (the ``@`` as well)."""
        start = self.start(node)
        for decorator in getattr(node, "decorator_list", ()):
            start = min(start, self.text.rfind("@", 0, self.start(decorator)))
        return start

    def owns_lines(self, stmts: Iterable[ast.stmt]) -> bool:
        """Whether the statements stand on lines of their own (comments aside)."""
        for stmt in stmts:
            before = self.text[self.line_start(self.first(stmt)) : self.first(stmt)]
            after = self.text[self.end(stmt) : self.line_end(self.end(stmt))].strip()
            if before.strip() or (after and not after.startswith("#")):
                return False
        return True

    def lines(self, first: ast.stmt, last: ast.stmt, comments: bool = True) -> tuple[int, int]:
        """Offsets of the whole lines of a run of statements, with the comment lines directly above."""
        start = self.line_start(self.first(first))
        indent = self.indent(first)
        while comments and start:
            above = self.line_start(start - 1)
            if not self.text.startswith(f"{indent}#", above):
                break
            start = above
        return start, self.line_end(self.end(last))

    def unit(self, stmt: Located) -> str:
        """One step of indentation around a statement."""
        outer = self._parents.get(stmt)
        while outer is not None and not isinstance(outer, Compound):
            outer = self._parents.get(outer)
        if outer is None:
            return "    "
        step = self.indent(stmt)[len(self.indent(outer)) :]
        return step or "    "

    def literal_lines(self, stmts: Iterable[ast.stmt]) -> set[int]:
        """Offsets of lines that begin inside a string: indentation must not touch them."""
        starts: set[int] = set()
        for node in self.nodes_of(stmts, ast.expr):
            if isinstance(node, ast.JoinedStr) or (
                isinstance(node, ast.Constant) and isinstance(node.value, str)
            ):
                line = self.line_end(self.start(node))
                while line < self.end(node):
                    starts.add(line)
                    line = self.line_end(line)
        return starts


@lru_cache(maxsize=4)
def _whole(source: Source) -> SourceTree | None:
    tree = parse_text(Chunk(source.path, source.text))
    return None if isinstance(tree, SyntaxFault) else SourceTree(source, tree)


@lru_cache(maxsize=16)
def _unit(source: Source, line: int) -> SourceTree | None:
    """The tree of the top-level statement on 0-based ``line`` alone."""
    chosen: tuple[int, int] | None = None
    lines = source.text.splitlines(keepends=True)
    for unit in cut(source.path, source.text, recover=True):
        if unit.header.first_line > line:
            break
        chunks = list(unit.chunks())
        last = chunks[-1]
        chosen = unit.header.first_line, last.first_line + len(last.text.splitlines())
    if chosen is None or not chosen[0] <= line < chosen[1]:
        return None
    kept = "".join(
        text if chosen[0] <= number < chosen[1] else "\r\n" if text.endswith("\r\n") else "\n"
        for number, text in enumerate(lines)
    )
    tree = parse_text(Chunk(source.path, kept))
    return None if isinstance(tree, SyntaxFault) else SourceTree(source, tree)


def tree_of(source: Source, line: int) -> SourceTree | None:
    """The syntax around a 1-based line; None when that part is no Python."""
    return _whole(source) or _unit(source, line - 1)


def on_tree(make: Callable[[Diagnostic, SourceTree], Iterable[Fix | None]]) -> Fixer:
    """A fixer that reads the tree: nothing is offered where the file has changed under the finding."""

    def fixer(finding: Diagnostic, source: Source) -> Iterable[Fix]:
        tree = tree_of(source, finding.span.line)
        if tree is None or tree.range_of(finding.span) is None:
            return
        for fix in make(finding, tree):
            if fix is not None:
                yield fix

    return fixer


# --- what a statement says -------------------------------------------------------------------------------------------


def call_name(call: ast.AST | None) -> str:
    """Last name of a callee: ``matmul`` of ``pl.tensor.matmul(...)``; empty for anything else."""
    path = dotted(call.func) if isinstance(call, ast.Call) else None
    return path[-1] if path else ""


def pl_path(call: ast.AST) -> str:
    """``pl.tensor.matmul`` of a call of the language, empty for anything else."""
    path = dotted(call.func) if isinstance(call, ast.Call) else None
    return ".".join(path) if path and len(path) > 1 and path[0] in ("pl", "pld") else ""


def keyword(call: ast.Call, name: str) -> ast.keyword | None:
    return next((k for k in call.keywords if k.arg == name), None)


def reads(node: ast.AST | Iterable[ast.AST]) -> set[str]:
    """Names that are read, the bases of subscript writes included."""
    roots = [node] if isinstance(node, ast.AST) else node
    return {
        n.id for r in roots for n in ast.walk(r) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    }


def binds(node: ast.AST | Iterable[ast.AST]) -> set[str]:
    """Names that get a value: targets, loop variables, and tensors written by subscript."""
    roots = [node] if isinstance(node, ast.AST) else node
    found: set[str] = set()
    for root in roots:
        for inner in ast.walk(root):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                found.add(inner.id)
            elif isinstance(inner, ast.Subscript) and isinstance(inner.ctx, ast.Store):
                if isinstance(inner.value, ast.Name):
                    found.add(inner.value.id)
    return found


def bound_value(stmt: ast.stmt) -> ast.expr | None:
    """Value of ``name = value`` (annotated or not), None for other statements."""
    if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 and isinstance(stmt.targets[0], ast.Name):
        return stmt.value
    if isinstance(stmt, ast.AnnAssign) and isinstance(stmt.target, ast.Name):
        return stmt.value
    return None


def names_in(function: ast.AST) -> set[str]:
    """Every name that a function mentions."""
    found = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}
    return found | {a.arg for a in ast.walk(function) if isinstance(a, ast.arg)}


def fresh(tree: SourceTree, near: ast.AST, base: str) -> str:
    """``base``, or ``base_2`` and so on, whichever the function does not use yet."""
    taken = names_in(tree.function(near) or tree.module)
    if base not in taken:
        return base
    return next(name for n in range(2, 1000) if (name := f"{base}_{n}") not in taken)
