"""What costly module-level statements did, so that an edit elsewhere in the file does not run them again
(docs/spec/static-eval.md §1 item 4, §10).

An outcome is kept with everything that it depends on: the statement itself, the steps and bytes that it was allowed, and the values of the
module-level names that it read, as they were before. It is kept only where those values and what the statement changed are
plain data, so that nothing of the evaluation that made it comes into another one. Recalling it is then the same as running the statement.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from pypto_core.frontend.static_eval.control import Journal
from pypto_core.frontend.static_eval.scopes import Binding, ModuleEnvironment, Read
from pypto_core.frontend.static_eval.values import (
    SCALARS,
    BuiltinFunction,
    DictData,
    DimExpr,
    DynVar,
    External,
    LibraryName,
    ListData,
    MutableData,
    PlSymbol,
    PyFunction,
    SetData,
    Unknown,
    Value,
)
from pypto_core.ir import DataType

if TYPE_CHECKING:
    from pypto_core.frontend.recovery import ClassSyntax, FunctionSyntax, Statement
    from pypto_core.frontend.static_eval.interpreter import Interpreter

    Item = FunctionSyntax | ClassSyntax | Statement

#: From so many steps on an outcome is worth keeping.
_COSTLY = 5_000
#: Parts of values that are looked at to see whether an outcome still holds.
_PARTS = 20_000
#: Parts of the values that an outcome binds.
_RESULT_PARTS = 100_000
#: Statements of which outcomes are kept, and outcomes of one statement (several roots import one module).
_STATEMENTS, _OUTCOMES = 64, 4


class _NotPlain(Exception):
    """A value that cannot be compared over evaluations."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one run of a statement did. ``lost``: why it was given up; then ``names`` and the ``containers`` that names in
    front of it stand for are unknown. Else ``names`` have the bindings that it made."""

    allowance: tuple[int, int]
    spent: int
    held: int
    doubt: int
    reads: frozenset[Read]
    inputs: tuple[Hashable, ...]
    gaps: tuple[str, ...]
    lost: str | None
    names: tuple[tuple[str, Binding | None], ...]
    containers: tuple[str, ...]
    alive: tuple[object, ...]  # objects whose identity is part of ``inputs``


class CostlyStatements:
    """Outcomes of costly statements of any modules, by statement."""

    def __init__(self) -> None:
        self._known: OrderedDict[int, tuple[Item, list[Outcome]]] = OrderedDict()

    def recall(self, it: Interpreter, module: ModuleEnvironment, item: Item) -> bool:
        """Do what the statement did before, if it would do the same again."""
        known = self._known.get(id(item))
        if known is None:
            return False
        for outcome in known[1]:
            if outcome.allowance == it.budget.allowance and self._holds(outcome, module):
                self._known.move_to_end(id(item))
                _replay(outcome, it, module)
                return True
        return False

    def _holds(self, outcome: Outcome, module: ModuleEnvironment) -> bool:
        try:
            return _Inputs(module, None).of(outcome.reads) == outcome.inputs
        except (_NotPlain, RecursionError):
            return False

    def run(self, it: Interpreter, module: ModuleEnvironment, item: Item, action: Callable[[], Run]) -> None:
        """Run a statement, and keep what it did if that was costly."""
        allowance, left, room, doubt = it.budget.allowance, it.budget.left, it.budget.kept, it.doubt
        made, imports = len(it.kernels), it.imports
        noted: list[str] = []
        module.noted = noted
        try:
            run = action()
        finally:
            module.noted = None
        spent = left - it.budget.left
        if spent < _COSTLY or len(it.kernels) != made or it.imports != imports:
            return
        try:
            held = room - it.budget.kept
            outcome = _outcome(run, it, module, allowance, (spent, held), it.doubt - doubt, tuple(noted))
        except (_NotPlain, RecursionError):
            return
        known = self._known.setdefault(id(item), (item, []))[1]
        known.insert(0, outcome)
        del known[_OUTCOMES:]
        self._known.move_to_end(id(item))
        while len(self._known) > _STATEMENTS:
            self._known.popitem(last=False)


@dataclass(slots=True)
class Run:
    """One run of a statement: what it changed, and why it was given up, if it was; then ``names`` are unknown."""

    journal: Journal
    lost: str | None = None
    names: tuple[str, ...] = ()


def _outcome(
    run: Run,
    it: Interpreter,
    module: ModuleEnvironment,
    allowance: tuple[int, int],
    spent: tuple[int, int],
    doubt: int,
    gaps: tuple[str, ...],
) -> Outcome:
    reads = frozenset(it.reads)
    inputs = _Inputs(module, run.journal)
    before = inputs.of(reads)
    names: dict[str, Binding | None] = {}
    containers: list[str] = []
    for owner, key, _ in run.journal.before.values():
        if owner is module.scope:
            assert key is not None
            names[key] = module.binding(key)
        elif id(owner) in inputs.containers:
            name = inputs.containers[id(owner)]
            if name is None or run.lost is None:
                raise _NotPlain
            containers.append(name)
    if run.lost is not None:
        names = dict.fromkeys(run.names)
    elif any(binding is not None and not _is_frozen(binding.value) for binding in names.values()):
        raise _NotPlain
    return Outcome(
        allowance,
        *spent,
        doubt,
        reads,
        before,
        gaps,
        run.lost,
        tuple(names.items()),
        tuple(containers),
        tuple(inputs.alive),
    )


def _replay(outcome: Outcome, it: Interpreter, module: ModuleEnvironment) -> None:
    it.budget.left -= outcome.spent
    it.budget.room -= outcome.held
    it.doubt += outcome.doubt
    it.reads = set(outcome.reads)
    for gap in outcome.gaps:
        module.note_gap(gap)
    if outcome.lost is None:
        for name, binding in outcome.names:
            module.bind(name, binding)
        return
    reason = Unknown(outcome.lost)
    for name in outcome.containers:
        binding = module.binding(name)
        assert binding is not None
        it.journals.lose(binding.value.data, None, reason)
    give_up(module, (name for name, _ in outcome.names), outcome.lost)


def give_up(module: ModuleEnvironment, names: Iterable[str], reason: str) -> None:
    """The names that a statement would have bound are unknown."""
    for name in names:
        module.bind(name, Binding(Value(Unknown(reason)), None, uncertain=True))


_IMMUTABLE = (*SCALARS, range, DynVar, DimExpr, PlSymbol, DataType, Enum, Unknown)


def _is_frozen(value: Value) -> bool:
    """Plain data of bounded size that evaluations can share. A tuple that stands in many places is looked into once."""
    seen: set[int] = set()
    todo, parts = [value.data], 1
    while todo:
        data = todo.pop()
        if not isinstance(data, tuple):
            if not isinstance(data, _IMMUTABLE):
                return False
        elif id(data) not in seen:
            seen.add(id(data))
            parts += len(data)
            if parts > _RESULT_PARTS:
                return False
            todo += [part.data for part in data]
    return True


class _Inputs:
    """Values of names before a statement ran, as something that can be compared over evaluations.

    ``journal`` holds what the statement has changed since then, None when it has not run. Containers are told apart by the order
    in which they are met, so aliases are part of the picture.
    """

    def __init__(self, module: ModuleEnvironment, journal: Journal | None) -> None:
        self.module = module
        self.before = journal.before if journal is not None else {}
        #: Containers that were met -> the name that stands for one, None for a part of something else.
        self.containers: dict[int, str | None] = {}
        self.alive: list[object] = []
        self._parts = 0

    def of(self, reads: Iterable[Read]) -> tuple[Hashable, ...]:
        """Raises :class:`_NotPlain`."""
        found: list[Hashable] = []
        for owner, name in sorted(reads):
            if owner != self.module.name:
                raise _NotPlain
            binding = self._binding(name)
            if binding is None:
                found.append((name, None))
                continue
            known = len(self.containers)
            found.append((name, self._value(binding.value)))
            data = binding.value.data
            if len(self.containers) > known and id(data) in self.containers:
                self.containers[id(data)] = name
        return tuple(found)

    def _binding(self, name: str) -> Binding | None:
        changed = self.before.get((id(self.module.scope), name))
        if changed is None:
            return self.module.binding(name)
        state: Binding | None = changed[2]
        return state

    def _value(self, value: Value) -> Hashable:
        self._parts += 1
        if self._parts > _PARTS:
            raise _NotPlain
        return (value.assumed, self._data(value.data))

    def _data(self, data: Any) -> Hashable:
        if isinstance(data, float):
            return ("float", repr(data))
        if isinstance(data, tuple):
            return ("tuple", *map(self._value, data))
        if isinstance(data, _IMMUTABLE):
            return (data.__class__, data)
        if isinstance(data, (ListData, DictData, SetData)):
            return self._container(data)
        if isinstance(data, PyFunction):
            return self._function(data)
        if isinstance(data, External):
            return ("external", data.name)
        if isinstance(data, LibraryName) and data.path.split(".")[0] == "math":
            return ("library", data.path)
        if isinstance(data, BuiltinFunction) and data.name.startswith("math."):
            return ("library", data.name)
        raise _NotPlain

    def _container(self, data: ListData | DictData | SetData) -> Hashable:
        if id(data) in self.containers:
            return ("again", list(self.containers).index(id(data)))
        self.containers[id(data)] = None
        lost, items = self._contents(data)
        if lost is not None:
            return ("lost", lost)
        if isinstance(data, ListData):
            return ("list", *map(self._value, items))
        if isinstance(data, SetData):
            return ("set", data.frozen, *map(self._value, items.values()))
        if data.factory is not None:
            raise _NotPlain
        return ("dict", *((self._value(k), self._value(v)) for k, v in items.values()))

    def _contents(self, data: MutableData) -> tuple[Unknown | None, Any]:
        changed = self.before.get((id(data), None))
        state: tuple[Unknown | None, Any] = changed[2] if changed is not None else data.peek(None)
        return state

    def _function(self, data: PyFunction) -> Hashable:
        """A function of the module is its text; what it reads is among the names read."""
        if data.scope is not self.module.scope:
            raise _NotPlain
        parts = (data.node, data.source, *data.body)
        self.alive.extend(parts)
        defaults = tuple((name, self._value(value)) for name, value in data.defaults.items())
        return ("function", tuple(map(id, parts)), defaults)
