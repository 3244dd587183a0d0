"""Subscripts and slices, read and written (docs/spec/static-eval.md §5.2, §5.7)."""

from __future__ import annotations

import ast
from enum import IntEnum
from typing import Any

from pypto_core.frontend.static_eval.display import show_data
from pypto_core.frontend.static_eval.interpreter import Interpreter
from pypto_core.frontend.static_eval.limits import ENTRY, CannotEvaluate
from pypto_core.frontend.static_eval.payloads import first_unknown, hashable, scalar_of, type_name
from pypto_core.frontend.static_eval.pl_symbols import type_heads
from pypto_core.frontend.static_eval.scopes import Scope
from pypto_core.frontend.static_eval.values import (
    BuiltinFunction,
    ClassData,
    ClassKind,
    DictData,
    External,
    InstanceData,
    LibraryName,
    ListData,
    MemRefDecl,
    PlSymbol,
    TypeValue,
    Unknown,
    Value,
)


def subscript(it: Interpreter, node: ast.Subscript, scope: Scope) -> Value:
    base = it.evaluate(node.value, scope)
    data = base.data
    if isinstance(data, PlSymbol) and data.path[-1] in type_heads():
        site = it.site(node)
        assert site is not None
        it.capture(scope)
        return Value(TypeValue(data.path[-1], node, scope, site))
    if isinstance(data, LibraryName) and not data.path.startswith("os."):
        return Value(data)
    if isinstance(data, BuiltinFunction) and data.python_type is not None:
        return Value(LibraryName(f"builtins.{data.name}"))
    if isinstance(data, MemRefDecl):
        raise CannotEvaluate("a slot of an allocation")
    index = it.evaluate(node.slice, scope)
    blocked = first_unknown(base)
    if blocked is not None:
        it.doubt += 1
        return blocked
    return item(it, base, index).assuming(base.assumed | index.assumed)


def item(it: Interpreter, base: Value, index: Value) -> Value:
    """``base[index]``; raises CannotEvaluate."""
    data = base.data
    blocked = first_unknown(index)
    if blocked is not None:
        it.doubt += 1
        return blocked
    if isinstance(data, External):
        raise CannotEvaluate(f"{data.name} is not modelled")
    if isinstance(data, DictData):
        return _entry(it, data, index)
    if isinstance(data, ClassData):
        return _member(data, index)
    if isinstance(data, InstanceData):
        if data.cls.kind is ClassKind.NAMED_TUPLE:
            return item(it, Value(tuple(data.attributes[f.name] for f in data.cls.fields)), index)
        method = data.cls.find("__getitem__")
        if method is not None:
            return it.call(method, [base, index], {})
        raise CannotEvaluate(f"{data.cls.name} has no items", fault=True)
    environment = it.graph.environ_item(base, index)
    if environment is not None:
        return environment
    position = _position(index)
    if isinstance(position, slice) and isinstance(data, (ListData, tuple, str, bytes)):
        _pay_for_slice(it, data, position)
    if isinstance(data, ListData):
        picked: Any = _pick(data.items, position)
        return Value(ListData(picked)) if isinstance(position, slice) else picked
    if isinstance(data, tuple):
        picked = _pick(data, position)
        return Value(picked) if isinstance(position, slice) else picked
    if isinstance(data, (str, bytes, range)):
        return Value(_pick(data, position))
    raise CannotEvaluate(
        f"{type_name(data)} has no items", fault=data is None or isinstance(data, (int, float))
    )


def _pay_for_slice(it: Interpreter, data: Any, position: slice) -> None:
    whole = len(data.items if isinstance(data, ListData) else data)
    it.budget.pass_over(whole)
    try:
        picked = len(range(*position.indices(whole)))
    except (TypeError, ValueError):
        return  # no slice that Python takes
    if isinstance(data, (str, bytes)):
        it.budget.text(picked)
    else:
        it.budget.copy(picked)


def _position(index: Value) -> Any:
    data = scalar_of(index.data)
    if isinstance(data, IntEnum):
        return int(data)
    return data


def _pick(sequence: Any, position: Any) -> Any:
    try:
        return sequence[position]
    except (IndexError, TypeError, ValueError) as error:
        raise CannotEvaluate(str(error), fault=True) from None


def _entry(it: Interpreter, data: DictData, key: Value) -> Value:
    stand_in = hashable(key, it.budget)
    found = data.items.get(stand_in)
    if found is not None:
        return found[1]
    if data.factory is not None:
        it.budget.hold(ENTRY)
        value = it.call(data.factory, [], {})
        it.change(data)
        data.items[stand_in] = (key, value)
        return value
    raise CannotEvaluate(f"no key {show_data(key.data)}", fault=True)


def _member(data: ClassData, index: Value) -> Value:
    """``Colour["RED"]``."""
    for member in data.members:
        if member.attributes["name"].data == index.data:
            return Value(member)
    raise CannotEvaluate(f"{data.name} has no member {show_data(index.data)}")


def store_item(it: Interpreter, base: Value, index: Value, value: Value) -> None:
    """``base[index] = value``."""
    data = base.data
    if it.graph.store_environ(base, index, value):
        return
    if isinstance(data, InstanceData):
        method = data.cls.find("__setitem__")
        if method is not None:
            it.call(method, [base, index, value], {})
        return
    if not isinstance(data, (ListData, DictData)) or data.lost is not None:
        return
    it.change(data)
    blocked = first_unknown(index)
    try:
        if blocked is not None:
            raise CannotEvaluate("unknown index")
        if isinstance(data, DictData):
            it.budget.hold(ENTRY)
            data.items[hashable(index, it.budget)] = (index, value)
            return
        position = _position(index)
        if isinstance(position, slice):
            data.items[position] = it.iterate(value)
        else:
            data.items[position] = value
    except (CannotEvaluate, IndexError, TypeError, ValueError):
        it.journals.lose(data, None, Unknown("an item was stored at an unknown place"))


def delete_item(it: Interpreter, base: Value, index: Value) -> None:
    """``del base[index]``."""
    data = base.data
    if not isinstance(data, (ListData, DictData)) or data.lost is not None:
        return
    it.change(data)
    try:
        if isinstance(data, DictData):
            data.items.pop(hashable(index, it.budget), None)
        else:
            del data.items[_position(index)]
    except (CannotEvaluate, IndexError, TypeError, ValueError):
        it.journals.lose(data, None, Unknown("an item was deleted at an unknown place"))
