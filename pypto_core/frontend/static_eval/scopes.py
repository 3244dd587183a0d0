"""Scopes and module environments (docs/spec/static-eval.md §3, §4.4)."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pypto_core.frontend.static_eval.values import (
    ClassData,
    KernelFunction,
    MutableData,
    ProgramClass,
    Site,
    Value,
)

if TYPE_CHECKING:
    from pypto_core.frontend.recovery import FileSyntax

#: A module-level name as something that can be depended on: (module, name).
Read = tuple[str, str]


_NO_READS: Final[frozenset[Read]] = frozenset()


class Binding:
    """What a module-level name is bound to, where, and which module-level names went into it.

    ``expression`` is the right-hand side as written, for showing how the value came about. ``uncertain`` marks a name
    bound under a condition that could not be evaluated. Immutable; made for every assignment, hence no dataclass.
    """

    __slots__ = ("expression", "reads", "site", "uncertain", "value")

    def __init__(
        self,
        value: Value,
        site: Site | None,
        reads: frozenset[Read] = _NO_READS,
        expression: ast.expr | None = None,
        uncertain: bool = False,
    ) -> None:
        self.value: Final = value
        self.site: Final = site
        self.reads: Final = reads
        self.expression: Final = expression
        self.uncertain: Final = uncertain

    def with_value(self, value: Value) -> Binding:
        """The same place with another value."""
        return Binding(value, self.site, self.reads, self.expression, self.uncertain)

    def as_uncertain(self) -> Binding:
        """The same value, bound under a condition that is not known."""
        return Binding(self.value, self.site, self.reads, self.expression, True)


@dataclass(frozen=True, slots=True)
class UnresolvedImport:
    """An import of a module that was not found: where, which module, which names it would bind (``*`` for a star)."""

    site: Site
    module: str
    names: tuple[str, ...]


class Scope(MutableData):
    """Names of a function call, a class body, a comprehension, or a module; ``captured`` when it outlives that."""

    __slots__ = ("captured", "cls", "globals", "kind", "module", "nonlocals", "parent", "variables")

    def __init__(
        self, kind: str, module: ModuleEnvironment, parent: Scope | None, cls: ClassData | None = None
    ) -> None:
        super().__init__()
        self.captured = False
        self.cls: Final = cls
        self.kind: Final = kind
        self.module: Final = module
        self.parent: Final = parent
        self.variables: dict[str, Value] = {}
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()

    def peek(self, key: str | None) -> Any:
        if self.kind == "module":
            return self.module.binding(key or "")
        return self.variables.get(key or "")

    def poke(self, key: str | None, state: Any) -> None:
        assert key is not None
        if self.kind == "module":
            self.module.bind(key, state)
        elif state is None:
            self.variables.pop(key, None)
        else:
            self.variables[key] = state

    def owner(self, name: str) -> Scope:
        """Scope in which an assignment to ``name`` binds."""
        if name in self.globals:
            return self.module.scope
        if name in self.nonlocals:
            scope = self.parent
            while scope is not None and scope.kind != "module":
                if scope.kind == "function" and name in scope.variables:
                    return scope
                scope = scope.parent
        return self

    def enclosing_function(self) -> Scope | None:
        """Nearest function scope outwards, this one included."""
        scope: Scope | None = self
        while scope is not None and scope.kind != "function":
            scope = scope.parent
        return scope


class ModuleEnvironment:
    """Names of one module in one module graph; the history of each name is kept for values "at that line"."""

    __slots__ = (
        "_bindings",
        "_clock",
        "_history",
        "asked_complete",
        "evaluated",
        "filename",
        "gaps",
        "is_package",
        "is_root",
        "name",
        "noted",
        "scope",
        "stored_from_outside",
        "syntax",
        "unresolved",
    )

    def __init__(self, name: str, filename: str, clock: Clock, *, is_package: bool, is_root: bool) -> None:
        self.name: Final = name
        self.filename: Final = filename
        self.is_package: Final = is_package
        self.is_root: Final = is_root
        self.syntax: FileSyntax | None = None
        self.scope: Final = Scope("module", self, None)
        self.unresolved: list[UnresolvedImport] = []
        #: Why a name that is not found may exist all the same; empty: the environment is complete (§7.4).
        self.gaps: list[str] = []
        #: The gaps that the running statement notes, those included that are known; None when nobody asks.
        self.noted: list[str] | None = None
        self.stored_from_outside: set[str] = set()
        self.evaluated = False
        self.asked_complete = False
        self._bindings: dict[str, Binding] = {}
        self._history: dict[str, list[tuple[int, Binding | None]]] = {}
        self._clock: Final = clock

    @property
    def is_complete(self) -> bool:
        """Whether a name that is not found is certainly undefined."""
        return not self.gaps and not (self.syntax is not None and self.syntax.faults)

    def ask_complete(self, watch: Watch | None) -> bool:
        """:attr:`is_complete`, noted by a kernel's ``watch`` or as something that the evaluation itself rests on."""
        if watch is not None:
            watch.complete.add(self)
        else:
            self.asked_complete = True
        return self.is_complete

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._bindings)

    def binding(self, name: str) -> Binding | None:
        """The name at the end of what has been evaluated so far."""
        return self._bindings.get(name)

    def binding_at(self, name: str, order: int) -> Binding | None:
        """The name as it was at a moment of the clock (``KernelFunction.order``)."""
        found: Binding | None = None
        for moment, binding in self._history.get(name, ()):
            if moment > order:
                break
            found = binding
        return found

    def value(self, name: str) -> Value | None:
        binding = self._bindings.get(name)
        return binding.value if binding is not None else None

    def bind(self, name: str, binding: Binding | None) -> None:
        """Bind a name, or delete it (``None``)."""
        if binding is None:
            self._bindings.pop(name, None)
        else:
            self._bindings[name] = binding
        history = self._history.setdefault(name, [])
        if history and history[-1][0] > self._clock.observed:
            history.pop()  # nothing has looked at the name as it was
        elif history:
            self._clock.kept += 1
        history.append((self._clock.tick(), binding))

    def note_gap(self, reason: str) -> None:
        if self.noted is not None:
            self.noted.append(reason)
        if reason not in self.gaps:
            self.gaps.append(reason)

    def __repr__(self) -> str:
        return f"ModuleEnvironment({self.name!r})"


class Watch:
    """What the reading of one kernel depends on in the modules around it.

    ``names``: module-level names as they are in the end or, with a moment, as they were then; ``kernels``: those that names
    stood for. ``complete``: modules of which it was asked whether a missing name is certainly undefined. ``listed``: modules
    whose names were all looked at. ``paths``: whether there are such files. ``unsteady``: something that is not followed
    (the process, the search for modules).
    """

    __slots__ = ("complete", "kernels", "listed", "names", "paths", "unsteady")

    def __init__(self) -> None:
        self.names: set[tuple[ModuleEnvironment, str, int | None]] = set()
        self.kernels: set[KernelFunction | ProgramClass] = set()
        self.complete: set[ModuleEnvironment] = set()
        self.listed: set[ModuleEnvironment] = set()
        self.paths: dict[str, bool | None] = {}
        self.unsteady = False

    def set_apart(self) -> Watch:
        """Begin with nothing; gives what there was, for :meth:`join`."""
        before = Watch()
        before.names, self.names = self.names, before.names
        before.kernels, self.kernels = self.kernels, before.kernels
        before.complete, self.complete = self.complete, before.complete
        before.listed, self.listed = self.listed, before.listed
        before.paths, self.paths = self.paths, before.paths
        before.unsteady, self.unsteady = self.unsteady, False
        return before

    def join(self, before: Watch) -> None:
        """Go on with what there was and what there is now."""
        before.names |= self.names
        before.kernels |= self.kernels
        before.complete |= self.complete
        before.listed |= self.listed
        before.paths.update(self.paths)
        self.names, self.kernels, self.complete = before.names, before.kernels, before.complete
        self.listed, self.paths, self.unsteady = before.listed, before.paths, before.unsteady or self.unsteady


class Clock:
    """Moments of one evaluation; every binding of a module-level name is one.

    ``observed`` is the last moment to which somebody may want to go back: the making of a kernel. ``kept`` counts the bindings
    that are kept beside a newer one for that.
    """

    __slots__ = ("kept", "now", "observed")

    def __init__(self) -> None:
        self.kept = 0
        self.now = 0
        self.observed = 0

    def observe(self) -> int:
        """The moment at which a kernel is made."""
        self.observed = self.tick()
        return self.observed

    def tick(self) -> int:
        self.now += 1
        return self.now
