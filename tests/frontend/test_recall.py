"""Values of long kernels that are put at a new place instead of being read again (pypto_core/frontend/recall.py)."""

from __future__ import annotations

import dataclasses

import pytest

from pypto_core import Workspace
from pypto_core.engine.workspace import Settings
from pypto_core.frontend import chunks
from pypto_core.ir import Span, TensorType, TileType, Var, const_dims
from pypto_core.ir.node import Node
from tests.benchmarks.long_files import long_kernel, suite

PATH = "/w/k.py"
TEXT = suite()[0] + "SCALE = 0.5\n\n\n" + long_kernel(100).replace("biased3), 1.0", "biased3), SCALE")
PLACE = "        grown5 = "


def written(part: object, seen: dict[int, int]) -> object:
    """Everything of an IR: values, places, types, and which variables are the very same one."""
    if isinstance(part, Span):
        return (part.line, part.column, part.end_line, part.end_column, part.text)
    if isinstance(part, Var):
        if id(part) in seen:
            return seen[id(part)]
        seen[id(part)] = len(seen)
    if isinstance(part, TensorType | TileType):
        # Types may be shared, so the numbers in them have no place of their own.
        return (type(part).__name__, const_dims(part.shape), part.dtype, part.memory_space)
    if isinstance(part, Node):
        return (
            type(part).__name__,
            *(written(getattr(part, f.name), seen) for f in dataclasses.fields(part)),
        )
    if isinstance(part, tuple | list):
        return tuple(written(inner, seen) for inner in part)
    if isinstance(part, dict):
        return tuple((key, written(value, seen)) for key, value in part.items())
    return repr(part)


def opened(text: str) -> Workspace:
    workspace = Workspace(settings=Settings("a2a3"))
    workspace.open(PATH, text)
    return workspace


def facts(workspace: Workspace) -> object:
    parsed = workspace.parsed(PATH)
    found = [(d.code, d.message, d.span.line, d.span.column) for d in parsed.diagnostics]
    return found, {name: written(program, {}) for name, program in parsed.programs.items()}


def counts(workspace: Workspace) -> tuple[int, int]:
    known = workspace._kernels[PATH].recalls["long_kernel"]
    return known.recalled, known.read


EDITS = {
    "a statement more": (PLACE, f"        zz = 1\n{PLACE}"),
    "the header": ("x: pl.Tensor[[32, 512], pl.BF16]", "x: pl.Tensor[[16, 512], pl.BF16]"),
    "a type": ("narrow4 = pl.cast(mixed4, pl.BF16)", "narrow4 = pl.cast(mixed4, pl.FP16)"),
    "another value for a name": ("biased4 = pl.col_expand_add(acc4, bias)", "biased4 = pl.row_max(acc4)"),
    "a number outside": ("SCALE = 0.5", "SCALE = 0.25"),
    "a number that becomes an int": ("SCALE = 0.5", "SCALE = 2"),
    "a name again": (PLACE, f"        centred5 = pl.neg(centred5)\n{PLACE}"),
    "a region around": ('name_hint="long_kernel")', 'name_hint="other")'),
    "the chip's lanes": ("UP_DOWN", "LEFT_RIGHT"),
    "a name that is gone": ("        centred5 = ", "        centred_5 = "),
    "a broken line": (PLACE, f"        zz = pl.add(\n{PLACE}"),
}


@pytest.mark.parametrize("old, new", EDITS.values(), ids=EDITS)
def test_nothing_differs_from_a_fresh_reading(old: str, new: str) -> None:
    workspace = opened(TEXT)
    facts(workspace)
    assert old in TEXT
    for text in (TEXT.replace(old, new, 1), TEXT):
        workspace.open(PATH, text)
        assert facts(workspace) == facts(opened(text))


def test_only_the_edited_statement_is_read_again() -> None:
    workspace = opened(TEXT)
    workspace.parsed(PATH)
    assert counts(workspace) == (0, 0)
    workspace.open(PATH, TEXT.replace(PLACE, f"        zz = pl.exp(biased4)\n{PLACE}"))
    workspace.parsed(PATH)
    replay = workspace._kernels[PATH].recalls["long_kernel"].replay
    assert counts(workspace) == (0, 1)
    # The new statement, the scope around it and the return.
    assert (replay.repeated, replay.read) == (100, 3)


def test_values_of_statements_that_read_another_variable_are_recalled() -> None:
    workspace = opened(TEXT)
    for other in ("pl.add(acc4, bias)", "pl.col_expand_add(acc4, bias)", "pl.add(acc4, bias)"):
        workspace.open(PATH, TEXT.replace("pl.col_expand_add(acc4, bias)", other))
        facts(workspace)
    assert counts(workspace) == (7, 1)


def test_short_kernels_remember_nothing() -> None:
    text = suite()[0] + long_kernel(20)
    assert len(text) < chunks.LONG
    workspace = opened(text)
    workspace.parsed(PATH)
    assert workspace._kernels[PATH].recalls == {}
