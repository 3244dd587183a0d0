"""Finding the text of imported modules (docs/spec/static-eval.md §3.1).

A :class:`ModuleResolver` answers "which file does this import mean"; nothing is imported. :class:`FileResolver` looks in
directories through a :class:`FileSystem`, :class:`TextResolver` asks a function from module name to text.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from pypto_core.frontend.recovery import FileSyntax
from pypto_core.frontend.units import parse_file


@dataclass(slots=True)
class ModuleFile:
    """A module as text. ``filename`` is its identity; the syntax is made once, on demand."""

    name: str
    filename: str
    text: str
    is_package: bool = False
    _syntax: FileSyntax | None = field(default=None, repr=False)

    @property
    def syntax(self) -> FileSyntax:
        if self._syntax is None:
            self._syntax = parse_file(self.filename, self.text)
        return self._syntax

    def replace_syntax(self, syntax: FileSyntax) -> None:
        """The file has been edited."""
        self._syntax = syntax

    @property
    def package(self) -> str:
        """Name of the package that relative imports start from."""
        return self.name if self.is_package else self.name.rpartition(".")[0]


class ModuleResolver(Protocol):
    """Where modules come from."""

    def find(self, name: str, importer: ModuleFile, root: ModuleFile) -> ModuleFile | None:
        """Module of an absolute import."""
        ...

    def find_relative(self, level: int, name: str, importer: ModuleFile) -> ModuleFile | None:
        """Module of ``from ..name import``; ``level`` counts the dots."""
        ...

    def find_in(self, package: ModuleFile, name: str) -> ModuleFile | None:
        """Submodule ``name`` of a package."""
        ...

    def exists(self, path: str) -> bool | None:
        """Whether there is a file or directory; None when that cannot be told."""
        ...


class NoModules:
    """Nothing can be found."""

    def find(self, name: str, importer: ModuleFile, root: ModuleFile) -> ModuleFile | None:
        return None

    def find_relative(self, level: int, name: str, importer: ModuleFile) -> ModuleFile | None:
        return None

    def find_in(self, package: ModuleFile, name: str) -> ModuleFile | None:
        return None

    def exists(self, path: str) -> bool | None:
        return None


class TextResolver:
    """Modules given by a function from dotted name to source text (None: no such module).

    A name counts as a package when a text asks for something below it.
    """

    def __init__(self, text_of: Callable[[str], str | None]) -> None:
        self._text_of = text_of
        self._found: dict[str, ModuleFile | None] = {}

    def _module(self, name: str) -> ModuleFile | None:
        if name not in self._found:
            text = self._text_of(name)
            filename = name.replace(".", "/") + ".py"
            self._found[name] = ModuleFile(name, filename, text) if text is not None else None
        return self._found[name]

    def find(self, name: str, importer: ModuleFile, root: ModuleFile) -> ModuleFile | None:
        return self._module(name)

    def find_relative(self, level: int, name: str, importer: ModuleFile) -> ModuleFile | None:
        """A module below the importer's package; where the importer is known by its file alone, its folders may be packages."""
        package = importer.package.split(".") if importer.package else []
        folders = [p for p in posixpath.dirname(importer.filename).split("/") if p not in ("", ".", "..")]
        if not importer.package and not importer.is_package:
            packages = [folders[start:] for start in range(len(folders), -1, -1)]
        else:
            packages = [package]
        for candidate in packages:
            kept = candidate[: len(candidate) - (level - 1)] if level > 1 else candidate
            dotted = ".".join([*kept, name] if name else kept)
            found = self._module(dotted) if dotted else None
            if found is not None:
                return found
        return None

    def find_in(self, package: ModuleFile, name: str) -> ModuleFile | None:
        return self._module(f"{package.name}.{name}" if package.name else name)

    def exists(self, path: str) -> bool | None:
        return None


class FileSystem(Protocol):
    """The two questions that finding modules asks."""

    def read(self, path: str) -> str | None:
        """Text of a file, None when there is none."""
        ...

    def is_directory(self, path: str) -> bool: ...


#: How many parents of an importing file are searched after everything else.
_PARENTS = 5


class FileResolver:
    """Modules in directories: the script's directory, the importing file's, the source roots, then some parents."""

    def __init__(self, files: FileSystem, source_roots: Sequence[str] = ()) -> None:
        self._files = files
        self._source_roots = tuple(posixpath.normpath(r) for r in source_roots)
        self._found: dict[str, ModuleFile | None] = {}

    def root_name(self, filename: str) -> str:
        """Import name of a file: its stem, below the packages (directories with ``__init__.py``) around it."""
        directory, base = posixpath.split(posixpath.normpath(filename))
        parts = [] if base == "__init__.py" else [posixpath.splitext(base)[0]]
        while directory and self._files.read(posixpath.join(directory, "__init__.py")) is not None:
            directory, package = posixpath.split(directory)
            parts.insert(0, package)
            if not package:
                break
        return ".".join(parts)

    def find(self, name: str, importer: ModuleFile, root: ModuleFile) -> ModuleFile | None:
        for directory in self._directories(importer, root):
            found = self._below(directory, name, name)
            if found is not None:
                return found
        return None

    def _directories(self, importer: ModuleFile, root: ModuleFile) -> list[str]:
        home = posixpath.dirname(importer.filename)
        found = {posixpath.dirname(root.filename): None, home: None}
        found.update(dict.fromkeys(self._source_roots))
        parent = home
        for _ in range(_PARENTS):
            upper = posixpath.dirname(parent)
            if upper == parent:
                break
            parent = upper
            found[parent] = None
        return list(found)

    def _below(self, directory: str, dotted: str, name: str) -> ModuleFile | None:
        """Module ``dotted`` below a directory, to be called ``name``."""
        path = posixpath.join(directory, *dotted.split("."))
        for filename, is_package in ((posixpath.join(path, "__init__.py"), True), (path + ".py", False)):
            found = self._load(filename, name, is_package)
            if found is not None:
                return found
        if self._files.is_directory(path):
            return ModuleFile(name, posixpath.join(path, "__init__.py"), "", True)
        return None

    def _load(self, filename: str, name: str, is_package: bool) -> ModuleFile | None:
        if filename not in self._found:
            text = self._files.read(filename)
            self._found[filename] = ModuleFile(name, filename, text, is_package) if text is not None else None
        return self._found[filename]

    def find_relative(self, level: int, name: str, importer: ModuleFile) -> ModuleFile | None:
        directory = posixpath.dirname(importer.filename)
        for _ in range(level - 1):
            directory = posixpath.dirname(directory)
        package = importer.package.split(".") if importer.package else []
        kept = package[: len(package) - (level - 1)] if level > 1 else package
        if not name:
            init = posixpath.join(directory, "__init__.py")
            found = self._load(init, ".".join(kept), True)
            return found or ModuleFile(".".join(kept), init, "", True)
        return self._below(directory, name, ".".join([*kept, name]))

    def find_in(self, package: ModuleFile, name: str) -> ModuleFile | None:
        if not package.is_package:
            return None
        full = f"{package.name}.{name}" if package.name else name
        return self._below(posixpath.dirname(package.filename), name, full)

    def exists(self, path: str) -> bool | None:
        return self._files.is_directory(path) or self._files.read(path) is not None
