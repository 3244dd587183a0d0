"""What a JIT body sees of the module around it (docs/spec/language.md §2.4)."""

from __future__ import annotations

import ast
from collections.abc import Collection

from pypto_core.frontend.closure import Closure, describe, loaded_names
from pypto_core.frontend.static_closure import ScopeClosure
from pypto_core.frontend.static_eval.scopes import ModuleEnvironment, Scope
from pypto_core.frontend.static_eval.values import (
    ClassData,
    DynVar,
    InstanceData,
    KernelFunction,
    LibraryName,
    PlSymbol,
    PyFunction,
    Unknown,
    Value,
    unknown,
)
from pypto_core.frontend.syntax import SourceMap

#: Payloads that are no values of a body but tell why a use of them is wrong or unknown.
_SPOKEN = (Unknown, KernelFunction, PyFunction, PlSymbol, LibraryName, DynVar)


class JitClosure:
    """Module-level ints, floats and bools as values; kernels, functions and symbols by name; nothing else.

    A name that the body itself assigns (``assigned``) is never an outer one, nor is a local of an enclosing function.
    """

    def __init__(self, around: ScopeClosure, assigned: Collection[str]) -> None:
        self.around = around
        self.interpreter = around.interpreter
        self.assigned = frozenset(assigned)

    @property
    def complete(self) -> bool:
        return self.around.complete

    def lookup(self, name: str) -> Value | None:
        value = self._found(name)
        if value is None:
            return None
        if isinstance(value.data, (bool, int, float)):
            return value if not self._is_free(name) else None
        return value if isinstance(value.data, _SPOKEN) else None

    def _found(self, name: str) -> Value | None:
        return None if name in self.assigned else self.around.lookup(name)

    def _is_free(self, name: str) -> bool:
        """Whether a name belongs to an enclosing function."""
        scope: Scope | None = self.around.scope
        while scope is not None and scope.kind != "module":
            if name in scope.variables:
                return True
            scope = scope.parent
        return False

    def hidden(self, name: str) -> str | None:
        """Why a name that exists outside is no value in the body."""
        value = self._found(name)
        if value is None or self.lookup(name) is not None:
            return None
        if self._is_free(name):
            return (
                "it is a local of the enclosing function; a JIT body sees module-level ints, floats and bools"
            )
        kind = describe(value)
        if isinstance(value.data, ModuleEnvironment):
            kind = "a module"
        elif isinstance(value.data, InstanceData):
            kind = f"an object of class {value.data.cls.name}"
        elif isinstance(value.data, ClassData):
            kind = "a class"
        return f"it is {kind}; a JIT body sees module-level ints, floats and bools"

    def evaluate(self, node: ast.expr) -> Value:
        for name in loaded_names(node):
            if self._found(name) is not None and self.lookup(name) is None:
                return unknown(f"'{name}' cannot be used in a JIT body", name)
        return self.around.evaluate(node)

    def names(self) -> Collection[str]:
        return {name for name in self.around.names() if self.lookup(name) is not None}

    def elsewhere(self, scope: Scope, source: SourceMap) -> Closure:
        return self.around.elsewhere(scope, source)
