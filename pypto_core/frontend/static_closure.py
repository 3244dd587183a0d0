"""A kernel's closure over the evaluated modules (docs/spec/static-eval.md §4.4, §4.6)."""

from __future__ import annotations

import ast
from collections.abc import Collection

from pypto_core.frontend.closure import Closure, loaded_names
from pypto_core.frontend.static_eval.builtin_functions import BUILTINS
from pypto_core.frontend.static_eval.interpreter import Interpreter
from pypto_core.frontend.static_eval.limits import LimitReached
from pypto_core.frontend.static_eval.scopes import Scope
from pypto_core.frontend.static_eval.values import External, KernelFunction, ProgramClass, Value, unknown
from pypto_core.frontend.syntax import SourceMap


class ScopeClosure:
    """Names as a scope of the evaluator sees them.

    With ``order`` (the moment of decoration) module-level names have the value they had then: ``@pl.function`` and
    ``@pl.program`` read globals at the decorator, JIT kernels at the end of the module.
    """

    def __init__(
        self, interpreter: Interpreter, scope: Scope, source: SourceMap, order: int | None = None
    ) -> None:
        self.interpreter = interpreter
        self.scope = scope
        self.source = source
        self.order = order

    @property
    def complete(self) -> bool:
        return self.scope.module.ask_complete(self.interpreter.watch)

    def lookup(self, name: str) -> Value | None:
        """Value of a name; builtins are no outer values."""
        value = self._lookup(name)
        return modelled(value) if value is not None else None

    def _lookup(self, name: str) -> Value | None:
        value = self.interpreter.lookup(name, self.scope)
        if value is not None and value is BUILTINS.get(name):
            return None
        if self.order is None:
            return value
        module = self.scope.module
        self._note(name)
        if value is not None and value is not module.value(name):
            return value  # of an enclosing function
        binding = module.binding_at(name, self.order)
        if binding is None:
            return None
        watch = self.interpreter.watch
        if watch is not None and isinstance(binding.value.data, (KernelFunction, ProgramClass)):
            watch.kernels.add(binding.value.data)
        return binding.value

    def evaluate(self, node: ast.expr) -> Value:
        """Value of an expression; whatever it changes is taken back, so the order in which kernels are read does not matter."""
        it = self.interpreter
        saved = it.source
        it.source = self.source
        it.budget.refill()
        found: list[Value] = []
        try:
            it.journals.attempt(lambda: found.append(modelled(it.evaluate(node, self._scope_for(node)))))
            return found[0]
        except (LimitReached, RecursionError) as limit:
            return unknown(limit.reason if isinstance(limit, LimitReached) else "too deeply nested")
        finally:
            it.source = saved

    def _scope_for(self, node: ast.expr) -> Scope:
        """The scope, with the module-level names that were rebound after the decoration as they were then."""
        if self.order is None:
            return self.scope
        module = self.scope.module
        earlier: dict[str, Value] = {}
        for name in loaded_names(node):
            self._note(name)
            final = module.binding(name)
            then = module.binding_at(name, self.order)
            if (
                final is not then
                and then is not None
                and self.interpreter.lookup(name, self.scope) is (final.value if final is not None else None)
            ):
                earlier[name] = then.value
        if not earlier:
            return self.scope
        overlay = Scope("function", module, self.scope)
        overlay.variables.update(earlier)
        return overlay

    def _note(self, name: str) -> None:
        """The name at the moment of decoration is looked at."""
        watch = self.interpreter.watch
        if watch is not None:
            watch.names.add((self.scope.module, name, self.order))

    def names(self) -> Collection[str]:
        watch = self.interpreter.watch
        if watch is not None:
            watch.listed.add(self.scope.module)
        found = set(self.scope.module.names)
        scope: Scope | None = self.scope
        while scope is not None:
            found.update(scope.variables)
            scope = scope.parent
        return {name for name in found if not name.startswith("__")}

    def elsewhere(self, scope: Scope, source: SourceMap) -> Closure:
        """The closure of another scope of the same evaluation."""
        return ScopeClosure(self.interpreter, scope, source)


def modelled(value: Value) -> Value:
    """What is of a library that is not modelled is unknown to a kernel."""
    return unknown(f"{value.data.name} is not modelled") if isinstance(value.data, External) else value
