"""What a use of a name refers to, across files, and who else refers to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from pypto_core.engine.names import FileNames
from pypto_core.engine.scopes import ClassInfo, FunctionInfo, Imported, Kind, Role, Symbol, Use
from pypto_core.ir import Span

#: Path of a file -> its names; None when there is no such file.
NamesOf = Callable[[str], "FileNames | None"]
#: (importing file, module as written) -> path.
ModulePath = Callable[[str, str], "str | None"]
_DEPTH = 8


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """Where something is defined: ``names`` of its file, its place (None: the whole file), and what it is."""

    names: FileNames
    name: str
    span: Span | None
    symbol: Symbol | None = None
    function: FunctionInfo | None = None
    cls: ClassInfo | None = None

    @property
    def is_module(self) -> bool:
        return self.span is None

    @property
    def thing(self) -> object:
        """The same object for everything that refers to the same thing."""
        if self.symbol is not None:
            return self.symbol
        return self.function if self.function is not None else self.names.path


class Finder:
    """Follows names through imports."""

    def __init__(self, names_of: NamesOf, module_path: ModulePath) -> None:
        self._names_of = names_of
        self._module_path = module_path

    # ---------------------------------------------------------------------------------------------------- definitions
    def target(self, names: FileNames, use: Use) -> Target | None:
        """What a use refers to; None for names of the language, builtins, and what cannot be found."""
        if names.language_path(use):
            return None
        if use.role is Role.KEYWORD:
            return self._parameter(names, use)
        if use.role is Role.IMPORTED and use.imported is not None:
            return self._imported(names.path, use.imported, 0)
        if use.role is Role.ATTRIBUTE:
            return self._attribute(names, use)
        symbol = names.symbol(use)
        if symbol is None:
            return self._from_star(names, use.name, 0)
        if symbol.imported is not None:
            return self._imported(names.path, symbol.imported, 0)
        return self._symbol(names, symbol, use)

    def function(self, names: FileNames, use: Use) -> Target | None:
        """The function that a callee names."""
        found = self.target(names, use)
        return found if found is not None and found.function is not None else None

    def _symbol(self, names: FileNames, symbol: Symbol, use: Use | None = None) -> Target | None:
        definitions = symbol.definitions
        if not definitions:
            return None
        chosen = definitions[0]
        if use is not None and use.role.binds:
            chosen = use
        elif use is not None and symbol.scope is not names.module:
            place = (use.span.line, use.span.column)
            for definition in definitions:
                if (
                    definition.span.line,
                    definition.span.column,
                ) < place and definition.span.line < use.span.line:
                    chosen = definition
        cls = names.class_named(symbol.name) if symbol.kind is Kind.CLASS else None
        return Target(names, symbol.name, chosen.span, symbol, symbol.function, cls)

    def _attribute(self, names: FileNames, use: Use) -> Target | None:
        method = names.method(use)
        if method is not None:
            return Target(names, method.name, method.use.span, None, method)
        if use.base is None:
            return None
        base = self._module_of(names, use.base) or self.target(names, use.base)
        if base is None:
            return None
        if base.is_module:
            return self._in_module(base.names, use.name, 0)
        if base.cls is not None:
            found = next((f for f in base.cls.functions if f.name == use.name), None)
            return Target(base.names, use.name, found.use.span, None, found) if found is not None else None
        return None

    def _module_of(self, names: FileNames, use: Use) -> Target | None:
        """``import a.b``: the name ``a.b`` is a module although only ``a`` is bound."""
        symbol = names.symbol(use.root)
        if (
            symbol is None
            or symbol.imported is None
            or symbol.imported.attribute is not None
            or use.base is None
        ):
            return None
        return self._module(names.path, ".".join((symbol.imported.module, *use.path[1:])))

    def _imported(self, importer: str, imported: Imported, depth: int) -> Target | None:
        if imported.attribute is None:
            return self._module(importer, imported.module)
        dotted = imported.module
        joined = f"{dotted}{'' if dotted.endswith('.') else '.'}{imported.attribute}"
        module = self._module(importer, imported.module)
        if module is not None:
            found = self._in_module(module.names, imported.attribute, depth)
            if found is not None:
                return found
        return self._module(importer, joined)

    def _module(self, importer: str, module: str) -> Target | None:
        path = self._module_path(importer, module)
        names = self._names_of(path) if path is not None else None
        return Target(names, module.rpartition(".")[2], None) if names is not None else None

    def _in_module(self, names: FileNames, name: str, depth: int) -> Target | None:
        symbol = names.module.symbols.get(name)
        if symbol is None:
            return self._from_star(names, name, depth + 1)
        if symbol.imported is not None and depth < _DEPTH:
            return self._imported(names.path, symbol.imported, depth + 1)
        return self._symbol(names, symbol)

    def _from_star(self, names: FileNames, name: str, depth: int) -> Target | None:
        if depth >= _DEPTH or name.startswith("_"):
            return None
        for star in names.stars:
            module = self._module(names.path, star)
            if module is not None and module.names is not names:
                found = self._in_module(module.names, name, depth + 1)
                if found is not None:
                    return found
        return None

    def _parameter(self, names: FileNames, use: Use) -> Target | None:
        callee = self.function(names, use.call.callee) if use.call is not None else None
        if callee is None or callee.function is None:
            return None
        for found in callee.names.all_uses():
            if (
                found.role is Role.PARAMETER
                and found.name == use.name
                and found.scope.function is callee.function
            ):
                return Target(callee.names, use.name, found.span, found.symbol)
        return None

    # ---------------------------------------------------------------------------------------------------- references
    def references(self, target: Target, files: Iterable[FileNames]) -> Iterator[tuple[FileNames, Use]]:
        """Uses of what ``target`` is in some files, definitions included. A local value stays in its own file."""
        if is_local(target):
            assert target.symbol is not None
            yield from ((target.names, use) for use in target.symbol.uses)
            return
        for names in files:
            wanted = {target.name, *self._aliases(names, target)}
            for use in names.all_uses():
                if use.name in wanted:
                    found = self.target(names, use)
                    if found is not None and found.thing is target.thing:
                        yield names, use

    def _aliases(self, names: FileNames, target: Target) -> Iterator[str]:
        """Other names of the target in a file that imports it."""
        for name, symbol in names.module.symbols.items():
            if (
                symbol.imported is not None
                and symbol.imported.attribute == target.name
                and name != target.name
            ):
                yield name


def is_local(target: Target) -> bool:
    """Whether nothing outside the function can name it; parameters can be named by keyword."""
    symbol = target.symbol
    return (
        symbol is not None and symbol.scope is not target.names.module and symbol.kind is not Kind.PARAMETER
    )
