"""The one Diagnostic class and the table of codes (docs/spec/design/codes.md).

Every check of the product reports through :class:`Diagnostic`; passes raise :class:`PassError` around one. A code is a stable
kebab-case slug whose severity, explanation, examples and fix applicability stand in :data:`RULES`; hover links, ``explain``,
SARIF and the documentation pages are generated from that table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache
from importlib import import_module
from typing import Any, Literal

from pypto_core.ir.span import UNKNOWN_SPAN, Span


class Severity(IntEnum):
    """Values as in the Language Server Protocol. A performance hint of the compiler is a HINT."""

    ERROR = 1
    WARNING = 2
    INFORMATION = 3
    HINT = 4

    @property
    def text(self) -> str:
        """``error``, ``warning``, ``information`` or ``hint``."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Related:
    """The other end of the story: a definition that crosses an edge, the header of a region, a call."""

    message: str
    span: Span


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    ``code`` is a key of :data:`RULES`. ``message`` says in the author's own names what is wrong, why, and what to write. ``data`` holds facts that a
    fix needs. ``rule`` and ``number`` are the reference compiler's rule name and integer code where it has them.
    """

    code: str
    message: str
    span: Span = UNKNOWN_SPAN
    severity: Severity = Severity.ERROR
    related: tuple[Related, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict, compare=False)
    rule: str = ""
    number: int = 0


class PassError(Exception):
    """What a pass raises when it cannot lower its input; carries the diagnostic."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


FixApplicability = Literal["none", "safe", "sometimes", "review"]


@dataclass(frozen=True, slots=True)
class Rule:
    """A row of the table of codes.

    ``failing`` and ``repaired`` are whole small kernels: the first reports ``code``, the second does not. Where the row is written, ``«`` and ``»``
    in ``failing`` stand around the characters that the finding covers; they are taken out, and ``mark`` has the offsets of start and end.
    ``chip`` is the chip on which the first reports it, empty where every chip does, ``on_request`` whether only passes that run on
    request report it. ``no_source`` says why no kernel can be written that reports the code, and stands in place of the kernels.
    ``fix`` says whether a quick fix exists and whether it may be applied unseen: always, ``sometimes`` (each fix says so itself), or never.
    ``each_place`` is for a hint that is told at each of its places: others are told once per kernel and operator.
    ``replaces`` are codes that say less about the same statement: they are not told where this one begins at the same place.
    """

    code: str
    title: str
    explanation: str
    severity: Severity = Severity.ERROR
    failing: str = ""
    repaired: str = ""
    fix: FixApplicability = "none"
    tags: tuple[Literal["unnecessary", "deprecated"], ...] = ()
    no_source: str = ""
    chip: Literal["", "a2a3", "a5"] = ""
    on_request: bool = False
    each_place: bool = False
    replaces: tuple[str, ...] = ()
    mark: tuple[int, int] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        before, opened, rest = self.failing.partition("«")
        marked, closed, after = rest.partition("»")
        if opened and closed:
            # The class is frozen for everybody but its own construction.
            object.__setattr__(self, "failing", before + marked + after)
            object.__setattr__(self, "mark", (len(before), len(before) + len(marked)))
            object.__setattr__(self, "repaired", self.repaired.replace("«", "").replace("»", ""))


_TOPICS = (
    "frontend",
    "operators",
    "operators_dsl",
    "aiv_split",
    "split_passes",
    "tensor_passes",
    "tile_passes",
    "memory_passes",
    "front_passes",
    "verifiers",
    "product",
)


@cache
def rules() -> Mapping[str, Rule]:
    """The table: code -> rule, collected from ``pypto_core/diagnostic_rules``."""
    table: dict[str, Rule] = {}
    for topic in _TOPICS:
        module = import_module(f"pypto_core.diagnostic_rules.{topic}")
        for rule in module.RULES:
            if rule.code in table:
                raise ValueError(f"code {rule.code!r} is declared twice")
            table[rule.code] = rule
    return table


def error(code: str, message: str, span: Span = UNKNOWN_SPAN, **more: Any) -> Diagnostic:
    """A diagnostic with error severity."""
    return Diagnostic(code, message, span, Severity.ERROR, **more)
