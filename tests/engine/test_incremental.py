"""Incremental facts equal those of a fresh workspace, whatever was typed before (docs/architecture.md §4, Invariant).

``SOAK_EDITS`` sets the number of edits (``make soak``: 10,000). Every edit is followed by the quick questions (programs and findings while
typing), the last one of a history by all of them (lowered text, all findings).
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from pypto_core import Diagnostic, FileNames, Workspace, print_ir
from pypto_core.engine.workspace import Settings
from pypto_core.frontend import chunks
from tests.engine.edits import Edit, edits, play

GOLDEN = Path(__file__).parent.parent / "golden"
FILES = (
    *sorted(f for f in (GOLDEN / "kernels").glob("*.py") if f.stem != "bench_suite_a"),
    *sorted((GOLDEN / "kernels" / "mini_decoder").glob("*.py")),
    *sorted((GOLDEN / "reports").glob("*.py")),
)
TOTAL = int(os.environ.get("SOAK_EDITS", "500"))
PER_HISTORY = 6
HISTORIES = max(TOTAL // (PER_HISTORY * len(FILES)), 3)


class Folder:
    """The other files beside the edited one, as a disk would give them."""

    def __init__(self, folder: Path) -> None:
        self._texts = {f"/w/{f.name}": f.read_text(encoding="utf-8") for f in folder.glob("*.py")}

    def read(self, path: str) -> str | None:
        return self._texts.get(path)

    def is_directory(self, path: str) -> bool:
        return path in ("/", "/w")


#: The compiler's own words about a read behind a call for writing name the line of the call. They are told in other words, and
#: they are kept while lines move; the related place, which moves along, is compared.
_CALL_IN_LINE = re.compile(r" \(line \d+\)(?= in function)")


def findings(found: tuple[Diagnostic, ...]) -> list[tuple[object, ...]]:
    """Everything of a finding that a user can see."""
    return [
        (
            d.code, int(d.severity), _CALL_IN_LINE.sub("", d.message), d.span.filename, d.span.line, d.span.column, d.span.end_line, d.span.end_column,
            [(r.message, r.span.filename, r.span.line, r.span.column) for r in d.related],
        )
        for d in found
    ]  # fmt: skip


def mentioned(names: FileNames) -> object:
    """Every identifier of a file and what it stands for, and every call."""
    uses = [
        (
            u.span.line, u.span.column, u.name, u.role, u.path, u.scope.kind, u.scope.name,
            u.call.callee.span.line if u.call is not None else 0,
            [(d.span.line, d.span.column) for d in symbol.uses] if (symbol := names.symbol(u)) is not None else None,
        )
        for u in names.all_uses()
    ]  # fmt: skip
    functions = [(f.name, f.first_line, f.last_line, len(f.calls)) for f in names.functions]
    return uses, functions, [(c.span.line, c.span.column, len(c.arguments)) for c in names.calls]


def quick_facts(workspace: Workspace, path: str) -> object:
    """Programs, names and what is found while typing."""
    parsed = workspace.parsed(path)
    programs = {name: print_ir(program) for name, program in parsed.programs.items()}
    places = {
        name: [(f.name, f.span.line, f.span.column) for f in program.functions]
        for name, program in parsed.programs.items()
    }
    named = mentioned(workspace.names(path))
    return programs, places, named, sorted(parsed.incomplete), findings(workspace.typing_diagnostics(path))


def all_facts(workspace: Workspace, path: str) -> object:
    """The same with the lowering."""
    lowered = {}
    for entry in workspace.entries(path):
        lowering = workspace.lowering(path, entry.name)
        assert lowering is not None
        stages = [(s.name, s.changed) for s in lowering.stages]
        last = print_ir(lowering.stages[-1].program) if lowering.stages else ""
        lowered[entry.name] = (lowering.stopped_at, stages, last, findings(lowering.diagnostics))
    return lowered, findings(workspace.diagnostics(path)), workspace.diagnostics_elsewhere(path).keys()


def check_history(file: Path, history: list[Edit]) -> None:
    path, disk = f"/w/{file.name}", Folder(file.parent)
    worked_on = Workspace(disk, Settings("a2a3"))
    start = file.read_text(encoding="utf-8")
    worked_on.open(path, start)
    worked_on.diagnostics(path)
    texts = play(start, history)
    for number, text in enumerate(texts):
        worked_on.open(path, text, number)
        fresh = Workspace(disk, Settings("a2a3"))
        fresh.open(path, text, number)
        assert quick_facts(worked_on, path) == quick_facts(fresh, path)
        if number == len(texts) - 1 or history[number].pick % 4 == 0:
            assert all_facts(worked_on, path) == all_facts(fresh, path)


@pytest.mark.parametrize("file", FILES[::6], ids=lambda f: f.stem)
def test_random_edits_of_divided_bodies(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops and scopes of any length are divided into their statements, as those of long kernels are."""
    monkeypatch.setattr(chunks, "LONG", 0)
    play_random_edits(file)


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_random_edits(file: Path) -> None:
    play_random_edits(file)


def play_random_edits(file: Path) -> None:
    @settings(
        max_examples=HISTORIES,
        deadline=None,
        derandomize=TOTAL <= 500,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    @given(st.lists(edits(), min_size=PER_HISTORY, max_size=PER_HISTORY))
    def run(history: list[Edit]) -> None:
        check_history(file, history)

    run()
