"""What one statement of a function mentions, apart from the version of the file that it was read in (docs/architecture.md §4).

The uses of a version point to each other, to their scope and to their symbols. A statement that stays while others change gives the same
uses in the next version without being walked again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pypto_core.engine.scopes import (
    Argument,
    CallSite,
    FunctionInfo,
    ItemNames,
    Kind,
    Role,
    Scope,
    Symbol,
    Use,
    home_of,
)
from pypto_core.ir import Span


@dataclass(frozen=True, slots=True)
class Mentions:
    """Uses in the order in which they were found, each with the numbers of its base and its call (-1: none); calls with the number of
    their callee."""

    uses: tuple[tuple[Span, str, Role, int, int], ...]
    calls: tuple[tuple[Span, int, list[Argument]], ...]

    @staticmethod
    def of(uses: Sequence[Use], calls: Sequence[CallSite], scope: Scope) -> Mentions | None:
        """Of a statement in ``scope``; None when it opens scopes of its own."""
        numbers = {id(use): number for number, use in enumerate(uses)}
        sites = {id(call): number for number, call in enumerate(calls)}
        made = []
        for use in uses:
            if use.scope is not scope or use.imported is not None:
                return None
            base = -1 if use.base is None else numbers[id(use.base)]
            made.append((use.span, use.name, use.role, base, -1 if use.call is None else sites[id(use.call)]))
        return Mentions(tuple(made), tuple((c.span, numbers[id(c.callee)], c.arguments) for c in calls))

    def repeat(self, names: ItemNames, scope: Scope, function: FunctionInfo | None) -> None:
        """Add the uses and calls to the names of a version."""
        made: list[Use] = []
        sites: list[CallSite | None] = [None] * len(self.calls)

        def site(number: int) -> CallSite:
            found = sites[number]
            if found is None:
                span, callee, arguments = self.calls[number]
                found = sites[number] = CallSite(span, made[callee], arguments)
            return found

        for span, name, role, base, call in self.uses:
            use = Use(
                span,
                name,
                role,
                scope,
                None,
                made[base] if base >= 0 else None,
                site(call) if call >= 0 else None,
            )
            made.append(use)
            if role is Role.WRITE:
                home = home_of(use)
                if home is not names.module and name not in home.symbols:
                    home.symbols[name] = Symbol(name, Kind.VARIABLE, home)
        names.uses += made
        calls = [site(number) for number in range(len(sites))]
        names.calls += calls
        if function is not None:
            function.calls += calls
