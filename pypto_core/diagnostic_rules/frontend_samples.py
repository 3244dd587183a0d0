"""Whole small kernels around a few lines, for the rows of the frontend.

``«`` and ``»`` in the wrong lines mark the characters that the finding covers (:class:`Rule`). The tests compare them with
the span that is reported.
"""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent, indent

from pypto_core.diagnostics import FixApplicability, Rule, Severity

_TENSOR = "pl.Tensor[[64, 64], pl.FP32]"
_HEAD = "import pypto.language as pl\n\n\n"


def _lines(body: str, columns: int) -> str:
    return indent(dedent(body).strip("\n"), " " * columns)


def core(body: str) -> str:
    """A kernel on tiles: ``x`` and ``out`` tensors, ``n`` an INDEX and ``s`` an FP32 scalar, ``a`` a tile."""
    return (
        f"{_HEAD}N = 64\n\n\n@pl.program\nclass Example:\n    @pl.function(type=pl.FunctionType.InCore)\n"
        f"    def kernel(\n        self,\n        x: {_TENSOR},\n        n: pl.Scalar[pl.INDEX],\n"
        f"        s: pl.Scalar[pl.FP32],\n        out: pl.Out[{_TENSOR}],\n    ) -> {_TENSOR}:\n"
        f"        a = pl.load(x, [0, 0], [64, 64])\n{_lines(body, 8)}\n"
        "        out = pl.store(a, [0, 0], out)\n        return out\n"
    )


def tensors(body: str) -> str:
    """A function on tensors ``x`` and ``y`` with an INDEX scalar ``n``."""
    return (
        f"{_HEAD}N = 64\n\n\n@pl.program\nclass Example:\n    @pl.function\n"
        f"    def kernel(self, x: {_TENSOR}, y: {_TENSOR}, n: pl.Scalar[pl.INDEX]) -> {_TENSOR}:\n"
        f"{_lines(body, 8)}\n        return x\n"
    )


def tasks(body: str) -> str:
    """An orchestration function that can launch ``self.scale(x, out)``."""
    return (
        f"{_HEAD}@pl.program\nclass Example:\n    @pl.function(type=pl.FunctionType.InCore)\n"
        f"    def scale(self, x: {_TENSOR}, out: pl.Out[{_TENSOR}]) -> {_TENSOR}:\n"
        "        a = pl.load(x, [0, 0], [64, 64])\n        return pl.store(pl.mul(a, 2.0), [0, 0], out)\n\n"
        "    @pl.function(type=pl.FunctionType.Orchestration)\n"
        f"    def main(self, x: {_TENSOR}, out: pl.InOut[{_TENSOR}], flags: pl.Tensor[[4], pl.INT32]) -> {_TENSOR}:\n"
        f"{_lines(body, 8)}\n        return out\n"
    )


def method(text: str) -> str:
    """A program around a whole method."""
    return f"{_HEAD}@pl.program\nclass Example:\n{_lines(text, 4)}\n"


def params(text: str) -> str:
    """A kernel with the given parameters."""
    return method(f"@pl.function\ndef kernel(self, {text.strip()}):\n    return")


def whole(text: str) -> str:
    """A whole file after the import."""
    return _HEAD + dedent(text).strip("\n") + "\n"


def rule(
    code: str,
    title: str,
    explanation: str,
    wrong: str,
    right: str,
    around: Callable[[str], str] = core,
    *,
    severity: Severity = Severity.ERROR,
    fix: FixApplicability = "none",
    deprecated: bool = False,
) -> Rule:
    """A row with both examples."""
    return Rule(
        code,
        title,
        explanation,
        severity,
        around(wrong),
        around(right),
        fix,
        ("deprecated",) if deprecated else (),
    )
