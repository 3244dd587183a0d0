"""Which files a call of the terminal means: files, folders, patterns; what settings exclude is left out."""

from __future__ import annotations

import re
import stat
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

from pypto_lsp.project import python_files

STDIN = "-"
_MAGIC = re.compile(r"[*?\[]")


class NoSuchPath(LookupError):
    """A path or pattern names nothing."""


def expand(paths: Iterable[str], excluded: Callable[[str], bool] = lambda path: False) -> Iterator[str]:
    """Files named, Python files below folders named, files that patterns match, each once; spelled as the caller spelled them.

    ``excluded`` is asked about files that were found, never about files that were named. Links to folders are not followed.

    Raises:
        NoSuchPath: a path does not exist, or a pattern matches nothing.
    """
    seen: set[str] = set()
    for path in paths:
        for file in _found(path, excluded):
            if file not in seen:
                seen.add(file)
                yield file


def _found(path: str, excluded: Callable[[str], bool]) -> Iterator[str]:
    if path == STDIN:
        yield path
    elif is_folder(path):
        yield from (file for file in python_files(path) if is_regular(file) and not excluded(file))
    elif is_regular(path):
        yield path
    elif _mode(path) is not None:
        raise NoSuchPath(f"{path}: neither a file nor a folder")
    else:
        matches = list(_matches(path)) if _MAGIC.search(path) else []
        if not matches:
            raise NoSuchPath(f"{path}: no such file or folder")
        yield from (file for file in matches if not excluded(file))


def _matches(pattern: str) -> Iterator[str]:
    """Python files below the part of a pattern that has no wildcards."""
    parts = pattern.split("/")
    fixed = next(i for i, part in enumerate(parts) if _MAGIC.search(part))
    base = "/".join(parts[:fixed]) or ("/" if pattern.startswith("/") else ".")
    wanted = pattern.removeprefix("./")
    for file in python_files(base):
        if matches(file.removeprefix("./"), wanted) and is_regular(file):
            yield file


def matches(path: str, pattern: str) -> bool:
    """Whether a path is what a pattern says: ``**`` any folders, ``*`` and ``?`` within one name, ``[abc]`` one of these."""
    return _compiled(pattern).fullmatch(path) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    out, i = [], 0
    while i < len(pattern):
        char = pattern[i]
        if pattern.startswith("**/", i):
            out.append("(?:[^/]+/)*")
            i += 3
        elif pattern.startswith("**", i):
            out.append(".*")
            i += 2
        elif char == "*":
            out.append("[^/]*")
            i += 1
        elif char == "?":
            out.append("[^/]")
            i += 1
        elif char == "[" and (end := pattern.find("]", i + 2)) > 0:
            inside = pattern[i + 1 : end]
            negated = inside[0] in "!^"
            out.append(
                f"[{'^/' if negated else ''}{re.escape(inside[negated:]).replace(chr(92) + '-', '-')}]"
            )
            i = end + 1
        else:
            out.append(re.escape(char))
            i += 1
    try:
        return re.compile("".join(out), re.DOTALL)
    except re.error:
        return re.compile(re.escape(pattern))


def excludes(path: str, patterns: Iterable[str]) -> bool:
    """Whether a file, or a folder around it, matches one of the (absolute) patterns."""
    around = [path, *(str(p) for p in Path(path).parents)]
    return any(matches(one, pattern.rstrip("/")) for pattern in patterns for one in around)


def is_regular(path: str | Path) -> bool:
    """Whether this is a file with an end: pipes, sockets and devices are not opened."""
    mode = _mode(path)
    return mode is not None and stat.S_ISREG(mode)


def is_folder(path: str | Path) -> bool:
    mode = _mode(path)
    return mode is not None and stat.S_ISDIR(mode)


def _mode(path: str | Path) -> int | None:
    """What stands at a path; None where nothing does, nothing may be seen, or nothing can have such a name."""
    try:
        return Path(path).stat().st_mode
    except (OSError, ValueError):
        return None
