"""The query database against a naive evaluator: same values, fewer evaluations."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pypto_core.engine.database import Cancelled, CycleError, Database, Input, query

number: Input[str, int] = Input("number", 0)


@query()
def parity(db: Database, key: str) -> int:
    return db.read(number, key) % 2


@query()
def total(db: Database, keys: tuple[str, ...]) -> int:
    return sum(db.get(parity, key) for key in keys)


@query()
def report(db: Database, keys: tuple[str, ...]) -> str:
    return f"{db.get(total, keys)} odd"


@query(keep=3)
def bounded(db: Database, key: int) -> int:
    return key * db.read(number, "factor")


@query()
def looped(db: Database, key: int) -> int:
    return db.get(looped, (key + 1) % 3)


@query()
def chosen(db: Database, key: str) -> int:
    return db.read(number, "a") if db.read(number, "switch") else db.read(number, "b")


KEYS = ("a", "b", "c", "d")


def naive(values: dict[str, int]) -> str:
    return f"{sum(values[k] % 2 for k in KEYS)} odd"


@given(st.lists(st.tuples(st.sampled_from(KEYS), st.integers(0, 9), st.booleans()), max_size=40))
def test_equals_the_naive_evaluator(edits: list[tuple[str, int, bool]]) -> None:
    db, values = Database(), dict.fromkeys(KEYS, 0)
    for key, value, ask in edits:
        db.set(number, key, value)
        values[key] = value
        if ask:
            assert db.get(report, KEYS) == naive(values)
    assert db.get(report, KEYS) == naive(values)


def test_an_edit_recomputes_only_what_read_it() -> None:
    db = Database()
    db.get(report, KEYS)
    db.computed.clear()
    db.set(number, "a", 1)
    assert db.get(report, KEYS) == "1 odd"
    assert db.computed == {"parity": 1, "total": 1, "report": 1}


def test_an_equal_result_stops_the_wave() -> None:
    db = Database()
    db.get(report, KEYS)
    db.computed.clear()
    db.set(number, "a", 2)
    assert db.get(report, KEYS) == "0 odd"
    assert db.computed == {"parity": 1}


def test_setting_the_same_value_is_no_edit() -> None:
    db = Database()
    revision = db.revision
    db.set(number, "a", 0)
    assert db.revision == revision


def test_reads_follow_the_path_taken() -> None:
    db = Database()
    db.set(number, "b", 5)
    assert db.get(chosen, "") == 5
    db.computed.clear()
    db.set(number, "a", 7)
    assert db.get(chosen, "") == 5
    assert db.computed == {}
    db.set(number, "switch", 1)
    assert db.get(chosen, "") == 7


def test_memory_is_bounded_by_least_recent_use() -> None:
    db = Database()
    db.set(number, "factor", 2)
    for key in range(10):
        db.get(bounded, key)
        db.get(bounded, 0)
    assert db.memo_count()["bounded"] == 3
    db.computed.clear()
    assert db.get(bounded, 0) == 0
    assert db.computed == {}


@query(keep=2)
def scaled(db: Database, key: str) -> int:
    return db.read(number, key) * db.read(number, "factor") // 3


@query(keep=3)
def pair(db: Database, keys: tuple[str, str]) -> int:
    return db.get(scaled, keys[0]) - 2 * db.get(scaled, keys[1])


@given(
    st.lists(
        st.tuples(st.sampled_from((*KEYS, "factor")), st.integers(0, 9), st.permutations(KEYS)), max_size=40
    )
)
def test_a_bounded_memory_equals_the_naive_evaluator(edits: list[tuple[str, int, list[str]]]) -> None:
    db, values = Database(), dict.fromkeys((*KEYS, "factor"), 0)
    for key, value, (left, right, *_) in edits:
        db.set(number, key, value)
        values[key] = value

        def naive(k: str) -> int:
            return values[k] * values["factor"] // 3

        assert db.get(pair, (left, right)) == naive(left) - 2 * naive(right)
        assert db.memo_count()["scaled"] <= 2
        assert db.memo_count()["pair"] <= 3


def test_a_cycle_is_an_error_and_leaves_no_trace() -> None:
    db = Database()
    with pytest.raises(CycleError):
        db.get(looped, 0)
    db.set(number, "b", 3)
    assert db.get(chosen, "") == 3


def test_a_writer_overtakes_a_running_query() -> None:
    db = Database()
    started, outcomes = threading.Event(), []

    @query()
    def endless(db: Database, key: str) -> int:
        started.set()
        while True:
            db.check()

    def run() -> None:
        try:
            db.get(endless, "")
        except Cancelled:
            outcomes.append("cancelled")

    thread = threading.Thread(target=run)
    thread.start()
    assert started.wait(5)
    db.set(number, "a", 1)
    thread.join(5)
    assert outcomes == ["cancelled"]
    assert db.get(report, KEYS) == "1 odd"
