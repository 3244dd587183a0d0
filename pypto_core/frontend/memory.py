"""Programs of kernels that an edit does not affect (docs/architecture.md §4).

While a kernel is read, everything it looks at in the modules around it is noted. It keeps its program, the very same object, until one of
these things is another: its own text, the text of a kernel that it calls, the value of a name. The answer is exactly what a fresh reading
gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from pypto_core.diagnostics import Diagnostic
from pypto_core.frontend.imports import UsedNames, used_names
from pypto_core.frontend.jit_functions import DEP_FORMS
from pypto_core.frontend.near_forms import forms_of
from pypto_core.frontend.per_item import PerItem
from pypto_core.frontend.program import ParsedProgram
from pypto_core.frontend.recall import Recall, is_long
from pypto_core.frontend.recovery import ClassSyntax, FunctionSyntax
from pypto_core.frontend.static_eval import ModuleGraph
from pypto_core.frontend.static_eval.comparison import Comparison
from pypto_core.frontend.static_eval.kernels import file_kernels
from pypto_core.frontend.static_eval.scopes import Binding, ModuleEnvironment, Watch
from pypto_core.frontend.static_eval.values import KernelFunction, ProgramClass
from pypto_core.frontend.symbol_names import check_symbols
from pypto_core.ir import Program

Kernel: TypeAlias = "KernelFunction | ProgramClass"
Syntax: TypeAlias = "FunctionSyntax | ClassSyntax"
#: The program of a kernel, and the functions that a JIT entry reaches.
ReadKernel: TypeAlias = "Callable[[Kernel, Recall | None], tuple[ParsedProgram, list[FunctionSyntax]]]"


@dataclass(slots=True)
class Reading:
    """What was read of a kernel, and all that this depends on.

    ``reached`` are the places of the functions of a JIT program; ``complete`` are the answers that ``watch.complete`` got.
    """

    kernel: Kernel
    parsed: ParsedProgram
    reached: frozenset[tuple[int, int]]
    watch: Watch
    complete: tuple[bool, ...]

    def stands(self, graph: ModuleGraph) -> bool:
        """Whether the files it asked for are as they were; what is not followed is never known to be."""
        exists = graph.resolver.exists
        return not self.watch.unsteady and all(exists(p) == answer for p, answer in self.watch.paths.items())


class Assembled:
    """Readings side by side, and what a file is told of them. Lists over all kernels, of which an edit replaces one or two."""

    def __init__(self, kernels: list[Kernel]) -> None:
        self._kernels = kernels
        self._names = [kernel.name for kernel in kernels]
        self._unique = len(set(self._names)) == len(self._names)
        self._programs: list[Program | None] = [None] * len(kernels)
        #: The same by name, complete with the last reading.
        self._by_name: dict[str, Program] = dict.fromkeys(self._names)  # type: ignore[assignment]
        #: Readings with findings, readings of which parts are missing.
        self._spoken: dict[int, Reading] = {}
        self._partial: dict[int, Reading] = {}
        self._readings: list[Reading | None] = [None] * len(kernels)

    def put(self, place: int, reading: Reading) -> None:
        self._readings[place] = reading
        self._programs[place] = self._by_name[self._names[place]] = reading.parsed.program
        for known, wanted in (
            (self._spoken, reading.parsed.diagnostics),
            (self._partial, reading.parsed.incomplete),
        ):
            known.pop(place, None)
            if wanted:
                known[place] = reading

    def programs(self) -> dict[str, Program]:
        """Programs by entry in source order; a kernel that a factory makes several times is one entry."""
        if self._unique:
            return self._by_name.copy()
        found: dict[str, Program] = {}
        for name, program in zip(self._names, self._programs, strict=True):
            if program is not None:
                found.setdefault(name, program)
        return found

    def diagnostics(self) -> list[Diagnostic]:
        """What entries say about a function they reach counts more than what it says of itself. Every copy of a kernel is checked."""
        reached: set[tuple[int, int]] = set()
        if any(_is_dep(reading.kernel) for reading in self._spoken.values()):
            reached.update(*(r.reached for r in self._readings if r is not None and not _is_dep(r.kernel)))
        found: list[Diagnostic] = []
        for _, reading in sorted(self._spoken.items(), key=_first):
            if not (_is_dep(reading.kernel) and place(reading.kernel.syntax) in reached):
                found += reading.parsed.diagnostics
        return found

    def incomplete(self) -> frozenset[tuple[str, str]]:
        """(Entry, function) of which a part is missing."""
        return frozenset(
            (reading.kernel.name, function)
            for number, reading in self._partial.items()
            if self._unique or self._names.index(reading.kernel.name) == number
            for function in reading.parsed.incomplete
        )


def _first(item: tuple[int, Reading]) -> int:
    return item[0]


def _is_dep(kernel: Kernel) -> bool:
    return isinstance(kernel, KernelFunction) and kernel.form in DEP_FORMS


class KernelMemory:
    """Readings of the kernels of one file, all of one evaluation; ``read`` counts kernels that were read anew."""

    def __init__(self) -> None:
        self.read = 0
        self._graph: ModuleGraph | None = None
        self._kernels: list[Kernel] = []
        self._places: dict[Kernel, int] = {}
        #: Beside each kernel; None where it has to be read again (``_missing``).
        self._readings: list[Reading | None] = []
        self._missing: set[int] = set()
        #: By kernel: those whose reading looked at it.
        self._readers: dict[Kernel, set[int]] = {}
        #: Readings that rest on whether modules are complete, and the answers; readings that rest on files or the process.
        self._askers: dict[ModuleEnvironment, tuple[bool, set[int]]] = {}
        self._watchful: set[int] = set()
        #: Beside each item: findings about the names of dynamic sizes; its imports and decorators.
        self.symbols: PerItem[tuple[Diagnostic, ...]] = PerItem(lambda item: tuple(check_symbols(item)))
        self.forms = PerItem(forms_of)
        #: Values of long kernels, by name.
        self.recalls: dict[str, Recall] = {}
        self._used: dict[int, tuple[Syntax, UsedNames]] = {}
        self.result = Assembled([])

    def update(
        self, graph: ModuleGraph, read: ReadKernel, checkpoint: Callable[[], None] | None = None
    ) -> Assembled:
        """One reading per kernel of the root file. What is broken off by ``checkpoint`` loses nothing."""
        self._forget_changed()
        if graph is not self._graph:
            self._enter(graph)
        for place in sorted(self._missing):
            if checkpoint is not None:
                checkpoint()
            self._remember(place, self._read(graph, self._kernels[place], read))
        return self.result

    def _enter(self, graph: ModuleGraph) -> None:
        """Go on with another evaluation of the file."""
        old, before = (
            self._graph,
            {k: r for k, r in zip(self._kernels, self._readings, strict=True) if r is not None},
        )
        olds, self._graph = self._kernels, graph
        self._kernels = file_kernels(graph, graph.root.filename)
        names = {kernel.name for kernel in self._kernels}
        self.recalls = {name: recall for name, recall in self.recalls.items() if name in names}
        self._places = {kernel: place for place, kernel in enumerate(self._kernels)}
        self._readings = [None] * len(self._kernels)
        self._missing = set(range(len(self._kernels)))
        self._readers, self._askers, self._watchful = {}, {}, set()
        self.result = Assembled(self._kernels)
        if old is not None and before:
            for reading in _carried_over(old, graph, olds, self._kernels, before):
                self._remember(self._places[reading.kernel], reading)

    def _remember(self, place: int, reading: Reading) -> None:
        self._readings[place] = reading
        self._missing.discard(place)
        self.result.put(place, reading)
        watch = reading.watch
        for kernel in watch.kernels:
            self._readers.setdefault(kernel, set()).add(place)
        for module in watch.complete:
            self._askers.setdefault(module, (module.is_complete, set()))[1].add(place)
        if watch.paths or watch.unsteady:
            self._watchful.add(place)

    def _forget_changed(self) -> None:
        """Drop the readings that the evaluation at hand no longer bears out."""
        graph = self._graph
        if graph is None:
            return
        gone: set[int] = set()
        for kernel in graph.take_edited():
            gone |= self._readers.get(kernel, set())
        for module, (complete, places) in self._askers.items():
            if module.is_complete != complete:
                gone |= places
        self._askers = {m: known for m, known in self._askers.items() if m.is_complete == known[0]}
        for place in self._watchful:
            reading = self._readings[place]
            if reading is not None and not reading.stands(graph):
                gone.add(place)
        self._watchful -= gone
        self._missing |= gone
        for place in gone:
            self._readings[place] = None

    def _read(self, graph: ModuleGraph, kernel: Kernel, read: ReadKernel) -> Reading:
        it = graph.interpreter
        watch = it.watch = Watch()
        it.budget.for_kernel()
        recall = self._recall(kernel)
        if recall is not None:
            recall.begin()
        try:
            parsed, functions = read(kernel, recall)
        finally:
            it.watch = None
        if recall is not None:
            recall.finish()
        self.read += 1
        watch.kernels.add(kernel)
        return Reading(
            kernel,
            parsed,
            frozenset(place(f) for f in functions),
            watch,
            tuple(m.is_complete for m in watch.complete),
        )

    def _recall(self, kernel: Kernel) -> Recall | None:
        """What is remembered of the values of a kernel with a long body."""
        syntax = kernel.syntax
        functions = [syntax] if isinstance(syntax, FunctionSyntax) else syntax.functions
        if any(is_long(function.body) for function in functions):
            return self.recalls.setdefault(kernel.name, Recall())
        self.recalls.pop(kernel.name, None)
        return None

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
) -> Iterator[Reading]:
    """The readings of one evaluation that hold in the next one."""
    carry = _Carry(old, new)
    olds = _by_definition(before)
    for definition, kernels in _by_definition(now).items():
        variants = olds.get(definition, [])
        if len(variants) != len(kernels):
            continue
        for kernel, variant in zip(kernels, variants, strict=True):
            reading = known.get(variant)
            moved = carry.reading(reading, kernel) if reading is not None else None
            if moved is not None:
                yield moved


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
        for other in watch.kernels:
            partner = kernel if other is reading.kernel else self._kernels.get(id(other.syntax))
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
        return Reading(kernel, reading.parsed, reading.reached, now, complete)

    def _same_name(self, filename: str, name: str) -> bool:
        key = (filename, name)
        known = self._names.get(key)
        if known is None:
            old, new = self._old.modules[filename], self._new.modules[filename]
            known = self._names[key] = self._same(old.binding(name), new.binding(name))
        return known

    def _same(self, old: Binding | None, new: Binding | None) -> bool:
        return self._comparison.bindings(old, new)
