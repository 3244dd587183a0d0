"""Uncertain control flow: running a branch, taking it back, joining what the branches did (docs/spec/static-eval.md §4.1).

Every change of a name, an attribute or a container is announced to the journal on top of the stack, so that a branch
whose condition is unknown can be run, its results noted and its changes undone before the next branch runs.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from pypto_core.frontend.static_eval.limits import Budget
from pypto_core.frontend.static_eval.scopes import Binding, Scope
from pypto_core.frontend.static_eval.values import (
    Assumptions,
    ClassData,
    DictData,
    KernelFunction,
    ListData,
    MutableData,
    ProgramClass,
    PyFunction,
    SetData,
    Unknown,
    Value,
)

Slot = tuple[MutableData, "str | None"]
Location = tuple[int, "str | None"]


class SignalKind(Enum):
    RETURN = 0
    BREAK = 1
    CONTINUE = 2
    RAISE = 3
    UNCERTAIN = 4


@dataclass(frozen=True, slots=True)
class Signal:
    """Why a block stopped before its end. UNCERTAIN: some paths left it, others did not."""

    kind: SignalKind
    value: Value | None = None
    may_return: bool = False


RAISED = Signal(SignalKind.RAISE)
BROKE = Signal(SignalKind.BREAK)
CONTINUED = Signal(SignalKind.CONTINUE)


class Journal:
    """What the slots held before the first change of each."""

    __slots__ = ("before",)

    def __init__(self) -> None:
        self.before: dict[Location, tuple[MutableData, str | None, Any]] = {}

    def note(self, owner: MutableData, key: str | None, budget: Budget) -> None:
        location = (id(owner), key)
        if location not in self.before:
            if key is None:
                budget.borrow(owner.extent)
            self.before[location] = (owner, key, owner.peek(key))


@dataclass(slots=True)
class Outcome:
    """End of one branch: its signal, and per changed slot the state before and after."""

    signal: Signal | None
    changes: dict[Location, tuple[MutableData, str | None, Any, Any]]


class Journals:
    """The stack of journals: one for the statement of the module, one more for each branch of which the condition is unknown."""

    __slots__ = ("_budget", "_stack")

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._stack: list[Journal] = []

    def note(self, owner: MutableData, key: str | None) -> None:
        """Announce a change before it is made."""
        if self._stack:
            self._stack[-1].note(owner, key, self._budget)

    def set(self, owner: MutableData, key: str | None, state: Any) -> None:
        self.note(owner, key)
        owner.poke(key, state)

    def begin(self) -> Journal:
        """Note what changes from here on; nothing is taken back."""
        journal = Journal()
        self._stack.append(journal)
        return journal

    def end(self) -> None:
        """The end of what the innermost :meth:`begin` opened."""
        self._stack.pop()

    def attempt(self, action: Callable[[], Signal | None]) -> Outcome:
        """Run ``action`` and take back everything it changed."""
        journal = Journal()
        self._stack.append(journal)
        try:
            signal = action()
        finally:
            self._stack.pop()
            changes = {
                location: (owner, key, before, owner.peek(key))
                for location, (owner, key, before) in journal.before.items()
            }
            for owner, key, before, _ in changes.values():
                owner.poke(key, before)
        return Outcome(signal, changes)

    def apply(self, outcome: Outcome, assumed: Assumptions) -> None:
        """Make the changes of a branch after all; its values carry the assumption that it is the one taken."""
        for owner, key, _, after in outcome.changes.values():
            self.set(owner, key, _assuming(after, assumed))

    def join(self, outcomes: list[Outcome], reason: Unknown) -> None:
        """Give every slot that a branch changed the value common to all branches, else ``reason``."""
        slots: dict[Location, tuple[MutableData, str | None, Any]] = {}
        for outcome in outcomes:
            for location, (owner, key, before, _) in outcome.changes.items():
                slots.setdefault(location, (owner, key, before))
        for location, (owner, key, before) in slots.items():
            states = [o.changes[location][3] if location in o.changes else before for o in outcomes]
            joined = _common(states, reason)
            if joined is None:
                self.lose(owner, key, reason, next((s for s in states if s is not None), None))
            else:
                self.set(owner, key, joined)

    def lose(self, owner: MutableData, key: str | None, reason: Unknown, hint: Any = None) -> None:
        """Forget what a slot holds."""
        self.note(owner, key)
        if key is None:
            owner.lost = reason
        elif isinstance(owner, Scope) and owner.kind == "module":
            old = owner.module.binding(key) or (hint if isinstance(hint, Binding) else None)
            site = old.site if old is not None else None
            reads = old.reads if old is not None else frozenset()
            owner.module.bind(key, Binding(Value(reason), site, reads, None, uncertain=True))
            owner.module.note_gap(f"{key} is bound under a condition that is not known")
        else:
            owner.poke(key, Value(reason))


def _assuming(state: Any, assumed: Assumptions) -> Any:
    if isinstance(state, Value):
        return state.assuming(assumed)
    if isinstance(state, Binding):
        return state.with_value(state.value.assuming(assumed))
    return state


_DEFINITIONS = (KernelFunction, PyFunction, ProgramClass, ClassData)


def _common(states: list[Any], reason: Unknown) -> Any:
    """The state that all branches agree on; definitions that differ agree on the first one, as an assumption (§4.1 c)."""
    first = states[0]
    if any(s is None for s in states):
        return None if any(s is not None for s in states) else first
    if isinstance(first, tuple):
        return first if all(_same_contents(first, s) for s in states[1:]) else None
    values = [s.value if isinstance(s, Binding) else s for s in states]
    if all(same_value(values[0], v) for v in values[1:]):
        return first
    kinds = {type(v.data) for v in values}
    if len(kinds) == 1 and issubclass(kinds.pop(), _DEFINITIONS):
        return _assuming(first, frozenset({f"{reason.reason}; the first definition is shown"}))
    return None


def _same_contents(a: tuple[Any, Any], b: tuple[Any, Any]) -> bool:
    if a[0] is not None or b[0] is not None or type(a[1]) is not type(b[1]):
        return False
    if isinstance(a[1], list):
        return len(a[1]) == len(b[1]) and all(map(same_value, a[1], b[1]))
    if isinstance(a[1], dict):
        return list(a[1]) == list(b[1]) and all(map(_same_entry, a[1].values(), b[1].values()))
    return bool(a[1] == b[1])


def _same_entry(a: object, b: object) -> bool:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return all(map(same_value, a, b))
    return isinstance(a, Value) and isinstance(b, Value) and same_value(a, b)


def same_value(a: Value, b: Value) -> bool:
    """Whether two known values are interchangeable; unknown values never are."""
    x, y = a.data, b.data
    if isinstance(x, Unknown) or isinstance(y, Unknown):
        return False
    if x is y:
        return True
    if type(x) is not type(y):
        return False
    if isinstance(x, tuple):
        return len(x) == len(y) and all(map(same_value, x, y))
    if isinstance(x, ListData):
        return _same_contents((x.lost, x.items), (y.lost, y.items))
    if isinstance(x, (DictData, SetData)):
        return _same_contents((x.lost, x.items), (y.lost, y.items))
    if isinstance(x, float):
        return x == y and str(x) == str(y)
    if isinstance(x, MutableData):
        return False
    return bool(x == y)


# -- what a piece of syntax may store ----------------------------------------------------------------------------------


def stored_names(body: Iterable[ast.AST]) -> list[str]:
    """Names that statements bind or delete, nested blocks included, nested functions and classes as one name."""
    names: dict[str, None] = {}
    stack: list[ast.AST] = list(body)
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names[node.name] = None
            continue
        if isinstance(node, ast.Lambda):
            continue
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                names[node.id] = None
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                if alias.name != "*":
                    names[alias.asname or alias.name.split(".")[0]] = None
        elif (isinstance(node, ast.ExceptHandler) and node.name) or (
            isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name
        ):
            names[node.name] = None
        elif isinstance(node, ast.MatchMapping) and node.rest:
            names[node.rest] = None
        stack.extend(ast.iter_child_nodes(node))
    return list(names)


_ESCAPES = (ast.Return, ast.Break, ast.Continue, ast.Raise)


def may_escape(body: Iterable[ast.AST]) -> bool:
    """Whether a block contains a statement that may leave it."""
    return _contains(body, _ESCAPES)


def may_return(body: Iterable[ast.AST]) -> bool:
    """Whether a block contains a statement that may leave the function."""
    return _contains(body, (ast.Return, ast.Raise))


def _contains(body: Iterable[ast.AST], kinds: tuple[type[ast.AST], ...]) -> bool:
    stack: list[ast.AST] = list(body)
    while stack:
        node = stack.pop()
        if isinstance(node, kinds):
            return True
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.expr)):
            stack.extend(ast.iter_child_nodes(node))
    return False
