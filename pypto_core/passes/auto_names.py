"""Names of the variables that passes make (``docs/spec/ir.md`` §1.9, ``passes_tile.md`` 0.5)."""

from __future__ import annotations


def base_name(name: str) -> str:
    """The author's part of a generated name: everything before the first ``__``."""
    return name.partition("__")[0]


def auto_name(base: str, qualifier: str, version: int, role: str = "tmp") -> str:
    """``auto_name("y", "rm_a0", 3)`` is ``y__rm_a0_tmp_v3``; of ``base`` only the author's part is used."""
    return f"{base_name(base)}__{qualifier}_{role}_v{version}"


class NameCounter:
    """Versions of generated names; one counter serves a whole function."""

    __slots__ = ("_next",)

    def __init__(self) -> None:
        self._next = 0

    def take(self) -> int:
        """The next version."""
        version = self._next
        self._next += 1
        return version
