"""ConvertTensorToTileOps and OptimizeOrchTensors on every recorded text (tests/golden/README.md, kernels step 2)."""

from __future__ import annotations

import pytest

from pypto_core.passes.pipeline import PIPELINE
from tests.support.golden import Stage, kernel_stages, make_pass, read_program, same_text, text_of

STAGES = kernel_stages(("ConvertTensorToTileOps", "OptimizeOrchTensors"), PIPELINE)


@pytest.mark.parametrize("stage", STAGES, ids=str)
def test_recorded_stage(stage: Stage) -> None:
    program = read_program(stage.before)
    after = make_pass(stage.pass_name, stage.backend)(program)
    same_text(text_of(after), stage.after)
    if stage.before == stage.after:
        assert after is program
