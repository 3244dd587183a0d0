"""Repairs that travel with their findings (pypto_lsp/repairs.py)."""

from __future__ import annotations

import json

import pytest
from pygls.workspace import PositionCodec

from pypto_core import Source, Workspace, fixes_for
from pypto_lsp.positions import Positions, split_lines
from pypto_lsp.repairs import PREPARED, PREPARED_SIZE, carried_fixes, data_of, offers, prepared
from tests.server.kernels import TILES

HEAD, _, TAIL = TILES.partition("        written = ")
#: More mistakes than repairs are made in advance; each has a repair.
MANY = (
    HEAD
    + "".join(f"        x{i} = pl.expp(scaled)\n" for i in range(PREPARED + 10))
    + "        written = "
    + TAIL
)


def test_a_bounded_number_is_made_in_advance() -> None:
    workspace = Workspace()
    workspace.open("k.py", MANY)
    found = workspace.diagnostics("k.py")
    wrong = [f for f in found if f.code == "op-unknown"]
    assert len(wrong) == PREPARED + 10
    steps: list[None] = []
    made = prepared(found, Source("k.py", MANY), lambda: steps.append(None))
    assert len(steps) == PREPARED, "the work can be stopped between two findings"
    assert [id(f) in made for f in wrong] == [True] * PREPARED + [False] * 10
    assert made[id(wrong[0])] == fixes_for(wrong[0], Source("k.py", MANY))


def test_nothing_is_made_in_advance_for_a_large_file() -> None:
    text = MANY + "# more\n" * PREPARED_SIZE
    workspace = Workspace()
    workspace.open("k.py", text)
    found = workspace.diagnostics("k.py")
    made = prepared(found, Source("k.py", text), lambda: pytest.fail("a repair was made"))
    assert not any(id(f) in made for f in found if f.code == "op-unknown")


def test_work_that_is_stopped_ends() -> None:
    workspace = Workspace()
    workspace.open("k.py", MANY)

    class Stop(Exception):
        pass

    def stop() -> None:
        raise Stop

    with pytest.raises(Stop):
        prepared(workspace.diagnostics("k.py"), Source("k.py", MANY), stop)


def test_there_and_back() -> None:
    """As JSON, in the client's units; the version decides whether it is still good."""
    text = TILES.replace("pl.mul(local, 0.125)", 'pl.mulll(local, 0.125)  # "ä𝄞"')
    workspace = Workspace()
    workspace.open("k.py", text)
    (finding,) = [f for f in workspace.diagnostics("k.py") if f.code == "op-unknown"]
    fixes = fixes_for(finding, Source("k.py", text))
    positions = Positions(split_lines(text), PositionCodec())
    data = json.loads(json.dumps(data_of(fixes, positions, 7)))
    assert carried_fixes(data, 7) == offers(fixes, positions) != []
    assert carried_fixes(data, 8) is None
    assert carried_fixes(None, 7) is None
    assert carried_fixes({"version": 7, "fixes": []}, 7) == []


def test_a_comparison_of_tensors_as_a_condition_has_no_repair() -> None:
    """``pl.cmp`` makes a tensor, which no ``if`` takes."""
    for line, repaired in (
        ("            m = local > 0.0\n", True),
        ("            if local > 0.0:\n                pass\n", False),
    ):
        text = HEAD + line[4:].replace("\n    ", "\n") + "        written = " + TAIL
        workspace = Workspace()
        workspace.open("k.py", text)
        (finding,) = [f for f in workspace.diagnostics("k.py") if f.code == "python-operator-on-tensor"]
        assert bool(fixes_for(finding, Source("k.py", text))) is repaired
