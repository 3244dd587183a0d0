"""Files on disk, read only, the texts that were read last remembered until the file changes. Modules are read, never imported."""

from __future__ import annotations

import io
import stat
import tokenize
from collections import OrderedDict
from pathlib import Path
from threading import Lock

_MAX_MODULE_BYTES = 2 * 1024 * 1024
#: Characters of all texts together that are remembered; those that were read least recently go first.
_MAX_REMEMBERED = 8 * 1024 * 1024


class Disk:
    """The file system that imported modules are looked up in. Addresses without a path (unsaved files) have none of it."""

    def __init__(self) -> None:
        self._texts: OrderedDict[str, tuple[int, int, str | None]] = OrderedDict()
        self._remembered = 0
        self._lock = Lock()

    def read(self, path: str) -> str | None:
        """The text of a file; None when there is none, or when it is too large or no text."""
        if has_no_path(path):
            return None
        try:
            status = Path(path).stat()
        except (OSError, ValueError):
            self._remember(path, None)
            return None
        with self._lock:
            known = self._texts.get(path)
            if known is not None and known[:2] == (status.st_mtime_ns, status.st_size):
                self._texts.move_to_end(path)
                return known[2]
        # Pipes and devices have no end; they are no modules.
        readable = stat.S_ISREG(status.st_mode) and status.st_size <= _MAX_MODULE_BYTES
        text = _read(path) if readable else None
        self._remember(path, (status.st_mtime_ns, status.st_size, text))
        return text

    def _remember(self, path: str, entry: tuple[int, int, str | None] | None) -> None:
        with self._lock:
            gone = self._texts.pop(path, None)
            self._remembered -= _size(gone)
            if entry is None:
                return
            self._texts[path] = entry
            self._remembered += _size(entry)
            while self._remembered > _MAX_REMEMBERED and len(self._texts) > 1:
                self._remembered -= _size(self._texts.popitem(last=False)[1])

    def stamp(self, path: str) -> str:
        """Something that changes with the file."""
        try:
            status = Path(path).stat()
        except (OSError, ValueError):
            return ""
        return f"{status.st_mtime_ns}.{status.st_size}"

    def is_directory(self, path: str) -> bool:
        try:
            return not has_no_path(path) and Path(path).is_dir()
        except (OSError, ValueError):
            return False


def _size(entry: tuple[int, int, str | None] | None) -> int:
    """What an entry counts for; one without a text takes room as well."""
    return 0 if entry is None else 200 + len(entry[2] or "")


def _read(path: str) -> str | None:
    try:
        data = Path(path).read_bytes()
        return None if b"\0" in data else data.decode(encoding_of(data))
    except (OSError, ValueError):
        return None


def encoding_of(data: bytes) -> str:
    """UTF-8, or what the first two lines declare where that is another text encoding (``# -*- coding: latin-1 -*-``)."""
    try:
        named, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        data.decode(named)
    except (SyntaxError, LookupError, ValueError):
        return "utf-8-sig"
    return "utf-8-sig" if named == "utf-8" else named


def has_no_path(path: str) -> bool:
    """Whether this names no file on disk (``untitled:Untitled-1``, ``git:/...``)."""
    scheme, colon, _ = path.partition(":")
    return bool(colon) and len(scheme) > 1
