"""Order, contracts and verification points of the pipeline (docs/spec/ir.md §7.2, §7.3)."""

from __future__ import annotations

from importlib import import_module

import pytest

from pypto_core import passes
from pypto_core.diagnostics import Severity
from pypto_core.passes.base import Pass
from pypto_core.passes.pipeline import (
    AT_INPUT,
    PIPELINE,
    VERIFIED,
    check_pipeline,
    contract_of,
    factory_of,
    make_pass,
    passes_until,
    properties_to_verify,
    run_pipeline,
)
from pypto_core.verify import PROPERTIES
from tests.support.golden import GOLDEN as GOLDEN_FOLDER
from tests.support.golden import kernel_records, read_program, recorded_stages, text_of

FRONT = passes_until("OutlineClusterScopes")


def test_order() -> None:
    assert len(PIPELINE) == 27
    assert PIPELINE[0] == "InlineFunctions" and PIPELINE[-1] == "SkewCrossCorePipeline"
    assert len(FRONT) == 10


@pytest.mark.parametrize("name", FRONT)
def test_contract_is_that_of_the_pass(name: str) -> None:
    made = make_pass(name)
    assert made.name == name
    assert made.contract == contract_of(name)


def test_contracts_name_properties() -> None:
    for name in PIPELINE:
        contract = contract_of(name)
        assert (contract.required | contract.produced | contract.invalidated) <= set(PROPERTIES)
    assert set(PROPERTIES) >= VERIFIED


def test_required_properties_hold_when_a_pass_starts() -> None:
    """Every required property was produced earlier and not destroyed since."""
    held: set[str] = set()
    for name in PIPELINE:
        contract = contract_of(name)
        assert contract.required <= held, (name, contract.required - held)
        held -= contract.invalidated
        held |= contract.produced


def test_verification_points() -> None:
    """The schedule of docs/spec/ir.md §7.3."""
    points = {}
    verified = AT_INPUT
    for name in PIPELINE:
        todo, verified = properties_to_verify(name, verified)
        if todo:
            points[name] = set(todo)
    assert {
        "TypeChecked",
        "NoRedundantBlocks",
        "BreakContinueValid",
        "InOutUseValid",
        "ManualDepsOnSubmitOnly",
        "AtomicAddDtypeValid",
    } == AT_INPUT
    assert points == {
        "ConvertToSSA": {"SSAForm"},
        "OutlineIncoreScopes": {"AivSplitValid"},
        "ConvertTensorToTileOps": {"AivSplitValid"},
        "InferTileMemorySpace": {"AivSplitValid", "TileMemoryInferred", "AccToGmStoreValid"},
        "LowerAutoVectorSplit": {"AivSplitLoweredValid"},
        "ExpandMixedKernel": {"MixedKernelExpanded", "HardSyncallOccupancyValid"},
        "NormalizeReturnOrder": {"ReturnParamsExplicit"},
    }


@pytest.mark.parametrize("name", FRONT)
def test_factory_stays_callable(name: str) -> None:
    """Importing a pass module must not hide its factory."""
    factory = factory_of(name)
    import_module(f"pypto_core.passes.{factory}")
    for _ in range(2):
        assert isinstance(getattr(passes, factory)(backend="a2a3"), Pass)


PROGRAM = """# pypto.program: P
import pypto.language as pl

@pl.program
class P:
    @pl.function
    def main(self, x: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP):
            y: pl.Tensor[[64], pl.FP32] = pl.tensor.add(x, x)
        return y"""


def test_run_until() -> None:
    seen: list[str] = []
    program = run_pipeline(
        read_program(PROGRAM), until="OutlineIncoreScopes", on_pass=lambda name, _program: seen.append(name)
    )
    assert tuple(seen) == passes_until("OutlineIncoreScopes")
    assert "def main_incore_0" in text_of(program)


def test_unchanged_program_is_the_same_object() -> None:
    """A pass that has nothing to do returns its input."""
    program = run_pipeline(read_program(PROGRAM), until="OutlineClusterScopes")
    for name in FRONT:
        if name == "ConvertToSSA":  # versions every definition again
            continue
        assert make_pass(name)(program) is program, name


def test_check_pipeline_stops_at_the_orphan() -> None:
    (entry,) = [e for k, _, _, e in kernel_records() if k == "err_orphan_operator"]
    seen: list[str] = []
    _, found = check_pipeline(
        read_program(str(entry["program"])), None, "a2a3", lambda name, _program: seen.append(name)
    )
    assert [d.code for d in found] == ["orphan-operator"]
    assert seen[-1] == "OutlineIncoreScopes"
    assert recorded_stages(GOLDEN_FOLDER / "kernels", entry)


def test_check_pipeline_reports_an_unbound_value() -> None:
    text = PROGRAM.replace(
        "        with pl.at(level=pl.Level.CORE_GROUP):\n            y: ",
        "        for i in pl.range(4):\n            y: ",
    )
    _, found = check_pipeline(read_program(text), "ConvertToSSA")
    (error,) = [d for d in found if d.severity is Severity.ERROR]
    assert error.code == "ssa-scope" and "'y'" in error.message and "before the loop" in error.message
