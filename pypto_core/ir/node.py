"""Base classes of the IR (docs/spec/ir.md §1.1).

Every node is a frozen dataclass with slots, equal only to itself; value equality is ``structural_equal``. A sequence is
a tuple and an attribute map is a dict that nobody mutates, so an unchanged part may be shared by any number of trees.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from pypto_core.ir.span import UNKNOWN_SPAN, Span

N = TypeVar("N", bound="Node")

#: Ordered attribute or keyword map; values as in ir.md §1.10.
AttrMap = Mapping[str, Any]
_EMPTY: dict[str, Any] = {}
#: How to copy a node of a class: all values at once, what writes each into a new node (twice: in order, and by name), and whether
#: the class completes its nodes after that.
_Copier = tuple[
    Callable[[Any], tuple[Any, ...]],
    tuple[Callable[[Any, Any], None], ...],
    dict[str, Callable[[Any, Any], None]],
    bool,
]
_COPIERS: dict[type, _Copier] = {}


def _copier(cls: type) -> _Copier:
    names = tuple(f.name for f in fields(cls) if f.init)
    values: Callable[[Any], tuple[Any, ...]] = (
        attrgetter(*names) if len(names) > 1 else lambda node: (getattr(node, names[0]),)
    )
    # The descriptors of the slots: a frozen class closes its attributes, not these.
    writers = {name: getattr(cls, name).__set__ for name in names}
    found = (values, tuple(writers.values()), writers, hasattr(cls, "__post_init__"))
    return _COPIERS.setdefault(cls, found)


def slot_writer(cls: type, name: str) -> Callable[[Any, Any], None]:
    """What writes one slot of a new node: a frozen class closes its attributes, not the descriptors of its slots.

    The ``__init__`` of a frozen dataclass looks every attribute up by name, twice as slow; classes of which a pass makes thousands
    have one of their own.
    """
    write: Callable[[Any, Any], None] = getattr(cls, name).__set__
    return write


def empty_map() -> AttrMap:
    """The shared empty map."""
    return _EMPTY


class _WeakReferable:
    """Facts about a node are remembered in weak dictionaries (``weakref_slot`` of dataclasses needs Python 3.11)."""

    __slots__ = ("__weakref__",)


_new: Callable[[Any], Any] = object.__new__


@dataclass(frozen=True, slots=True, eq=False)
class Node(_WeakReferable):
    """Anything with a place in the source; ``span`` is ignored by equality."""

    span: Span = field(default=UNKNOWN_SPAN, kw_only=True, repr=False)

    def with_(self: N, **changes: Any) -> N:
        """A copy with other field values; this very node when every value is already there (by identity)."""
        for name, value in changes.items():
            if getattr(self, name) is not value:
                break
        else:
            return self
        cls = self.__class__
        values, writers, by_name, completes = _COPIERS.get(cls) or _copier(cls)
        copy = _new(cls)
        for write, value in zip(writers, values(self)):
            write(copy, value)
        for name, value in changes.items():
            by_name[name](copy, value)
        if completes:
            copy.__post_init__()
        made: N = copy
        return made


@dataclass(frozen=True, slots=True, eq=False)
class Type(Node):
    """Base of all types."""


@dataclass(frozen=True, slots=True, eq=False)
class Expr(Node):
    """Base of all expressions; each has a ``type``."""

    if TYPE_CHECKING:

        @property
        def type(self) -> Type: ...


@dataclass(frozen=True, slots=True, eq=False)
class Stmt(Node):
    """Base of all statements; ``leading_comments`` (lines without ``#``) are ignored by equality."""

    leading_comments: tuple[str, ...] = field(default=(), kw_only=True, repr=False)
