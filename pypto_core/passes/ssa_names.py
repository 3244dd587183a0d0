"""The grammar of generated names: ``base__[qualifier_][role_]v<N>`` (docs/spec/passes_front.md §0.6)."""

from __future__ import annotations

from collections.abc import Container
from typing import NamedTuple

ROLES = frozenset(("ssa", "iter", "rv", "phi", "tile", "tmp", "out", "store", "idx"))


class AutoName(NamedTuple):
    """A name taken apart; empty parts and a None version are absent."""

    base: str
    qualifier: str = ""
    role: str = ""
    version: int | None = None


def build(base: str, qualifier: str = "", role: str = "", version: int | None = None) -> str:
    """Put a name together. ``base`` may not contain ``__``; with no other part the name is ``base`` itself."""
    parts = [part for part in (qualifier, role) if part]
    if version is not None:
        parts.append(f"v{version}")
    if not parts:
        return base
    if "__" in base:
        raise ValueError(f"IR auto-name base cannot contain reserved delimiter '__': {base}")
    return f"{base}__{'_'.join(parts)}"


def parse(name: str) -> AutoName:
    """Take a name apart: split at the first ``__``, then a trailing ``v<digits>``, then a known role."""
    base, separator, rest = name.partition("__")
    if not separator:
        return AutoName(name)
    tokens = rest.split("_")
    version: int | None = None
    if tokens and tokens[-1][:1] == "v" and tokens[-1][1:].isdecimal():
        version = int(tokens.pop()[1:])
    role = ""
    if tokens and tokens[-1] in ROLES:
        role = tokens.pop()
    return AutoName(base, "_".join(tokens), role, version)


def base_of(name: str) -> str:
    """The author's part of a generated name."""
    return parse(name).base


def fresh_like(name: str, used: Container[str]) -> str:
    """The next free version of ``name`` (role ``ssa`` when it has none)."""
    base, qualifier, role, version = parse(name)
    number = 0 if version is None else version + 1
    while True:
        candidate = build(base, qualifier, role or "ssa", number)
        if candidate not in used:
            return candidate
        number += 1


def ssa_name(name: str, role: str, version: int) -> str:
    """Name of version ``version`` of a variable called ``name``; an old role and version are replaced."""
    parts = parse(name)
    if parts.role or parts.version is not None:
        return build(parts.base, parts.qualifier, role, version)
    # A name that only looks generated (``x__tail``) is a base as a whole.
    return f"{name}__{role}_v{version}"
