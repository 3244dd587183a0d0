"""Builtins without effects (docs/spec/static-eval.md §5.3)."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pypto_core.frontend.static_eval.limits import ENTRY, SLOT, VALUE, CannotEvaluate, LimitReached
from pypto_core.frontend.static_eval.operators import binary, scalar_binary
from pypto_core.frontend.static_eval.payloads import (
    PYTHON_ERRORS,
    first_unknown,
    hashable,
    is_scalar,
    keyed,
    plain,
    weight,
    wrap,
)
from pypto_core.frontend.static_eval.values import (
    NO_ASSUMPTIONS,
    BoundMethod,
    BuiltinFunction,
    ClassData,
    ClassKind,
    DictData,
    External,
    InstanceData,
    IteratorData,
    LibraryName,
    ListData,
    Partial,
    PyFunction,
    SetData,
    Unknown,
    Value,
    noted,
)

if TYPE_CHECKING:
    from pypto_core.frontend.static_eval.interpreter import Interpreter

Arguments = list[Value]
Keywords = dict[str, Value]
#: Bytes of an empty tuple.
_ROW = 48


def plain_call(function: Callable[..., Any]) -> Callable[[Interpreter, Arguments, Keywords], Value]:
    """A builtin on plain values."""

    def call(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
        assumed: set[str] = set()
        values = [plain(v, assumed, it.budget) for v in arguments]
        named = {k: plain(v, assumed, it.budget) for k, v in keywords.items()}
        it.budget.size(weight(values))
        try:
            result = function(*values, **named)
        except PYTHON_ERRORS as error:
            raise CannotEvaluate(str(error), fault=True) from None
        it.budget.integer(result)
        if isinstance(result, (str, bytes)):
            it.budget.text(len(result))
        elif isinstance(result, (list, tuple)):
            it.budget.made(len(result))
        return wrap(result, noted(assumed))

    return call


def _int(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    if arguments and isinstance(arguments[0].data, str) and len(arguments[0].data) > it.budget.limits.bits:
        raise LimitReached("a long number")
    return plain_call(int)(it, arguments, keywords)


def _str(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    if arguments and isinstance(arguments[0].data, InstanceData):
        method = arguments[0].data.cls.find("__str__")
        if method is not None:
            return it.call(method, [arguments[0]], {})
    return plain_call(str)(it, arguments, keywords)


def _extreme(name: str) -> Callable[[Interpreter, Arguments, Keywords], Value]:
    """``min`` and ``max``; the winning value itself is returned, with the assumptions of all."""

    def call(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
        items = _unordered(it, arguments[0]) if len(arguments) == 1 else arguments
        if not items:
            if "default" in keywords:
                return keywords["default"]
            raise CannotEvaluate(f"{name}() of nothing", fault=True)
        key = keywords.get("key")
        assumed: set[str] = set()
        best: tuple[Any, Value] | None = None
        for item in items:
            it.budget.spend()
            by = plain(
                it.call(key, [item], {}) if key is not None and key.data is not None else item,
                assumed,
                it.budget,
            )
            try:
                better = best is None or (by < best[0] if name == "min" else by > best[0])
            except PYTHON_ERRORS as error:
                raise CannotEvaluate(str(error), fault=True) from None
            if better:
                best = (by, item)
        assert best is not None
        return best[1].assuming(noted(assumed))

    return call


def _unordered(it: Interpreter, value: Value) -> list[Value]:
    """Elements for an operation that does not depend on their order."""
    data = value.data
    if isinstance(data, SetData) and data.lost is None:
        it.budget.copy(len(data.items))
        return list(data.items.values())
    return it.iterate(value)


def _sum(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    total = arguments[1] if len(arguments) > 1 else keywords.get("start", Value(0))
    for item in _unordered(it, arguments[0]):
        it.budget.spend()
        total = binary(it, ast.Add, total, item)
    return total


def _len(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    (value,) = arguments
    blocked = first_unknown(value)
    if blocked is not None:
        return blocked
    data = value.data
    if isinstance(data, (str, bytes, tuple, range)):
        return Value(len(data), value.assumed)
    if isinstance(data, (ListData, DictData, SetData)):
        return Value(len(data.items), value.assumed)
    if isinstance(data, ClassData) and data.kind in (ClassKind.ENUM, ClassKind.INT_ENUM):
        return Value(len(data.members))
    if isinstance(data, InstanceData):
        if data.cls.kind is ClassKind.NAMED_TUPLE:
            return Value(len(data.cls.fields))
        method = data.cls.find("__len__")
        if method is not None:
            return it.call(method, [value], {})
    raise CannotEvaluate("no len()", fault=is_scalar(data))


def _power(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    if len(arguments) == 2 and not keywords:
        assumed: set[str] = set()
        base, exponent = (plain(v, assumed) for v in arguments)
        return Value(scalar_binary(it, "**", pow, base, exponent), noted(assumed))
    return plain_call(pow)(it, arguments, keywords)


def _range(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    return plain_call(range)(it, arguments, keywords)


def _list(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    it.budget.hold(VALUE)
    return Value(ListData(it.iterate(arguments[0]) if arguments else ()))


def _tuple(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    it.budget.hold(VALUE)
    return Value(tuple(it.iterate(arguments[0])) if arguments else ())


def _dict(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    items: dict[Any, tuple[Value, Value]] = {}
    if arguments:
        blocked = first_unknown(arguments[0])
        if blocked is not None:
            return blocked
        if isinstance(arguments[0].data, DictData):
            it.budget.made(len(arguments[0].data.items), ENTRY)
            items.update(arguments[0].data.items)
        else:
            for pair in it.iterate(arguments[0]):
                key, value = it.iterate(pair)
                it.budget.hold(ENTRY)
                items[hashable(key, it.budget)] = (key, value)
    it.budget.made(len(keywords), ENTRY)
    items.update((name, (Value(name), value)) for name, value in keywords.items())
    return Value(DictData(items))


def _set_builtin(frozen: bool) -> Callable[[Interpreter, Arguments, Keywords], Value]:
    def call(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
        items = _unordered(it, arguments[0]) if arguments else []
        return Value(SetData(keyed(it, items), frozen))

    return call


def _sorted(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    from pypto_core.frontend.static_eval.methods import sort_values

    return Value(ListData(sort_values(it, _unordered(it, arguments[0]), keywords)))


def _reversed(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    return Value(IteratorData(reversed(it.iterate(arguments[0]))))


def _enumerate(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    start = arguments[1] if len(arguments) > 1 else keywords.get("start", Value(0))
    first = plain(start, set())
    items = it.iterate(arguments[0])
    it.budget.made(len(items), 2 * VALUE + _ROW)
    return Value(IteratorData(Value((Value(first + i, start.assumed), v)) for i, v in enumerate(items)))


def _zip(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    columns = [it.iterate(a) for a in arguments]
    it.budget.made(min(map(len, columns), default=0), VALUE + _ROW + SLOT * len(columns))
    return Value(IteratorData(Value(row) for row in zip(*columns, strict=False)))


def _quantifier(name: str) -> Callable[[Interpreter, Arguments, Keywords], Value]:
    decisive = name == "any"

    def call(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
        undecided: Value | None = None
        assumed = NO_ASSUMPTIONS
        for item in _unordered(it, arguments[0]):
            truth = it.truth(item)
            assumed |= item.assumed
            if truth is decisive:
                return Value(decisive, assumed)
            if truth is None and undecided is None:
                undecided = first_unknown(item) or it.nothing("the truth value is not known")
        return undecided if undecided is not None else Value(not decisive, assumed)

    return call


def _map(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    function, *columns = arguments
    parts = [it.iterate(c) for c in columns]
    it.budget.made(min(map(len, parts), default=0))
    return Value(IteratorData([it.call(function, list(row), {}) for row in zip(*parts, strict=False)]))


def _filter(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    function, source = arguments
    kept: list[Value] = []
    for item in it.iterate(source):
        test = item if function.data is None else it.call(function, [item], {})
        truth = it.truth(test)
        if truth is None:
            raise CannotEvaluate("a filter is not known")
        if truth:
            kept.append(item)
    return Value(IteratorData(kept))


def _iter(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    if len(arguments) != 1:
        raise CannotEvaluate("iter() with a sentinel is not evaluated")
    if isinstance(arguments[0].data, IteratorData):
        return arguments[0]
    return Value(IteratorData(it.iterate(arguments[0])))


def _next(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    data = arguments[0].data
    if not isinstance(data, IteratorData) or data.lost is not None:
        raise CannotEvaluate("next() of something that is no known iterator")
    if data.position < len(data.items):
        it.change(data)
        data.position += 1
        return data.items[data.position - 1].assuming(arguments[0].assumed)
    if len(arguments) > 1:
        return arguments[1]
    raise CannotEvaluate("the iterator is exhausted", fault=True)


# -- types and attributes ----------------------------------------------------------------------------------------------


def python_type(value: Value) -> type | None:
    """Python's type of a modelled value of one of Python's own types."""
    data = value.data
    kinds: dict[type, type] = {ListData: list, DictData: dict}
    if isinstance(data, SetData):
        return frozenset if data.frozen else set
    if is_scalar(data) or isinstance(data, (tuple, range)):
        return type(data)
    return kinds.get(type(data))


def _isinstance(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    value, classes = arguments
    blocked = first_unknown(value, classes)
    if blocked is not None:
        return blocked
    options = it.iterate(classes) if isinstance(classes.data, tuple) else [classes]
    undecided = False
    for option in options:
        answer = _is_instance(value, option)
        if answer:
            return Value(True, value.assumed)
        undecided = undecided or answer is None
    if undecided:
        raise CannotEvaluate("isinstance() with a class that is not modelled")
    return Value(False, value.assumed)


def _is_instance(value: Value, option: Value) -> bool | None:
    kind, data = option.data, value.data
    if isinstance(kind, ClassData):
        if kind.opaque is not None:
            return None
        return isinstance(data, InstanceData) and data.cls.derives_from(kind)
    if isinstance(kind, BuiltinFunction) and kind.python_type is not None:
        if isinstance(data, InstanceData):
            if data.cls.kind is ClassKind.INT_ENUM:
                return kind.python_type in (int, object)
            return kind.python_type is object or (
                data.cls.kind is ClassKind.NAMED_TUPLE and kind.python_type is tuple
            )
        own = python_type(value)
        return issubclass(own, kind.python_type) if own is not None else kind.python_type is object
    return None


def _type(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    (value,) = arguments
    blocked = first_unknown(value)
    if blocked is not None:
        return blocked
    if isinstance(value.data, InstanceData):
        return Value(value.data.cls, value.assumed)
    own = python_type(value)
    found = BUILTINS.get(own.__name__) if own is not None else None
    if found is None:
        raise CannotEvaluate("type() of something that is not modelled")
    return found.assuming(value.assumed)


def _getattr(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    from pypto_core.frontend.static_eval.attributes import attribute

    owner, name, *default = arguments
    text = plain(name, set())
    if not isinstance(text, str):
        raise CannotEvaluate("getattr() needs a name", fault=True)
    try:
        return attribute(it, owner, text)
    except CannotEvaluate as fault:
        if default and fault.fault:
            return default[0]
        raise


def _hasattr(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    from pypto_core.frontend.static_eval.attributes import attribute

    owner, name = arguments
    text = plain(name, set())
    if isinstance(owner.data, External) or first_unknown(owner) is not None:
        raise CannotEvaluate("hasattr() of something unknown")
    try:
        attribute(it, owner, str(text))
    except CannotEvaluate as fault:
        if fault.fault:
            return Value(False, owner.assumed)
        raise
    return Value(True, owner.assumed)


def _callable(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    (value,) = arguments
    if isinstance(value.data, (PyFunction, BoundMethod, BuiltinFunction, ClassData, Partial)):
        return Value(True)
    if is_scalar(value.data) or python_type(value) is not None:
        return Value(False)
    raise CannotEvaluate("callable() of something unknown")


def _with_role(role: str) -> Callable[[Interpreter, Arguments, Keywords], Value]:
    """``property``, ``staticmethod``, ``classmethod`` as decorators."""

    def call(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
        function = arguments[0].data if arguments else None
        if not isinstance(function, PyFunction):
            raise CannotEvaluate(f"{role} of something that is no function")
        return Value(with_role(function, role), arguments[0].assumed)

    return call


def with_role(function: PyFunction, role: str) -> PyFunction:
    return PyFunction(
        function.name, function.node, function.scope, function.source, function.body, function.defaults, role
    )


def _nothing(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    return Value(None)


def _object(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    return Value(InstanceData(ClassData("object")))


def _refused(name: str) -> Callable[[Interpreter, Arguments, Keywords], Value]:
    def call(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
        raise CannotEvaluate(f"{name}() is never run")

    return call


def _exception_class(name: str) -> ClassData:
    return ClassData(name, ClassKind.EXCEPTION)


_TYPES: dict[str, tuple[type, Callable[[Interpreter, Arguments, Keywords], Value]]] = {
    "int": (int, _int),
    "float": (float, plain_call(float)),
    "bool": (bool, lambda it, a, k: _bool(it, a)),
    "str": (str, _str),
    "bytes": (bytes, _refused("bytes")),
    "list": (list, _list),
    "tuple": (tuple, _tuple),
    "dict": (dict, _dict),
    "set": (set, _set_builtin(False)),
    "frozenset": (frozenset, _set_builtin(True)),
    "range": (range, _range),
    "object": (object, _object),
    "type": (type, _type),
}


def _bool(it: Interpreter, arguments: Arguments) -> Value:
    if not arguments:
        return Value(False)
    truth = it.truth(arguments[0])
    if truth is None:
        return first_unknown(arguments[0]) or it.nothing("the truth value is not known")
    return Value(truth, arguments[0].assumed)


_FUNCTIONS: dict[str, Callable[[Interpreter, Arguments, Keywords], Value]] = {
    "min": _extreme("min"),
    "max": _extreme("max"),
    "len": _len,
    "abs": plain_call(abs),
    "sum": _sum,
    "round": plain_call(round),
    "pow": _power,
    "divmod": plain_call(divmod),
    "sorted": _sorted,
    "reversed": _reversed,
    "enumerate": _enumerate,
    "zip": _zip,
    "any": _quantifier("any"),
    "all": _quantifier("all"),
    "map": _map,
    "filter": _filter,
    "isinstance": _isinstance,
    "hasattr": _hasattr,
    "getattr": _getattr,
    "callable": _callable,
    "repr": plain_call(repr),
    "print": _nothing,
    "next": _next,
    "iter": _iter,
    "ord": plain_call(ord),
    "chr": plain_call(chr),
    "hex": plain_call(hex),
    "bin": plain_call(bin),
    "oct": plain_call(oct),
    "property": _with_role("property"),
    "staticmethod": _with_role("staticmethod"),
    "classmethod": _with_role("classmethod"),
    **{
        name: _refused(name)
        for name in [
            "open",
            "input",
            "exec",
            "eval",
            "compile",
            "__import__",
            "globals",
            "locals",
            "vars",
            "setattr",
            "delattr",
            "id",
            "hash",
            "memoryview",
            "bytearray",
            "complex",
            "slice",
            "super",
            "dir",
            "help",
            "breakpoint",
            "issubclass",
            "format",
            "ascii",
            "aiter",
            "anext",
        ]
    },
}
_EXCEPTIONS = [
    "BaseException", "Exception", "ValueError", "TypeError", "KeyError", "IndexError", "AttributeError",
    "RuntimeError", "NotImplementedError", "ImportError", "ModuleNotFoundError", "OSError", "IOError",
    "FileNotFoundError", "ZeroDivisionError", "ArithmeticError", "OverflowError", "AssertionError",
    "LookupError", "NameError", "StopIteration", "SystemExit", "KeyboardInterrupt", "EnvironmentError",
    "TimeoutError", "UserWarning", "DeprecationWarning", "RuntimeWarning", "FutureWarning", "Warning",
    "PermissionError",
]  # fmt: skip

EXIT_FUNCTIONS = frozenset({"exit", "quit", "sys.exit", "os._exit", "os.abort"})

BUILTINS: dict[str, Value] = {
    **{name: Value(BuiltinFunction(name, call, kind)) for name, (kind, call) in _TYPES.items()},
    **{name: Value(BuiltinFunction(name, call)) for name, call in _FUNCTIONS.items()},
    **{name: Value(_exception_class(name)) for name in _EXCEPTIONS},
    **{name: Value(BuiltinFunction(name, _refused(name))) for name in ("exit", "quit")},
    "NotImplemented": Value(LibraryName("builtins.NotImplemented")),
    "__debug__": Value(True),
    "__builtins__": Value(Unknown("not modelled")),
}
