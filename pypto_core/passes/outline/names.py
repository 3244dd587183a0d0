"""Names of outlined functions (docs/spec/passes_front.md §9.3)."""

from __future__ import annotations


class FunctionNames:
    """``taken`` is shared by the whole program, ``known`` holds the names of one parent function."""

    def __init__(self, taken: set[str], known: set[str]) -> None:
        self.taken = taken
        self.known = known
        self._next: dict[str, int] = {}

    def claim(self, candidate: str, parent: str) -> str:
        """A free name for ``candidate``; recorded in both sets."""
        name = candidate
        if candidate in self.known:
            name = self._numbered(candidate)
        elif candidate in self.taken:
            name = f"{parent}_{candidate}"
            if name in self.taken or name in self.known:
                name = self._numbered(name)
        self.taken.add(name)
        self.known.add(name)
        return name

    def _numbered(self, base: str) -> str:
        # Names only ever join the two sets, so the search goes on where it ended.
        number = self._next.get(base, 0)
        while f"{base}_{number}" in self.known or f"{base}_{number}" in self.taken:
            number += 1
        self._next[base] = number
        return f"{base}_{number}"
