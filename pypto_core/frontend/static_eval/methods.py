"""Methods of Python's own types (docs/spec/static-eval.md §5.4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pypto_core.frontend.static_eval.limits import ENTRY, VALUE, CannotEvaluate
from pypto_core.frontend.static_eval.operators import check_format, contains, equals
from pypto_core.frontend.static_eval.payloads import (
    PYTHON_ERRORS,
    first_unknown,
    hashable,
    keyed,
    plain,
    scalar_of,
    weight,
    wrap,
)
from pypto_core.frontend.static_eval.values import (
    ClassData,
    ClassKind,
    DictData,
    InstanceData,
    ListData,
    SetData,
    Unknown,
    Value,
    noted,
)

if TYPE_CHECKING:
    from pypto_core.frontend.static_eval.interpreter import Interpreter

Method = Callable[["Interpreter", Value, list[Value], dict[str, Value]], Value]

# -- strings -----------------------------------------------------------------------------------------------------------

_TEXT_METHODS = frozenset(
    [
        "lower", "upper", "strip", "lstrip", "rstrip", "split", "rsplit", "join", "replace", "startswith",
        "endswith", "format", "count", "find", "rfind", "index", "isdigit", "isalpha", "isalnum",
        "isidentifier", "removeprefix", "removesuffix", "zfill", "title", "capitalize", "splitlines",
        "partition", "rpartition", "casefold", "swapcase", "ljust", "rjust", "center", "isupper", "islower",
        "isspace",
    ]
)  # fmt: skip


def _text_method(name: str) -> Method:
    def call(it: Interpreter, owner: Value, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        assumed: set[str] = set()
        text = plain(owner, assumed, it.budget)
        if name == "join" and arguments:
            values: list[Any] = [[plain(v, assumed, it.budget) for v in it.iterate(arguments[0])]]
        else:
            values = [plain(v, assumed, it.budget) for v in arguments]
        named = {k: plain(v, assumed, it.budget) for k, v in keywords.items()}
        it.budget.size(len(text) + weight(values))
        if name == "format":
            it.budget.size(text.count("{") * weight([values, named]))
        _refuse_large(it, name, text, values)
        try:
            result = getattr(text, name)(*values, **named)
        except PYTHON_ERRORS as error:
            raise CannotEvaluate(str(error), fault=True) from None
        if isinstance(result, (str, bytes)):
            it.budget.text(len(result))
        elif isinstance(result, (list, tuple)):
            it.budget.made(len(result))
        return wrap(result, noted(assumed))

    return call


def _refuse_large(it: Interpreter, name: str, text: Any, values: list[Any]) -> None:
    if name in ("zfill", "ljust", "rjust", "center") and values and isinstance(values[0], int):
        it.budget.size(values[0])
    elif name == "replace" and len(values) >= 2 and isinstance(values[1], (str, bytes)):
        it.budget.size(
            len(text) + text.count(values[0]) * len(values[1]) if _same_kind(text, *values[:2]) else 0
        )
    elif name == "join" and values and isinstance(values[0], list):
        it.budget.size(sum(len(v) + len(text) for v in values[0] if isinstance(v, (str, bytes))))
    elif name in ("split", "rsplit", "splitlines"):
        it.budget.hold(
            VALUE * (text.count(values[0]) + 1) if _same_kind(text, *values[:1]) else len(text) * VALUE // 2
        )
    elif name == "format":
        it.budget.text(len(str(text)))
        check_format(str(text))
        fields = str(text).replace("{{", "").split("{")[1:]
        if any(c in field.split("}")[0].split(":")[0] for field in fields for c in ".["):
            raise CannotEvaluate("attributes inside a format string")


def _same_kind(text: Any, *others: Any) -> bool:
    return all(isinstance(other, type(text)) for other in others)


# -- lists and tuples --------------------------------------------------------------------------------------------------


def _list_of(owner: Value) -> ListData:
    data = owner.data
    assert isinstance(data, ListData)
    return data


def _changing(
    action: Callable[[Interpreter, ListData, list[Value], dict[str, Value]], Value | None],
) -> Method:
    def call(it: Interpreter, owner: Value, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        data = _list_of(owner)
        it.change(data)
        try:
            result = action(it, data, arguments, keywords)
        except CannotEvaluate as fault:
            it.journals.lose(data, None, Unknown(fault.reason))
            raise
        it.budget.size(len(data.items))
        return result if result is not None else Value(None)

    return call


def _append(it: Interpreter, data: ListData, arguments: list[Value], keywords: dict[str, Value]) -> None:
    (item,) = _exactly(arguments, 1)
    it.budget.spend(1)
    it.budget.hold(VALUE)
    data.items.append(item)


def _extend(it: Interpreter, data: ListData, arguments: list[Value], keywords: dict[str, Value]) -> None:
    data.items.extend(it.iterate(_exactly(arguments, 1)[0]))


def _insert(it: Interpreter, data: ListData, arguments: list[Value], keywords: dict[str, Value]) -> None:
    position, item = _exactly(arguments, 2)
    it.budget.hold(VALUE)
    data.items.insert(_int(position), item)


def _pop(it: Interpreter, data: ListData, arguments: list[Value], keywords: dict[str, Value]) -> Value:
    position = _int(arguments[0]) if arguments else -1
    try:
        return data.items.pop(position)
    except IndexError as error:
        raise CannotEvaluate(str(error), fault=True) from None


def _reverse(it: Interpreter, data: ListData, arguments: list[Value], keywords: dict[str, Value]) -> None:
    data.items.reverse()


def _clear(it: Interpreter, data: ListData, arguments: list[Value], keywords: dict[str, Value]) -> None:
    data.items.clear()


def _sort(it: Interpreter, data: ListData, arguments: list[Value], keywords: dict[str, Value]) -> None:
    data.items[:] = sort_values(it, data.items, keywords)


def _remove(it: Interpreter, data: ListData, arguments: list[Value], keywords: dict[str, Value]) -> None:
    (item,) = _exactly(arguments, 1)
    for position, candidate in enumerate(data.items):
        same = equals(it, candidate, item, set())
        if same is None:
            raise CannotEvaluate("the item is not known")
        if same:
            del data.items[position]
            return
    raise CannotEvaluate("the item is not in the list", fault=True)


def _copy_list(it: Interpreter, owner: Value, arguments: list[Value], keywords: dict[str, Value]) -> Value:
    it.budget.copy(len(_list_of(owner).items))
    return Value(ListData(_list_of(owner).items), owner.assumed)


def _index(it: Interpreter, owner: Value, arguments: list[Value], keywords: dict[str, Value]) -> Value:
    (item,) = _exactly(arguments, 1)
    assumed: set[str] = set()
    for position, candidate in enumerate(it.iterate(owner)):
        same = equals(it, candidate, item, assumed)
        if same is None:
            raise CannotEvaluate("the position depends on an unknown value")
        if same:
            return Value(position, noted(assumed))
    raise CannotEvaluate("the item is not in the list", fault=True)


def _count(it: Interpreter, owner: Value, arguments: list[Value], keywords: dict[str, Value]) -> Value:
    (item,) = _exactly(arguments, 1)
    assumed: set[str] = set()
    total = 0
    for candidate in it.iterate(owner):
        same = equals(it, candidate, item, assumed)
        if same is None:
            raise CannotEvaluate("the count depends on an unknown value")
        total += same
    return Value(total, noted(assumed))


def sort_values(it: Interpreter, items: list[Value], keywords: dict[str, Value]) -> list[Value]:
    """Stable sort by plain values or by a key function; raises CannotEvaluate when an order is unknown."""
    key = keywords.get("key")
    assumed: set[str] = set()
    keyed = []
    for item in items:
        it.budget.spend()
        by = it.call(key, [item], {}) if key is not None and key.data is not None else item
        keyed.append((plain(by, assumed, it.budget), item))
    reverse = it.truth(keywords["reverse"]) if "reverse" in keywords else False
    if reverse is None:
        raise CannotEvaluate("the order is not known")
    it.budget.size(len(items))
    try:
        keyed.sort(key=lambda pair: pair[0], reverse=reverse)
    except PYTHON_ERRORS as error:
        raise CannotEvaluate(str(error), fault=True) from None
    return [item.assuming(noted(assumed)) for _, item in keyed]


_LIST_METHODS: dict[str, Method] = {
    "append": _changing(_append),
    "extend": _changing(_extend),
    "insert": _changing(_insert),
    "pop": _changing(_pop),
    "reverse": _changing(_reverse),
    "clear": _changing(_clear),
    "sort": _changing(_sort),
    "remove": _changing(_remove),
    "copy": _copy_list,
    "index": _index,
    "count": _count,
}

# -- dicts and sets ----------------------------------------------------------------------------------------------------


def _dict_of(owner: Value) -> DictData:
    data = owner.data
    assert isinstance(data, DictData)
    return data


def _get(it: Interpreter, owner: Value, arguments: list[Value], keywords: dict[str, Value]) -> Value:
    key = _known(arguments[0])
    found = _dict_of(owner).items.get(hashable(key, it.budget))
    value = found[1] if found is not None else arguments[1] if len(arguments) > 1 else Value(None)
    return value.assuming(owner.assumed | key.assumed)


def _keys(it: Interpreter, owner: Value, arguments: list[Value], keywords: dict[str, Value]) -> Value:
    it.budget.copy(len(_dict_of(owner).items))
    return Value(ListData(k for k, _ in _dict_of(owner).items.values()), owner.assumed)


def _values(it: Interpreter, owner: Value, arguments: list[Value], keywords: dict[str, Value]) -> Value:
    it.budget.copy(len(_dict_of(owner).items))
    return Value(ListData(v for _, v in _dict_of(owner).items.values()), owner.assumed)


def _items(it: Interpreter, owner: Value, arguments: list[Value], keywords: dict[str, Value]) -> Value:
    it.budget.made(len(_dict_of(owner).items))
    return Value(ListData(Value((k, v)) for k, v in _dict_of(owner).items.values()), owner.assumed)


def _set_default(it: Interpreter, owner: Value, arguments: list[Value], keywords: dict[str, Value]) -> Value:
    data = _dict_of(owner)
    key = _known(arguments[0])
    stand_in = hashable(key, it.budget)
    found = data.items.get(stand_in)
    if found is not None:
        return found[1]
    it.budget.hold(ENTRY)
    value = arguments[1] if len(arguments) > 1 else Value(None)
    it.change(data)
    data.items[stand_in] = (key, value)
    return value


def _update(it: Interpreter, owner: Value, arguments: list[Value], keywords: dict[str, Value]) -> Value:
    data = _dict_of(owner)
    it.change(data)
    try:
        if arguments:
            other = _known(arguments[0])
            if isinstance(other.data, DictData):
                it.budget.made(len(other.data.items), ENTRY)
                data.items.update(other.data.items)
            else:
                for pair in it.iterate(other):
                    key, value = it.iterate(pair)
                    it.budget.hold(ENTRY)
                    data.items[hashable(key, it.budget)] = (key, value)
        it.budget.made(len(keywords), ENTRY)
        for name, value in keywords.items():
            data.items[name] = (Value(name), value)
    except CannotEvaluate as fault:
        it.journals.lose(data, None, Unknown(fault.reason))
        raise
    return Value(None)


def _pop_key(it: Interpreter, owner: Value, arguments: list[Value], keywords: dict[str, Value]) -> Value:
    data = _dict_of(owner)
    key = hashable(_known(arguments[0]), it.budget)
    it.change(data)
    found = data.items.pop(key, None)
    if found is not None:
        return found[1]
    if len(arguments) > 1:
        return arguments[1]
    raise CannotEvaluate("no such key", fault=True)


def _copy_dict(it: Interpreter, owner: Value, arguments: list[Value], keywords: dict[str, Value]) -> Value:
    data = _dict_of(owner)
    it.budget.made(len(data.items), ENTRY)
    return Value(DictData(data.items, data.factory), owner.assumed)


_DICT_METHODS: dict[str, Method] = {
    "get": _get,
    "keys": _keys,
    "values": _values,
    "items": _items,
    "setdefault": _set_default,
    "update": _update,
    "pop": _pop_key,
    "copy": _copy_dict,
}


def _set_of(owner: Value) -> SetData:
    data = owner.data
    assert isinstance(data, SetData)
    return data


def _set_change(add: bool) -> Method:
    def call(it: Interpreter, owner: Value, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        data = _set_of(owner)
        it.change(data)
        try:
            item = _known(_exactly(arguments, 1)[0])
            if add:
                it.budget.hold(ENTRY)
                data.items.setdefault(hashable(item, it.budget), item)
            else:
                data.items.pop(hashable(item, it.budget), None)
        except CannotEvaluate as fault:
            it.journals.lose(data, None, Unknown(fault.reason))
            raise
        return Value(None)

    return call


def _set_update(it: Interpreter, owner: Value, arguments: list[Value], keywords: dict[str, Value]) -> Value:
    data = _set_of(owner)
    it.change(data)
    try:
        for argument in arguments:
            for stand_in, item in keyed(it, _members(it, argument)).items():
                data.items.setdefault(stand_in, item)
    except CannotEvaluate as fault:
        it.journals.lose(data, None, Unknown(fault.reason))
        raise
    return Value(None)


def _members(it: Interpreter, value: Value) -> list[Value]:
    """Elements without regard to order."""
    if isinstance(value.data, SetData) and value.data.lost is None:
        it.budget.copy(len(value.data.items))
        return list(value.data.items.values())
    return it.iterate(value)


def _set_combine(name: str) -> Method:
    def call(it: Interpreter, owner: Value, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        data = _set_of(owner)
        it.budget.made(len(data.items), ENTRY)
        items = dict(data.items)
        for argument in arguments:
            other = keyed(it, _members(it, argument))
            if name == "union":
                items = {**other, **items}
            else:
                items = {k: v for k, v in items.items() if (k in other) is (name == "intersection")}
        return Value(SetData(items, data.frozen), owner.assumed)

    return call


def _set_relation(name: str) -> Method:
    def call(it: Interpreter, owner: Value, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        it.budget.made(len(_set_of(owner).items), ENTRY)
        mine = set(_set_of(owner).items)
        other = set(keyed(it, _members(it, _exactly(arguments, 1)[0])))
        return Value(bool(getattr(mine, name)(other)), owner.assumed)

    return call


def _copy_set(it: Interpreter, owner: Value, arguments: list[Value], keywords: dict[str, Value]) -> Value:
    it.budget.made(len(_set_of(owner).items), ENTRY)
    return Value(SetData(_set_of(owner).items, _set_of(owner).frozen), owner.assumed)


_SET_METHODS: dict[str, Method] = {
    "add": _set_change(True),
    "discard": _set_change(False),
    "remove": _set_change(False),
    "update": _set_update,
    "union": _set_combine("union"),
    "intersection": _set_combine("intersection"),
    "difference": _set_combine("difference"),
    "issubset": _set_relation("issubset"),
    "issuperset": _set_relation("issuperset"),
    "isdisjoint": _set_relation("isdisjoint"),
    "copy": _copy_set,
}

# -- numbers -----------------------------------------------------------------------------------------------------------


def _number_method(name: str) -> Method:
    def call(it: Interpreter, owner: Value, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        if arguments or keywords:
            raise CannotEvaluate(f"{name} takes no arguments", fault=True)
        return Value(getattr(scalar_of(owner.data), name)(), owner.assumed)

    return call


_TEXT: dict[str, Method] = {name: _text_method(name) for name in _TEXT_METHODS}
_TABLES: dict[type, dict[str, Method]] = {
    str: _TEXT,
    bytes: {name: _TEXT[name] for name in ("strip", "split", "startswith", "endswith")},
    ListData: _LIST_METHODS,
    tuple: {"index": _index, "count": _count},
    range: {"index": _index, "count": _count},
    DictData: _DICT_METHODS,
    SetData: _SET_METHODS,
    int: {"bit_length": _number_method("bit_length"), "bit_count": _number_method("bit_count")},
    bool: {"bit_length": _number_method("bit_length")},
    float: {"is_integer": _number_method("is_integer")},
}


def find(data: Any, name: str) -> Method | None:
    """Method of a payload of one of Python's own types."""
    return _TABLES.get(type(scalar_of(data)), {}).get(name)


def is_complete(data: Any, name: str) -> bool:
    """Whether a missing attribute is certainly missing: Python's type has none of that name either."""
    kind = {ListData: list, DictData: dict, SetData: set}.get(type(data), type(data))
    return kind.__module__ == "builtins" and not hasattr(kind, name)


# -- named tuples ------------------------------------------------------------------------------------------------------


def _replace_fields(
    it: Interpreter, owner: Value, arguments: list[Value], keywords: dict[str, Value]
) -> Value:
    data = owner.data
    assert isinstance(data, InstanceData)
    given = {f.name: keywords.get(f.name, data.attributes[f.name]) for f in data.cls.fields}
    return it.call(Value(data.cls), [], given)


def _as_dict(it: Interpreter, owner: Value, arguments: list[Value], keywords: dict[str, Value]) -> Value:
    data = owner.data
    assert isinstance(data, InstanceData)
    return Value(
        DictData({f.name: (Value(f.name), data.attributes[f.name]) for f in data.cls.fields}), owner.assumed
    )


def _make(it: Interpreter, owner: Value, arguments: list[Value], keywords: dict[str, Value]) -> Value:
    return it.call(owner, it.iterate(_exactly(arguments, 1)[0]), {})


def instance_method(data: InstanceData, name: str) -> Method | None:
    """Method that Python gives to instances of a named tuple, None for any other."""
    if data.cls.kind is ClassKind.NAMED_TUPLE:
        return {"_replace": _replace_fields, "_asdict": _as_dict, "index": _index, "count": _count}.get(name)
    return None


def class_method(data: ClassData, name: str) -> Method | None:
    """Method that Python gives to a named tuple itself, None for any other."""
    return _make if data.kind is ClassKind.NAMED_TUPLE and name == "_make" else None


# -- helpers -----------------------------------------------------------------------------------------------------------


def _exactly(arguments: list[Value], count: int) -> list[Value]:
    if len(arguments) != count:
        raise CannotEvaluate(f"takes {count} arguments, {len(arguments)} given", fault=True)
    return arguments


def _known(value: Value) -> Value:
    blocked = first_unknown(value)
    if blocked is not None:
        raise CannotEvaluate(blocked.data.reason if isinstance(blocked.data, Unknown) else "unknown")
    return value


def _int(value: Value) -> int:
    data = scalar_of(_known(value).data)
    if not isinstance(data, int):
        raise CannotEvaluate("not an int", fault=True)
    return data


def _in_container(it: Interpreter, owner: Value, arguments: list[Value], keywords: dict[str, Value]) -> Value:
    return contains(it, owner, _exactly(arguments, 1)[0])


_DICT_METHODS["__contains__"] = _in_container
