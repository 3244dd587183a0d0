"""Scopes, symbols and uses: what the names of a Python file are made of (docs/spec/design/ide.md, "The rest a person expects")."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum

from pypto_core.frontend.per_item import Item
from pypto_core.ir import Chunk, Span


class Role(Enum):
    """What an identifier does at its place."""

    WRITE = "write"
    READ = "read"
    PARAMETER = "parameter"
    IMPORT = "import"
    DEFINITION = "definition"
    ATTRIBUTE = "attribute"
    KEYWORD = "keyword"
    IMPORTED = "imported"  # the name in the other module, where an import gives it another one here

    @property
    def binds(self) -> bool:
        """Whether an identifier in this role gives its name a meaning."""
        return self in (Role.WRITE, Role.PARAMETER, Role.IMPORT, Role.DEFINITION)


#: Roles of identifiers that no scope of the file resolves.
NOT_NAMES = frozenset({Role.ATTRIBUTE, Role.KEYWORD, Role.IMPORTED})


class Kind(Enum):
    """What a symbol is."""

    VARIABLE = "variable"
    CONSTANT = "constant"
    PARAMETER = "parameter"
    FUNCTION = "function"
    CLASS = "class"
    IMPORT = "import"


@dataclass(slots=True, eq=False)
class Scope:
    """``kind``: module, class, function or comprehension. Names of a class are not seen by the functions inside it."""

    kind: str
    name: str
    parent: Scope | None
    symbols: dict[str, Symbol] = field(default_factory=dict)
    outer: dict[str, str] = field(default_factory=dict)  # names declared global or nonlocal
    function: FunctionInfo | None = None

    @property
    def enclosing_function(self) -> FunctionInfo | None:
        """The innermost function around the scope, None at module level."""
        scope: Scope | None = self
        while scope is not None:
            if scope.function is not None:
                return scope.function
            scope = scope.parent
        return None


@dataclass(frozen=True, slots=True)
class Imported:
    """``from module import attribute``, or a whole module (``attribute`` None); leading dots as written."""

    module: str
    attribute: str | None


@dataclass(slots=True, eq=False)
class Symbol:
    """One name of one scope with all its uses in the file, in source order."""

    name: str
    kind: Kind
    scope: Scope
    #: The uses known so far, and how to find the rest (names of a module are used in many statements).
    found: list[Use] = field(default_factory=list)
    gather: Callable[[], list[Use]] | None = None
    imported: Imported | None = None
    function: FunctionInfo | None = None

    @property
    def uses(self) -> list[Use]:
        """Every use, definitions included; collected when first asked for."""
        if self.gather is not None:
            self.found, self.gather = self.gather(), None
        return self.found

    @property
    def definitions(self) -> list[Use]:
        """The uses that bind it."""
        return [use for use in self.uses if use.role.binds]


@dataclass(slots=True, eq=False)
class Use:
    """One identifier in the text. ``symbol`` is None for names that only the module, or nobody, binds.

    ``base`` is what stands before the dot of an attribute, ``call`` the call that a keyword belongs to, ``imported`` what an import names.
    """

    span: Span
    name: str
    role: Role
    scope: Scope
    symbol: Symbol | None = None
    base: Use | None = None
    call: CallSite | None = None
    imported: Imported | None = None

    @property
    def path(self) -> tuple[str, ...]:
        """``("pl", "tile", "load")`` for ``load`` in ``pl.tile.load``."""
        return (*self.base.path, self.name) if self.base is not None else (self.name,)

    @property
    def root(self) -> Use:
        """The first name of a dotted path: ``pl`` of ``pl.tile.load``."""
        return self.base.root if self.base is not None else self


@dataclass(slots=True, eq=False)
class Argument:
    """One argument of a call: its text, and the keyword in front of it (empty for a positional one)."""

    span: Span
    keyword: str = ""
    starred: bool = False


@dataclass(slots=True, eq=False)
class CallSite:
    """A call whose callee is a dotted name; ``callee`` is the use of its last part."""

    span: Span
    callee: Use
    arguments: list[Argument]


@dataclass(slots=True, eq=False)
class Parameter:
    """A parameter as written."""

    name: str
    span: Span
    annotation: str
    default: str
    keyword_only: bool = False
    prefix: str = ""

    @property
    def label(self) -> str:
        text = self.prefix + self.name
        if self.annotation:
            text += f": {self.annotation}"
        if self.default:
            text += f" = {self.default}" if self.annotation else f"={self.default}"
        return text


@dataclass(slots=True, eq=False)
class FunctionInfo:
    """A function: where it stands, what it takes, what decorates it. ``owner`` is the class around it."""

    name: str
    use: Use
    header: Span
    last: Span
    parameters: list[Parameter]
    returns: str
    decorators: list[tuple[str, ...]]
    doc: str
    owner: str = ""
    nested: bool = False
    calls: list[CallSite] = field(default_factory=list)

    @property
    def first_line(self) -> int:
        """0-based line of the first decorator or of ``def``."""
        return self.header.line - 1

    @property
    def last_line(self) -> int:
        return self.last.end_line - 1

    def signature(self) -> str:
        result = f" -> {self.returns}" if self.returns else ""
        return f"{self.name}({', '.join(p.label for p in self.shown_parameters)}){result}"

    @property
    def shown_parameters(self) -> list[Parameter]:
        """Without ``self``."""
        return (
            self.parameters[1:]
            if self.owner and self.parameters[:1] and self.parameters[0].name == "self"
            else self.parameters
        )


@dataclass(slots=True, eq=False)
class ClassInfo:
    """A class with the functions in it."""

    name: str
    use: Use
    header: Span
    last: Span
    decorators: list[tuple[str, ...]]
    doc: str
    functions: list[FunctionInfo] = field(default_factory=list)

    @property
    def first_line(self) -> int:
        return self.header.line - 1

    @property
    def last_line(self) -> int:
        return self.last.end_line - 1


@dataclass(slots=True, eq=False)
class ItemNames:
    """What one top-level statement contributes. ``free`` are uses that its own scopes do not bind."""

    item: Item
    module: Scope
    uses: list[Use] = field(default_factory=list)
    free: list[Use] = field(default_factory=list)
    imports: dict[str, Imported] = field(default_factory=dict)
    functions: list[FunctionInfo] = field(default_factory=list)
    classes: list[ClassInfo] = field(default_factory=list)
    calls: list[CallSite] = field(default_factory=list)
    stars: list[str] = field(default_factory=list)
    by_chunk: dict[int, tuple[Chunk, list[int], list[Use]]] = field(default_factory=dict)
    #: Free uses that bind a name of the module; what import statements name, in functions too; free uses by name; all in source order.
    bindings: list[Use] = field(default_factory=list)
    imported: list[Imported] = field(default_factory=list)
    by_name: dict[str, list[Use]] = field(default_factory=dict)
    _attributes: dict[str, set[tuple[str, ...]]] | None = None

    def attributes(self, root: str) -> set[tuple[str, ...]]:
        """``{("b", "c"), ("b",)}`` for ``root.b.c`` where no scope of the statement binds ``root``."""
        if self._attributes is None:
            found: dict[str, set[tuple[str, ...]]] = {}
            for use in self.uses:
                if use.role is Role.ATTRIBUTE and use.root.symbol is None:
                    first, *rest = use.path
                    found.setdefault(first, set()).add(tuple(rest))
            self._attributes = found
        return self._attributes.get(root, set())

    def index(self) -> None:
        """Make the lookup by place and by name."""
        for use in self.free:
            self.by_name.setdefault(use.name, []).append(use)
            if use.role is not Role.READ and use.role.binds:
                self.bindings.append(use)
        self.imported = [use.imported for use in self.uses if use.imported is not None]
        groups: dict[int, tuple[Chunk, list[Use]]] = {}
        for use in self.uses:
            chunk = use.span.chunk
            assert chunk is not None
            groups.setdefault(id(chunk), (chunk, []))[1].append(use)
        for key, (chunk, uses) in groups.items():
            uses.sort(key=lambda u: u.span.start)
            self.by_chunk[key] = (chunk, [u.span.start for u in uses], uses)

    def at(self, line: int, column: int) -> Use | None:
        """The identifier at a 0-based place; the one that ends there counts when none begins."""
        for chunk, starts, uses in self.by_chunk.values():
            if not chunk.first_line <= line < chunk.first_line + max(len(chunk.line_starts()), 1):
                continue
            offset = chunk.offset(line, column)
            place = bisect_right(starts, offset) - 1
            if place >= 0 and uses[place].span.end >= offset and uses[place].span.line - 1 == line:
                return uses[place]
        return None


def home_of(use: Use) -> Scope:
    """Scope in which a use begins its search, or binds: comprehensions keep their targets, ``global`` goes to the module."""
    scope = use.scope
    declared = scope.outer.get(use.name)
    if declared is None:
        return scope
    outer: Scope = scope
    if declared == "global":
        while outer.parent is not None:
            outer = outer.parent
        return outer
    found = scope.parent
    while found is not None and found.parent is not None:
        if found.kind == "function" and use.name in found.symbols:
            return found
        found = found.parent
    return scope


def docstring(body: Sequence[ast.stmt]) -> str:
    """The documentation string at the head of a body, indentation removed."""
    first = body[0] if body else None
    if (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    ):
        import inspect

        return inspect.cleandoc(first.value.value)
    return ""
