"""Names of a Python file: its scopes linked, and every use found by its place (docs/spec/design/ide.md, "The rest a person expects").

The scoping rules are Python's. Each top-level statement is read once and its result kept as long as the statement stands
(:class:`NamesMemory`); a file is linked from these parts, so an edit costs one statement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import compress
from threading import Lock

from pypto_core.engine.name_reader import read_item
from pypto_core.engine.scopes import (
    NOT_NAMES,
    CallSite,
    ClassInfo,
    FunctionInfo,
    Imported,
    ItemNames,
    Kind,
    Role,
    Scope,
    Symbol,
    Use,
)
from pypto_core.frontend.chunk_table import same_ends
from pypto_core.frontend.per_item import Item
from pypto_core.frontend.recovery import FileSyntax


class FileNames:
    """The names of one version of a file."""

    def __init__(
        self, path: str, items: Sequence[ItemNames], importing: Sequence[ItemNames] | None = None
    ) -> None:
        self.path = path
        self.items = items
        #: The items with imports.
        self.importing = [i for i in items if _imports(i)] if importing is None else importing
        self._module: Scope | None = None
        self._linking = Lock()

    @property
    def module(self) -> Scope:
        """The names of the module, linked when somebody asks for them."""
        if self._module is None:
            with self._linking:
                if self._module is None:
                    self._module = self._linked()
        return self._module

    def _linked(self) -> Scope:
        module = Scope("module", "", None)
        for item in self.items:
            for use in item.bindings:
                self._bind(module, use, item)
        return module

    def _bind(self, module: Scope, use: Use, item: ItemNames) -> None:
        name = use.name
        symbol = module.symbols.get(name)
        if symbol is None:
            symbol = Symbol(name, _module_kind(use, item), module, gather=lambda: self._free(name))
            module.symbols[name] = symbol
        if use.role is Role.IMPORT:
            symbol.imported = item.imports.get(name)
            symbol.kind = Kind.IMPORT
        elif use.role is Role.DEFINITION:
            symbol.function = next((f for f in item.functions if f.use is use), None)

    def _free(self, name: str) -> list[Use]:
        return [use for item in self.items for use in item.by_name.get(name, ())]

    # ----------------------------------------------------------------------------------------------------- lookup
    def at(self, line: int, column: int) -> Use | None:
        """The identifier at a 0-based place."""
        for item in self.items:
            found = item.at(line, column)
            if found is not None:
                return found
        return None

    def symbol(self, use: Use) -> Symbol | None:
        """What a plain name means; None for attributes, keywords and names that nobody binds."""
        if use.role in NOT_NAMES:
            return None
        return use.symbol or self.module.symbols.get(use.name)

    def uses_of(self, symbol: Symbol) -> list[Use]:
        """Every use of what a name means, definitions included."""
        return symbol.uses

    def all_uses(self) -> Iterator[Use]:
        """Every identifier of the file, attributes and keywords included."""
        for item in self.items:
            yield from item.uses

    @property
    def functions(self) -> list[FunctionInfo]:
        """Functions and methods, nested ones included."""
        return [f for item in self.items for f in item.functions]

    @property
    def classes(self) -> list[ClassInfo]:
        """Classes, nested ones included."""
        return [c for item in self.items for c in item.classes]

    @property
    def calls(self) -> Iterator[CallSite]:
        """Every call that is written in the file."""
        return (c for item in self.items for c in item.calls)

    @property
    def stars(self) -> list[str]:
        """Modules of ``from module import *``."""
        return [star for item in self.importing for star in item.stars]

    def function_at(self, line: int) -> FunctionInfo | None:
        """The innermost function around a 0-based line."""
        best: FunctionInfo | None = None
        for function in self.functions:
            if function.first_line <= line <= function.last_line and (
                best is None or function.first_line >= best.first_line
            ):
                best = function
        return best

    def class_named(self, name: str) -> ClassInfo | None:
        """The first class of this name, None when there is none."""
        return next((c for c in self.classes if c.name == name), None)

    def method(self, use: Use) -> FunctionInfo | None:
        """The method that ``self.name`` means inside a class of the file."""
        if use.role is not Role.ATTRIBUTE or use.base is None or use.base.base is not None:
            return None
        function = use.scope.enclosing_function
        while function is not None and not function.owner:
            parent = function.use.scope.enclosing_function
            function = parent
        if function is None:
            return None
        first = function.parameters[0].name if function.parameters else ""
        # Printed IR reads a ``self`` that its functions do not declare.
        printed = use.base.name == "self" and self.symbol(use.base) is None
        if use.base.name != first and not printed:
            return None
        owner = self.class_named(function.owner)
        return next((f for f in owner.functions if f.name == use.name), None) if owner is not None else None

    def visible(self, line: int) -> dict[str, Symbol]:
        """Names that can be read at a 0-based line, innermost first."""
        found: dict[str, Symbol] = {}
        function = self.function_at(line)
        scope: Scope | None = None
        if function is not None:
            scope = next(
                (u.scope for item in self.items for u in item.uses if u.scope.function is function), None
            )
        while scope is not None:
            if scope.kind != "class" and scope.kind != "module":
                for name, symbol in scope.symbols.items():
                    found.setdefault(name, symbol)
            scope = scope.parent
        for name, symbol in self.module.symbols.items():
            found.setdefault(name, symbol)
        return found

    # ------------------------------------------------------------------------------------------ the language's names
    def language_path(self, use: Use) -> str:
        """Catalogue path of a name of the language: ``pl.tile.load`` however the file calls ``pl``; empty for other names."""
        symbol = self.symbol(use.root)
        parts = use.path
        if symbol is None:
            known = parts[0] in ("pl", "pld") and not self.module.symbols.get(parts[0])
            return ".".join(parts) if known else ""
        if symbol.imported is None:
            return ""
        return language_path(symbol.imported, parts)

    def alias_path(self, written: str) -> str:
        """The same for a dotted text that stands outside any tree (a line that is being typed)."""
        parts = tuple(written.split("."))
        symbol = self.module.symbols.get(parts[0])
        if symbol is None:
            return written if parts[0] in ("pl", "pld") else ""
        return language_path(symbol.imported, parts) if symbol.imported is not None else ""

    def alias_of(self, namespace: str) -> str:
        """How the file calls ``pl`` or ``pld``; the usual name when it imports neither."""
        for name, symbol in self.module.symbols.items():
            if symbol.imported is not None and language_path(symbol.imported, (name,)) == namespace:
                return name
        return namespace


_MODULES = {"pypto.language": "pl", "pypto.language.distributed": "pld", "pypto": "pypto"}


def language_path(imported: Imported, parts: tuple[str, ...]) -> str:
    """Catalogue path of ``parts`` when their first was imported so; empty when it is not of the language."""
    module = imported.module
    rest = parts[1:]
    if imported.attribute is not None:
        whole = _MODULES.get(f"{module}.{imported.attribute}")
        if whole is None:
            base = _MODULES.get(module)
            if base is None or base == "pypto":
                return ""
            return ".".join((base, imported.attribute, *rest))
    else:
        whole = _MODULES.get(module)
        if whole is None:
            return ""
    path = ".".join((whole, *rest))
    for prefix, short in (("pypto.language", "pl"), ("pl.distributed", "pld")):
        if path == prefix or path.startswith(prefix + "."):
            path = short + path[len(prefix) :]
    return "" if path.split(".")[0] == "pypto" else path


def _module_kind(use: Use, item: ItemNames) -> Kind:
    if use.role is Role.DEFINITION:
        return Kind.CLASS if any(c.use is use for c in item.classes) else Kind.FUNCTION
    return Kind.IMPORT if use.role is Role.IMPORT else Kind.CONSTANT


class NamesMemory:
    """Names of the statements of one file, beside their trees."""

    def __init__(self) -> None:
        self._items: list[Item] = []
        self._names: list[ItemNames] = []
        self._importing: list[bool] = []

    def read(self, path: str, syntax: FileSyntax) -> FileNames:
        before, behind = same_ends(self._items, syntax.items)
        gone = slice(before, len(self._items) - behind)
        known = {id(names.item): names for names in self._names[gone]}
        new = [
            known.get(id(item)) or read_item(item)
            for item in syntax.items[before : len(syntax.items) - behind]
        ]
        self._names = [*self._names[:before], *new, *self._names[gone.stop :]]
        self._importing[gone] = map(_imports, new)
        self._items = syntax.items
        return FileNames(path, self._names, list(compress(self._names, self._importing)))


def _imports(item: ItemNames) -> bool:
    return bool(item.imported or item.imports or item.stars)


def read_names(path: str, syntax: FileSyntax, checkpoint: Callable[[], None] | None = None) -> FileNames:
    """Names of a file that is read once; ``checkpoint`` is called between statements and may raise."""
    names = []
    for item in syntax.items:
        if checkpoint is not None:
            checkpoint()
        names.append(read_item(item))
    return FileNames(path, names)


def imported_modules(names: FileNames) -> set[str]:
    """Modules that the import statements of a file may mean, as written: ``from a import b`` may mean the module ``a.b``."""
    found = set(names.stars)
    whole: set[str] = set()
    for item in names.importing:
        for name, imported in item.imports.items():
            if imported.attribute is None and not imported.module.startswith("pypto"):
                whole.add(name)
        for imported in item.imported:
            module, attribute = imported.module, imported.attribute
            found.add(module)
            if attribute is not None:
                found.add(f"{module}{'' if module.endswith('.') else '.'}{attribute}")
    for name in whole:
        symbol = names.module.symbols.get(name)
        if symbol is not None and symbol.imported is not None and symbol.imported.attribute is None:
            for item in names.items:
                found.update(".".join((symbol.imported.module, *rest)) for rest in item.attributes(name))
    return {m for m in found if m and not m.startswith("pypto")}
