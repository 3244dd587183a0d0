"""Payloads of values: as Python objects, as keys, as words (docs/spec/static-eval.md §5.2)."""

from __future__ import annotations

from collections.abc import Hashable
from enum import IntEnum
from typing import TYPE_CHECKING, Any, cast

from pypto_core.frontend.static_eval.limits import ENTRY, SLOT, CannotEvaluate
from pypto_core.frontend.static_eval.values import (
    SCALARS,
    Assumptions,
    BoundMethod,
    ClassKind,
    DictData,
    InstanceData,
    IteratorData,
    ListData,
    PathData,
    PyFunction,
    SetData,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from pypto_core.frontend.static_eval.interpreter import Interpreter
    from pypto_core.frontend.static_eval.limits import Budget

PYTHON_ERRORS = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, RecursionError)


def scalar_of(data: Any) -> Any:
    """Payload as a Python scalar: members of an ``IntEnum`` of the user count as their int; else the payload itself."""
    if isinstance(data, InstanceData) and data.cls.kind is ClassKind.INT_ENUM:
        value = data.attributes.get("value")
        return value.data if value is not None else data
    return data


def is_scalar(data: Any) -> bool:
    """Whether a payload is one of Python's scalars."""
    return isinstance(data, SCALARS)


def plain(value: Value, assumed: set[str], budget: Budget | None = None) -> Any:
    """Python object for a value that is known through and through; notes the assumptions on the way.

    ``budget`` pays for the parts, also when the value is refused in the end. Raises CannotEvaluate on Unknown parts,
    on objects without a Python counterpart and on values of too many parts.
    """
    room = _Room(_PLAIN_PARTS)
    try:
        return _plain(value, assumed, room)
    finally:
        if budget is not None:
            budget.walk(_PLAIN_PARTS - room.left)


#: Parts of a value that is taken as a whole; lists that hold one list many times have more parts than they take memory.
_PLAIN_PARTS = 100_000
_KEY_PARTS = 10_000


class _Room:
    """Counts the parts of a value down."""

    __slots__ = ("left",)

    def __init__(self, left: int) -> None:
        self.left = left

    def take(self, parts: int) -> None:
        self.left -= parts
        if self.left < 0:
            raise CannotEvaluate("a value of too many parts")


def weight(data: Any) -> int:
    """How many parts a plain value has; about as many characters has its text."""
    if isinstance(data, (str, bytes)):
        return len(data)
    if isinstance(data, dict):
        return len(data) + sum(map(weight, data.values()))
    if isinstance(data, (tuple, list, set, frozenset)):
        return len(data) + sum(map(weight, data))
    return 1 + (data.bit_length() >> 3 if isinstance(data, int) else 0)


def _plain(value: Value, assumed: set[str], room: _Room) -> Any:
    assumed |= value.assumed
    data = scalar_of(value.data)
    if isinstance(data, (*SCALARS, range, IntEnum)):
        return data
    if isinstance(data, Unknown):
        raise CannotEvaluate(data.reason)
    if isinstance(data, tuple):
        room.take(len(data))
        return tuple(_plain(v, assumed, room) for v in data)
    if isinstance(data, (ListData, DictData, SetData, IteratorData)):
        if data.lost is not None:
            raise CannotEvaluate(data.lost.reason)
        room.take(len(data.items))
        if isinstance(data, (ListData, IteratorData)):
            return [_plain(v, assumed, room) for v in data.items]
        if isinstance(data, SetData):
            return {_plain(v, assumed, room) for v in data.items.values()}
        return {_plain(k, assumed, room): _plain(v, assumed, room) for k, v in data.items.values()}
    if isinstance(data, PathData):
        return data.text
    if isinstance(data, InstanceData) and data.cls.kind is ClassKind.NAMED_TUPLE and data.lost is None:
        return tuple(_plain(data.attributes[f.name], assumed, room) for f in data.cls.fields)
    raise CannotEvaluate(f"{type_name(data)} has no plain value")


def wrap(data: Any, assumed: Assumptions) -> Value:
    """Value of a Python object made of scalars and containers."""
    if isinstance(data, tuple):
        return Value(tuple(wrap(v, assumed) for v in data), assumed)
    if isinstance(data, list):
        return Value(ListData(wrap(v, assumed) for v in data), assumed)
    if isinstance(data, dict):
        return Value(DictData({k: (wrap(k, assumed), wrap(v, assumed)) for k, v in data.items()}), assumed)
    if isinstance(data, (set, frozenset)):
        items = {v: wrap(v, assumed) for v in data}
        return Value(SetData(items, isinstance(data, frozenset)), assumed)
    return Value(data, assumed)


def type_name(data: Any) -> str:
    """Word for a payload in reasons."""
    names: dict[type, str] = {
        ListData: "list",
        DictData: "dict",
        SetData: "set",
        IteratorData: "iterator",
        PyFunction: "function",
        BoundMethod: "method",
        type(None): "None",
    }
    if isinstance(data, InstanceData):
        return data.cls.name
    return names.get(type(data)) or type(data).__name__


def first_unknown(*values: Value) -> Value | None:
    """Unknown result chained to the first unknown operand, None when all are known."""
    for value in values:
        if isinstance(value.data, Unknown):
            return value
        lost = getattr(value.data, "lost", None)
        if isinstance(lost, Unknown):
            return Value(lost, value.assumed)
    return None


def hashable(value: Value, budget: Budget | None = None) -> Hashable:
    """Stand-in of a value as a key; equal exactly where Python's keys are equal. Raises CannotEvaluate.

    ``budget`` pays for a stand-in of many parts.
    """
    data = value.data
    if data.__class__ is int or data.__class__ is str:
        return cast("Hashable", data)
    room = _Room(_KEY_PARTS)
    try:
        return _hashable(value, room)
    finally:
        if budget is not None and room.left < _KEY_PARTS:
            budget.walk(_KEY_PARTS - room.left)
            budget.hold(SLOT * (_KEY_PARTS - room.left))


def keyed(it: Interpreter, values: list[Value]) -> dict[Hashable, Value]:
    """Elements of a set by their stand-ins, paid for. Raises CannotEvaluate."""
    it.budget.made(len(values), ENTRY)
    return {hashable(v, it.budget): v for v in values}


def _hashable(value: Value, room: _Room) -> Hashable:
    data = scalar_of(value.data)
    if isinstance(data, Unknown):
        raise CannotEvaluate(data.reason)
    if isinstance(data, tuple):
        room.take(len(data))
        return tuple(_hashable(v, room) for v in data)
    if isinstance(data, SetData) and data.frozen:
        room.take(8 * len(data.items))
        return frozenset(data.items)
    if isinstance(data, (ListData, DictData, SetData)):
        raise CannotEvaluate(f"a {type_name(data)} is not hashable")
    if isinstance(data, InstanceData):
        if data.cls.kind in (ClassKind.DATACLASS, ClassKind.NAMED_TUPLE):
            room.take(len(data.cls.fields))
            parts = tuple(_hashable(data.attributes[f.name], room) for f in data.cls.fields if f.compare)
            return parts if data.cls.kind is ClassKind.NAMED_TUPLE else (id(data.cls), parts)
        if data.cls.find("__eq__") is not None or data.cls.find("__hash__") is not None:
            raise CannotEvaluate("keys of a class with its own equality are not modelled")
        return (id(data),)
    if isinstance(data, Hashable):
        return data
    raise CannotEvaluate(f"{type_name(data)} as a key")
