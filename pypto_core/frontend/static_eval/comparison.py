"""Whether two evaluations of a module gave a name the same value.

The module was evaluated, something was edited, and it was evaluated again: the values are other objects, the trees of unchanged
statements are the same ones. :class:`Comparison` says *same* only where nobody can see a difference; *not the same* is always a safe answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any

from pypto_core.frontend.static_eval.scopes import Binding, ModuleEnvironment, Scope
from pypto_core.frontend.static_eval.values import (
    BoundMethod,
    BuiltinFunction,
    ClassData,
    DictData,
    DimExpr,
    DynVar,
    External,
    InstanceData,
    IteratorData,
    KernelDecorator,
    KernelFunction,
    LibraryName,
    ListData,
    Partial,
    PathData,
    PlSymbol,
    ProgramClass,
    PyFunction,
    SetData,
    Site,
    SuperProxy,
    TypeValue,
    Unknown,
    Value,
)
from pypto_core.ir import DataType


class Comparison:
    """Compares the values of two evaluations; pairs that are being compared count as same (values may contain themselves)."""

    def __init__(self) -> None:
        self._seen: dict[tuple[int, int], tuple[bool, object, object]] = {}

    def bindings(self, old: Binding | None, new: Binding | None) -> bool:
        if old is None or new is None:
            return old is new
        return old.uncertain == new.uncertain and self.values(old.value, new.value)

    def values(self, old: Value, new: Value) -> bool:
        if old is new:
            return True
        return old.assumed == new.assumed and self.data(old.data, new.data)

    def data(self, old: Any, new: Any) -> bool:
        if old is new:
            return True
        kind = old.__class__
        if kind is not new.__class__:
            return False
        if kind in _SIMPLE:
            return bool(old == new) and repr(old) == repr(new)
        compare = _COMPARE.get(kind)
        if compare is None:
            return isinstance(old, Enum) and bool(old == new)
        key = (id(old), id(new))
        known = self._seen.get(key)
        if known is None:
            self._seen[key] = (True, old, new)
            known = self._seen[key] = (compare(self, old, new), old, new)
        return known[0]

    def all(self, old: Iterable[Value], new: Iterable[Value]) -> bool:
        left, right = list(old), list(new)
        return len(left) == len(right) and all(map(self.values, left, right))

    def named(self, old: dict[str, Value], new: dict[str, Value]) -> bool:
        """Names in the same order with the same values."""
        return list(old) == list(new) and self.all(old.values(), new.values())

    def scopes(self, old: Scope, new: Scope) -> bool:
        """Scopes around a definition; what it reads of its module is compared by those who read it."""
        while old.kind != "module":
            if old.kind != new.kind or not self.named(old.variables, new.variables):
                return False
            if old.parent is None or new.parent is None:
                return False
            old, new = old.parent, new.parent
        return new.kind == "module" and old.module.filename == new.module.filename


def _site(old: Site | None, new: Site | None) -> bool:
    return (old.node if old is not None else None) is (new.node if new is not None else None)


def _sites(old: dict[str, Site], new: dict[str, Site]) -> bool:
    return old.keys() == new.keys() and all(_site(old[k], new[k]) for k in old)


def _tuple(c: Comparison, old: tuple[Value, ...], new: tuple[Value, ...]) -> bool:
    return c.all(old, new)


def _items(c: Comparison, old: ListData, new: ListData) -> bool:
    return old.lost == new.lost and c.all(old.items, new.items)


def _dict(c: Comparison, old: DictData, new: DictData) -> bool:
    pairs = zip(old.items.values(), new.items.values(), strict=False)
    return (
        old.lost == new.lost
        and len(old.items) == len(new.items)
        and (
            c.values(old.factory, new.factory) if old.factory and new.factory else old.factory is new.factory
        )
        and all(c.values(a, b) and c.values(x, y) for (a, x), (b, y) in pairs)
    )


def _set(c: Comparison, old: SetData, new: SetData) -> bool:
    return old.lost == new.lost and old.frozen == new.frozen and c.all(old.items.values(), new.items.values())


def _iterator(c: Comparison, old: IteratorData, new: IteratorData) -> bool:
    return old.lost == new.lost and old.position == new.position and c.all(old.items, new.items)


def _function(c: Comparison, old: PyFunction, new: PyFunction) -> bool:
    return (
        old.node is new.node
        and old.role == new.role
        and len(old.body) == len(new.body)
        and all(a.node is b.node for a, b in zip(old.body, new.body, strict=True))
        and c.named(dict(old.defaults), dict(new.defaults))
        and c.scopes(old.scope, new.scope)
    )


def _kernel(c: Comparison, old: KernelFunction, new: KernelFunction) -> bool:
    return (
        old.syntax is new.syntax
        and old.form == new.form
        and old.owner == new.owner
        and c.named(dict(old.keywords), dict(new.keywords))
        and c.scopes(old.scope, new.scope)
    )


def _program(c: Comparison, old: ProgramClass, new: ProgramClass) -> bool:
    return (
        old.syntax is new.syntax
        and c.named(dict(old.keywords), dict(new.keywords))
        and c.scopes(old.scope, new.scope)
    )


def _class(c: Comparison, old: ClassData, new: ClassData) -> bool:
    fields = zip(old.fields, new.fields, strict=False)
    return (
        old.lost == new.lost
        and old.opaque == new.opaque
        and old.name == new.name
        and old.kind is new.kind
        and _sites(old.sites, new.sites)
        and _sites(old.annotated, new.annotated)
        and len(old.bases) == len(new.bases)
        and all(map(c.data, old.bases, new.bases))
        and c.named(old.namespace, new.namespace)
        and len(old.fields) == len(new.fields)
        and all(a.name == b.name and _site(a.site, b.site) for a, b in fields)
        and len(old.members) == len(new.members)
        and all(map(c.data, old.members, new.members))
    )


def _instance(c: Comparison, old: InstanceData, new: InstanceData) -> bool:
    return (
        old.lost == new.lost
        and c.data(old.cls, new.cls)
        and _sites(old.sites, new.sites)
        and c.named(old.attributes, new.attributes)
    )


def _type(c: Comparison, old: TypeValue, new: TypeValue) -> bool:
    return old.head == new.head and old.node is new.node and c.scopes(old.scope, new.scope)


def _module(c: Comparison, old: ModuleEnvironment, new: ModuleEnvironment) -> bool:
    return old.filename == new.filename and old.name == new.name


def _builtin(c: Comparison, old: BuiltinFunction, new: BuiltinFunction) -> bool:
    return old.call is new.call and old.name == new.name


def _decorator(c: Comparison, old: KernelDecorator, new: KernelDecorator) -> bool:
    return old.form == new.form and c.named(dict(old.keywords), dict(new.keywords))


def _method(c: Comparison, old: BoundMethod, new: BoundMethod) -> bool:
    return c.data(old.function, new.function) and c.values(old.owner, new.owner)


def _super(c: Comparison, old: SuperProxy, new: SuperProxy) -> bool:
    return c.data(old.cls, new.cls) and c.values(old.owner, new.owner)


def _partial(c: Comparison, old: Partial, new: Partial) -> bool:
    return (
        c.values(old.function, new.function)
        and c.all(old.arguments, new.arguments)
        and c.named(dict(old.keywords), dict(new.keywords))
    )


#: Compared by their contents; the printed form tells ``0.0`` from ``-0.0`` and NaN from itself.
_SIMPLE = frozenset(
    (
        bool, int, float, str, bytes, type(None), range, Unknown, PlSymbol, External, LibraryName, DynVar, DimExpr, PathData, DataType,
    )
)  # fmt: skip
_COMPARE: dict[type, Callable[[Comparison, Any, Any], bool]] = {
    tuple: _tuple,
    ListData: _items,
    DictData: _dict,
    SetData: _set,
    IteratorData: _iterator,
    PyFunction: _function,
    KernelFunction: _kernel,
    ProgramClass: _program,
    ClassData: _class,
    InstanceData: _instance,
    TypeValue: _type,
    ModuleEnvironment: _module,
    BuiltinFunction: _builtin,
    KernelDecorator: _decorator,
    BoundMethod: _method,
    SuperProxy: _super,
    Partial: _partial,
}
