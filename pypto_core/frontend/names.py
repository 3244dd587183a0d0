"""Scopes of a kernel body: which variable a name is (docs/spec/language.md §0 item 4, §4.2 "Scope leaking")."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from pypto_core.ir import Expr, Span


@dataclass(slots=True)
class Names:
    """A stack of scopes, innermost last. A name stands for a variable or, for an alias, for an expression.

    ``vanished`` remembers names that a block with yields kept for itself, with the place of their binding. ``births`` says
    in which block (by serial number, the function body is 0) an assignment made the variable that a name stands for.
    """

    scopes: list[dict[str, Expr]] = field(default_factory=lambda: [{}])
    vanished: dict[str, Span] = field(default_factory=dict)
    births: dict[str, int] = field(default_factory=dict)
    serials: list[int] = field(default_factory=lambda: [0])
    blocks: int = 0

    def lookup(self, name: str) -> Expr | None:
        for scope in reversed(self.scopes):
            found = scope.get(name)
            if found is not None:
                return found
        return None

    def __contains__(self, name: object) -> bool:
        return any(name in scope for scope in self.scopes)

    def in_this_scope(self, name: str) -> bool:
        return name in self.scopes[-1]

    def bind(self, name: str, value: Expr) -> None:
        """Bind in the innermost scope."""
        self.scopes[-1][name] = value

    def bear(self, name: str, value: Expr) -> None:
        """Bind to a variable that an assignment of this block makes."""
        self.bind(name, value)
        self.births[name] = self.serials[-1]

    def born_here(self, name: str) -> bool:
        """Whether an assignment of this very block made the variable."""
        return self.births.get(name) == self.serials[-1]

    def all(self) -> set[str]:
        return {name for scope in self.scopes for name in scope}

    @contextmanager
    def lent(self, values: Mapping[str, Expr]) -> Iterator[None]:
        """Names that stand for ``values`` for a while; what is bound to something else meanwhile stays so."""
        scope = self.scopes[-1]
        before = {name: scope.get(name) for name in values}
        scope.update(values)
        try:
            yield
        finally:
            for name, own in before.items():
                if scope.get(name) is values[name]:
                    if own is None:
                        del scope[name]
                    else:
                        scope[name] = own

    @contextmanager
    def block(self, leak: bool) -> Iterator[None]:
        """A nested scope. With ``leak`` its names stay visible after it."""
        self.scopes.append({})
        self.blocks += 1
        self.serials.append(self.blocks)
        try:
            yield
        finally:
            inner = self.scopes.pop()
            self.serials.pop()
            if leak:
                self.scopes[-1].update(inner)
            else:
                for name, value in inner.items():
                    self.vanished.setdefault(name, value.span)
