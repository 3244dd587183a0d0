"""How much an edit costs, in counts: kernels read and lowered, facts remembered. What does not depend on the edit is not looked at again."""

from __future__ import annotations

from pathlib import Path

import pytest

from pypto_core.engine.database import Cancelled
from pypto_core.engine.workspace import Settings, Workspace
from tests.benchmarks.long_files import PROBE, long_file
from tests.engine.test_incremental import findings
from tests.support.costs import calls_counted

KERNELS = 40
HEAD = "import pypto.language as pl\n\n{constants}\n\n"
KERNEL = """
@pl.jit
def {name}(x: pl.Tensor[[{rows}, 64], pl.FP32], y: pl.Out[pl.Tensor[[{rows}, 64], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        y[:, :] = pl.mul(x, {factor})
    return y

"""
PATH = "/w/k.py"


def kernel(name: str, rows: str = "32", factor: str = "2.0") -> str:
    return KERNEL.format(name=name, rows=rows, factor=factor)


def many(changed: int | None = None, constants: str = "ROWS = 64\nEDGE = 4") -> str:
    """Forty kernels; every fourth takes its rows from ``ROWS``."""
    parts = [
        kernel(f"kernel_{n}", "ROWS" if n % 4 == 0 else "32", "3.0" if n == changed else "2.0")
        for n in range(KERNELS)
    ]
    return HEAD.format(constants=constants) + "".join(parts)


class Counted:
    """A workspace, and what each question cost."""

    def __init__(self, **texts: str) -> None:
        self.core = Workspace(settings=Settings("a2a3"))
        self._read: dict[str, int] = {}
        for name, text in texts.items():
            self.core.open(f"/w/{name}.py", text)
        for name in texts:
            self.ask(name)

    def ask(self, name: str = "k") -> tuple[int, int]:
        """Ask for everything; kernels read, kernels lowered."""
        path = f"/w/{name}.py"
        self.core.db.computed.clear()
        self.core.diagnostics(path)
        self.core.facts(path, lowered=True)
        read = self.core._kernels[path].read
        before, self._read[path] = self._read.get(path, 0), read
        return read - before, self.core.db.computed.get("lowered", 0)

    def remembered(self, query: str = "lowered") -> int:
        return self.core.db.memo_count().get(query, 0)


def test_an_edit_lowers_one_kernel_again() -> None:
    counted = Counted(k=many())
    assert counted.remembered() == KERNELS
    for number in (0, 17, KERNELS - 1):
        counted.core.open(PATH, many(number))
        assert counted.ask() == (1 if number == 0 else 2, 1 if number == 0 else 2)  # and the one of before
    counted.core.open(PATH, "# a line above all of them\n" + many(KERNELS - 1))
    assert counted.ask() == (0, 0)


def test_a_constant_concerns_the_kernels_that_read_it() -> None:
    counted = Counted(k=many())
    counted.core.open(PATH, many(constants="ROWS = 32\nEDGE = 4"))
    assert counted.ask() == (KERNELS // 4, KERNELS // 4)
    counted.core.open(PATH, many(constants="ROWS = 32\nEDGE = 8"))
    assert counted.ask() == (0, 0)


def test_an_imported_name_concerns_the_files_that_read_it() -> None:
    sizes = "ROWS = 64\nCOLS = 32\nOTHER = 1\n"
    use = "import pypto.language as pl\nfrom sizes import {names}\n"
    counted = Counted(
        sizes=sizes,
        rows=use.format(names="ROWS, OTHER") + kernel("of_rows", "ROWS") + kernel("plain"),
        cols=use.format(names="COLS") + kernel("of_cols", "COLS"),
        none=use.format(names="ROWS") + kernel("of_none"),
    )

    def asked(changed: str) -> dict[str, tuple[int, int]]:
        counted.core.open("/w/sizes.py", changed)
        return {name: counted.ask(name) for name in ("rows", "cols", "none")}

    assert asked(sizes.replace("64", "128")) == {"rows": (1, 1), "cols": (0, 0), "none": (0, 0)}
    assert asked(sizes.replace("64", "128").replace("32", "16")) == {
        "rows": (0, 0),
        "cols": (1, 1),
        "none": (0, 0),
    }
    assert asked("# moved\n" + sizes.replace("64", "128").replace("32", "16")) == dict.fromkeys(
        ("rows", "cols", "none"), (0, 0)
    )


def test_what_is_remembered_goes_with_the_kernels() -> None:
    counted = Counted(k=many())
    for number in range(30):
        counted.core.open(PATH, many(number))
        counted.ask()
        assert counted.remembered() == counted.remembered("early") == KERNELS
    counted.core.configure(Settings("a5"))
    counted.ask()
    counted.core.open(PATH, HEAD.format(constants="") + kernel("alone"))
    counted.ask()
    assert counted.remembered() == counted.remembered("histories") == 1
    counted.core.close(PATH)
    assert counted.remembered() == counted.remembered("early") == counted.remembered("histories") == 0
    assert counted.core.db.memo_count()["parsed"] == 0


def test_a_keystroke_costs_the_same_in_a_long_file() -> None:
    """Calls from the new text to all that typing reveals; the findings of all other kernels, and the kernels, are not looked at."""
    assert PROBE in long_file(200)
    short, long = (_keystroke(long_file(lines)) for lines in (200, 4_000))
    assert long["chunks"] == short["chunks"] <= 4
    assert long["items"] == short["items"] <= 2
    assert long["calls"] < 1.5 * short["calls"]


def _keystroke(text: str) -> dict[str, int]:
    core = Workspace(settings=Settings("a2a3"))
    for number, constant in enumerate(("EPS)", "2.5)", "3.5)", "4.5)")):
        core.open(PATH, text.replace("inv = pl.rsqrt(pl.add(m, EPS)", f"inv = pl.rsqrt(pl.add(m, {constant}"))
        if number < 3:
            core.first_diagnostics(PATH)
            core.diagnostics(PATH)
            core.facts(PATH, lowered=True)
    told, forms = core._told[PATH].by_chunk, core._kernels[PATH].forms
    before = told.looked_at, forms.made
    with calls_counted() as calls:
        core.names(PATH)
        core.first_diagnostics(PATH)
        core.facts(PATH, lowered=False)
    return {"calls": calls[0], "chunks": told.looked_at - before[0], "items": forms.made - before[1]}


def test_a_comment_in_a_called_file_silences_its_findings() -> None:
    core = Workspace(settings=Settings("a2a3"))
    library = (
        "import pypto.language as pl\n\n@pl.jit.inline\ndef helper(x: pl.Tensor[[32, 64], pl.FP32]):\n"
        "    return undefined(x){comment}\n"
    )
    core.open("/w/lib.py", library.format(comment=""))
    core.open(
        PATH,
        "import pypto.language as pl\nfrom lib import helper\n"
        + kernel("caller").replace("pl.mul(x, 2.0)", "helper(x)"),
    )
    assert [d.code for d in core.diagnostics_elsewhere(PATH)["/w/lib.py"]] == ["name-undefined"]
    core.open("/w/lib.py", library.format(comment="  # pypto: ignore[name-*]"))
    assert core.diagnostics_elsewhere(PATH) == {}


def test_more_kernels_than_any_bound_are_lowered_once() -> None:
    text = HEAD.format(constants="") + "".join(kernel(f"kernel_{n}", factor=f"{n}.5") for n in range(600))
    counted = Counted(k=text)
    counted.core.open(PATH, text.replace("7.5)", "9.25)", 1))
    assert counted.ask() == (1, 1)


# -------------------------------------------------------------------------------------------------------- cancellation
@pytest.mark.parametrize("after", [1, 50, 400])
def test_what_was_finished_before_a_cancellation_stays(after: int, monkeypatch: pytest.MonkeyPatch) -> None:
    core = Workspace(settings=Settings("a2a3"))
    core.open(PATH, many())
    check, left = core.db.check, [after]

    def counting() -> None:
        left[0] -= 1
        if left[0] == 0:
            core.interrupt()
        check()

    monkeypatch.setattr(core.db, "check", counting)
    with pytest.raises(Cancelled):
        core.diagnostics(PATH)
    done = core.db.computed.get("lowered", 0)
    assert done < KERNELS
    with pytest.raises(Cancelled):
        core.diagnostics(PATH)
    core.resume()
    fresh = Workspace(settings=Settings("a2a3"))
    fresh.open(PATH, many())
    assert findings(core.diagnostics(PATH)) == findings(fresh.diagnostics(PATH))
    assert core.db.computed["lowered"] == KERNELS


def test_a_request_to_stop_holds_between_two_questions() -> None:
    core = Workspace(settings=Settings("a2a3"))
    core.open(PATH, many())
    core.interrupt()
    for ask in (core.names, core.parsed, core.diagnostics):
        with pytest.raises(Cancelled):
            ask(PATH)
    core.resume()
    assert core.names(PATH).path == PATH


def test_files_on_disk_are_not_read_again_for_an_edit(tmp_path: Path) -> None:
    class Disk:
        def __init__(self) -> None:
            self.reads = 0

        def read(self, path: str) -> str | None:
            self.reads += 1
            return "ROWS = 64\n" if path == "/w/sizes.py" else None

        def is_directory(self, path: str) -> bool:
            return path in ("/", "/w")

    disk = Disk()
    core = Workspace(disk, Settings("a2a3"))
    text = "import pypto.language as pl\nfrom sizes import ROWS\n" + kernel("of_rows", "ROWS")
    core.open(PATH, text)
    core.diagnostics(PATH)
    before = disk.reads
    core.open(PATH, text.replace("2.0", "3.0"))
    core.diagnostics(PATH)
    assert disk.reads == before
