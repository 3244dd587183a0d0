"""Stores of the two lanes: what is told, and all the near cases about which nothing is (pypto_core/verify/lane_stores.py)."""

from __future__ import annotations

from textwrap import indent

import pytest

from pypto_core.diagnostics import Severity
from pypto_core.engine.workspace import Workspace

FILE = "kernel.py"
HEAD = """\
import pypto.language as pl

N = pl.dynamic("N")


@pl.jit
def kernel(
    a: pl.Tensor[[64, 64], pl.BF16],
    b: pl.Tensor[[64, 64], pl.BF16],
    short: pl.Tensor[[{rows}, 64], pl.BF16],
    data: pl.Tensor[[64, 64], pl.FP32],
    n: pl.Scalar[pl.INDEX],
    out: pl.InOut[pl.Tensor[[64, 64], pl.FP32]],
    low: pl.InOut[pl.Tensor[[48, 64], pl.FP32]],
    many: pl.InOut[pl.Tensor[[N, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP):
        mm = pl.matmul({left}, b, out_dtype=pl.FP32)
        for lane in pl.split_aiv(2, mode=pl.SplitMode.{mode}):
"""
SAME, END = "lane-store-same-place", "lane-store-behind-end"


def told(body: str, mode: str = "UP_DOWN", rows: int = 64) -> list[tuple[str, str]]:
    """Code and underlined text of what is said about the body of a region; other errors fail the test."""
    left = "a" if rows == 64 else "short"
    text = HEAD.format(mode=mode, rows=rows, left=left) + indent(body.strip("\n"), " " * 12)
    text += "\n    return out, low, many\n"
    workspace = Workspace()
    workspace.open(FILE, text)
    found = workspace.diagnostics(FILE)
    ours = [d for d in found if d.code.startswith("lane-store-")]
    others = [d for d in found if d not in ours and d.severity <= Severity.WARNING]
    assert [d.message for d in others if d.code != "unused-variable"] == []
    return [(d.code, d.span.text) for d in ours]


SHARE = "h = pl.aiv_shard(mm)\n"
OWN = "v = data[lane * 32 : lane * 32 + 32, :]\n"


@pytest.mark.parametrize(
    ("code", "body", "mode"),
    [
        (SAME, SHARE + "«out[0:32, :] = pl.exp(h)»", "UP_DOWN"),
        (SAME, SHARE + "«out[:, 32:64] = h»", "LEFT_RIGHT"),
        (SAME, SHARE + "out = «pl.assemble(out, h, [0, 0])»", "UP_DOWN"),
        (SAME, OWN + "«out[0:32, :] = pl.mul(v, 2.0)»", "NONE"),
        (SAME, SHARE + "k = n * 32\n«many[k : k + 32, :] = h»", "UP_DOWN"),
        (SAME, SHARE + "out[lane * 32 : lane * 32 + 32, :] = h\n«low[0:32, :] = h»", "UP_DOWN"),
        (SAME, SHARE + "out[lane * 32 : lane * 32 + 32, :] = h\n«out[0:32, :] = h»", "UP_DOWN"),
        (
            SAME,
            SHARE + "for i in pl.range(2):\n    «out[i * 32 : i * 32 + 32, :] = pl.mul(h, 2.0)»",
            "UP_DOWN",
        ),
        (END, SHARE + "«low[lane * 32 : lane * 32 + 32, :] = h»", "UP_DOWN"),
        (END, SHARE + "«out[:, lane * 48 : lane * 48 + 32] = h»", "LEFT_RIGHT"),
        (END, OWN + "«low[lane * 17 : lane * 17 + 32, :] = v»", "NONE"),
    ],
)
def test_what_cannot_be_meant_is_told(code: str, body: str, mode: str) -> None:
    before, _, rest = body.partition("«")
    marked, _, after = rest.partition("»")
    assert told(before + marked + after, mode) == [(code, marked)]


@pytest.mark.parametrize(
    ("body", "mode"),
    [
        (SHARE + "out[lane * 32 : lane * 32 + 32, :] = h", "UP_DOWN"),
        (SHARE + "low[lane * 16 : lane * 16 + 32, :] = h", "UP_DOWN"),
        (SHARE + "first = lane * 32\nout[first : first + 32, :] = h", "UP_DOWN"),
        # One of the lanes alone.
        (SHARE + "if lane == 0:\n    out[0:32, :] = h", "UP_DOWN"),
        (SHARE + "if n > 0:\n    out[0:32, :] = h", "UP_DOWN"),
        (SHARE + "for i in pl.range(lane, 2):\n    out[0:32, :] = h", "UP_DOWN"),
        (SHARE + "for i in pl.range(lane, 2):\n    out[i * 32 : i * 32 + 32, :] = h", "UP_DOWN"),
        # Both lanes have the same value, or add theirs.
        (SHARE + "out[:, :] = h", "NONE"),
        (SHARE + "z = pl.full([32, 64], dtype=pl.FP32, value=0.0)\nout[0:32, :] = z", "UP_DOWN"),
        (SHARE + "out = pl.assemble(out, h, [0, 0], atomic=pl.AtomicType.Add)", "UP_DOWN"),
        # The compiler shares out the whole.
        ("out[:, :] = pl.exp(data[:, :])", "UP_DOWN"),
        (OWN + "out[16:48, :] = v", "UP_DOWN"),
        # Where it ends is not known.
        (SHARE + "many[lane * 32 : lane * 32 + 32, :] = h", "UP_DOWN"),
        (SHARE + "out[lane * n : lane * n + 32, :] = h", "UP_DOWN"),
        # Lane by lane in turns.
        (
            SHARE + "for i in pl.range(2):\n    k = (i + lane) % 2\n    out[k * 32 : k * 32 + 32, :] = h",
            "UP_DOWN",
        ),
    ],
)
def test_what_may_be_meant_is_not(body: str, mode: str) -> None:
    assert told(body, mode) == []


def test_a_lane_may_have_nothing_of_a_ragged_value() -> None:
    assert told(SHARE + "out[0:1, :] = h", rows=1) == []


def test_an_offset_that_a_loop_carries_from_lane_to_lane_differs() -> None:
    body = SHARE + (
        "for i, (p, q) in pl.range(2, init_values=(0, lane)):\n"
        "    out[p * 32 : p * 32 + 32, :] = h\n"
        "    p_next, q_next = pl.yield_(q, p)\n"
    )
    assert told(body) == []
