"""Where the cursor stands in a kernel that is being typed: what completion ranks its proposals by."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pypto_core import Cursor, FileFacts, FileNames, FunctionInfo, core_of_space, cursor_at, is_kernel


@dataclass(frozen=True, slots=True)
class Place:
    """Where the cursor stands: ``core`` is the core that surrounding work runs on, ``region`` whether a lane region is around."""

    cursor: Cursor
    names: FileNames
    facts: FileFacts | None
    line: int
    core: str
    region: bool
    function: FunctionInfo | None

    @property
    def in_kernel(self) -> bool:
        return self.function is not None and is_kernel(self.function, self.names)


_REGION = re.compile(r"\s*for\b.*\bin\b.*\.split_aiv\(")


def place_at(
    lines: Sequence[str], line: int, column: int, names: FileNames, facts: FileFacts | None
) -> Place:
    """Read the surroundings of a 0-based place."""
    cursor = cursor_at(lines, line, column)
    region = any(_REGION.match(lines[number]) for number in _headers_around(lines, line))
    core = "vector" if region else ""
    if not core and facts is not None:
        for values in facts.values.values():
            last = values.last_value(facts.path, line)
            if last is not None:
                core = core_of_space(getattr(last.type, "memory_space", None))
                break
    return Place(cursor, names, facts, line, core, region, _function_around(lines, line, names))


def _headers_around(lines: Sequence[str], line: int) -> Iterator[int]:
    """Lines above with less and less indentation: the headers around a line."""
    current = lines[line] if line < len(lines) else ""
    indent = len(current) - len(current.lstrip()) if current.strip() else 10_000
    for number in range(line - 1, max(line - 500, -1), -1):
        text = lines[number]
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        depth = len(text) - len(text.lstrip())
        if depth < indent or indent == 10_000:
            if indent == 10_000 and not text.rstrip().endswith(":"):
                indent = depth
                continue
            indent = depth
            yield number
        if indent == 0:
            return


def _function_around(lines: Sequence[str], line: int, names: FileNames) -> FunctionInfo | None:
    """The function whose header is around a line; its end moves while its last lines are being typed."""
    found = names.function_at(line)
    if found is not None:
        return found
    for number in _headers_around(lines, line):
        if re.match(r"\s*(async\s+)?def\s", lines[number]):
            return next((f for f in names.functions if f.use.span.line - 1 == number), None)
    return None
