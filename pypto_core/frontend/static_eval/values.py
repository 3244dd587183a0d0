"""Values of module-level Python (docs/spec/static-eval.md §2).

A :class:`Value` is a payload (``data``) and the assumptions it went through. Python scalars are their own payload;
tuples and ranges are Python tuples (of values) and ranges; what can be mutated has a class of its own, because aliases
must see the change and an uncertain branch must be able to take it back.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pypto_core.frontend.recovery import ClassSyntax, FunctionSyntax, Statement
    from pypto_core.frontend.static_eval.interpreter import Interpreter
    from pypto_core.frontend.static_eval.scopes import ModuleEnvironment, Scope
    from pypto_core.frontend.syntax import SourceMap
    from pypto_core.ir import Span

Assumptions = frozenset[str]
NO_ASSUMPTIONS: Final[Assumptions] = frozenset()
#: More assumptions than this are not told one by one.
_MOST_ASSUMPTIONS: Final = 32


def noted(assumed: Iterable[str]) -> Assumptions:
    """Assumptions of a value; equal ones are one object, so that many values do not hold many copies."""
    made = frozenset(assumed)
    if not made:
        return NO_ASSUMPTIONS
    if len(made) > _MOST_ASSUMPTIONS:
        made = frozenset({f"more than {_MOST_ASSUMPTIONS} assumptions"})
    return _shared(made)


def joined(one: Assumptions, other: Assumptions) -> Assumptions:
    """The assumptions of two values together."""
    if other <= one:
        return one
    return other if one <= other else noted(one | other)


@lru_cache(maxsize=1024)
def _shared(assumed: Assumptions) -> Assumptions:
    return assumed


class Provenance(Enum):
    """How far a value can be trusted (§1, item 5)."""

    LITERAL = "literal"
    ASSUMED = "assumed"
    UNKNOWN = "unknown"


class Value:
    """One value and the assumptions behind it; immutable, its payload may be a mutable container."""

    __slots__ = ("assumed", "data")

    def __init__(self, data: Any, assumed: Assumptions = NO_ASSUMPTIONS) -> None:
        self.data: Final = data
        self.assumed: Final = assumed

    @property
    def provenance(self) -> Provenance:
        if isinstance(self.data, Unknown):
            return Provenance.UNKNOWN
        return Provenance.ASSUMED if self.assumed else Provenance.LITERAL

    @property
    def is_unknown(self) -> bool:
        return isinstance(self.data, Unknown)

    def assuming(self, assumed: Assumptions) -> Value:
        """The same value with more assumptions."""
        return self if assumed <= self.assumed else Value(self.data, joined(self.assumed, assumed))

    def __repr__(self) -> str:
        from pypto_core.frontend.static_eval.display import show

        return f"Value({show(self)})"


@dataclass(frozen=True, slots=True)
class Unknown:
    """No value: why, the text that has none, and what kind of thing it would be if that is known (§2).

    The kind ``"fault"`` is for an expression that Python itself refuses (division by zero, a missing attribute); a name
    bound to such an expression is merely unknown.
    """

    reason: str
    source: str = ""
    kind: str | None = None


def unknown(reason: str, source: str = "", kind: str | None = None) -> Value:
    return Value(Unknown(reason, source, kind))


class Site:
    """Where something is written; the span is computed on demand. Immutable; made for every assignment, hence no dataclass."""

    __slots__ = ("node", "source")

    def __init__(
        self, source: SourceMap, node: ast.expr | ast.stmt | ast.arg | ast.keyword | ast.alias
    ) -> None:
        self.source: Final = source
        self.node: Final = node

    @property
    def span(self) -> Span:
        return self.source.span(self.node)

    @property
    def text(self) -> str:
        return self.source.source(self.node)


# -- containers --------------------------------------------------------------------------------------------------------


class MutableData:
    """Base of what aliases share. ``lost`` is set when the contents are no longer known."""

    __slots__ = ("lost",)

    def __init__(self) -> None:
        self.lost: Unknown | None = None

    @property
    def extent(self) -> int:
        """How many elements :meth:`peek` copies for the whole object."""
        return 0

    def peek(self, key: str | None) -> Any:
        """State of one slot (``None``: the whole object) for taking a change back."""
        raise NotImplementedError

    def poke(self, key: str | None, state: Any) -> None:
        raise NotImplementedError


class ListData(MutableData):
    __slots__ = ("items",)

    def __init__(self, items: Iterable[Value] = ()) -> None:
        super().__init__()
        self.items: list[Value] = list(items)

    @property
    def extent(self) -> int:
        return len(self.items)

    def peek(self, key: str | None) -> Any:
        return (self.lost, list(self.items))

    def poke(self, key: str | None, state: Any) -> None:
        self.lost, items = state
        self.items = list(items)


class DictData(MutableData):
    """``items`` maps a hashable stand-in of the key to (key, value); ``factory`` makes it a ``defaultdict``."""

    __slots__ = ("factory", "items")

    def __init__(
        self, items: Mapping[Any, tuple[Value, Value]] | None = None, factory: Value | None = None
    ) -> None:
        super().__init__()
        self.items: dict[Any, tuple[Value, Value]] = dict(items or {})
        self.factory = factory

    @property
    def extent(self) -> int:
        return len(self.items)

    def peek(self, key: str | None) -> Any:
        return (self.lost, dict(self.items))

    def poke(self, key: str | None, state: Any) -> None:
        self.lost, items = state
        self.items = dict(items)


class SetData(MutableData):
    __slots__ = ("frozen", "items")

    def __init__(self, items: Mapping[Any, Value] | None = None, frozen: bool = False) -> None:
        super().__init__()
        self.items: dict[Any, Value] = dict(items or {})
        self.frozen = frozen

    @property
    def extent(self) -> int:
        return len(self.items)

    def peek(self, key: str | None) -> Any:
        return (self.lost, dict(self.items))

    def poke(self, key: str | None, state: Any) -> None:
        self.lost, items = state
        self.items = dict(items)


class IteratorData(MutableData):
    """An iterator or generator expression over values that were computed already."""

    __slots__ = ("items", "position")

    def __init__(self, items: Iterable[Value]) -> None:
        super().__init__()
        self.items: list[Value] = list(items)
        self.position = 0

    def peek(self, key: str | None) -> Any:
        return (self.lost, self.position)

    def poke(self, key: str | None, state: Any) -> None:
        self.lost, self.position = state


# -- names of libraries ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class External:
    """Something of a library that is not modelled (``torch``, ``argparse``)."""

    name: str


@dataclass(frozen=True, slots=True)
class LibraryName:
    """A name of a modelled library that has no value of its own (``typing.Optional``, ``os.path``)."""

    path: str


@dataclass(frozen=True, slots=True)
class PlSymbol:
    """A dotted name below ``pl`` or ``pld`` that is no dtype and no enumeration member (``pl.Mem``, ``pl.jit.inline``)."""

    path: tuple[str, ...]

    @property
    def text(self) -> str:
        return ".".join(self.path)


@dataclass(frozen=True, slots=True)
class DynVar:
    """``pl.dynamic("M")``: one symbol per string."""

    name: str


@dataclass(frozen=True, slots=True)
class DimExpr:
    """Arithmetic over symbols and ints: ``M + 1`` at module level; ``op`` is one of ``+ - * // % neg``."""

    op: str
    operands: tuple[DimExpr | DynVar | int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class TypeValue:
    """An annotation kept in a name: ``KV = pl.Tensor[[N, 64], DT]``; read it again from its syntax in its scope (§5.7)."""

    head: str
    node: ast.expr
    scope: Scope
    site: Site


@dataclass(frozen=True, slots=True, eq=False)
class MemRefDecl:
    """``pl.MemRef()`` / ``pl.MemRef("name")`` / ``pl.MemRef(slots=N)``; every declaration is its own allocation."""

    name: str | None
    slots: int
    site: Site


@dataclass(frozen=True, slots=True)
class PathData:
    """A ``pathlib`` path; pure string arithmetic."""

    text: str


class VersionInfo(tuple[Any, ...]):
    """``sys.version_info``: a tuple of values whose parts have names."""

    __slots__ = ()
    names = ("major", "minor", "micro")


# -- functions and classes ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class BuiltinFunction:
    """A modelled callable; ``python_type`` is set where it is a type for ``isinstance``."""

    name: str
    call: Callable[[Interpreter, list[Value], dict[str, Value]], Value]
    python_type: type | None = None


@dataclass(frozen=True, slots=True, eq=False)
class PyFunction:
    """A plain function or lambda of the user; ``defaults`` by parameter name.

    ``body`` holds the statements with the maps of their texts; the body of ``node`` itself may be empty.
    """

    name: str
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: Scope
    source: SourceMap
    body: Sequence[Statement]
    defaults: Mapping[str, Value]
    role: str = "function"  # or property, staticmethod, classmethod

    @property
    def site(self) -> Site:
        return Site(self.source, self.node)


@dataclass(frozen=True, slots=True, eq=False)
class KernelDecorator:
    """``pl.jit.incore(level=...)`` waiting for its function."""

    form: str
    keywords: Mapping[str, Value]


#: Decorator path below ``pl`` -> kernel form.
KERNEL_FORMS: Final = frozenset(
    {
        "jit",
        "jit.host",
        "jit.incore",
        "jit.inline",
        "jit.opaque",
        "jit.extern",
        "function",
        "inline",
        "program",
    }
)


@dataclass(slots=True, eq=False)
class KernelFunction:
    """A function under ``@pl.jit*``, ``@pl.function`` or ``@pl.inline``.

    ``scope`` is the defining scope, ``order`` the moment of decoration (§4.4), ``owner`` the class around it. ``syntax`` follows
    edits of the body (:meth:`ModuleGraph.follow`); nothing else ever changes.
    """

    name: str
    form: str
    syntax: FunctionSyntax
    decorator: ast.expr
    keywords: Mapping[str, Value]
    scope: Scope
    order: int
    owner: str | None = None

    @property
    def node(self) -> ast.FunctionDef | ast.AsyncFunctionDef:
        return self.syntax.node

    @property
    def source(self) -> SourceMap:
        return self.syntax.source

    @property
    def module(self) -> ModuleEnvironment:
        return self.scope.module

    @property
    def site(self) -> Site:
        return Site(self.source, self.node)


@dataclass(slots=True, eq=False)
class ProgramClass:
    """A class under ``@pl.program``; ``syntax`` follows edits of its members as a :class:`KernelFunction`'s does."""

    name: str
    syntax: ClassSyntax
    decorator: ast.expr
    keywords: Mapping[str, Value]
    scope: Scope
    order: int

    @property
    def source(self) -> SourceMap:
        return self.syntax.source

    @property
    def node(self) -> ast.ClassDef:
        return self.syntax.node

    @property
    def module(self) -> ModuleEnvironment:
        return self.scope.module

    @property
    def site(self) -> Site:
        return Site(self.source, self.node)


class ClassKind(Enum):
    PLAIN = "plain"
    DATACLASS = "dataclass"
    ENUM = "enum"
    INT_ENUM = "int enum"
    NAMED_TUPLE = "named tuple"
    TYPED_DICT = "typed dict"
    EXCEPTION = "exception"


@dataclass(slots=True)
class FieldSpec:
    """One field of a dataclass or named tuple."""

    name: str
    site: Site | None
    default: Value | None = None
    factory: Value | None = None
    init: bool = True
    keyword_only: bool = False
    compare: bool = True


class ClassData(MutableData):
    """A class of the user; ``namespace`` holds its attributes, ``bases`` the evaluated classes it inherits from."""

    __slots__ = ("annotated", "bases", "fields", "kind", "members", "name", "namespace", "opaque", "sites")

    def __init__(self, name: str, kind: ClassKind = ClassKind.PLAIN) -> None:
        super().__init__()
        self.name = name
        self.kind = kind
        self.bases: tuple[ClassData, ...] = ()
        self.namespace: dict[str, Value] = {}
        self.sites: dict[str, Site] = {}
        self.annotated: dict[
            str, Site
        ] = {}  # annotated names of the class body, in order, where they are written
        self.fields: list[FieldSpec] = []
        self.members: list[InstanceData] = []
        self.opaque: Unknown | None = None  # an unknown base: instances are unknown

    def find(self, name: str) -> Value | None:
        """Attribute of the class or of its bases, depth first (single inheritance in practice)."""
        found = self.namespace.get(name)
        if found is not None:
            return found
        for base in self.bases:
            found = base.find(name)
            if found is not None:
                return found
        return None

    def find_site(self, name: str) -> Site | None:
        site = self.sites.get(name)
        if site is not None:
            return site
        for base in self.bases:
            site = base.find_site(name)
            if site is not None:
                return site
        return None

    def derives_from(self, other: ClassData) -> bool:
        return self is other or any(base.derives_from(other) for base in self.bases)

    def peek(self, key: str | None) -> Any:
        return self.namespace.get(key) if key is not None else (self.lost, dict(self.namespace))

    def poke(self, key: str | None, state: Any) -> None:
        if key is None:
            self.lost, namespace = state
            self.namespace = dict(namespace)
        elif state is None:
            self.namespace.pop(key, None)
        else:
            self.namespace[key] = state


class InstanceData(MutableData):
    """An object of a user's class; ``sites`` says where each attribute was given."""

    __slots__ = ("attributes", "cls", "sites")

    def __init__(self, cls: ClassData) -> None:
        super().__init__()
        self.cls = cls
        self.attributes: dict[str, Value] = {}
        self.sites: dict[str, Site] = {}

    def peek(self, key: str | None) -> Any:
        return self.attributes.get(key) if key is not None else (self.lost, dict(self.attributes))

    def poke(self, key: str | None, state: Any) -> None:
        if key is None:
            self.lost, attributes = state
            self.attributes = dict(attributes)
        elif state is None:
            self.attributes.pop(key, None)
        else:
            self.attributes[key] = state


@dataclass(frozen=True, slots=True, eq=False)
class BoundMethod:
    function: PyFunction
    owner: Value


@dataclass(frozen=True, slots=True, eq=False)
class SuperProxy:
    """``super()`` inside a method: attributes come from the bases of ``cls``."""

    cls: ClassData
    owner: Value


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """``functools.partial``."""

    function: Value
    arguments: tuple[Value, ...]
    keywords: Mapping[str, Value] = field(default_factory=dict)


SCALARS: Final = (bool, int, float, str, bytes, type(None))
