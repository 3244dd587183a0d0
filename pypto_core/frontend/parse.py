"""Entry of the frontend: a text becomes programs and diagnostics (docs/spec/language.md, architecture §1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from pypto_core.diagnostics import Diagnostic, error
from pypto_core.frontend.jit import parse_jit
from pypto_core.frontend.jit_functions import DEP_FORMS
from pypto_core.frontend.modules import ModuleFile, ModuleResolver, TextResolver
from pypto_core.frontend.printed import is_printed, read_printed
from pypto_core.frontend.program import ParsedProgram, parse_program_class, parse_stand_alone
from pypto_core.frontend.static_closure import ScopeClosure
from pypto_core.frontend.static_eval import ModuleGraph
from pypto_core.frontend.static_eval.kernels import file_kernels
from pypto_core.frontend.static_eval.values import KernelFunction, ProgramClass
from pypto_core.frontend.symbol_names import check_symbols
from pypto_core.ir import Program

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
    """:func:`parse` for a file whose imports are looked up as files. ``checkpoint`` is called between steps and may raise."""
    syntax = root.syntax
    diagnostics = [error("python-syntax", fault.message, fault.span) for fault in syntax.faults]
    graph = ModuleGraph(root, modules, known=env, checkpoint=checkpoint)
    diagnostics.extend(check_symbols(syntax))
    reader = _Reader(graph)
    reader.read(root.filename)
    unique = {(d.code, d.span, d.message): d for d in [*diagnostics, *reader.diagnostics]}
    ordered = sorted(unique.values(), key=lambda d: (d.span.line, d.span.column))
    first = next(iter(reader.programs.values()), None)
    return ParseResult(first, reader.programs, tuple(ordered), frozenset(reader.incomplete), graph)


class _Reader:
    """Programs of the kernels of one file."""

    def __init__(self, graph: ModuleGraph) -> None:
        self.graph = graph
        self.programs: dict[str, Program] = {}
        self.diagnostics: list[Diagnostic] = []
        self.incomplete: set[tuple[str, str]] = set()

    def read(self, filename: str) -> None:
        """Entries first: what they say about a function they reach counts more than what it says of itself."""
        kernels = file_kernels(self.graph, filename)
        parsed: dict[int, ParsedProgram] = {}
        reached: set[int] = set()
        for i, kernel in enumerate(kernels):
            if not _is_dep(kernel):
                parsed[i] = self._parse(kernel, reached)
        for i, kernel in enumerate(kernels):
            if _is_dep(kernel):
                own: set[int] = set()
                parsed[i] = self._parse(kernel, own)
                if id(kernel.syntax) in reached:
                    parsed[i].diagnostics.clear()
        for i, kernel in enumerate(kernels):
            self._add(kernel.name, parsed[i])

    def _parse(self, kernel: KernelFunction | ProgramClass, reached: set[int]) -> ParsedProgram:
        if isinstance(kernel, KernelFunction) and kernel.form.startswith("jit"):
            parsed, functions = parse_jit(self.graph.interpreter, kernel)
            reached.update(id(f) for f in functions)
            return parsed
        closure = ScopeClosure(self.graph.interpreter, kernel.scope, kernel.source, kernel.order)
        if isinstance(kernel, ProgramClass):
            return parse_program_class(kernel.syntax, closure)
        return parse_stand_alone(kernel.syntax, closure)

    def _add(self, name: str, parsed: ParsedProgram) -> None:
        """A kernel that a factory makes several times is one entry; every copy is checked."""
        self.diagnostics.extend(parsed.diagnostics)
        if name not in self.programs:
            self.programs[name] = parsed.program
            self.incomplete.update((name, function) for function in parsed.incomplete)


def _is_dep(kernel: KernelFunction | ProgramClass) -> bool:
    return isinstance(kernel, KernelFunction) and kernel.form in DEP_FORMS


def module_name(filename: str) -> str:
    return PurePath(filename).stem
