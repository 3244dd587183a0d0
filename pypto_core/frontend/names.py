"""Scopes of a kernel body: which variable a name is (docs/spec/language.md §0 item 4, §4.2 "Scope leaking")."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from pypto_core.ir import Expr, Span


class Trace:
    """What reading a statement asked of the names around it, and what it left behind.

    ``reads``, ``here``, ``born`` and ``counts`` are the answers to the questions of :class:`Names` that what the statement itself had done
    did not decide; ``own``, ``births`` (None: the block of the statement), ``vanished`` and ``versions`` are what it did; ``blocks`` is the
    number of blocks it opened. Nothing can be said when ``opaque``.
    """

    __slots__ = (
        "births", "blocks", "born", "counts", "depth", "first_block", "here", "opaque", "own", "reads", "serial", "vanished", "versions",
    )  # fmt: skip

    def __init__(self, depth: int, serial: int, first_block: int) -> None:
        self.depth = depth
        self.serial = serial
        self.first_block = first_block
        self.reads: dict[str, Expr | None] = {}
        self.here: dict[str, bool] = {}
        self.born: dict[str, bool] = {}
        self.counts: dict[str, int] = {}
        self.own: dict[str, Expr] = {}
        self.births: dict[str, int | None] = {}
        self.vanished: dict[str, Span] = {}
        self.versions: dict[str, int] = {}
        self.blocks = 0
        self.opaque = False


@dataclass(slots=True)
class Names:
    """A stack of scopes, innermost last. A name stands for a variable or, for an alias, for an expression.

    ``vanished`` remembers names that a block with yields kept for itself, with the place of their binding. ``births`` says
    in which block (by serial number, the function body is 0) an assignment made the variable that a name stands for, ``versions`` how
    many variables of a name there are beside the first. While there are ``traces``, they note all questions and changes.
    """

    scopes: list[dict[str, Expr]] = field(default_factory=lambda: [{}])
    vanished: dict[str, Span] = field(default_factory=dict)
    births: dict[str, int] = field(default_factory=dict)
    serials: list[int] = field(default_factory=lambda: [0])
    blocks: int = 0
    versions: dict[str, int] = field(default_factory=dict)
    traces: list[Trace] = field(default_factory=list)

    def lookup(self, name: str) -> Expr | None:
        scopes = self.scopes
        level, found = len(scopes), None
        while level and found is None:
            level -= 1
            found = scopes[level].get(name)
        for trace in self.traces:
            if (found is None or level < trace.depth) and name not in trace.own:
                trace.reads.setdefault(name, found)
        return found

    def __contains__(self, name: str) -> bool:
        return self.lookup(name) is not None

    def in_this_scope(self, name: str) -> bool:
        found = name in self.scopes[-1]
        for trace in self.traces:
            if len(self.scopes) == trace.depth and name not in trace.own:
                trace.here.setdefault(name, found)
        return found

    def bind(self, name: str, value: Expr) -> None:
        """Bind in the innermost scope."""
        self.scopes[-1][name] = value
        for trace in self.traces:
            if len(self.scopes) == trace.depth:
                trace.own[name] = value

    def bear(self, name: str, value: Expr) -> None:
        """Bind to a variable that an assignment of this block makes."""
        self.bind(name, value)
        self._born(name, self.serials[-1])

    def born_here(self, name: str) -> bool:
        """Whether an assignment of this very block made the variable."""
        found = self.births.get(name) == self.serials[-1]
        for trace in self.traces:
            if self.serials[-1] == trace.serial and name not in trace.births:
                trace.born.setdefault(name, found)
        return found

    def vanish(self, name: str, span: Span) -> None:
        """A block keeps a name for itself."""
        self.vanished.setdefault(name, span)
        for trace in self.traces:
            trace.vanished.setdefault(name, span)

    def next_version(self, name: str) -> int:
        """The number of another variable of a name."""
        count = self.versions.get(name, 0)
        for trace in self.traces:
            if name not in trace.versions:
                trace.counts[name] = count
            trace.versions[name] = count + 1
        self.versions[name] = count + 1
        return count + 1

    def all(self) -> set[str]:
        for trace in self.traces:
            trace.opaque = True
        return {name for scope in self.scopes for name in scope}

    @contextmanager
    def lent(self, values: Mapping[str, Expr]) -> Iterator[None]:
        """Names that stand for ``values`` for a while; what is bound to something else meanwhile stays so."""
        for trace in self.traces:
            trace.opaque = True
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
                for trace in self.traces:
                    if len(self.scopes) == trace.depth:
                        trace.own.update(inner)
            else:
                for name, value in inner.items():
                    self.vanish(name, value.span)

    # --- statements that were read before ---------------------------------------------------------------------------

    def begin(self) -> Trace:
        """From here on what a statement asks and does is noted."""
        trace = Trace(len(self.scopes), self.serials[-1], self.blocks)
        self.traces.append(trace)
        return trace

    def end(self) -> None:
        trace = self.traces.pop()
        trace.blocks = self.blocks - trace.first_block

    def repeat(self, trace: Trace) -> bool:
        """Do what a statement did before; False when it would get other answers now, and then nothing is done."""
        for name, value in trace.reads.items():
            if self.lookup(name) is not value:
                return False
        if (
            any(self.in_this_scope(name) is not found for name, found in trace.here.items())
            or any(self.born_here(name) is not found for name, found in trace.born.items())
            or any(self.versions.get(name, 0) != count for name, count in trace.counts.items())
        ):
            return False
        first, serial = self.blocks, self.serials[-1]
        for name, value in trace.own.items():
            self.bind(name, value)
        for name, block in trace.births.items():
            self._born(name, serial if block is None else first + block)
        for name, span in trace.vanished.items():
            self.vanish(name, span)
        for name in trace.counts:
            while self.versions.get(name, 0) < trace.versions[name]:
                self.next_version(name)
        self.blocks += trace.blocks
        return True

    def _born(self, name: str, serial: int) -> None:
        self.births[name] = serial
        for trace in self.traces:
            trace.births[name] = None if serial == trace.serial else serial - trace.first_block
