"""Finding the text of imported modules on disk. Modules are read, never imported."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

_MAX_MODULE_BYTES = 2 * 1024 * 1024


class ModuleReader:
    """Looks modules up beside the importing file, in the workspace folders and on the search path; remembers texts by modification time."""

    def __init__(self, roots: Iterable[str] = ()) -> None:
        self.roots = list(roots)
        self.opened: dict[str, str] = {}
        self._texts: dict[Path, tuple[int, str]] = {}

    def __call__(self, name: str, importer: str, search_path: tuple[str, ...]) -> str | None:
        found = self.find(name, importer, search_path)
        return None if found is None else self.read(found)

    def find(self, name: str, importer: str, search_path: tuple[str, ...]) -> Path | None:
        """The file of module ``name``; leading dots are relative to the importing file's package."""
        dots = len(name) - len(name.lstrip("."))
        parts = [part for part in name[dots:].split(".") if part]
        if dots:
            base = Path(importer).parent
            for _ in range(dots - 1):
                base = base.parent
            return _module_file(base, parts)
        for folder in (str(Path(importer).parent), *search_path, *self.roots):
            found = _module_file(Path(folder).expanduser(), parts)
            if found is not None:
                return found
        return None

    def read(self, path: Path) -> str | None:
        """The text of a file: the editor's if it is open there, else the one on disk; None when unreadable."""
        opened = self.opened.get(str(path))
        if opened is not None:
            return opened
        try:
            status = path.stat()
            known = self._texts.get(path)
            if known is not None and known[0] == status.st_mtime_ns:
                return known[1]
            if status.st_size > _MAX_MODULE_BYTES:
                return None
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return None
        self._texts[path] = (status.st_mtime_ns, text)
        return text


def _module_file(base: Path, parts: list[str]) -> Path | None:
    target = base.joinpath(*parts)
    for candidate in (target.with_suffix(".py") if parts else None, target / "__init__.py"):
        if candidate is not None and candidate.is_file():
            return candidate
    return None
