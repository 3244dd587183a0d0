"""A demand-driven, memoised query database (docs/architecture.md §4).

*Inputs* are set from outside; *queries* are pure functions of the database. A query remembers its value, what it read and when its value last
changed. After an edit a query is not recomputed before its reads have been checked: when they are all unchanged the old value stands, and when a recomputed value
equals the old one, whatever depends on it stands as well (early cutoff).

One thread computes at a time. A writer first asks the running computation to stop (:class:`Cancelled` at its next check point), then waits for
the lock, so the newest text always wins. Somebody who only wants the thread for something else requests a cancellation; it holds for everything that is
asked until the thread resumes, so none gets lost between two questions.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Lock, RLock
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


class Cancelled(Exception):
    """The computation was overtaken by a newer edit; ask again."""


class CycleError(Exception):
    """A query asked for itself."""


@dataclass(frozen=True)
class Input(Generic[K, T]):
    """A value set from outside, one per key; ``default`` stands for keys never set."""

    name: str
    default: T


@dataclass(frozen=True)
class Query(Generic[K, T]):
    """A pure function ``compute(db, key)``.

    ``equal`` decides whether a recomputed value is the old one (identity or ``==`` by default); ``keep`` bounds how many keys are remembered, least
    recently used ones go first (None: no bound).
    """

    name: str
    compute: Callable[[Database, K], T]
    equal: Callable[[T, T], bool]
    keep: int | None = None


def same(left: object, right: object) -> bool:
    """Identity first, equality second."""
    return left is right or bool(left == right)


def query(
    *, keep: int | None = None, equal: Callable[[Any, Any], bool] = same
) -> Callable[[Callable[[Database, K], T]], Query[K, T]]:
    """Turn ``compute(db, key)`` into a query of that name."""

    def wrap(compute: Callable[[Database, K], T]) -> Query[K, T]:
        return Query(compute.__name__, compute, equal, keep)

    return wrap


_Read = tuple[Any, Hashable]


class _Memo:
    __slots__ = ("changed_at", "reads", "value", "verified_at")

    def __init__(self, value: Any, revision: int, reads: tuple[_Read, ...]) -> None:
        self.value = value
        self.reads = reads
        self.changed_at = revision
        self.verified_at = revision


class Database:
    """Holds inputs and memos. ``computed`` counts evaluations per query name, for tests and for debug information."""

    def __init__(self) -> None:
        self.revision = 1
        self.computed: dict[str, int] = {}
        self._inputs: dict[Input[Any, Any], dict[Hashable, _Memo]] = {}
        self._memos: dict[Query[Any, Any], OrderedDict[Hashable, _Memo]] = {}
        self._frames: list[dict[_Read, None]] = []
        self._active: set[_Read] = set()
        self._lock = RLock()
        self._cancel = Event()
        self._writers = 0
        self._counting = Lock()

    # ------------------------------------------------------------------------------------------------------- writing
    @contextmanager
    def writing(self) -> Iterator[None]:
        """Stop the running computation and hold the database for a change of inputs."""
        with self._counting:
            self._writers += 1
        try:
            with self._lock:
                yield
        finally:
            with self._counting:
                self._writers -= 1

    def set(self, source: Input[K, T], key: K, value: T) -> None:
        """Change an input; nothing happens when it has that value already."""
        with self.writing():
            cells = self._inputs.setdefault(source, {})
            memo = cells.get(key)
            if same(memo.value if memo is not None else source.default, value):
                return
            self.revision += 1
            cells[key] = _Memo(value, self.revision, ())

    def request_cancel(self) -> None:
        """Stop the running computation, and what is asked after it, until :meth:`resume`."""
        self._cancel.set()

    def resume(self) -> None:
        """Take all requests to stop back."""
        self._cancel.clear()

    # ------------------------------------------------------------------------------------------------------- reading
    def check(self) -> None:
        """A cancellation point; call it between steps of a long computation."""
        if self._cancel.is_set() or (self._writers and self._active):
            raise Cancelled

    def read(self, source: Input[K, T], key: K) -> T:
        """The value of an input."""
        self._record((source, key))
        memo = self._inputs.get(source, {}).get(key)
        return source.default if memo is None else cast(T, memo.value)

    def get(self, query: Query[K, T], key: K) -> T:
        """The value of a query on the newest inputs.

        Raises :class:`Cancelled` when an edit overtakes it and :class:`CycleError` when the query needs its own value.
        """
        with self._lock:
            self._record((query, key))
            return cast(T, self._fresh(query, key).value)

    def peek(self, query: Query[K, T], key: K) -> T | None:
        """The last remembered value, whatever its age; None when there is none. Never computes."""
        cells = self._memos.get(query)
        memo = None if cells is None else cells.get(key)
        return None if memo is None else cast(T, memo.value)

    def memo_count(self) -> dict[str, int]:
        """Remembered keys per query."""
        return {q.name: len(cells) for q, cells in self._memos.items()}

    def forget(self, query: Query[K, T], key: K) -> None:
        """Drop one memo (a closed file's facts)."""
        with self._lock:
            self._memos.get(query, OrderedDict()).pop(key, None)

    # ------------------------------------------------------------------------------------------------------ internals
    def _record(self, read: _Read) -> None:
        if self._frames:
            self._frames[-1].setdefault(read)

    def _fresh(self, query: Query[Any, Any], key: Hashable) -> _Memo:
        cells = self._memos.setdefault(query, OrderedDict())
        memo = cells.get(key)
        if memo is not None:
            cells.move_to_end(key)
            if memo.verified_at == self.revision:
                return memo
            if self._reads_unchanged(memo):
                memo.verified_at = self.revision
                return memo
        return self._compute(query, key, cells, memo)

    def _reads_unchanged(self, memo: _Memo) -> bool:
        for source, key in memo.reads:
            if isinstance(source, Input):
                cell = self._inputs.get(source, {}).get(key)
                changed_at = 0 if cell is None else cell.changed_at
            else:
                try:
                    changed_at = self._fresh(source, key).changed_at
                except CycleError:
                    return False
            if changed_at > memo.verified_at:
                return False
        return True

    def _compute(
        self, query: Query[Any, Any], key: Hashable, cells: OrderedDict[Hashable, _Memo], old: _Memo | None
    ) -> _Memo:
        read: _Read = (query, key)
        if read in self._active:
            raise CycleError(f"{query.name}({key!r}) needs its own value")
        self.check()
        self._active.add(read)
        self._frames.append({})
        try:
            value = query.compute(self, key)
        finally:
            reads = tuple(self._frames.pop())
            self._active.discard(read)
        self.computed[query.name] = self.computed.get(query.name, 0) + 1
        memo = _Memo(value, self.revision, reads)
        if old is not None and query.equal(old.value, value):
            memo.value = old.value
            memo.changed_at = old.changed_at
        cells[key] = memo
        cells.move_to_end(key)
        if query.keep is not None:
            while len(cells) > query.keep:
                cells.popitem(last=False)
        return memo
