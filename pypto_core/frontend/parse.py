"""Entry of the frontend: a text becomes programs and diagnostics (docs/spec/language.md, architecture §1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any

from pypto_core.diagnostics import Diagnostic, error
from pypto_core.frontend.imports import unresolved_imports
from pypto_core.frontend.jit import parse_jit
from pypto_core.frontend.jit_functions import DEP_FORMS
from pypto_core.frontend.memory import ParseMemory, Reading, copy_of, remembered
from pypto_core.frontend.modules import ModuleFile, ModuleResolver, TextResolver
from pypto_core.frontend.printed import is_printed, read_printed
from pypto_core.frontend.program import ParsedProgram, parse_program_class, parse_stand_alone
from pypto_core.frontend.recovery import ClassSyntax, FunctionSyntax
from pypto_core.frontend.static_closure import ScopeClosure
from pypto_core.frontend.static_eval import ModuleGraph
from pypto_core.frontend.static_eval.kernels import file_kernels
from pypto_core.frontend.static_eval.values import KernelFunction, ProgramClass
from pypto_core.frontend.symbol_names import check_symbols
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
    memory: ParseMemory | None = None,
) -> ParseResult:
    """:func:`parse` for a file whose imports are looked up as files.

    ``checkpoint`` is called between steps and may raise. ``memory`` belongs to the file and gives kernels that an edit does not
    affect the programs they had.
    """
    syntax = root.syntax
    diagnostics = [error("python-syntax", fault.message, fault.span) for fault in syntax.faults]
    graph = ModuleGraph(root, modules, known=env, checkpoint=checkpoint)
    diagnostics.extend(check_symbols(syntax))
    reader = _Reader(graph, checkpoint, memory)
    reader.read(root.filename)
    reader.diagnostics.extend(unresolved_imports(graph.root, reader.kernels))
    ordered = sorted(once([*diagnostics, *reader.diagnostics]), key=lambda d: (d.span.line, d.span.column))
    first = next(iter(reader.programs.values()), None)
    return ParseResult(first, reader.programs, tuple(ordered), frozenset(reader.incomplete), graph)


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
    """Programs of the kernels of one file."""

    def __init__(
        self, graph: ModuleGraph, checkpoint: Callable[[], None] | None, memory: ParseMemory | None
    ) -> None:
        self.graph = graph
        self.checkpoint = checkpoint
        self.memory = memory
        self.programs: dict[str, Program] = {}
        self.diagnostics: list[Diagnostic] = []
        self.incomplete: set[tuple[str, str]] = set()
        self.kernels: list[KernelFunction | ProgramClass] = []

    def read(self, filename: str) -> None:
        """Entries first: what they say about a function they reach counts more than what it says of itself."""
        kernels = self.kernels = file_kernels(self.graph, filename)
        reading = self.memory.reading(self.graph) if self.memory is not None else None
        parsed: dict[int, ParsedProgram] = {}
        reached: set[tuple[int, int]] = set()
        for i, kernel in enumerate(kernels):
            if not _is_dep(kernel):
                parsed[i] = self._remembered(kernel, reached, reading)
        for i, kernel in enumerate(kernels):
            if _is_dep(kernel):
                parsed[i] = self._remembered(kernel, set(), reading)
                if _place(kernel.syntax) in reached:
                    parsed[i].diagnostics.clear()
        for i, kernel in enumerate(kernels):
            self._add(kernel.name, parsed[i])
        if self.memory is not None:
            self.memory.finish()

    def _remembered(
        self, kernel: KernelFunction | ProgramClass, reached: set[tuple[int, int]], reading: Reading | None
    ) -> ParsedProgram:
        """The program of a kernel; the one of the last reading where nothing that it can see has changed."""
        key = reading.key(kernel) if reading is not None else None
        known = self.memory.find(key[0]) if self.memory is not None and key is not None else None
        if known is not None:
            parsed, functions = copy_of(known.parsed), list(known.functions)
        else:
            if self.checkpoint is not None:
                self.checkpoint()
            parsed, functions = self._parse(kernel)
            if self.memory is not None and key is not None:
                self.memory.keep(key[0], remembered(key[1], parsed, functions))
        reached.update(_place(f) for f in functions)
        return parsed

    def _parse(self, kernel: KernelFunction | ProgramClass) -> tuple[ParsedProgram, list[FunctionSyntax]]:
        """The program, and the functions that a JIT entry reaches. A text nested beyond all measure has none."""
        try:
            return self._parse_kind(kernel)
        except RecursionError:
            span = kernel.source.span(kernel.node)
            fault = error("python-syntax", f"'{kernel.name}' is too deeply nested", span)
            return ParsedProgram(Program((), kernel.name, span=span), [fault], frozenset({kernel.name})), []

    def _parse_kind(self, kernel: KernelFunction | ProgramClass) -> tuple[ParsedProgram, list[FunctionSyntax]]:
        if isinstance(kernel, KernelFunction) and kernel.form.startswith("jit"):
            return parse_jit(self.graph.interpreter, kernel)
        closure = ScopeClosure(self.graph.interpreter, kernel.scope, kernel.source, kernel.order)
        if isinstance(kernel, ProgramClass):
            return parse_program_class(kernel.syntax, closure), []
        return parse_stand_alone(kernel.syntax, closure), []

    def _add(self, name: str, parsed: ParsedProgram) -> None:
        """A kernel that a factory makes several times is one entry; every copy is checked."""
        self.diagnostics.extend(parsed.diagnostics)
        if name not in self.programs:
            self.programs[name] = parsed.program
            self.incomplete.update((name, function) for function in parsed.incomplete)


def _place(syntax: FunctionSyntax | ClassSyntax) -> tuple[int, int]:
    """Where a definition is written: the same for every copy of its syntax."""
    return id(syntax.source.chunk), syntax.source.start(syntax.node)


def _is_dep(kernel: KernelFunction | ProgramClass) -> bool:
    return isinstance(kernel, KernelFunction) and kernel.form in DEP_FORMS


def module_name(filename: str) -> str:
    return PurePath(filename).stem
