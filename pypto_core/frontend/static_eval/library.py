"""Modelled libraries (docs/spec/static-eval.md §5.5)."""

from __future__ import annotations

import math
import posixpath
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from pypto_core.frontend.static_eval import classes
from pypto_core.frontend.static_eval.builtin_functions import plain_call, with_role
from pypto_core.frontend.static_eval.limits import ENTRY, OBJECT, SLOT, VALUE, CannotEvaluate
from pypto_core.frontend.static_eval.operators import join_path
from pypto_core.frontend.static_eval.payloads import first_unknown, plain
from pypto_core.frontend.static_eval.values import (
    BuiltinFunction,
    ClassData,
    DictData,
    LibraryName,
    Partial,
    PathData,
    PyFunction,
    Value,
    noted,
)

if TYPE_CHECKING:
    from pypto_core.frontend.static_eval.interpreter import Interpreter

Arguments = list[Value]
Keywords = dict[str, Value]
Model = Callable[["Interpreter", Arguments, Keywords], Value]


def _function(name: str, model: Model) -> Value:
    return Value(BuiltinFunction(name, model))


def _name(path: str) -> Value:
    return Value(LibraryName(path))


# -- math --------------------------------------------------------------------------------------------------------------

_MATH_FUNCTIONS = [
    "ceil",
    "floor",
    "sqrt",
    "log",
    "log2",
    "log10",
    "exp",
    "gcd",
    "lcm",
    "isqrt",
    "pow",
    "fabs",
    "isinf",
    "isnan",
    "trunc",
    "copysign",
    "fmod",
    "isfinite",
    "hypot",
]


def _product(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    assumed: set[str] = set()
    result: Any = plain(keywords.get("start", Value(1)), assumed)
    for item in it.iterate(arguments[0]):
        it.budget.spend()
        result = result * plain(item, assumed, it.budget)
        if isinstance(result, (str, bytes, list, tuple)):
            raise CannotEvaluate("prod() of something that is no number")
        it.budget.integer(result)
    return Value(result, noted(assumed))


_MATH: dict[str, Value] = {
    **{n: _function(f"math.{n}", plain_call(getattr(math, n))) for n in _MATH_FUNCTIONS},
    **{n: Value(getattr(math, n)) for n in ("inf", "pi", "e", "nan", "tau")},
    "prod": _function("math.prod", _product),
}

# -- dataclasses and functools -----------------------------------------------------------------------------------------


def _dataclass(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    if not arguments:
        return _function("dataclass", lambda i, a, k: _dataclass(i, a, keywords) if a else Value(None))
    cls = arguments[0].data
    if not isinstance(cls, ClassData):
        blocked = first_unknown(arguments[0])
        if blocked is not None:
            return blocked
        raise CannotEvaluate("dataclass of something that is no class")
    classes.make_dataclass(it, cls, keywords)
    return arguments[0]


def _field(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    items: dict[Any, tuple[Value, Value]] = {k: (Value(k), v) for k, v in keywords.items()}
    items[classes.FIELD_MARK] = (Value(classes.FIELD_MARK), Value(True))
    return Value(DictData(items))


def _cache(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    """``lru_cache`` and ``cache``, with or without arguments: the function itself."""
    if len(arguments) == 1 and isinstance(arguments[0].data, PyFunction):
        return arguments[0]
    return _function("cache", lambda i, a, k: a[0])


def _cached_property(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    function = arguments[0].data
    if not isinstance(function, PyFunction):
        raise CannotEvaluate("cached_property of something that is no function")
    return Value(with_role(function, "property"))


def _partial(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    it.budget.hold(OBJECT + SLOT * len(arguments) + ENTRY * len(keywords))
    return Value(Partial(arguments[0], tuple(arguments[1:]), dict(keywords)))


def _reduce(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    function, items = arguments[0], it.iterate(arguments[1])
    if len(arguments) > 2:
        items.insert(0, arguments[2])
    if not items:
        raise CannotEvaluate("reduce() of nothing", fault=True)
    result = items[0]
    for item in items[1:]:
        result = it.call(function, [result, item], {})
    return result


def _wraps(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    return _function("wraps", lambda i, a, k: a[0])


# -- typing, enum, collections -----------------------------------------------------------------------------------------


def _cast(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    return arguments[1]


def _auto(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    return _name("enum.auto()")


def _ordered_dict(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    from pypto_core.frontend.static_eval.builtin_functions import BUILTINS

    return it.call(BUILTINS["dict"], arguments, keywords)


def _default_dict(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    result = _ordered_dict(it, arguments[1:], keywords)
    factory = arguments[0] if arguments and arguments[0].data is not None else None
    return Value(DictData(result.data.items, factory)) if isinstance(result.data, DictData) else result


# -- paths -------------------------------------------------------------------------------------------------------------


def _path(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
    assumed: set[str] = set()
    text = ""
    for argument in arguments:
        part = _path_text(argument, assumed)
        it.budget.text(len(text) + len(part))
        text = join_path(text, part)
    return Value(PathData(text or "."), noted(assumed))


def _path_text(value: Value, assumed: set[str]) -> str:
    data = plain(value, assumed)
    if not isinstance(data, str):
        raise CannotEvaluate("not a path", fault=True)
    return data


def path_attribute(it: Interpreter, data: PathData, name: str) -> Value:
    """Pure string operations; anything that would look at the disk is unknown."""
    text = data.text
    it.budget.text(len(text))
    if name == "parent":
        return Value(PathData(posixpath.dirname(text) or ("/" if text.startswith("/") else ".")))
    if name == "name":
        return Value(posixpath.basename(text))
    if name in ("stem", "suffix"):
        stem, suffix = posixpath.splitext(posixpath.basename(text))
        return Value(stem if name == "stem" else suffix)
    if name == "parents":
        found, current = [], text
        while posixpath.dirname(current) not in ("", current):
            current = posixpath.dirname(current)
            it.budget.hold(VALUE)
            it.budget.text(len(current))
            found.append(Value(PathData(current)))
        return Value(tuple(found))
    if name == "parts":
        it.budget.made(text.count("/") + 1)
        parts = [p for p in text.split("/") if p]
        return Value(tuple(Value(p) for p in (["/", *parts] if text.startswith("/") else parts)))
    if name in ("resolve", "absolute", "expanduser"):
        return _function(name, lambda i, a, k: Value(PathData(posixpath.normpath(text))))
    if name in ("as_posix", "__str__", "__fspath__"):
        return _function(name, lambda i, a, k: Value(text))
    if name == "joinpath":
        return _function(name, lambda i, a, k: _path(i, [Value(data), *a], k))
    if name in ("with_suffix", "with_name"):
        return _function(name, lambda i, a, k: _path_with(data, name, a))
    raise CannotEvaluate(f"Path.{name} looks at the disk")


def _path_with(data: PathData, name: str, arguments: Arguments) -> Value:
    assumed: set[str] = set()
    given = _path_text(arguments[0], assumed)
    if name == "with_suffix":
        return Value(PathData(posixpath.splitext(data.text)[0] + given), noted(assumed))
    return Value(PathData(join_path(posixpath.dirname(data.text), given)), noted(assumed))


def _path_function(function: Callable[..., str]) -> Model:
    def call(it: Interpreter, arguments: Arguments, keywords: Keywords) -> Value:
        assumed: set[str] = set()
        parts = [_path_text(v, assumed) for v in arguments]
        it.budget.text(sum(map(len, parts)))
        return Value(function(*parts), noted(assumed))

    return call


# -- the table ---------------------------------------------------------------------------------------------------------

#: Modules without values of their own: every name is only a name.
_NAME_ONLY: Final = frozenset(
    {"typing", "typing_extensions", "__future__", "collections.abc", "abc", "types"}
)

MODULES: Final[dict[str, dict[str, Value]]] = {
    "math": _MATH,
    "dataclasses": {
        "dataclass": _function("dataclasses.dataclass", _dataclass),
        "field": _function("dataclasses.field", _field),
        "replace": _function("dataclasses.replace", classes.replace_fields),
        "fields": _function("dataclasses.fields", classes.field_list),
        "asdict": _function("dataclasses.asdict", classes.as_dict),
        "astuple": _function("dataclasses.astuple", classes.as_tuple),
        "KW_ONLY": _name("dataclasses.KW_ONLY"),
        "InitVar": _name("dataclasses.InitVar"),
    },
    "functools": {
        "lru_cache": _function("functools.lru_cache", _cache),
        "cache": _function("functools.cache", _cache),
        "cached_property": _function("functools.cached_property", _cached_property),
        "partial": _function("functools.partial", _partial),
        "reduce": _function("functools.reduce", _reduce),
        "wraps": _function("functools.wraps", _wraps),
    },
    "typing": {"TYPE_CHECKING": Value(False), "cast": _function("typing.cast", _cast)},
    "enum": {
        "Enum": _name("enum.Enum"),
        "IntEnum": _name("enum.IntEnum"),
        "auto": _function("enum.auto", _auto),
        "unique": _function("enum.unique", lambda it, a, k: a[0]),
    },
    "collections": {
        "namedtuple": _function("collections.namedtuple", classes.named_tuple),
        "OrderedDict": _function("collections.OrderedDict", _ordered_dict),
        "defaultdict": _function("collections.defaultdict", _default_dict),
        "abc": _name("collections.abc"),
    },
    "pathlib": {
        name: _function(f"pathlib.{name}", _path)
        for name in ("Path", "PurePath", "PosixPath", "PurePosixPath")
    },
    "os.path": {
        "join": _function("os.path.join", _path_function(lambda *p: posixpath.join(*p))),
        "dirname": _function("os.path.dirname", _path_function(posixpath.dirname)),
        "basename": _function("os.path.basename", _path_function(posixpath.basename)),
        "abspath": _function("os.path.abspath", _path_function(posixpath.normpath)),
        "realpath": _function("os.path.realpath", _path_function(posixpath.normpath)),
        "normpath": _function("os.path.normpath", _path_function(posixpath.normpath)),
        "sep": Value("/"),
    },
    "os": {"path": _name("os.path"), "sep": Value("/"), "linesep": Value("\n"), "pathsep": Value(":")},
    "sys": {"maxsize": Value(2**63 - 1), "byteorder": Value("little")},
}
MODULES["typing_extensions"] = MODULES["typing"]


def find_module(name: str) -> Value | None:
    """A modelled module."""
    return _name(name) if name in MODULES or name in _NAME_ONLY else None


def member(it: Interpreter, owner: LibraryName, name: str) -> Value:
    """``<library>.<name>``."""
    found = MODULES.get(owner.path, {}).get(name)
    if found is not None:
        return found
    environment = it.graph.process_attribute(owner.path, name)
    if environment is not None:
        return environment
    module = owner.path.split(".")[0]
    if owner.path in _NAME_ONLY or module in ("typing", "typing_extensions"):
        path = "typing" if module == "typing_extensions" else owner.path
        return _name(f"{path}.{name}")
    if owner.path == "math" and not hasattr(math, name):
        raise CannotEvaluate(f"module 'math' has no attribute '{name}'", fault=True)
    raise CannotEvaluate(f"{owner.path}.{name} is not modelled")
