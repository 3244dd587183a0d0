"""Quick fixes, one module per family of codes. ``fixes_for`` finds the repairs of a finding."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from pypto_core.diagnostics import Diagnostic
from pypto_core.fixes.model import Edit, Fix, Fixer, Source, apply_edits

#: Modules that declare ``FIXERS: dict[str, Fixer]`` (code -> fixer).
_FAMILIES: tuple[str, ...] = (
    "aiv_split",
    "crossings",
    "split_passes",
    "transfers",
    "spelling",
    "decorators",
    "annotations",
    "statements",
    "loops",
    "scopes",
    "expressions",
    "operators",
    "verifiers",
    "ignore_comments",
)


@cache
def fixers() -> dict[str, Fixer]:
    """Code -> fixer, collected from the families."""
    table: dict[str, Fixer] = {}
    for family in _FAMILIES:
        table.update(import_module(f"pypto_core.fixes.{family}").FIXERS)
    return table


def fixes_for(finding: Diagnostic, source: Source) -> tuple[Fix, ...]:
    """The repairs of a finding; none for a code without fixer. Safe ones come first."""
    fixer = fixers().get(finding.code)
    if fixer is None or not finding.span.is_valid:
        return ()
    return tuple(sorted(fixer(finding, source), key=lambda fix: not fix.safe))


__all__ = ["Edit", "Fix", "Fixer", "Source", "apply_edits", "fixers", "fixes_for"]
