"""Deducing every operator call of every recorded text again gives the type that the text states.

What passes set on purpose is left out of the comparison: memory references, the types of popped tiles, flattened loads, and,
from LowerAutoVectorSplit (and the memory inference of loop-carried tiles) on, the views of retyped tiles.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from pypto_core.frontend.printed import read_printed
from pypto_core.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Program,
    TensorType,
    TileType,
    TupleType,
    Type,
    print_ir,
    walk,
)
from pypto_core.ops import deduce_type, get_op

GOLDEN = Path(__file__).parents[1] / "golden"
FILES = sorted([*GOLDEN.glob("*/*.yaml"), *GOLDEN.glob("*/*.stages.txt")])

STATED = {"tile.tpop_from_aic", "tile.tpop_from_aiv"}
#: Stages after which views are what a pass wrote, not what the operands give.
RETYPED = {
    "infertilememoryspace", "resolvebackendoplayouts", "lowerautovectorsplit", "flat", "expandmixedkernel",
    "injectgmpipebuffer", "splitvectorkernel", "stamptfreesplit", "normalizereturnorder", "skewcrosscorepipeline",
}  # fmt: skip
#: A call that was inlined is not checked again by the compiler either.
UNCHECKED = {"inlinefunctions"}


def stages(path: Path) -> Iterator[tuple[str, str]]:
    """Name of the stage (lower case, without underscores) and text of every program in a file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".txt":
        for part in re.split(r"^==== ", text, flags=re.M)[1:]:
            name, _, program = part.partition("\n")
            yield name.strip().lower(), program
        return
    document = yaml.load(text, yaml.CSafeLoader)
    passes = document.get("passes") or [""]
    last = str(passes[-1]).replace("_", "").lower()

    def visit(key: str, value: Any) -> Iterator[tuple[str, str]]:
        if isinstance(value, str) and value.lstrip().startswith("# pypto.program"):
            yield (last if key == "after" else key.replace("_", "").lower()), value
        elif isinstance(value, dict):
            for name, inner in value.items():
                yield from visit(str(name), inner)

    yield from visit("", document)


def calls(program: Program) -> Iterator[tuple[Call, Type | None]]:
    """Operator calls with the type that the text states; None for a bare statement."""
    for function in program.functions:
        for node in walk(function.body):
            if isinstance(node, AssignStmt) and isinstance(node.value, Call):
                call, stated = node.value, node.var.type
            elif isinstance(node, EvalStmt) and isinstance(node.expr, Call):
                call, stated = node.expr, None
            else:
                continue
            if not call.is_function_call and call.name not in STATED:
                yield call, stated


def comparable(t: Type, *, view: bool) -> Type:
    """``t`` without what is not compared."""
    if isinstance(t, TileType):
        return t.with_(memref=None, tile_view=t.tile_view if view else None)
    if isinstance(t, TensorType):
        return t.with_(memref=None)
    if isinstance(t, TupleType):
        return TupleType(tuple(comparable(e, view=view) for e in t.types))
    return t


def is_flattened(deduced: Type, stated: Type) -> bool:
    """A load of more than two dimensions whose tile was flattened in place."""
    return (
        isinstance(deduced, TileType)
        and isinstance(stated, TileType)
        and deduced.rank > 2
        and stated.rank == 2
    )


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_deduced_types(path: Path) -> None:
    wrong = []
    for stage, text in stages(path):
        if stage in UNCHECKED:
            continue
        program = read_printed(text, path.name).program
        assert program is not None
        view = stage not in RETYPED
        for call, stated in calls(program):
            deduced = deduce_type(get_op(call.name), call.args, call.kwargs, span=call.span)
            if stated is None or is_flattened(deduced, stated):
                continue
            have, want = print_ir(comparable(deduced, view=view)), print_ir(comparable(stated, view=view))
            if have != want:
                wrong.append(f"{stage}: {print_ir(call)}: {have} instead of {want}")
    assert wrong == []
