"""Files as the engine sees them: open texts first, then those on disk, every look recorded as a dependency."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pypto_core.frontend.modules import FileResolver, FileSystem, ModuleFile
from pypto_core.frontend.recovery import FileSyntax

SyntaxOf = Callable[[str], FileSyntax]


class Presence:
    """Files of which only is told whether they are there: texts are empty."""

    def __init__(self, is_file: Callable[[str], bool], is_directory: Callable[[str], bool]) -> None:
        self._is_file = is_file
        self._is_directory = is_directory

    def read(self, path: str) -> str | None:
        return "" if self._is_file(path) else None

    def is_directory(self, path: str) -> bool:
        return self._is_directory(path)


class NoFiles:
    """A file system without files: open documents are all there is."""

    def read(self, path: str) -> str | None:
        return None

    def is_directory(self, path: str) -> bool:
        return False


class Modules(FileResolver):
    """Imported modules; their syntax trees come from the database and are shared by all importers."""

    def __init__(self, files: FileSystem, source_roots: Sequence[str], syntax_of: SyntaxOf) -> None:
        super().__init__(files, source_roots)
        self.syntax_of = syntax_of

    def _load(self, filename: str, name: str, is_package: bool) -> ModuleFile | None:
        if filename not in self._found:
            text = self._files.read(filename)
            self._found[filename] = (
                ModuleFile(name, filename, text, is_package, self.syntax_of(filename))
                if text is not None
                else None
            )
        return self._found[filename]
