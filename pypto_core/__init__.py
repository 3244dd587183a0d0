"""The PyPTO compiler's front and middle end in pure Python: text in, facts out, nothing of the user's ever runs.

This module is the public API (docs/architecture.md §1). Names are imported when they are first used, so a room that needs only the IR loads only the IR.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pypto_core import passes
    from pypto_core.analysis.lanes import LANE_INDEX_OP
    from pypto_core.diagnostics import Diagnostic, PassError, Related, Rule, Severity, rules
    from pypto_core.engine.cores import core_of, core_of_space
    from pypto_core.engine.crossings import Crossing
    from pypto_core.engine.cursor import CallContext, Cursor, cursor_at
    from pypto_core.engine.database import Cancelled, Database
    from pypto_core.engine.extents import Extent, extent_of
    from pypto_core.engine.finder import Finder, Target, is_local
    from pypto_core.engine.findings import merged
    from pypto_core.engine.forms import FORMS, MEMBERS, SPACE_NAMES, Form, find_form
    from pypto_core.engine.locate import (
        Known,
        ProgramValues,
        ValueAt,
        function_lines,
        module_value,
        trip_count,
    )
    from pypto_core.engine.lowering import Lowering, Stage, lower
    from pypto_core.engine.memory_use import KernelMemory, SpaceUse, memory_use
    from pypto_core.engine.names import FileNames, read_names
    from pypto_core.engine.outline import (
        Fold,
        OutlineItem,
        folds,
        is_kernel,
        is_program,
        kernel_form,
        outline,
    )
    from pypto_core.engine.scopes import (
        Argument,
        CallSite,
        ClassInfo,
        FunctionInfo,
        Kind,
        Parameter,
        Role,
        Scope,
        Symbol,
        Use,
    )
    from pypto_core.engine.summary import KernelSummary, summaries
    from pypto_core.engine.values import (
        Histories,
        LaneRow,
        LaneValue,
        ValueHistory,
        author_name,
        dim_text,
        lane_rows,
        memory_capacity,
        tile_bytes,
    )
    from pypto_core.engine.workspace import Document, Entry, FileFacts, Settings, Workspace
    from pypto_core.fixes import Edit, Fix, Source, apply_edits, fixers, fixes_for
    from pypto_core.frontend.chunk_table import common_ends
    from pypto_core.frontend.parse import ParseResult, parse
    from pypto_core.frontend.units import parse_file
    from pypto_core.ir import (
        Anchor,
        AssignStmt,
        Call,
        Chunk,
        DataType,
        Expr,
        ForStmt,
        Function,
        MemorySpace,
        ParamDirection,
        Program,
        Span,
        SplitMode,
        Stmt,
        Type,
        Var,
        print_ir,
        structural_equal,
    )
    from pypto_core.ops.dsl import (
        ENUMERATIONS,
        DslCallable,
        DslParam,
        callables,
        documentation_of,
        find_callable,
        find_constant,
        hover_text,
        members,
    )
    from pypto_core.ops.registry import CoreAffinity, OpDef, find_op
    from pypto_core.passes.pipeline import run_pipeline
    from pypto_core.verify import verify

_HOMES = {
    "pypto_core.analysis.affinity": ("CoreAffinity",),
    "pypto_core.analysis.lanes": ("LANE_INDEX_OP",),
    "pypto_core.diagnostics": (
        "Diagnostic",
        "PassError",
        "Related",
        "Rule",
        "Severity",
        "rules",
    ),
    "pypto_core.engine.cores": (
        "core_of",
        "core_of_space",
    ),
    "pypto_core.engine.crossings": ("Crossing",),
    "pypto_core.engine.cursor": (
        "CallContext",
        "Cursor",
        "cursor_at",
    ),
    "pypto_core.engine.database": (
        "Cancelled",
        "Database",
    ),
    "pypto_core.engine.extents": ("Extent", "extent_of"),
    "pypto_core.engine.finder": (
        "Finder",
        "Target",
        "is_local",
    ),
    "pypto_core.engine.findings": ("merged",),
    "pypto_core.engine.forms": (
        "FORMS",
        "Form",
        "MEMBERS",
        "SPACE_NAMES",
        "find_form",
    ),
    "pypto_core.engine.locate": (
        "Known",
        "ProgramValues",
        "ValueAt",
        "function_lines",
        "module_value",
        "trip_count",
    ),
    "pypto_core.engine.lowering": (
        "Lowering",
        "Stage",
        "lower",
    ),
    "pypto_core.engine.memory_use": (
        "KernelMemory",
        "SpaceUse",
        "memory_use",
    ),
    "pypto_core.engine.names": ("FileNames", "read_names"),
    "pypto_core.engine.outline": (
        "Fold",
        "OutlineItem",
        "folds",
        "is_kernel",
        "is_program",
        "kernel_form",
        "outline",
    ),
    "pypto_core.engine.scopes": (
        "Argument",
        "CallSite",
        "ClassInfo",
        "FunctionInfo",
        "Kind",
        "Parameter",
        "Role",
        "Scope",
        "Symbol",
        "Use",
    ),
    "pypto_core.engine.summary": (
        "KernelSummary",
        "summaries",
    ),
    "pypto_core.engine.values": (
        "Histories",
        "LaneRow",
        "LaneValue",
        "ValueHistory",
        "author_name",
        "dim_text",
        "lane_rows",
        "memory_capacity",
        "tile_bytes",
    ),
    "pypto_core.engine.workspace": (
        "Document",
        "Entry",
        "FileFacts",
        "Settings",
        "Workspace",
    ),
    "pypto_core.fixes": (
        "Edit",
        "Fix",
        "Source",
        "apply_edits",
        "fixers",
        "fixes_for",
    ),
    "pypto_core.frontend": (
        "ParseResult",
        "parse",
    ),
    "pypto_core.frontend.chunk_table": ("common_ends",),
    "pypto_core.frontend.units": ("parse_file",),
    "pypto_core.ir": (
        "Anchor",
        "AssignStmt",
        "Call",
        "Chunk",
        "DataType",
        "Expr",
        "ForStmt",
        "Function",
        "MemorySpace",
        "ParamDirection",
        "Program",
        "Span",
        "SplitMode",
        "Stmt",
        "Type",
        "Var",
        "print_ir",
        "structural_equal",
    ),
    "pypto_core.ops.dsl": (
        "DslCallable",
        "DslParam",
        "ENUMERATIONS",
        "callables",
        "documentation_of",
        "find_callable",
        "find_constant",
        "hover_text",
        "members",
    ),
    "pypto_core.ops.registry": (
        "OpDef",
        "find_op",
    ),
    "pypto_core.passes.pipeline": ("run_pipeline",),
    "pypto_core.verify": ("verify",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "ENUMERATIONS",
    "FORMS",
    "LANE_INDEX_OP",
    "MEMBERS",
    "SPACE_NAMES",
    "Anchor",
    "Argument",
    "AssignStmt",
    "Call",
    "CallContext",
    "CallSite",
    "Cancelled",
    "Chunk",
    "ClassInfo",
    "CoreAffinity",
    "Crossing",
    "Cursor",
    "DataType",
    "Database",
    "Diagnostic",
    "Document",
    "DslCallable",
    "DslParam",
    "Edit",
    "Entry",
    "Expr",
    "Extent",
    "FileFacts",
    "FileNames",
    "Finder",
    "Fix",
    "Fold",
    "ForStmt",
    "Form",
    "Function",
    "FunctionInfo",
    "Histories",
    "KernelMemory",
    "KernelSummary",
    "Kind",
    "Known",
    "LaneRow",
    "LaneValue",
    "Lowering",
    "MemorySpace",
    "OpDef",
    "OutlineItem",
    "ParamDirection",
    "Parameter",
    "ParseResult",
    "PassError",
    "Program",
    "ProgramValues",
    "Related",
    "Role",
    "Rule",
    "Scope",
    "Settings",
    "Severity",
    "Source",
    "SpaceUse",
    "Span",
    "SplitMode",
    "Stage",
    "Stmt",
    "Symbol",
    "Target",
    "Type",
    "Use",
    "ValueAt",
    "ValueHistory",
    "Var",
    "Workspace",
    "apply_edits",
    "author_name",
    "callables",
    "common_ends",
    "core_of",
    "core_of_space",
    "cursor_at",
    "dim_text",
    "documentation_of",
    "extent_of",
    "find_callable",
    "find_constant",
    "find_form",
    "find_op",
    "fixers",
    "fixes_for",
    "folds",
    "function_lines",
    "hover_text",
    "is_kernel",
    "is_local",
    "is_program",
    "kernel_form",
    "lane_rows",
    "lower",
    "members",
    "memory_capacity",
    "memory_use",
    "merged",
    "module_value",
    "outline",
    "parse",
    "parse_file",
    "passes",
    "print_ir",
    "read_names",
    "rules",
    "run_pipeline",
    "structural_equal",
    "summaries",
    "tile_bytes",
    "trip_count",
    "verify",
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
