"""Values as text for hovers, and how a value came about (docs/spec/static-eval.md §1, item 5)."""

from __future__ import annotations

from enum import Enum
from typing import Any

from pypto_core.frontend.static_eval.scopes import Binding, ModuleEnvironment
from pypto_core.frontend.static_eval.values import (
    BoundMethod,
    BuiltinFunction,
    ClassData,
    ClassKind,
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
    MemRefDecl,
    Partial,
    PathData,
    PlSymbol,
    ProgramClass,
    PyFunction,
    SetData,
    SuperProxy,
    TypeValue,
    Unknown,
    Value,
)
from pypto_core.ir import DataType, MemorySpace

#: Longest text of a value, and deepest nesting shown.
_WIDTH = 160
_DEPTH = 4
_ENUM_NAMES: dict[type, str] = {MemorySpace: "Mem"}


def show(value: Value) -> str:
    """A value in one line, with its assumptions: ``8 (assumed: environment variable TP_SIZE not set)``."""
    text = show_data(value.data)
    if value.assumed and not value.is_unknown:
        return f"{text} (assumed: {'; '.join(sorted(value.assumed))})"
    return text


def show_data(data: Any) -> str:
    """A payload in one line, shortened."""
    text = _text(data, 0)
    return text if len(text) <= _WIDTH else text[: _WIDTH - 3] + "..."


def history(name: str, binding: Binding, module: ModuleEnvironment) -> list[str]:
    """Lines that say what a name is and how it came about: ``H = 256``, then the expression as written."""
    lines = [f"{name} = {show(binding.value)}"]
    if binding.expression is not None and binding.site is not None:
        written = binding.site.source.source(binding.expression)
        if written != show_data(binding.value.data):
            lines.append(f"{name} = {' '.join(written.split())}")
    for other_module, other in sorted(binding.reads):
        found = module.binding(other) if other_module == module.name else None
        if (
            found is not None
            and not isinstance(found.value.data, (PlSymbol, ModuleEnvironment))
            and other != name
        ):
            lines.append(f"{other} = {show(found.value)}")
    return lines


def _sequence(items: list[Value], depth: int) -> str:
    if depth >= _DEPTH:
        return "..."
    shown = [_text(v.data, depth + 1) for v in items[:20]]
    return ", ".join([*shown, "..."] if len(items) > 20 else shown)


def _text(data: Any, depth: int) -> str:
    if isinstance(data, Unknown):
        return f"unknown: {data.reason}"
    lost = getattr(data, "lost", None)
    if isinstance(lost, Unknown):
        return f"unknown: {lost.reason}"
    if isinstance(data, DataType):
        return f"pl.{data.printed}"
    if isinstance(data, Enum):
        return f"pl.{_ENUM_NAMES.get(type(data), type(data).__name__)}.{data.name}"
    container = _container(data, depth)
    if container is not None:
        return container
    named = _named(data, depth)
    return named if named is not None else repr(data)


def _container(data: Any, depth: int) -> str | None:
    if isinstance(data, (ListData, IteratorData)):
        return f"[{_sequence(data.items, depth)}]"
    if isinstance(data, tuple):
        return f"({_sequence(list(data), depth)}{',' if len(data) == 1 else ''})"
    if isinstance(data, SetData):
        return f"{{{_sequence(list(data.items.values()), depth)}}}" if data.items else "set()"
    if isinstance(data, DictData):
        pairs = [
            f"{_text(k.data, depth + 1)}: {_text(v.data, depth + 1)}"
            for k, v in list(data.items.values())[:20]
        ]
        return "{" + ", ".join([*pairs, "..."] if len(data.items) > 20 else pairs) + "}"
    if isinstance(data, InstanceData):
        if data.cls.kind in (ClassKind.ENUM, ClassKind.INT_ENUM):
            return f"{data.cls.name}.{data.attributes['name'].data}"
        if depth >= _DEPTH:
            return f"{data.cls.name}(...)"
        fields = [f"{k}={_text(v.data, depth + 1)}" for k, v in data.attributes.items()]
        return f"{data.cls.name}({', '.join(fields)})"
    return None


def _named(data: Any, depth: int) -> str | None:
    if isinstance(data, DynVar):
        return data.name
    if isinstance(data, DimExpr):
        return _dim(data)
    if isinstance(data, KernelFunction):
        return f"kernel {data.name} (pl.{data.form})"
    if isinstance(data, ProgramClass):
        return f"program {data.name}"
    if isinstance(data, PyFunction):
        return f"function {data.name}"
    if isinstance(data, BoundMethod):
        return f"method {data.function.name}"
    if isinstance(data, ClassData):
        return f"class {data.name}"
    if isinstance(data, BuiltinFunction):
        return f"function {data.name}"
    if isinstance(data, ModuleEnvironment):
        return f"module {data.name}"
    if isinstance(data, External):
        return f"unknown: {data.name} is not modelled"
    if isinstance(data, LibraryName):
        return data.path
    if isinstance(data, PlSymbol):
        return data.text
    if isinstance(data, TypeValue):
        return data.site.text
    if isinstance(data, MemRefDecl):
        return f"allocation {data.name or ''}".strip()
    if isinstance(data, PathData):
        return f"Path({data.text!r})"
    if isinstance(data, Partial):
        return f"partial of {_text(data.function.data, depth + 1)}"
    if isinstance(data, KernelDecorator):
        return f"pl.{data.form}(...)"
    if isinstance(data, SuperProxy):
        return "super()"
    return None


def _dim(data: DimExpr | DynVar | int) -> str:
    if isinstance(data, DynVar):
        return data.name
    if isinstance(data, int):
        return str(data)
    if data.op == "neg":
        return f"-{_dim(data.operands[0])}"
    left, right = (f"({_dim(o)})" if isinstance(o, DimExpr) else _dim(o) for o in data.operands)
    return f"{left} {data.op} {right}"
