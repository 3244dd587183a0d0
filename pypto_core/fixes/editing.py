"""Building edits: insertions, whole lines in and out, blocks indented and moved.

An :class:`Editor` collects the edits of one repair. Lines keep their comments and line breaks; lines inside a string keep
their text whatever happens to the statement around them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from pypto_core.fixes.model import Edit, Fix
from pypto_core.fixes.tree import SourceTree
from pypto_core.frontend.syntax import Located
from pypto_core.ir import Span


class Editor:
    """Edits of one repair over one tree."""

    def __init__(self, tree: SourceTree) -> None:
        self.tree = tree
        self._edits: list[tuple[int, int, str]] = []
        self._shifted: dict[int, str] = {}

    def fix(self, title: str, *, safe: bool = False, trial: bool = False) -> Fix | None:
        """The repair; None when nothing changes."""
        if not self._edits:
            return None
        chunk = self.tree.chunk
        merged: list[tuple[int, int, str]] = []
        for start, end, text in sorted(self._edits, key=lambda e: (e[0], e[1])):
            if merged and merged[-1][0] == merged[-1][1] == start:
                merged[-1] = (start, end, merged[-1][2] + text)
            elif (start, end, text) not in merged:
                merged.append((start, end, text))
        edits = tuple(Edit(Span(chunk, start, end), text) for start, end, text in merged)
        return Fix(title, edits, safe, trial)

    # --- characters --------------------------------------------------------------------------------------------------

    def replace(self, start: int, end: int, text: str) -> Editor:
        if self.tree.text[start:end] != text:
            self._edits.append((start, end, text))
        return self

    def rewrite(self, node: Located, text: str) -> Editor:
        """Other characters for a node."""
        return self.replace(self.tree.start(node), self.tree.end(node), text)

    def insert(self, offset: int, text: str) -> Editor:
        return self.replace(offset, offset, text)

    def surround(self, node: Located, before: str, after: str) -> Editor:
        return self.insert(self.tree.start(node), before).insert(self.tree.end(node), after)

    def rename(self, root: ast.AST | Iterable[ast.AST], name: str, new: str) -> Editor:
        """Other name wherever ``name`` is read or written below ``root``."""
        for node in self.tree.nodes_of(root, ast.Name):
            if node.id == name:
                self.rewrite(node, new)
        return self

    def rename_reads(self, root: ast.AST | Iterable[ast.AST], name: str, new: str) -> Editor:
        """Other name wherever ``name`` is read below ``root``, until it is bound again."""
        roots = [root] if isinstance(root, ast.AST) else root
        for node in self._reads(roots, name):
            self.rewrite(node, new)
        return self

    def _reads(self, roots: Iterable[ast.AST], name: str) -> Iterable[ast.Name]:
        for root in roots:
            names = [n for n in self.tree.nodes_of(root, ast.Name) if n.id == name]
            yield from (n for n in names if isinstance(n.ctx, ast.Load))
            if any(isinstance(n.ctx, ast.Store) for n in names):
                return

    # --- lists of arguments ------------------------------------------------------------------------------------------

    def drop(self, item: Located, among: list[Located]) -> Editor:
        """Take one element out of a comma list, its comma as well."""
        tree, index = self.tree, among.index(item)
        if index + 1 < len(among):
            return self.replace(self._begin(item), self._begin(among[index + 1]), "")
        if index:
            return self.replace(tree.end(among[index - 1]), tree.end(item), "")
        end = tree.end(item)
        rest = tree.text[end:].lstrip()
        if rest.startswith(","):
            end = tree.text.index(",", end) + 1
        return self.replace(self._begin(item), end, "")

    def _begin(self, item: Located) -> int:
        return self.tree.start(item)

    def drop_argument(self, call: ast.Call, argument: ast.expr | ast.keyword) -> Editor:
        """Take an argument out of a call."""
        return self.drop(argument, arguments(call))

    def add_argument(self, call: ast.Call, text: str) -> Editor:
        """One more argument at the end of a call."""
        given = arguments(call)
        if given:
            return self.insert(self.tree.end(given[-1]), f", {text}")
        return self.insert(self.tree.end(call) - 1, text)

    # --- lines -------------------------------------------------------------------------------------------------------

    def insert_lines(self, offset: int, lines: Iterable[str], indent: str) -> Editor:
        """Whole lines in front of the line at ``offset``."""
        newline = self.tree.newline
        text = "".join(f"{indent}{line}{newline}" if line else newline for line in lines)
        if offset == len(self.tree.text) and offset and not self.tree.text.endswith(("\n", "\r")):
            text = newline + text
        return self.insert(offset, text)

    def before(self, stmt: ast.stmt, *lines: str) -> Editor:
        """Lines above a statement (above its comments)."""
        return self.insert_lines(self.tree.lines(stmt, stmt)[0], lines, self.tree.indent(stmt))

    def after(self, stmt: ast.stmt, *lines: str) -> Editor:
        """Lines below a statement."""
        return self.insert_lines(self.tree.lines(stmt, stmt)[1], lines, self.tree.indent(stmt))

    def delete(self, first: ast.stmt, last: ast.stmt | None = None) -> Editor:
        """Whole lines out; a block that would be empty keeps a ``pass``."""
        tree = self.tree
        last = last or first
        block = tree.block(first)
        start, end = tree.lines(first, last)
        only = block[0] is first and block[-1] is last
        return self.replace(start, end, f"{tree.indent(first)}pass{tree.newline}" if only else "")

    def wrap(self, first: ast.stmt, last: ast.stmt, header: str) -> Editor:
        """``header`` above a run of statements, which go one step to the right. Wrap the outer run first."""
        tree = self.tree
        start, end = tree.lines(first, last)
        indent, unit = tree.indent(first), tree.unit(first)
        outer = self._shifted.get(start, "")
        self.insert(start, f"{indent}{header}{tree.newline}{outer}")
        self._shift(start, end, self._run(first, last), lambda line: (0, unit))
        return self

    def unwrap(self, outer: ast.stmt) -> Editor:
        """The header line of a block out, its body one step to the left."""
        tree = self.tree
        body: list[ast.stmt] = outer.body  # type: ignore[attr-defined]
        header, _ = tree.lines(outer, outer, comments=False)
        first = tree.lines(body[0], body[-1])[0]
        self.replace(header, max(first, tree.line_end(header)), "")
        step = len(tree.indent(body[0])) - len(tree.indent(outer))
        end = tree.lines(body[-1], body[-1])[1]
        self._shift(max(first, tree.line_end(header)), end, body, lambda line: (self._blank(line, step), ""))
        return self

    def _run(self, first: ast.stmt, last: ast.stmt) -> list[ast.stmt]:
        block = self.tree.block(first)
        return block[block.index(first) : block.index(last) + 1] if last in block else [first]

    def _blank(self, line: int, step: int) -> int:
        text = self.tree.text[line : line + step]
        return len(text) - len(text.lstrip(" \t"))

    def _shift(
        self, start: int, end: int, stmts: list[ast.stmt], change: Callable[[int], tuple[int, str]]
    ) -> None:
        """Other indentation for the lines of ``[start, end)``; ``change(line)`` gives (characters out, text in)."""
        tree = self.tree
        fixed = tree.literal_lines(stmts)
        line = start
        while line < end:
            following = tree.line_end(line)
            if line not in fixed and tree.text[line:following].strip():
                removed, added = change(line)
                self.replace(line, line + removed, added)
                self._shifted[line] = self._shifted.get(line, "") + added
            line = following

    def moved(self, first: ast.stmt, last: ast.stmt, indent: str) -> str:
        """The lines of a run of statements as they read at another indentation."""
        tree = self.tree
        start, end = tree.lines(first, last)
        run = self._run(first, last)
        fixed, old = tree.literal_lines(run), tree.indent(first)
        parts, line = [], start
        while line < end:
            following = tree.line_end(line)
            text = tree.text[line:following]
            if line not in fixed and text.strip():
                text = indent + (text[len(old) :] if text.startswith(old) else text.lstrip(" \t"))
            parts.append(text)
            line = following
        if parts and not parts[-1].endswith(("\n", "\r")):
            parts.append(tree.newline)
        return "".join(parts)

    def move_before(self, stmt: ast.stmt, target: ast.stmt) -> Editor:
        """A statement in front of another one, at its indentation."""
        text = self.moved(stmt, stmt, self.tree.indent(target))
        self.insert(self.tree.lines(target, target)[0], text)
        return self.delete(stmt)


def arguments(call: ast.Call) -> list[Located]:
    """Arguments of a call in source order."""
    given: list[Located] = [*call.args, *call.keywords]
    return sorted(given, key=lambda a: (a.lineno, a.col_offset))
