"""Attribute access (docs/spec/static-eval.md §2, §5.4 - §5.6)."""

from __future__ import annotations

import ast
from enum import IntEnum

from pypto_core.frontend.static_eval import library, methods
from pypto_core.frontend.static_eval.interpreter import Interpreter
from pypto_core.frontend.static_eval.limits import CannotEvaluate
from pypto_core.frontend.static_eval.payloads import first_unknown, type_name
from pypto_core.frontend.static_eval.pl_symbols import data_type_attribute, symbol_attribute
from pypto_core.frontend.static_eval.scopes import ModuleEnvironment
from pypto_core.frontend.static_eval.values import (
    BoundMethod,
    BuiltinFunction,
    ClassData,
    ClassKind,
    External,
    InstanceData,
    KernelFunction,
    LibraryName,
    PathData,
    PlSymbol,
    ProgramClass,
    PyFunction,
    SuperProxy,
    Value,
    VersionInfo,
)
from pypto_core.ir import DataType


def attribute(it: Interpreter, owner: Value, name: str, node: ast.expr | None = None) -> Value:
    """``owner.name``; raises CannotEvaluate."""
    data = owner.data
    if isinstance(data, InstanceData):
        return _of_instance(it, owner, data, name).assuming(owner.assumed)
    blocked = first_unknown(owner)
    if blocked is not None:
        it.doubt += 1
        return blocked
    if isinstance(data, ModuleEnvironment):
        return _of_module(it, data, name).assuming(owner.assumed)
    if isinstance(data, PlSymbol):
        return symbol_attribute(data, name)
    if isinstance(data, DataType):
        return data_type_attribute(data, name)
    if isinstance(data, ClassData):
        return _of_class(it, data, name).assuming(owner.assumed)
    if isinstance(data, External):
        it.doubt += 1
        return it.nothing(f"{data.name}.{name} is of a library that is not modelled", node)
    if isinstance(data, LibraryName):
        return library.member(it, data, name)
    if isinstance(data, SuperProxy):
        return _of_super(it, data, name)
    if isinstance(data, IntEnum) and name in ("name", "value"):
        return Value(data.name if name == "name" else int(data), owner.assumed)
    if isinstance(data, (PyFunction, KernelFunction, ProgramClass)) and name in ("__name__", "__qualname__"):
        return Value(data.name, owner.assumed)
    if isinstance(data, BuiltinFunction) and name == "__name__":
        return Value(data.name)
    if isinstance(data, BuiltinFunction) and data.python_type is object and name == "__setattr__":
        return Value(BuiltinFunction("object.__setattr__", _object_setattr))
    if isinstance(data, PyFunction) and data.role == "property" and name in ("setter", "getter", "deleter"):
        return Value(BuiltinFunction(name, lambda i, a, k: owner))
    if isinstance(data, PathData):
        return library.path_attribute(it, data, name).assuming(owner.assumed)
    if isinstance(data, VersionInfo) and name in data.names[: len(data)]:
        part: Value = data[data.names.index(name)]
        return part.assuming(owner.assumed)
    method = methods.find(data, name)
    if method is not None:
        bound = BuiltinFunction(f"{type_name(data)}.{name}", lambda i, a, k: method(i, owner, a, k))
        return Value(bound, owner.assumed)
    raise CannotEvaluate(
        f"'{type_name(data)}' object has no attribute '{name}'", fault=methods.is_complete(data, name)
    )


def _of_instance(it: Interpreter, owner: Value, data: InstanceData, name: str) -> Value:
    if data.lost is not None:
        return Value(data.lost)
    if data.cls.kind in (ClassKind.ENUM, ClassKind.INT_ENUM) and name in ("name", "value"):
        return data.attributes[name]
    found = data.cls.find(name)
    if found is not None and isinstance(found.data, PyFunction) and found.data.role == "property":
        return it.call(Value(found.data), [owner], {})
    own = data.attributes.get(name)
    if own is not None:
        return own
    if found is not None:
        if isinstance(found.data, PyFunction):
            if found.data.role == "staticmethod":
                return found
            bound_to = Value(data.cls) if found.data.role == "classmethod" else owner
            return Value(BoundMethod(found.data, bound_to), found.assumed)
        return found
    if name == "__class__":
        return Value(data.cls)
    special = methods.instance_method(data, name)
    if special is not None:
        return Value(BuiltinFunction(name, lambda i, a, k: special(i, owner, a, k)))
    getter = data.cls.find("__getattr__")
    if getter is not None:
        return it.call(getter, [owner, Value(name)], {})
    # Python gives every object names with an underscore in front that are not modelled.
    missing = data.cls.opaque is None and not name.startswith("_")
    raise CannotEvaluate(f"'{data.cls.name}' object has no attribute '{name}'", fault=missing)


def _of_class(it: Interpreter, data: ClassData, name: str) -> Value:
    if data.opaque is not None:
        it.doubt += 1
        return Value(data.opaque)
    found = data.find(name)
    if found is not None:
        if isinstance(found.data, PyFunction) and found.data.role == "classmethod":
            return Value(BoundMethod(found.data, Value(data)), found.assumed)
        return found
    if name in ("__name__", "__qualname__"):
        return Value(data.name)
    special = methods.class_method(data, name)
    if special is not None:
        return Value(BuiltinFunction(name, lambda i, a, k: special(i, Value(data), a, k)))
    raise CannotEvaluate(
        f"type object '{data.name}' has no attribute '{name}'", fault=not name.startswith("_")
    )


def _of_module(it: Interpreter, module: ModuleEnvironment, name: str) -> Value:
    it.reads.add((module.name, name))
    value = module.value(name)
    if it.watch is not None:
        it.watch.names.add((module, name, None))
        if value is not None and isinstance(value.data, (KernelFunction, ProgramClass)):
            it.watch.kernels.add(value.data)
    if value is not None:
        return value
    if name == "__name__":
        return Value(module.name)
    if name == "__file__":
        return Value(module.filename)
    if it.watch is not None:
        it.watch.unsteady = True
    submodule = it.graph.submodule(module, name)
    if submodule is not None:
        return Value(submodule)
    fault = module.ask_complete(it.watch) and module.evaluated
    raise CannotEvaluate(f"module '{module.name}' has no attribute '{name}'", fault=fault)


def _object_setattr(it: Interpreter, arguments: list[Value], keywords: dict[str, Value]) -> Value:
    """``object.__setattr__(self, "x", v)``, the way around frozen dataclasses."""
    owner, name, value = arguments
    if isinstance(owner.data, InstanceData) and isinstance(name.data, str):
        it.journals.set(owner.data, name.data, value.assuming(it.taint))
    return Value(None)


def _of_super(it: Interpreter, proxy: SuperProxy, name: str) -> Value:
    for base in proxy.cls.bases:
        found = base.find(name)
        if found is not None:
            if isinstance(found.data, PyFunction) and found.data.role not in ("staticmethod",):
                if found.data.role == "property":
                    return it.call(Value(found.data), [proxy.owner], {})
                return Value(BoundMethod(found.data, proxy.owner))
            return found
    if name in ("__init__", "__post_init__", "__init_subclass__"):
        return Value(BuiltinFunction(name, lambda i, a, k: Value(None)))
    raise CannotEvaluate(f"no attribute {name} in the bases of {proxy.cls.name}")
