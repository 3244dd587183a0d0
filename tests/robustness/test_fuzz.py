"""A minute of fuzzing, the same cases each time; ``make fuzz`` goes on for half an hour."""

from __future__ import annotations

import time

import pytest

from tools.fuzz.__main__ import case, corpus
from tools.fuzz.analysis import crash_of

SECONDS = 30
SHARDS = 2
#: Fewer would say nothing, however slow the machine is.
AT_LEAST = 50


@pytest.mark.parametrize("shard", range(SHARDS))
def test_nearly_right_kernels(shard: int) -> None:
    texts = corpus()
    end = time.monotonic() + SECONDS
    number = shard
    while time.monotonic() < end or number < AT_LEAST * SHARDS:
        text, backend = case(0, number, texts)
        crash = crash_of(text, backend)
        assert crash is None, f"case {number} of seed 0 ({backend}): {crash.what}\n{crash.details}\n{text}"
        number += SHARDS


def test_cases_are_the_same_each_time() -> None:
    texts = corpus()
    assert [case(0, n, texts) for n in range(20)] == [case(0, n, texts) for n in range(20)]
    assert len({case(0, n, texts)[0] for n in range(200)}) > 190
