"""A function that is refused stays behind alone: the others of its program go through all passes (docs/spec/ir.md §7.3)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pypto_core.diagnostics import Diagnostic, Severity
from pypto_core.engine import blame, pass_memory
from pypto_core.engine.blame import Refusal
from pypto_core.engine.lowering import INPUT, Early, Lowering, PassMemory, lower
from pypto_core.engine.pass_memory import Checkpoint, Outcome
from pypto_core.engine.workspace import Settings, Workspace
from pypto_core.frontend import parse
from pypto_core.ir import Function, Program, calls_in, print_ir
from pypto_core.passes.pipeline import PIPELINE, make_pass
from tests.support.golden import GOLDEN

LAST = PIPELINE[-1]

HEAD = """import pypto.language as pl

@pl.jit
def kernel(
    a: pl.Tensor[[64, 64], pl.FP16],
    b: pl.Tensor[[64, 64], pl.FP16],
    x: pl.Tensor[[64, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    z: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    peak: pl.Out[pl.Tensor[[1, 64], pl.FP32]],
):
"""
GOOD = """    with pl.at(level=pl.Level.CORE_GROUP, name_hint="good"):
        z[:, :] = pl.exp(pl.matmul(a, b, out_dtype=pl.FP32))
"""
CUBE_IN_REGION = """    with pl.at(level=pl.Level.CORE_GROUP, name_hint="cube_in_region"):
        for lane in pl.split_aiv(2, mode=pl.SplitMode.NONE):
            p = pl.matmul(a, b, out_dtype=pl.FP32)
            y[:, :] = pl.exp(x)
"""
SPLIT_AXIS = """    with pl.at(level=pl.Level.CORE_GROUP, optimizations=[pl.split(pl.SplitMode.UP_DOWN)], name_hint="split_axis"):
        q = pl.matmul(a, b, out_dtype=pl.FP32)
        peak[:, :] = pl.col_max(q)
"""
ORPHAN = """    x = pl.mul(x, 2.0)
"""
TAIL = """    return y, z, peak
"""


def lowered(text: str) -> Lowering:
    program = parse(text, "k.py").program
    assert program is not None
    return lower(program, "a2a3")


def errors(lowering: Lowering) -> list[tuple[str, str]]:
    found = {(d.code, d.span.text): d.span.line for d in lowering.diagnostics if d.severity is Severity.ERROR}
    return sorted(found, key=lambda key: found[key])


def stops(lowering: Lowering) -> dict[str, str]:
    return {name: stop.stage for name, stop in lowering.stopped.items()}


def text_after(lowering: Lowering, name: str) -> str:
    program = lowering.program_after(name)
    assert program is not None
    return print_ir(program)


def alone(lowering: Lowering, *functions: str) -> str:
    """The last text of some functions."""
    program = lowering.stages[-1].program
    return print_ir(program.with_functions(f for f in program.functions if f.name in functions))


def test_refused_by_a_verifier() -> None:
    lowering = lowered(HEAD + CUBE_IN_REGION + GOOD + TAIL)
    assert stops(lowering) == {"cube_in_region": "ConvertTensorToTileOps"}
    assert [s.name for s in lowering.stages] == list(PIPELINE)
    assert ("aiv-cube-in-region", "pl.matmul(a, b, out_dtype=pl.FP32)") in errors(lowering)
    assert "good_aic" in text_after(lowering, LAST)


def test_refused_by_a_pass() -> None:
    lowering = lowered(HEAD + SPLIT_AXIS + GOOD + TAIL)
    assert stops(lowering) == {"split_axis": "LowerAutoVectorSplit"}
    assert lowering.stopped["split_axis"].by_pass
    assert errors(lowering) == [("split-reduce-axis", "pl.col_max(q)")]
    assert "good_aic" in text_after(lowering, LAST)


def test_every_function_has_its_finding() -> None:
    """Two kernels that fail at different stages, and the function that launches them."""
    lowering = lowered(HEAD + ORPHAN + CUBE_IN_REGION + SPLIT_AXIS + GOOD + TAIL)
    assert stops(lowering) == {
        "kernel": "OutlineIncoreScopes",
        "cube_in_region": "ConvertTensorToTileOps",
        "split_axis": "LowerAutoVectorSplit",
    }
    assert [code for code, _ in errors(lowering)] == [
        "orphan-operator",
        "aiv-cube-in-region",
        "split-reduce-axis",
    ]
    assert lowering.stopped_at == "OutlineIncoreScopes"
    assert "good_aic" in text_after(lowering, LAST)


@pytest.mark.parametrize("wrong", [CUBE_IN_REGION, SPLIT_AXIS, CUBE_IN_REGION + SPLIT_AXIS])
def test_others_become_what_they_would_without_it(wrong: str) -> None:
    sound, broken = lowered(HEAD + GOOD + TAIL), lowered(HEAD + wrong + GOOD + TAIL)
    assert alone(broken, "good_aic", "good_aiv") == alone(sound, "good_aic", "good_aiv")


def test_stages_show_a_refused_function_as_it_was() -> None:
    lowering = lowered(HEAD + CUBE_IN_REGION + GOOD + TAIL)
    shown = lowering.program_after("ConvertTensorToTileOps")
    last = lowering.program_after(LAST)
    assert shown is not None and last is not None
    assert shown.get_function("cube_in_region") is last.get_function("cube_in_region") is not None
    assert lowering.stops_before("") == lowering.stops_before("ConvertTensorToTileOps") == {}
    assert set(lowering.stops_before("OptimizeOrchTensors")) == {"cube_in_region"}
    refused = lowered(HEAD + SPLIT_AXIS + TAIL)
    assert refused.stops_before("ResolveBackendOpLayouts") == {}
    assert set(refused.stops_before("LowerAutoVectorSplit")) == {"split_axis"}


def test_findings_appear_once() -> None:
    core = Workspace(settings=Settings(backend="a2a3"))
    core.open("k.py", HEAD + ORPHAN + CUBE_IN_REGION + SPLIT_AXIS + GOOD + TAIL)
    found = [d for d in core.diagnostics("k.py") if d.severity is Severity.ERROR]
    assert [d.code for d in found] == ["orphan-operator", "aiv-cube-in-region", "split-reduce-axis"]


INLINE_FAULT = """import pypto.language as pl

@pl.program
class Two:
    @pl.function(type=pl.FunctionType.Inline)
    def helper(self, t: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
        return pl.exp(t)

    @pl.function
    def caller(self, t: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP):
            r = self.helper(t)
        return r

    @pl.function
    def other(self, t: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="side"):
            r = pl.neg(t)
        return r
"""


def test_callers_of_a_wrong_inline_function_wait_silently() -> None:
    program = parse(INLINE_FAULT, "k.py").program
    assert program is not None
    early = Early((("helper", Diagnostic("wrong", "wrong", program.functions[0].span)),))
    lowering = lower(program, "a2a3", early=early)
    assert stops(lowering) == {"helper": INPUT, "caller": INPUT}
    assert lowering.stopped["caller"].findings == ()
    assert len(errors(lowering)) == 1
    assert "tile.neg" in text_after(lowering, LAST)


# -- faults of the product -------------------------------------------------------------------------------------------


def failing(wrong: str, operator: str) -> Callable[[str, str | None], Callable[[Program], Program]]:
    """``make_pass`` where the pass called ``wrong`` breaks on one operator."""

    def broken(program: Program) -> Program:
        for function in program.functions:
            for call in calls_in(function.body):
                if call.name == operator:
                    raise KeyError(operator)
        return make_pass(wrong, "a2a3")(program)

    return lambda name, backend: broken if name == wrong else make_pass(name, backend)


#: A pass that sees one function at a time, and one that sees the whole program.
@pytest.mark.parametrize("name", ["LowerCompositeOps", "OptimizeOrchTensors"])
def test_a_fault_of_a_pass_stops_one_function(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pass_memory, "make_pass", failing(name, "tile.exp"))
    other = GOOD.replace("good", "other").replace("exp", "neg")
    lowering = lowered(HEAD + GOOD + other + TAIL)
    assert stops(lowering) == {"good": name}
    (found,) = (d for d in lowering.diagnostics if d.code == "not-supported")
    assert found.severity is Severity.INFORMATION
    assert found.span.text == "pl.exp(pl.matmul(a, b, out_dtype=pl.FP32))"
    assert found.span.text in found.message and name in found.message
    assert isinstance(found.data["fault"], KeyError)
    assert "other_aic" in text_after(lowering, LAST)


def test_a_fault_without_a_place_is_found_by_leaving_functions_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(program: Program) -> Program:
        if any(name == "good" for name in [f.name for f in program.functions]):
            raise ValueError("no statement in sight")
        return make_pass("OptimizeOrchTensors", "a2a3")(program)

    monkeypatch.setattr(blame, "_place", lambda fault, program: (program.span.unknown(), ()))
    monkeypatch.setattr(
        pass_memory,
        "make_pass",
        lambda name, backend: broken if name == "OptimizeOrchTensors" else make_pass(name, backend),
    )
    lowering = lowered(HEAD + GOOD + GOOD.replace("good", "other") + TAIL)
    assert stops(lowering) == {"good": "OptimizeOrchTensors"}


# -- any function may be missing -------------------------------------------------------------------------------------


class Refusing(PassMemory):
    """Refuses one function at one pass."""

    def __init__(self, base: PassMemory, at: str, name: str) -> None:
        self.base, self.at, self.name = base, at, name

    def run(self, name: str, backend: str | None, program: Program, checkpoint: Checkpoint) -> Outcome:
        function = program.get_function(self.name) if name == self.at else None
        if function is None:
            return self.base.run(name, backend, program, checkpoint)
        rest = program.with_functions(f for f in program.functions if f is not function)
        made = self.base.run(name, backend, rest, checkpoint)
        refused = Refusal((function,), Diagnostic("refused", "refused", function.span))
        return Outcome(made.program, made.hints, (*made.refusals, refused))


def entries(stem: str) -> dict[str, Program]:
    path: Path = GOLDEN / "kernels" / f"{stem}.py"
    programs = dict(parse(path.read_text(encoding="utf-8"), str(path)).programs)
    assert programs
    return programs


@pytest.mark.parametrize("at", PIPELINE)
@pytest.mark.parametrize("stem", ["graph_submit", "lanes_two_phase", "norm_pair"])
def test_the_rest_is_lowered_whatever_is_missing(stem: str, at: str) -> None:
    """A missing kernel causes no finding in those that call it or stand beside it."""
    for program in entries(stem).values():
        base = PassMemory()
        sound = lower(program, "a2a3", memory=base)
        assert not sound.stopped
        before: Program = program if at == PIPELINE[0] else sound.stages[PIPELINE.index(at) - 1].program
        function: Function
        for function in before.functions:
            lowering = lower(program, "a2a3", memory=Refusing(base, at, function.name), early=Early())
            assert set(lowering.stopped) == {function.name}
            assert [d for d in lowering.diagnostics if d.severity < Severity.HINT] == [
                d for d in lowering.diagnostics if d.code == "refused"
            ]


# -- one mistake, one finding ----------------------------------------------------------------------------------------

FREES = """import pypto.language as pl

@pl.program
class Case:
    @pl.function(type=pl.FunctionType.AIV)
    def vec(self, out: pl.Out[pl.Tensor[[16, 128], pl.FP32]]) -> pl.Tensor[[16, 128], pl.FP32]:
        ring = pl.reserve_buffer(name="c2v", size=32768, base=0x1000)
        pl.aiv_initialize_pipe(ring, pl.const(0, pl.INT32), dir_mask=1, slot_size=8192)
        x: pl.Tile[[16, 128], pl.FP32, pl.Mem.Vec] = pl.tpop_from_aic(split=0)
        z = pl.add(x, x)
        {free}
        res = pl.store(z, [0, 0], out)
        return res
"""


@pytest.mark.parametrize(
    ("free", "code"),
    [
        ("pl.tfree_to_aic(x)", None),
        ("pl.tfree_to_aiv(x)", "tfree-direction"),
        ("pl.tfree_to_aic(z)", "tfree-no-tpop"),
        ("pl.tfree_to_aic(x, id=3)", "tfree-id-mismatch"),
    ],
)
def test_a_wrong_free_is_told_once(free: str, code: str | None) -> None:
    core = Workspace(settings=Settings(backend="a2a3"))
    core.open("k.py", FREES.format(free=free))
    found = [d for d in core.diagnostics("k.py") if d.severity is Severity.ERROR]
    assert [(d.code, d.span.text) for d in found] == ([(code, free)] if code else [])
