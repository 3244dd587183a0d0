"""Entry of the frontend: a text becomes programs and diagnostics (docs/spec/language.md, architecture §1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from pypto_core.diagnostics import Diagnostic, error
from pypto_core.frontend.modules import ModuleFile, TextResolver
from pypto_core.frontend.printed import is_printed, read_printed
from pypto_core.frontend.program import ParsedProgram, parse_program_class, parse_stand_alone
from pypto_core.frontend.static_closure import ScopeClosure
from pypto_core.frontend.static_eval import ModuleGraph
from pypto_core.frontend.static_eval.values import KernelFunction, ProgramClass
from pypto_core.ir import Program

#: Module name -> source text, None when there is no such module.
Resolver = Callable[[str], "str | None"]


@dataclass(frozen=True, slots=True)
class ParseResult:
    """What a text holds.

    ``programs`` maps each entry (a ``@pl.program`` class, a stand-alone function, a JIT entry) to its program, in source
    order; ``program`` is the first of them. ``diagnostics`` are in source order. ``incomplete`` lists (entry, function)
    pairs of which a faulty or unknown part is missing: good for looking things up, not for lowering.
    """

    program: Program | None
    programs: Mapping[str, Program] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    incomplete: frozenset[tuple[str, str]] = frozenset()


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
    return _parse_source(text, filename, resolver, env)


def _parse_source(
    text: str, filename: str, resolver: Resolver | None, env: Mapping[str, Any] | None
) -> ParseResult:
    root = ModuleFile(_module_name(filename), filename, text)
    syntax = root.syntax
    diagnostics = [error("python-syntax", fault.message, fault.span) for fault in syntax.faults]
    graph = ModuleGraph(root, TextResolver(resolver) if resolver is not None else None, known=env)
    programs: dict[str, Program] = {}
    incomplete: set[tuple[str, str]] = set()
    own = {id(item) for item in syntax.items}
    for kernel in graph.kernels:
        if id(kernel.syntax) not in own:
            continue
        parsed = _parse_kernel(graph, kernel)
        if parsed is None:
            continue
        programs[kernel.name] = parsed.program
        diagnostics.extend(parsed.diagnostics)
        incomplete.update((kernel.name, function) for function in parsed.incomplete)
    unique = {(d.code, d.span, d.message): d for d in diagnostics}
    ordered = sorted(unique.values(), key=lambda d: (d.span.line, d.span.column))
    first = next(iter(programs.values()), None)
    return ParseResult(first, programs, tuple(ordered), frozenset(incomplete))


def _module_name(filename: str) -> str:
    return PurePath(filename).stem


def _parse_kernel(graph: ModuleGraph, kernel: KernelFunction | ProgramClass) -> ParsedProgram | None:
    closure = ScopeClosure(graph.interpreter, kernel.scope, kernel.source, kernel.order)
    if isinstance(kernel, ProgramClass):
        return parse_program_class(kernel.syntax, closure)
    if kernel.form == "function" and kernel.owner is None:
        return parse_stand_alone(kernel.syntax, closure)
    return None
