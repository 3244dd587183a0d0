"""Classes of the user: definition, construction, dataclasses, enumerations, named tuples (docs/spec/static-eval.md §5.6)."""

from __future__ import annotations

import ast
from typing import Any

from pypto_core.frontend.static_eval.interpreter import Interpreter
from pypto_core.frontend.static_eval.limits import ENTRY, OBJECT, CannotEvaluate
from pypto_core.frontend.static_eval.payloads import first_unknown, plain, scalar_of
from pypto_core.frontend.static_eval.scopes import Scope
from pypto_core.frontend.static_eval.values import (
    BuiltinFunction,
    ClassData,
    ClassKind,
    DictData,
    FieldSpec,
    InstanceData,
    KernelFunction,
    LibraryName,
    ListData,
    PyFunction,
    Site,
    SuperProxy,
    Unknown,
    Value,
    noted,
)

#: Names of libraries that may stand as a base and add nothing, or select a kind of class.
_NEUTRAL_BASES = frozenset(
    {"typing.Generic", "typing.Protocol", "abc.ABC", "typing.Hashable", "typing.Sized"}
)
_KIND_BASES = {
    "enum.Enum": ClassKind.ENUM,
    "enum.IntEnum": ClassKind.INT_ENUM,
    "typing.NamedTuple": ClassKind.NAMED_TUPLE,
    "typing.TypedDict": ClassKind.TYPED_DICT,
}
FIELD_MARK = "dataclasses.field"


def new_class(it: Interpreter, node: ast.ClassDef, scope: Scope) -> tuple[ClassData, Scope]:
    """An empty class with its bases, and the scope in which its body is to be run."""
    data = ClassData(node.name)
    for base_node in node.bases:
        _add_base(data, it.evaluate(base_node, scope))
    for keyword in node.keywords:
        if keyword.arg == "metaclass":
            metaclass = it.evaluate(keyword.value, scope)
            if not (isinstance(metaclass.data, LibraryName) and metaclass.data.path == "abc.ABCMeta"):
                data.opaque = Unknown(f"{node.name} has a metaclass")
    return data, Scope("class", scope.module, scope, data)


def _add_base(data: ClassData, base: Value) -> None:
    found = base.data
    if isinstance(found, ClassData):
        data.bases = (*data.bases, found)
        if found.opaque is not None:
            data.opaque = found.opaque
        if data.kind is ClassKind.PLAIN and found.kind is not ClassKind.DATACLASS:
            data.kind = found.kind
        elif found.kind is ClassKind.DATACLASS and data.kind is ClassKind.PLAIN:
            data.kind, data.fields = ClassKind.DATACLASS, list(found.fields)
    elif isinstance(found, LibraryName):
        kind = _KIND_BASES.get(found.path)
        if kind is ClassKind.ENUM and data.opaque is not None and data.opaque.kind == "int":
            data.kind, data.opaque = ClassKind.INT_ENUM, None
        elif kind is not None:
            data.kind = kind
        elif found.path not in _NEUTRAL_BASES and not found.path.startswith("typing."):
            data.opaque = Unknown(f"{data.name} has the base {found.path}")
    elif isinstance(found, BuiltinFunction) and found.python_type is object:
        pass
    elif isinstance(found, BuiltinFunction):
        data.opaque = Unknown(f"{data.name} has the base {found.name}", kind=found.name)
    else:
        blocked = first_unknown(base)
        reason = (
            blocked.data.reason
            if blocked is not None and isinstance(blocked.data, Unknown)
            else "not a class"
        )
        data.opaque = Unknown(f"a base of {data.name} is not known: {reason}")


def finish_class(it: Interpreter, data: ClassData, scope: Scope) -> None:
    """Take over what the body bound."""
    data.namespace = scope.variables
    if data.kind in (ClassKind.ENUM, ClassKind.INT_ENUM):
        _make_members(it, data)
    elif data.kind is ClassKind.NAMED_TUPLE:
        data.fields = [
            FieldSpec(name, site, data.namespace.get(name)) for name, site in data.annotated.items()
        ] or [f for base in data.bases for f in base.fields]
    scope.variables["__class__"] = Value(data)


def _make_members(it: Interpreter, data: ClassData) -> None:
    counter = 0
    for name, value in list(data.namespace.items()):
        if name.startswith("_") or isinstance(
            value.data, (PyFunction, KernelFunction, ClassData, BuiltinFunction)
        ):
            continue
        content = value
        if isinstance(value.data, LibraryName) and value.data.path == "enum.auto()":
            content = Value(counter + 1)
        number = scalar_of(content.data)
        if isinstance(number, int):
            counter = number
        alias = _member_with(data, content)
        if alias is not None:
            data.namespace[name] = Value(alias, value.assumed)
            continue
        member = InstanceData(data)
        member.attributes.update(name=Value(name), value=content)
        if name in data.sites:
            member.sites["value"] = data.sites[name]
        data.members.append(member)
        data.namespace[name] = Value(member, value.assumed)


def _member_with(data: ClassData, content: Value) -> InstanceData | None:
    from pypto_core.frontend.static_eval.control import same_value

    return next((m for m in data.members if same_value(m.attributes["value"], content)), None)


def make_dataclass(it: Interpreter, data: ClassData, options: dict[str, Value]) -> None:
    """What ``@dataclass`` does to a class."""
    data.kind = ClassKind.DATACLASS
    keyword_only = "kw_only" in options and bool(it.truth(options["kw_only"]))
    fields = {f.name: f for base in data.bases for f in base.fields}
    for name, site in data.annotated.items():
        if _is_class_variable(site):
            continue
        default = data.namespace.get(name)
        spec = FieldSpec(name, site, default, keyword_only=keyword_only)
        if default is not None and isinstance(default.data, DictData) and FIELD_MARK in default.data.items:
            _read_field(it, spec, default.data)
            if spec.default is None:
                data.namespace.pop(name, None)
            else:
                data.namespace[name] = spec.default
        fields[name] = spec
    data.fields = list(fields.values())


def _is_class_variable(site: Site) -> bool:
    node = site.node
    annotation = node.annotation if isinstance(node, ast.AnnAssign) else None
    if isinstance(annotation, ast.Subscript):
        annotation = annotation.value
    text = ast.unparse(annotation) if annotation is not None else ""
    return text.split(".")[-1].strip("'\"").startswith("ClassVar")


def _read_field(it: Interpreter, spec: FieldSpec, mark: DictData) -> None:
    def option(name: str) -> Value | None:
        entry = mark.items.get(name)
        return entry[1] if entry is not None else None

    spec.default, spec.factory = option("default"), option("default_factory")
    for name, field_name in (("init", "init"), ("kw_only", "keyword_only"), ("compare", "compare")):
        given = option(name)
        if given is not None:
            setattr(spec, field_name, bool(it.truth(given)))


# -- construction ------------------------------------------------------------------------------------------------------


def construct(
    it: Interpreter,
    cls: ClassData,
    arguments: list[Value],
    keywords: dict[str, Value],
    node: ast.Call | None = None,
) -> Value:
    """``cls(...)``; raises CannotEvaluate."""
    if cls.opaque is not None:
        it.doubt += 1
        return Value(cls.opaque)
    if cls.find("__new__") is not None:
        raise CannotEvaluate(f"{cls.name} has its own __new__")
    if cls.kind in (ClassKind.ENUM, ClassKind.INT_ENUM):
        return _member_of(it, cls, arguments)
    if cls.kind is ClassKind.TYPED_DICT:
        return Value(DictData({k: (Value(k), v) for k, v in keywords.items()}))
    it.budget.hold(OBJECT + ENTRY * len(cls.fields))
    instance = InstanceData(cls)
    value = Value(instance)
    init = cls.namespace.get("__init__") if cls.kind is ClassKind.DATACLASS else cls.find("__init__")
    if init is not None:
        it.call(init, [value, *arguments], keywords, node)
    elif cls.kind in (ClassKind.DATACLASS, ClassKind.NAMED_TUPLE):
        _fill_fields(it, instance, arguments, keywords, node)
        post = cls.find("__post_init__")
        if post is not None and cls.kind is ClassKind.DATACLASS:
            it.call(post, [value], {})
    elif cls.kind is ClassKind.EXCEPTION:
        instance.attributes["args"] = Value(tuple(arguments))
    elif arguments or keywords:
        raise CannotEvaluate(f"{cls.name} takes no arguments", fault=True)
    return value


def _member_of(it: Interpreter, cls: ClassData, arguments: list[Value]) -> Value:
    if len(arguments) != 1:
        raise CannotEvaluate(f"{cls.name} takes one value")
    blocked = first_unknown(arguments[0])
    if blocked is not None:
        return blocked
    if isinstance(arguments[0].data, InstanceData) and arguments[0].data.cls is cls:
        return arguments[0]
    found = _member_with(cls, arguments[0])
    if found is None:
        raise CannotEvaluate(f"{cls.name} has no such value", fault=True)
    return Value(found, arguments[0].assumed)


def _fill_fields(
    it: Interpreter,
    instance: InstanceData,
    arguments: list[Value],
    keywords: dict[str, Value],
    node: ast.Call | None,
) -> None:
    cls = instance.cls
    positional = [f for f in cls.fields if f.init and not f.keyword_only]
    accepted = {f.name for f in cls.fields if f.init}
    if len(arguments) > len(positional) or not keywords.keys() <= accepted:
        instance.lost = Unknown(f"{cls.name} is called with arguments that it does not have")
        return
    sites = _argument_sites(it, node)
    given = dict(zip((f.name for f in positional), arguments, strict=False))
    given.update(keywords)
    order = {f.name: i for i, f in enumerate(positional)}
    for spec in cls.fields:
        site: Site | None = spec.site
        if spec.name in given:
            value = given[spec.name]
            site = sites.get(spec.name) or sites.get(order.get(spec.name, -1)) or site
        elif spec.factory is not None:
            value = it.call(spec.factory, [], {})
        elif spec.default is not None:
            value = spec.default
        elif not spec.init:
            continue
        else:
            it.doubt += 1
            value = Value(Unknown(f"{cls.name} misses the argument {spec.name}"))
        instance.attributes[spec.name] = value.assuming(it.taint)
        if site is not None:
            instance.sites[spec.name] = site


def _argument_sites(it: Interpreter, node: ast.Call | None) -> dict[Any, Site]:
    """Where each argument of a call is written, by keyword or position; nothing for calls with ``*``."""
    if node is None or it.source is None or any(isinstance(a, ast.Starred) for a in node.args):
        return {}
    sites: dict[Any, Site] = {i: Site(it.source, a) for i, a in enumerate(node.args)}
    sites.update((k.arg, Site(it.source, k)) for k in node.keywords if k.arg is not None)
    return sites


def super_of(scope: Scope) -> Value:
    """``super()`` in a method."""
    function = scope.enclosing_function()
    holder = function.parent if function is not None else None
    if function is None or holder is None or holder.kind != "class" or not function.variables:
        raise CannotEvaluate("super() outside a method")
    cls = holder.variables.get("__class__")
    if cls is None or not isinstance(cls.data, ClassData):
        raise CannotEvaluate("super() in a class that is not finished")
    return Value(SuperProxy(cls.data, next(iter(function.variables.values()))))


# -- functions of the dataclasses and collections modules ---------------------------------------------------------------


def replace_fields(it: Interpreter, arguments: list[Value], keywords: dict[str, Value]) -> Value:
    """``dataclasses.replace``: the constructor again."""
    (owner,) = arguments
    blocked = first_unknown(owner)
    if blocked is not None:
        return blocked
    data = owner.data
    if not isinstance(data, InstanceData) or data.cls.kind is not ClassKind.DATACLASS:
        raise CannotEvaluate("replace() of something that is no dataclass", fault=True)
    given = {f.name: data.attributes[f.name] for f in data.cls.fields if f.init and f.name in data.attributes}
    result = construct(it, data.cls, [], {**given, **keywords})
    if isinstance(result.data, InstanceData):
        for name in given:
            if name not in keywords and name in data.sites:
                result.data.sites[name] = data.sites[name]
    return result.assuming(owner.assumed)


def as_dict(it: Interpreter, arguments: list[Value], keywords: dict[str, Value]) -> Value:
    return _as_dict(it, arguments[0])


def _as_dict(it: Interpreter, value: Value) -> Value:
    it.budget.spend()
    it.budget.hold(ENTRY)
    data = value.data
    if isinstance(data, InstanceData) and data.cls.kind is ClassKind.DATACLASS and data.lost is None:
        names = [f.name for f in data.cls.fields if f.name in data.attributes]
        return Value(
            DictData({n: (Value(n), _as_dict(it, data.attributes[n])) for n in names}), value.assumed
        )
    if isinstance(data, ListData) and data.lost is None:
        return Value(ListData(_as_dict(it, v) for v in data.items), value.assumed)
    if isinstance(data, tuple):
        return Value(tuple(_as_dict(it, v) for v in data), value.assumed)
    if isinstance(data, DictData) and data.lost is None:
        return Value(DictData({k: (a, _as_dict(it, b)) for k, (a, b) in data.items.items()}), value.assumed)
    return value


def as_tuple(it: Interpreter, arguments: list[Value], keywords: dict[str, Value]) -> Value:
    data = arguments[0].data
    if isinstance(data, InstanceData) and data.cls.kind is ClassKind.DATACLASS and data.lost is None:
        return Value(tuple(data.attributes[f.name] for f in data.cls.fields), arguments[0].assumed)
    raise CannotEvaluate("astuple() of something that is no dataclass")


def field_list(it: Interpreter, arguments: list[Value], keywords: dict[str, Value]) -> Value:
    """``dataclasses.fields``: objects with a ``name``."""
    data = arguments[0].data
    cls = data.cls if isinstance(data, InstanceData) else data
    if not isinstance(cls, ClassData) or cls.kind is not ClassKind.DATACLASS:
        raise CannotEvaluate("fields() of something that is no dataclass")
    described: list[Value] = []
    for spec in cls.fields:
        instance = InstanceData(ClassData("Field"))
        instance.attributes["name"] = Value(spec.name)
        if spec.default is not None:
            instance.attributes["default"] = spec.default
        described.append(Value(instance))
    return Value(tuple(described))


def named_tuple(it: Interpreter, arguments: list[Value], keywords: dict[str, Value]) -> Value:
    """``collections.namedtuple``."""
    assumed: set[str] = set()
    name, names = plain(arguments[0], assumed), plain(arguments[1], assumed)
    if isinstance(names, str):
        names = names.replace(",", " ").split()
    it.budget.made(len(names), ENTRY)
    defaults = it.iterate(keywords["defaults"]) if "defaults" in keywords else []
    cls = ClassData(str(name), ClassKind.NAMED_TUPLE)
    cls.fields = [FieldSpec(str(n), None) for n in names]
    for spec, default in zip(cls.fields[len(cls.fields) - len(defaults) :], defaults, strict=False):
        spec.default = default
    return Value(cls, noted(assumed))
