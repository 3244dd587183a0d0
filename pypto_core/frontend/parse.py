"""Entry of the frontend: a text becomes programs and diagnostics (docs/spec/language.md, architecture §1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import PurePath
from typing import Any

from pypto_core.diagnostics import Diagnostic, error
from pypto_core.frontend.context import ProgramContext
from pypto_core.frontend.imports import unresolved_imports
from pypto_core.frontend.jit import parse_jit
from pypto_core.frontend.memory import KernelMemory
from pypto_core.frontend.modules import ModuleFile, ModuleResolver, TextResolver
from pypto_core.frontend.near_forms import check_forms
from pypto_core.frontend.printed import is_printed, read_printed
from pypto_core.frontend.program import ParsedProgram, parse_program_class, parse_stand_alone
from pypto_core.frontend.recall import Recall
from pypto_core.frontend.recovery import FunctionSyntax
from pypto_core.frontend.static_closure import ScopeClosure
from pypto_core.frontend.static_eval import ModuleGraph
from pypto_core.frontend.static_eval.values import KernelFunction, ProgramClass
from pypto_core.ir import Program, Span

#: Module name -> source text, None when there is no such module.
Resolver = Callable[[str], "str | None"]


@dataclass(frozen=True, slots=True)
class ParseResult:
    """What a text holds.

    ``programs`` maps each entry (a ``@pl.program`` class, a stand-alone function, a JIT entry) to its program, in source
    order; ``program`` is the first of them. ``diagnostics`` are in source order. ``incomplete`` lists (entry, function)
    pairs of which a faulty or unknown part is missing: good for looking things up, not for lowering. ``graph`` holds the
    evaluated module and what it imports; None for printed IR.
    """

    program: Program | None
    programs: Mapping[str, Program] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    incomplete: frozenset[tuple[str, str]] = frozenset()
    graph: ModuleGraph | None = field(default=None, repr=False, compare=False)


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
    modules = TextResolver(resolver) if resolver is not None else None
    return parse_module(ModuleFile(module_name(filename), filename, text), modules, env)


def parse_module(
    root: ModuleFile,
    modules: ModuleResolver | None = None,
    env: Mapping[str, Any] | None = None,
    checkpoint: Callable[[], None] | None = None,
) -> ParseResult:
    """:func:`parse` for a file whose imports are looked up as files; ``checkpoint`` is called between steps and may raise."""
    return read_graph(ModuleGraph(root, modules, known=env, checkpoint=checkpoint), checkpoint)


def read_graph(
    graph: ModuleGraph, checkpoint: Callable[[], None] | None = None, memory: KernelMemory | None = None
) -> ParseResult:
    """The kernels of the root of an evaluated graph.

    ``memory`` belongs to the file and gives kernels that an edit does not affect the programs they had.
    """
    syntax = graph.root_file.syntax
    diagnostics = [error("python-syntax", fault.message, fault.span) for fault in syntax.faults]
    memory = KernelMemory() if memory is None else memory
    diagnostics += chain.from_iterable(memory.symbols.of(syntax.items))
    diagnostics += check_forms(syntax, memory.forms.of(syntax.items))
    read = memory.update(graph, _Reader(graph).read, checkpoint)
    diagnostics += read.diagnostics()
    if graph.root.unresolved:
        diagnostics += unresolved_imports(graph.root, memory.used_names())
    ordered = sorted(once(diagnostics), key=lambda d: (d.span.line, d.span.column))
    programs = read.programs()
    first = next(iter(programs.values()), None)
    return ParseResult(first, programs, tuple(ordered), read.incomplete(), graph)


def once(found: list[Diagnostic]) -> list[Diagnostic]:
    """Each finding once; one that several calls bring about lists them all."""
    unique: dict[tuple[str, Span, str], Diagnostic] = {}
    for diagnostic in found:
        key = (diagnostic.code, diagnostic.span, diagnostic.message)
        known = unique.get(key)
        if known is None:
            unique[key] = diagnostic
        else:
            more = tuple(r for r in diagnostic.related if r not in known.related)
            unique[key] = replace(known, related=(*known.related, *more)) if more else known
    return list(unique.values())


class _Reader:
    """Reads the kernels of one file."""

    def __init__(self, graph: ModuleGraph) -> None:
        self.graph = graph

    def read(
        self, kernel: KernelFunction | ProgramClass, recall: Recall | None = None
    ) -> tuple[ParsedProgram, list[FunctionSyntax]]:
        """The program, and the functions that a JIT entry reaches. A text nested beyond all measure has none."""
        try:
            return self._parse_kind(kernel, recall)
        except RecursionError:
            span = kernel.source.span(kernel.node)
            fault = error("python-syntax", f"'{kernel.name}' is too deeply nested", span)
            return ParsedProgram(Program((), kernel.name, span=span), [fault], frozenset({kernel.name})), []

    def _parse_kind(
        self, kernel: KernelFunction | ProgramClass, recall: Recall | None
    ) -> tuple[ParsedProgram, list[FunctionSyntax]]:
        if isinstance(kernel, KernelFunction) and kernel.form.startswith("jit"):
            return parse_jit(self.graph.interpreter, kernel, recall)
        closure = ScopeClosure(self.graph.interpreter, kernel.scope, kernel.source, kernel.order)
        if isinstance(kernel, ProgramClass):
            return parse_program_class(kernel.syntax, closure, ProgramContext(recall=recall)), []
        return parse_stand_alone(kernel.syntax, closure, ProgramContext(recall=recall)), []


def module_name(filename: str) -> str:
    return PurePath(filename).stem
