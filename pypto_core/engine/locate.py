"""From a place in a file to what stands there: a word, a callable, a value of a kernel."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pypto_core.engine.values import Occurrence, author_name, occurrences
from pypto_core.frontend import ParseResult
from pypto_core.ir import Function, Program, Span, Stmt, Var, walk_stmts

_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*")


@dataclass(frozen=True, slots=True)
class Word:
    """A (dotted) name on one line; columns are 0-based characters, ``end`` exclusive. ``path`` ends with the part under the cursor."""

    path: str
    line: int
    start: int
    end: int

    @property
    def name(self) -> str:
        return self.path.rpartition(".")[2]


def word_at(text_line: str, line: int, column: int) -> Word | None:
    """The name at a column: ``pl.tile.load`` with the cursor on ``tile`` is ``pl.tile``."""
    for match in _DOTTED.finditer(text_line):
        if match.start() <= column <= match.end():
            end = match.end()
            parts = list(re.finditer(r"\w+", match.group()))
            for part in parts:
                if column <= match.start() + part.end():
                    end = match.start() + part.end()
                    break
            path = re.sub(r"\s+", "", text_line[match.start() : end])
            start = end - len(path.rpartition(".")[2])
            return Word(path, line, start, end)
    return None


@dataclass(frozen=True, slots=True)
class ValueAt:
    """A value of a kernel: its entry, its function, its variable and the statement that defines it (None: a parameter)."""

    entry: str
    program: Program
    function: Function
    var: Var
    stmt: Stmt | None

    @property
    def span(self) -> Span:
        return self.stmt.span if self.stmt is not None else self.var.span


def functions_at(parsed: ParseResult, path: str, line: int) -> Iterator[tuple[str, Program, Function]]:
    """Functions of the file whose lines include ``line`` (0-based), innermost last per program."""
    for entry, program in parsed.programs.items():
        for function in program.functions:
            span = function.span
            if span.is_valid and span.filename == path:
                first, last = function_lines(function)
                if first <= line <= last:
                    yield entry, program, function


def function_lines(function: Function) -> tuple[int, int]:
    """0-based first and last source line of a function (its header and every statement of its body)."""
    span = function.span
    first, last = span.line - 1, span.end_line - 1
    for stmt in walk_stmts(function.body):
        if stmt.span.is_valid and stmt.span.filename == span.filename:
            last = max(last, stmt.span.end_line - 1)
    return first, last


def value_at(parsed: ParseResult, path: str, word: Word) -> ValueAt | None:
    """The value that ``word`` means: the definition on its line, else the last one above it, else a parameter."""
    name = word.path.split(".")[0]
    for entry, program, function in functions_at(parsed, path, word.line):
        best: Occurrence | None = None
        for occurrence in occurrences(Program((function,), program.name)):
            span = occurrence.stmt.span
            if author_name(occurrence.var.name_hint, span) != name or not span.is_valid:
                continue
            starts_above = span.line - 1 < word.line or (span.line - 1 == word.line and defines(span, word))
            if starts_above and (best is None or span.line >= best.stmt.span.line):
                best = occurrence
        if best is not None:
            return ValueAt(entry, program, function, best.var, best.stmt)
        for var in function.params:
            if author_name(var.name_hint) == name:
                return ValueAt(entry, program, function, var, None)
    return None


def defines(span: Span, word: Word) -> bool:
    """Whether ``word`` stands on the left of the statement at ``span`` (before its first ``=``), as a target."""
    text = span.text
    equals = text.find("=")
    end = span.column - 1 + (equals if equals >= 0 else len(text.split("\n", 1)[0]))
    return word.start < end


def callable_path(parsed: ParseResult | None, path: str) -> str:
    """The catalogue path of a written callable: the file's alias of the language becomes ``pl``."""
    return path
