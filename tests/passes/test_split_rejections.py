"""Every rejection of the split passes beside near twins that must stay silent (``split_rejections/*.py``).

The first comment lines of a file say what runs: ``# passes: a b`` runs single passes on the program as written,
``# pipeline: X`` the default pipeline up to pass X, ``# check: X`` the same with verification; ``# backend: a5``. A mark
``# ^^^ code: token; token`` under a line says that the program around it is refused with this code, on that line, from the
caret's column, in words that contain the tokens. A class without a mark must pass.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from pypto_core.diagnostics import Diagnostic, PassError, Severity
from pypto_core.frontend import parse
from pypto_core.ir import Program
from pypto_core.passes.pipeline import check_pipeline, run_pipeline
from tests.support.golden import assert_mentions, make_pass, read_program

FOLDER = Path(__file__).parent / "split_rejections"
_MARK = re.compile(r"^\s*#\s*(\^+) ([a-z-]+): ?(.*)$")
_SETTING = re.compile(r"^# (passes|pipeline|check|backend): (.*)$", re.MULTILINE)
_CLASS = re.compile(r"^class (\w+):", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Mark:
    line: int
    column: int
    code: str
    tokens: list[str]


@dataclass(frozen=True, slots=True)
class Fixture:
    path: Path
    entry: str
    settings: dict[str, str]
    mark: Mark | None

    def __str__(self) -> str:
        return f"{self.path.stem}-{self.entry}"


def _fixtures() -> list[Fixture]:
    found: list[Fixture] = []
    for path in sorted(FOLDER.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        settings = dict(_SETTING.findall(text))
        starts = [(m.group(1), text.count("\n", 0, m.start()) + 1) for m in _CLASS.finditer(text)]
        marks = list(_marks(text))
        for index, (entry, first) in enumerate(starts):
            last = starts[index + 1][1] if index + 1 < len(starts) else text.count("\n") + 1
            inside = [m for m in marks if first <= m.line < last]
            assert len(inside) <= 1, f"{path.name}: {entry} has several marks"
            found.append(Fixture(path, entry, settings, inside[0] if inside else None))
    return found


def _marks(text: str) -> list[Mark]:
    out = []
    code_line = 0
    for number, line in enumerate(text.splitlines(), 1):
        match = _MARK.match(line)
        if match is None:
            if line.strip():
                code_line = number
            continue
        tokens = [t.strip() for t in match.group(3).split(";") if t.strip()]
        out.append(Mark(code_line, match.start(1) + 1, match.group(2), tokens))
    return out


FIXTURES = _fixtures()


def finding_of(program: Program, settings: dict[str, str]) -> Diagnostic | None:
    backend = settings.get("backend", "a5")
    if "check" in settings:
        _, found = check_pipeline(program, settings["check"], backend)
        return next((d for d in found if d.severity is Severity.ERROR), None)
    try:
        if "pipeline" in settings:
            run_pipeline(program, settings["pipeline"], backend)
        for name in settings.get("passes", "").split():
            program = make_pass(name, backend)(program)
    except PassError as error:
        return error.diagnostic
    return None


@pytest.mark.parametrize("fixture", FIXTURES, ids=str)
def test_rejection(fixture: Fixture) -> None:
    result = parse(fixture.path.read_text(encoding="utf-8"), fixture.path.name)
    assert not result.diagnostics, [f"{d.span.line}: {d.message}" for d in result.diagnostics]
    found = finding_of(result.programs[fixture.entry], fixture.settings)
    if fixture.mark is None:
        assert found is None, f"{found.code} in line {found.span.line}: {found.message}"
        return
    assert found is not None, "nothing was refused"
    assert found.code == fixture.mark.code, f"{found.code}: {found.message}"
    assert (found.span.line, found.span.column) == (fixture.mark.line, fixture.mark.column), found.message
    assert_mentions(found, fixture.mark.tokens)


REFUSES_HALVES = """\
# pypto.program: P
import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)
    def kernel(acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc], data: pl.Tensor[[{rows}, 64], pl.FP16], out: pl.Out[pl.Tensor[[{rows}, 64], pl.FP8E4M3FN]]) -> pl.Tensor[[{rows}, 64], pl.FP8E4M3FN]:
        pl.func_attr({{"split": pl.SplitMode.UP_DOWN}})
        half: pl.Tile[[128, 128], pl.FP32, pl.Mem.Vec] = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v: pl.Tile[[{rows}, 64], pl.FP16, pl.Mem.Vec] = pl.tile.load(data, [0, 0], [{rows}, 64], [{rows}, 64], target_memory=pl.Mem.Vec)
        pair: pl.Tuple[pl.Tile[[{rows}, 64], pl.FP8E4M3FN, pl.Mem.Vec], pl.Tile[[{rows}, 2], pl.FP8E8M0, pl.Mem.Vec]] = pl.tile.tquant_mx(v, dtype=pl.FP8E4M3FN, group_axis=1)
        res: pl.Tensor[[{rows}, 64], pl.FP8E4M3FN] = pl.tile.store(pair[0], [0, 0], out)
        return res
"""


def test_tuple_operator_that_refuses_halves() -> None:
    """No operator of the language does; one that only passes make needs a multiple of 16 rows."""
    settings = {"passes": "lower_auto_vector_split"}
    found = finding_of(read_program(REFUSES_HALVES.format(rows=16)), settings)
    assert found is not None
    assert found.code == "split-tuple-refused"
    assert_mentions(found, ["'tile.tquant_mx'", "tuple", "16"])
    assert finding_of(read_program(REFUSES_HALVES.format(rows=32)), settings) is None


NO_SUCH_MODE = """\
# pypto.program: P
import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)
    def kernel(acc: pl.Tile[[32, 32], pl.FP32, pl.Mem.Acc], out: pl.Out[pl.Tensor[[32, 32], pl.FP32]]) -> pl.Tensor[[32, 32], pl.FP32]:
        pl.func_attr({{"split": pl.SplitMode.UP_DOWN, "split_aiv": True}})
        lane: pl.Scalar[pl.INDEX] = pl.tile.get_subblock_idx()
        half: pl.Tile[[16, 32], pl.FP32, pl.Mem.Vec] = pl.tile.aiv_shard(acc, split={split})
        res: pl.Tensor[[32, 32], pl.FP32] = pl.tile.store(half, [lane * 16, 0], out)
        return res
"""


def test_boundary_mode_that_does_not_exist() -> None:
    """Printed text may hold one; the language does not accept it."""
    settings = {"passes": "expand_mixed_kernel"}
    found = finding_of(read_program(NO_SUCH_MODE.format(split=3)), settings)
    assert found is not None
    assert_mentions(found, ["'tile.aiv_shard'", "3"])
    assert finding_of(read_program(NO_SUCH_MODE.format(split=1)), settings) is None
