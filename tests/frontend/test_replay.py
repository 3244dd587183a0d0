"""Statements of long kernels that are used again instead of being read again (pypto_core/frontend/replay.py)."""

from __future__ import annotations

import pytest

from pypto_core import Workspace
from pypto_core.engine.outline import OutlineItem, folds, outline
from pypto_core.engine.workspace import Settings
from pypto_core.frontend import chunks
from pypto_core.ir import Program, Stmt, walk_stmts
from tests.engine.test_incremental import mentioned
from tests.frontend.test_recall import facts

PATH = "/w/k.py"
HEAD = 'import pypto.language as pl\n\nROWS = 64\nSCALE = 0.5\nOTHER = 0.25\nM = pl.dynamic("M")\n\n\n'
#: Of everything something: nested loops, names bound again, branches, numbers from outside, comments, extents, yields.
BODY = '''\
@pl.jit.incore
def helper(a: pl.Tensor[[64, 64], pl.FP32], b: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
    b[:, :] = pl.neg(a)
    return b


@pl.jit
def kernel(
    x: pl.Tensor[[ROWS, 64], pl.FP32],
    z: pl.Tensor[[M, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[ROWS, 64], pl.FP32]],
):
    """Words."""
    first = pl.exp(x)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="one"):
        """Of the scope."""
        # above
        a = pl.mul(x, SCALE)  # beside
        a = pl.add(a, 1.0)
        a = pl.add(a, x)
        for i in pl.range(4):
            b = pl.exp(a)
            c = pl.mul(b, OTHER)
            y[:, :] = c
            # the end of the loop
        d = pl.add(a, first)
        if ROWS > 32:
            e = pl.neg(d)
        else:
            e = pl.exp(d)
        total, kept = 0, e
        for j, (carried,) in pl.range(2, init_values=(d,)):
            carried = pl.yield_(pl.add(carried, x))
        n = z.shape[0]
        for k in pl.range(n):
            y[:, :] = pl.add(e, x)
        f = pl.add(carried, d); g = pl.neg(f)
        h = pl.add(f, g)
        y[:, :] = h
    helper(x, y)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="two"):
        for q in pl.range(2):
            r = pl.exp(x)

            s = pl.add(r, r)
            y[:, :] = s
        t = pl.mul(x, SCALE)
        y[:, :] = t
    return y
'''
TEXT = HEAD + BODY
EDITS = {
    "a statement more": ("        d = ", "        zz = pl.exp(x)\n        d = "),
    "another value": ("d = pl.add(a, first)", "d = pl.add(a, x)"),
    "another type": ("first = pl.exp(x)", "first = pl.cast(x, pl.BF16)"),
    "a name bound once more": ("        d = ", "        a = pl.neg(a)\n        d = "),
    "a name that is gone": ("        a = pl.add(a, 1.0)\n", ""),
    "a number outside": ("SCALE = 0.5", "SCALE = 0.125"),
    "a number hidden by a name of the body": ("        d = ", "        OTHER = 2.0\n        d = "),
    "a symbol hidden by a name of the body": ("        d = ", "        M = 2\n        d = "),
    "a size": ("ROWS = 64", "ROWS = 32"),
    "the header": ("x: pl.Tensor[[ROWS, 64], pl.FP32],\n    z", "x: pl.Tensor[[ROWS, 32], pl.FP32],\n    z"),
    "a parameter more": ("    z: pl", "    w: pl.Tensor[[8, 8], pl.FP32],\n    z: pl"),
    "the header of a scope": ('name_hint="one"', 'name_hint="other"'),
    "a split around": ('name_hint="one"', 'optimizations=[pl.split(pl.SplitMode.UP_DOWN)]'),
    "a deeper line": ("            c = pl.mul(b, OTHER)", "            c = pl.mul(b, 2.0)"),
    "a comment": ("# above", "# over"),
    "a comment gone": ("        # above\n", ""),
    "a docstring": ('"""Of the scope."""', '"""Of this scope."""'),
    "a docstring gone": ('        """Of the scope."""\n', ""),
    "a blank line": ("        d = ", "\n        d = "),
    "a blank line gone": ("            r = pl.exp(x)\n\n", "            r = pl.exp(x)\n"),
    "a broken line": ("        d = ", "        zz = pl.add(x,\n        d = "),
    "a broken header": ('with pl.at(level=pl.Level.CORE_GROUP, name_hint="one"):', "with pl.at(level=:"),
    "a loop that does not parse": ("for i in pl.range(4):", "for i pl.range(4):"),
    "a body that is further in": ("        d = ", "          d = "),
    "an undefined name": ("d = pl.add(a, first)", "d = pl.add(a, nothing)"),
    "a callee": ("b[:, :] = pl.neg(a)", "b[:, :] = pl.exp(a)"),
    "two statements on a line": ("; g = pl.neg(f)", "; g = pl.exp(f)"),
    "a yield": ("pl.yield_(pl.add(carried, x))", "pl.yield_(pl.add(carried, carried))"),
    "an extent": ("n = z.shape[0]", "n = x.shape[0]"),
    "a branch": ("if ROWS > 32:", "if ROWS > 128:"),
    "a return": ("    return y", "    return x"),
    "characters of two bytes": ("# above", "# über 𝛼"),
    "a scope copied": (
        "    helper(x, y)\n",
        "    with pl.at(level=pl.Level.CORE_GROUP):\n        for q in pl.range(2):\n            r = pl.exp(x)\n    helper(x, y)\n",
    ),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _all_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    """Statements of any length are divided."""
    monkeypatch.setattr(chunks, "LONG", 0)


def opened(text: str) -> Workspace:
    workspace = Workspace(settings=Settings("a2a3"))
    workspace.open(PATH, text)
    return workspace


@pytest.mark.parametrize("old, new", EDITS.values(), ids=EDITS)
def test_nothing_differs_from_a_fresh_reading(old: str, new: str) -> None:
    workspace = opened(TEXT)
    facts(workspace)
    assert old in TEXT
    texts = [TEXT.replace(old, new), TEXT]
    for second_old, second_new in [*EDITS.values()][::4]:
        changed = TEXT.replace(old, new)
        texts += [changed.replace(second_old, second_new), changed]
    for text in (*texts, TEXT):
        workspace.open(PATH, text)
        fresh = opened(text)
        assert facts(workspace) == facts(fresh)
        assert mentioned(workspace.names(PATH)) == mentioned(fresh.names(PATH))


@pytest.mark.parametrize("old, new", EDITS.values(), ids=EDITS)
def test_a_divided_body_means_what_a_whole_one_means(
    old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = TEXT.replace(old, new)
    divided = opened(text).parsed(PATH)
    monkeypatch.setattr(chunks, "LONG", 10**9)
    whole = opened(text).parsed(PATH)
    places = [
        [(d.code, d.message, d.span.line, d.span.column) for d in parsed.diagnostics]
        for parsed in (divided, whole)
    ]
    assert places[0] == places[1]
    whole_names = opened(text).names(PATH)
    monkeypatch.setattr(chunks, "LONG", 0)
    divided_names = opened(text).names(PATH)
    assert mentioned(divided_names) == mentioned(whole_names)
    if any(code == "python-syntax" for code, *_ in places[0]):
        return  # where a statement that does not parse ends is nobody's to say
    lines = text.split("\n")
    assert folds(divided_names, lines) == folds(whole_names, lines)
    assert _shown(outline(divided_names)) == _shown(outline(whole_names))
    assert _lines(divided.programs["kernel"]) == _lines(whole.programs["kernel"])


def _lines(program: Program) -> list[tuple[str, int, str]]:
    return [
        (type(s).__name__, s.span.line, s.span.text) for f in program.functions for s in walk_stmts(f.body)
    ]


def _shown(items: list[OutlineItem]) -> list[object]:
    return [(i.name, i.kind, i.detail, i.first_line, i.last_line, _shown(i.children)) for i in items]


def _statements(workspace: Workspace) -> dict[str, Stmt]:
    program = workspace.parsed(PATH).programs["kernel"]
    return {s.span.text: s for f in program.functions for s in walk_stmts(f.body)}


def test_what_an_edit_does_not_concern_stays_the_very_same_object() -> None:
    workspace = opened(TEXT)
    before = _statements(workspace)
    workspace.open(PATH, TEXT.replace("d = pl.add(a, first)", "d = pl.add(first, a)"))
    after = _statements(workspace)
    kept = {text for text, stmt in after.items() if before.get(text) is stmt}
    assert {"a = pl.mul(x, SCALE)", "b = pl.exp(a)", "for i in pl.range(4):", "t = pl.mul(x, SCALE)"} <= kept
    assert 'with pl.at(level=pl.Level.CORE_GROUP, name_hint="two"):' in kept
    assert {"e = pl.neg(d)", "f = pl.add(carried, d)"}.isdisjoint(kept)


def test_an_edit_deep_inside_reads_one_statement_and_those_around_it() -> None:
    workspace = opened(TEXT)
    workspace.parsed(PATH)
    replay = workspace._kernels[PATH].recalls["kernel"].replay
    workspace.open(PATH, TEXT.replace("s = pl.add(r, r)", "s = pl.mul(r, r)"))
    workspace.parsed(PATH)
    # The statement, the one that takes its value, the loop, the scope; and the call, the extent and the docstrings, which leave traces.
    assert replay.read <= 12
    assert replay.repeated >= 8
