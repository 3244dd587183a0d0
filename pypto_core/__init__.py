"""The PyPTO compiler's front and middle end in pure Python: text in, facts out, nothing of the user's ever runs.

This module is the public API (docs/architecture.md §1). Names are imported when they are first used, so a room that needs only the IR loads only the IR.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pypto_core import passes
    from pypto_core.diagnostics import Diagnostic, PassError, Related, Rule, Severity, rules
    from pypto_core.engine.database import Cancelled, Database
    from pypto_core.engine.lowering import Lowering, Stage, lower
    from pypto_core.engine.locate import callable_path, functions_at, value_at, word_at
    from pypto_core.engine.values import (
        Histories,
        LaneRow,
        LaneValue,
        ValueHistory,
        dim_text,
        lane_rows,
        memory_capacity,
        tile_bytes,
    )
    from pypto_core.engine.workspace import Entry, Settings, Workspace
    from pypto_core.fixes import Edit, Fix, Source, apply_edits, fixes_for
    from pypto_core.frontend import ParseResult, parse
    from pypto_core.ir import Chunk, Function, Program, Span, Stmt, Type, print_ir, structural_equal
    from pypto_core.ops.dsl import callables, find_callable, hover_text
    from pypto_core.passes.pipeline import run_pipeline
    from pypto_core.verify import verify

_HOMES = {
    "pypto_core.diagnostics": ("Diagnostic", "PassError", "Related", "Rule", "Severity", "rules"),
    "pypto_core.engine.database": ("Cancelled", "Database"),
    "pypto_core.engine.locate": ("callable_path", "functions_at", "value_at", "word_at"),
    "pypto_core.engine.lowering": ("Lowering", "Stage", "lower"),
    "pypto_core.engine.values": (
        "Histories", "LaneRow", "LaneValue", "ValueHistory", "dim_text", "lane_rows", "memory_capacity",
        "tile_bytes",
    ),
    "pypto_core.engine.workspace": ("Entry", "Settings", "Workspace"),
    "pypto_core.fixes": ("Edit", "Fix", "Source", "apply_edits", "fixes_for"),
    "pypto_core.frontend": ("ParseResult", "parse"),
    "pypto_core.ir": ("Chunk", "Function", "Program", "Span", "Stmt", "Type", "print_ir", "structural_equal"),
    "pypto_core.ops.dsl": ("callables", "find_callable", "hover_text"),
    "pypto_core.passes.pipeline": ("run_pipeline",),
    "pypto_core.verify": ("verify",),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Cancelled",
    "Chunk",
    "Database",
    "Diagnostic",
    "Edit",
    "Entry",
    "Fix",
    "Function",
    "Histories",
    "LaneRow",
    "LaneValue",
    "Lowering",
    "ParseResult",
    "PassError",
    "Program",
    "Related",
    "Rule",
    "Settings",
    "Severity",
    "Source",
    "Span",
    "Stage",
    "Stmt",
    "Type",
    "ValueHistory",
    "Workspace",
    "apply_edits",
    "callable_path",
    "callables",
    "dim_text",
    "find_callable",
    "fixes_for",
    "functions_at",
    "hover_text",
    "lane_rows",
    "lower",
    "memory_capacity",
    "parse",
    "passes",
    "print_ir",
    "rules",
    "run_pipeline",
    "structural_equal",
    "tile_bytes",
    "value_at",
    "verify",
    "word_at",
]


def __getattr__(name: str) -> Any:
    if name == "passes":
        return import_module("pypto_core.passes")
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'pypto_core' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value
