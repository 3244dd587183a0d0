"""Programs of kernels that an edit does not affect (docs/architecture.md §4).

While a kernel is read, everything it looks at in the modules around it is noted. It keeps its program, the very same object, until one of
these things is another: its own text, the text of a kernel that it calls, the value of a name. The answer is exactly what a fresh reading
gives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from pypto_core.diagnostics import Diagnostic
from pypto_core.frontend.imports import UsedNames, used_names
from pypto_core.frontend.program import ParsedProgram
from pypto_core.frontend.recovery import ClassSyntax, FileSyntax, FunctionSyntax, Statement
from pypto_core.frontend.static_eval import ModuleGraph
from pypto_core.frontend.static_eval.comparison import Comparison
from pypto_core.frontend.static_eval.kernels import file_kernels
from pypto_core.frontend.static_eval.scopes import Binding, Watch
from pypto_core.frontend.static_eval.values import KernelFunction, ProgramClass
from pypto_core.frontend.symbol_names import check_symbols

Kernel: TypeAlias = "KernelFunction | ProgramClass"
Syntax: TypeAlias = "FunctionSyntax | ClassSyntax"
Item: TypeAlias = "FunctionSyntax | ClassSyntax | Statement"
#: The program of a kernel, and the functions that a JIT entry reaches.
ReadKernel: TypeAlias = "Callable[[Kernel], tuple[ParsedProgram, list[FunctionSyntax]]]"


@dataclass(slots=True)
class Reading:
    """What was read of a kernel, and all that this depends on.

    ``reached`` are the places of the functions of a JIT program. ``kernels`` are the kernels looked at, with their texts as they were.
    """

    kernel: Kernel
    parsed: ParsedProgram
    reached: frozenset[tuple[int, int]]
    kernels: tuple[tuple[Kernel, Syntax], ...]
    watch: Watch
    complete: tuple[bool, ...]

    def stands(self, graph: ModuleGraph) -> bool:
        """Whether it is still what a fresh reading in the same evaluation gives."""
        watch = self.watch
        for kernel, syntax in self.kernels:
            if kernel.syntax is not syntax:
                return False
        if watch.complete and self.complete != tuple(m.is_complete for m in watch.complete):
            return False
        exists = graph.resolver.exists
        return not watch.unsteady and all(exists(path) == answer for path, answer in watch.paths.items())


@dataclass(slots=True)
class KernelMemory:
    """Readings of the kernels of one file, all of the evaluation ``graph``; ``read`` counts kernels that were read anew."""

    read: int = 0
    _graph: ModuleGraph | None = None
    _kernels: list[Kernel] = field(default_factory=list)
    _readings: dict[Kernel, Reading] = field(default_factory=dict)
    _symbols: dict[int, tuple[Item, tuple[Diagnostic, ...]]] = field(default_factory=dict)
    _used: dict[int, tuple[Syntax, UsedNames]] = field(default_factory=dict)

    def readings(
        self, graph: ModuleGraph, read: ReadKernel, checkpoint: Callable[[], None] | None = None
    ) -> list[Reading]:
        """One reading per kernel of the root file, in source order. One that is broken off by ``checkpoint`` loses nothing."""
        old = self._graph
        if old is None:
            self._readings = {}
        else:
            self._readings = {k: r for k, r in self._readings.items() if r.stands(old)}
        if graph is not old:
            kernels = file_kernels(graph, graph.root.filename)
            if old is not None and self._readings:
                self._readings = _carried_over(old, graph, self._kernels, kernels, self._readings)
            self._graph, self._kernels = graph, kernels
        known = self._readings
        found: list[Reading] = []
        for kernel in self._kernels:
            reading = known.get(kernel)
            if reading is None:
                if checkpoint is not None:
                    checkpoint()
                reading = known[kernel] = self._read(graph, kernel, read)
            found.append(reading)
        return found

    def _read(self, graph: ModuleGraph, kernel: Kernel, read: ReadKernel) -> Reading:
        it = graph.interpreter
        watch = it.watch = Watch()
        it.budget.for_kernel()
        try:
            parsed, functions = read(kernel)
        finally:
            it.watch = None
        self.read += 1
        watch.kernels.add(kernel)
        return Reading(
            kernel,
            parsed,
            frozenset(place(f) for f in functions),
            tuple((k, k.syntax) for k in watch.kernels),
            watch,
            tuple(m.is_complete for m in watch.complete),
        )

    def symbols(self, syntax: FileSyntax) -> list[Diagnostic]:
        """Findings about the names of dynamic sizes."""
        found: list[Diagnostic] = []
        now: dict[int, tuple[Item, tuple[Diagnostic, ...]]] = {}
        for item in syntax.items:
            key = id(item)
            known = now[key] = self._symbols.get(key) or (item, tuple(check_symbols(item)))
            found += known[1]
        self._symbols = now
        return found

    def used_names(self) -> list[UsedNames]:
        """Names that each kernel of the last readings uses."""
        now: dict[int, tuple[Syntax, UsedNames]] = {}
        for kernel in self._kernels:
            key = id(kernel.syntax)
            now[key] = self._used.get(key) or (kernel.syntax, used_names(kernel.syntax))
        self._used = now
        return [names for _, names in now.values()]


def place(syntax: Syntax) -> tuple[int, int]:
    """Where a definition is written: the same for every copy of its syntax."""
    return id(syntax.source.chunk), syntax.source.start(syntax.node)


def _carried_over(
    old: ModuleGraph, new: ModuleGraph, before: list[Kernel], now: list[Kernel], known: dict[Kernel, Reading]
) -> dict[Kernel, Reading]:
    """The readings of one evaluation that hold in the next one."""
    carry = _Carry(old, new)
    found: dict[Kernel, Reading] = {}
    olds = _by_definition(before)
    for definition, kernels in _by_definition(now).items():
        variants = olds.get(definition, [])
        if len(variants) != len(kernels):
            continue
        for kernel, variant in zip(kernels, variants, strict=True):
            reading = known.get(variant)
            moved = carry.reading(reading, kernel) if reading is not None else None
            if moved is not None:
                found[kernel] = moved
    return found


def _by_definition(kernels: list[Kernel]) -> dict[int, list[Kernel]]:
    found: dict[int, list[Kernel]] = {}
    for kernel in kernels:
        found.setdefault(id(kernel.node), []).append(kernel)
    return found


class _Carry:
    """Compares what readings look at in two evaluations, each name once."""

    def __init__(self, old: ModuleGraph, new: ModuleGraph) -> None:
        self._old = old
        self._new = new
        self._comparison = Comparison()
        self._names: dict[tuple[str, str], bool] = {}
        self._kernels: dict[int, Kernel | None] = {}
        for kernel in new.interpreter.kernels:
            key = id(kernel.syntax)
            self._kernels[key] = (
                kernel if key not in self._kernels else None
            )  # made several times: which one is meant?

    def reading(self, reading: Reading, kernel: Kernel) -> Reading | None:
        """The reading with the new evaluation's objects; None when something that it looked at is another."""
        watch, now = reading.watch, Watch()
        partners: dict[Kernel, Kernel] = {}
        for other, syntax in reading.kernels:
            partner = kernel if other is reading.kernel else self._kernels.get(id(syntax))
            if partner is None or not self._comparison.data(other, partner):
                return None
            partners[other] = partner
        moments = {k.order: partner.order for k, partner in partners.items()}
        modules = self._new.modules
        for module, name, moment in watch.names:
            partner_module = modules.get(module.filename)
            if partner_module is None:
                return None
            if moment is None:
                if not self._same_name(module.filename, name):
                    return None
                now.names.add((partner_module, name, None))
                continue
            then = moments.get(moment)
            if then is None or not self._same(
                module.binding_at(name, moment), partner_module.binding_at(name, then)
            ):
                return None
            now.names.add((partner_module, name, then))
        for module in watch.complete:
            partner_module = modules.get(module.filename)
            if partner_module is None:
                return None
            now.complete.add(partner_module)
        complete = tuple(m.is_complete for m in now.complete)
        wanted = {m.filename: flag for m, flag in zip(watch.complete, reading.complete, strict=True)}
        if any(wanted[m.filename] != flag for m, flag in zip(now.complete, complete, strict=True)):
            return None
        for module in watch.listed:
            partner_module = modules.get(module.filename)
            if partner_module is None or set(partner_module.names) != set(module.names):
                return None
            now.listed.add(partner_module)
        now.kernels = set(partners.values())
        now.paths = watch.paths
        kernels = tuple((k, k.syntax) for k in now.kernels)
        return Reading(kernel, reading.parsed, reading.reached, kernels, now, complete)

    def _same_name(self, filename: str, name: str) -> bool:
        key = (filename, name)
        known = self._names.get(key)
        if known is None:
            old, new = self._old.modules[filename], self._new.modules[filename]
            known = self._names[key] = self._same(old.binding(name), new.binding(name))
        return known

    def _same(self, old: Binding | None, new: Binding | None) -> bool:
        return self._comparison.bindings(old, new)
