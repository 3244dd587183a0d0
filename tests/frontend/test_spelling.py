"""Findings about names that do not exist: what is underlined, and what is suggested."""

from __future__ import annotations

import pytest

import pypto_core as pc

KERNEL = """\
import pypto.language as pl


@pl.jit
def kernel(n: pl.Scalar[pl.INDEX], x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        y[:, :] = {}
    return y
"""


@pytest.mark.parametrize(
    ("value", "underlined", "suggestion"),
    [
        ("pl.matmul(x, x, outdtype=pl.FP32)", "outdtype", "out_dtype"),
        ("pl.matmul(x, x, out_type = pl.FP32)", "out_type", "out_dtype"),
        ("pl.row_max(x, axis=1)", "axis", None),
        ("exp(x)", "exp", "pl.exp"),
        ("pl.cast(x, pl.F32)", "pl.F32", "FP32"),
        ("pl.cast(x, pl.bfloat16)", "pl.bfloat16", "BF16"),
        ("pl.cast(x, pl.fp32)", "pl.fp32", "FP32"),
        # 'n' is no array library, however close the name.
        ("np.exp(x)", "np", None),
        # A method of a tensor cannot simply be called by another name.
        ("x.exp()", "x.exp", None),
    ],
)
def test_underlined_and_suggested(value: str, underlined: str, suggestion: str | None) -> None:
    [finding] = pc.parse(KERNEL.format(value)).diagnostics
    assert (finding.span.text, finding.data.get("suggestion")) == (underlined, suggestion)


def test_a_dtype_that_cannot_stand_as_a_value_is_not_suggested() -> None:
    [finding] = pc.parse(KERNEL.format("pl.FP32")).diagnostics
    assert finding.code == "attr-standalone"
    assert "did you mean" not in finding.message


def test_an_unknown_module_may_hold_anything_but_operators() -> None:
    found = pc.parse("import cfg\n" + KERNEL.format("pl.mul(x, cfg.scale(n))")).diagnostics
    assert [d.code for d in found] == ["import-unresolved"]
