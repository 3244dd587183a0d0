"""``lower``, ``lanes``, ``memory``, ``passes``, ``explain``, ``serve`` and what they say of wrong calls."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import pypto_core as pc
from pypto_lsp.cli import main
from tests.cli.kernels import BAD, CALLEE, CALLER, GOOD


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("good.py").write_text(GOOD)
    Path("bad.py").write_text(BAD)
    Path("two.py").write_text(GOOD + GOOD.partition("\n\n\n")[2].replace("Doubled", "Second"))
    return tmp_path


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(main, list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


# -------------------------------------------------------------------------------------------------------------- explain
@pytest.mark.parametrize(
    ("code", "silenced"), [("op-shape", True), ("memory-capacity", False), ("ssa-missing-yield", False)]
)
def test_a_page_says_how_to_silence_only_what_a_line_has(code: str, silenced: bool) -> None:
    page = run("explain", code).stdout
    assert (f"# pypto: ignore[{code}]" in page) is silenced
    assert ("`pypto-lsp memory`" in page) is (code == "memory-capacity")


# ---------------------------------------------------------------------------------------------------------------- lower
def test_every_stage_prints_what_the_core_prints(folder: Path) -> None:
    program = pc.parse(GOOD).program
    assert program is not None
    stages = {stage.name: stage.program for stage in pc.lower(program, "a2a3").stages}
    assert list(stages) == list(pc.passes.PIPELINE)
    for name in ("ConvertToSSA", "ExpandMixedKernel"):
        assert run("lower", "good.py", "--pass", name).stdout.rstrip("\n") == pc.print_ir(
            stages[name]
        ).rstrip("\n")
    assert run("lower", "good.py", "--pass", "source").stdout.rstrip("\n") == pc.print_ir(program).rstrip(
        "\n"
    )


@pytest.mark.parametrize(
    "name", ["LowerAutoVectorSplit", "lower_auto_vector_split", "lower-auto-vector-split"]
)
def test_passes_by_any_spelling(folder: Path, name: str) -> None:
    result = run("lower", "good.py", "--pass", name)
    assert result.exit_code == 0
    assert result.stdout.startswith("# pypto.program: Doubled\n")


@pytest.mark.parametrize("name", pc.passes.MEMORY_PASSES)
def test_memory_passes_run_behind_the_pipeline(folder: Path, name: str) -> None:
    program = pc.parse(GOOD).program
    assert program is not None
    result = run("lower", "good.py", "--pass", name)
    assert result.exit_code == 0
    wanted = pc.run_pipeline(program, until=name, backend="a2a3")
    assert result.stdout.rstrip("\n") == pc.print_ir(wanted).rstrip("\n")
    if name != "MaterializeTensorStrides":
        assert "pl.MemRef(" in result.stdout


def test_a_kernel_that_does_not_fit_is_shown_without_addresses(folder: Path) -> None:
    Path("large.py").write_text(GOOD.replace("512", "4096"))
    result = run("lower", "large.py", "--pass", "AllocateMemoryAddr")
    assert result.exit_code == 1
    assert "was refused at AllocateMemoryAddr" in result.stdout.split("\n", 1)[0]
    assert "buffer usage (" in result.stdout
    assert run("lower", "large.py", "--pass", "MemoryReuse").exit_code == 0
    assert run("check", "large.py").exit_code == 0


def test_a_refused_kernel_shows_the_last_stage_before(folder: Path) -> None:
    result = run("lower", "bad.py", "--pass", "ExpandMixedKernel")
    assert result.exit_code == 1
    assert " was refused at " in result.stdout.split("\n", 1)[0]
    assert "def column_peak" in result.stdout


def test_a_reason_is_told_once(folder: Path) -> None:
    result = run("lower", str(Path(__file__).parents[2] / "docs/samples/wrong_second_matmul.py"))
    reasons = [line for line in result.stdout.splitlines() if line.startswith("#   ")]
    assert len(reasons) == len(set(reasons)) == 2


def test_output_to_a_file_is_what_would_be_printed(folder: Path) -> None:
    shown = run("lower", "good.py").stdout
    result = run("lower", "good.py", "-o", "out.txt")
    assert (result.stdout, Path("out.txt").read_text()) == ("", shown)


def test_the_chip_matters(folder: Path) -> None:
    fence = Path(__file__).parents[2] / "docs/samples/scaled_product.py"
    texts = {chip: run("lower", str(fence), "--backend", chip).stdout for chip in ("a2a3", "a5")}
    assert texts["a2a3"] != texts["a5"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("lower", "two.py"), "several kernels, choose one with --entry: Doubled, Second"),
        (("lower", "good.py", "--entry", "nope"), "has no kernel 'nope'; it has Doubled"),
        (("lower", "good.py", "--pass", "nope"), "there is no pass 'nope'; the passes are InlineFunctions"),
        (("lower", "good.py", "--pass", "split"), "did you mean LowerAutoVectorSplit"),
        (("lower", "missing.py"), "missing.py: cannot read the file"),
        (("lower", "."), "cannot read the file"),
        (("lanes", "two.py", "--entry", "nope"), "has no kernel 'nope'"),
        (("passes", "two.py"), "several kernels"),
        (("explain", "aiv-cube-in-regio"), "did you mean aiv-cube-in-region"),
        (("explain", "AIV-CUBE-IN-REGIO"), "did you mean aiv-cube-in-region"),
        (("lower", "good.py", "-o", "nowhere/x.txt"), "nowhere/x.txt: cannot write the file: No such file"),
        (("lower", "good.py", "--archive", "nowhere/x.zip"), "nowhere/x.zip: cannot write the file: No such"),
        (("lower", "good.py", "--search-path", "nowhere"), "Directory 'nowhere' does not exist"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_wrong_calls_say_what_is_right(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


def test_a_kernel_that_cannot_be_read_completely_says_why(folder: Path) -> None:
    Path("broken.py").write_text(GOOD.replace("pl.add(x, x)", "pl.add(x, ("))
    result = run("lower", "broken.py")
    assert result.exit_code == 1
    assert "error[python-syntax]" in result.stderr


def test_standard_input_is_lowered(folder: Path) -> None:
    shown = run("lower", "good.py").stdout
    assert CliRunner().invoke(main, ["lower", "-"], input=GOOD).stdout == shown


@pytest.mark.parametrize("command", ["lanes", "memory"])
def test_what_is_worked_out_of_a_part_of_a_kernel_is_no_success(folder: Path, command: str) -> None:
    assert run(command, "good.py").exit_code == 0
    Path("unread.py").write_text(GOOD.replace("pl.add(x, x)", "pl.exp(z)"))
    result = run(command, "unread.py")
    assert result.exit_code == 1
    said = " ".join(result.stdout.split())
    assert said.endswith("could not be read completely; run: pypto-lsp check unread.py")


def test_a_terminal_that_cannot_show_a_character_gets_its_escape(folder: Path) -> None:
    Path("names.py").write_text(GOOD.replace("pl.add(x, x)", "pl.add(größe, x)"), encoding="utf-8")
    sample = str(Path(__file__).parents[2] / "docs/samples/lane_regions.py")
    for arguments, code, shown in (
        (("check", "names.py"), 1, "gr\\xf6\\xdfe"),
        (("lanes", sample), 0, "rows 0\\u201331"),
    ):
        made = subprocess.run(
            [sys.executable, "-m", "pypto_lsp", *arguments],
            env={**os.environ, "PYTHONIOENCODING": "ascii", "COLUMNS": "200"},
            capture_output=True,
            timeout=120,
        )
        assert (made.returncode, made.stderr) == (code, b"")
        assert shown in made.stdout.decode("ascii")


def test_a_file_without_kernels(folder: Path) -> None:
    Path("plain.py").write_text("import pypto.language as pl\n\nROWS = 8\n")
    result = run("lower", "plain.py")
    assert result.exit_code == 2
    assert "plain.py has no kernels" in result.stderr


def test_imports_are_followed(folder: Path) -> None:
    Path("blocks.py").write_text(CALLEE.replace("y[0:3, :]", "y[:, :]"))
    Path("caller.py").write_text(CALLER)
    result = run("lower", "caller.py", "--pass", "InlineFunctions")
    assert result.exit_code == 0
    assert "pl.tensor.add" in result.stdout


# ---------------------------------------------------------------------------------------------------- lanes and passes
def test_lanes_names_each_value_and_its_share(folder: Path) -> None:
    result = run("lanes", str(Path(__file__).parents[2] / "docs/samples/lane_regions.py"))
    assert result.exit_code == 0
    [row] = [line for line in result.stdout.splitlines() if re.search(r"\bshare\b", line)]
    assert "[32, 64] — lane 0 rows 0–31, lane 1 rows 32–63" in row


def test_lanes_of_every_kernel(folder: Path) -> None:
    output = run("lanes", "two.py").stdout
    assert "Doubled (a2a3)" in output and "Second (a2a3)" in output
    assert "Second" not in run("lanes", "two.py", "--entry", "Doubled").stdout


def test_lanes_of_a_refused_kernel_say_so(folder: Path) -> None:
    result = run("lanes", "bad.py")
    assert "the kernel was refused at" in result.stdout
    assert result.exit_code == 1


def test_memory_of_every_kernel_and_space(folder: Path) -> None:
    result = run("memory", str(Path(__file__).parents[2] / "docs/samples/lane_regions.py"))
    assert result.exit_code == 0
    rows = [line.split() for line in result.stdout.splitlines() if "KiB" in line]
    assert {(row[1], row[2]) for row in rows} == {
        ("AIC", "L1"), ("AIC", "L0A"), ("AIC", "L0B"), ("AIC", "L0C"), ("AIV", "UB"),
    }  # fmt: skip
    assert ["AIV", "UB", "40", "KiB", "184", "KiB", "22", "1"] in [row[1:] for row in rows]


def test_memory_that_does_not_fit_or_is_not_known(folder: Path) -> None:
    Path("large.py").write_text(GOOD.replace("512", "4096"))
    assert run("memory", "good.py").exit_code == 0
    assert run("memory", "large.py").exit_code == 1
    refused = run("memory", "bad.py")
    assert refused.exit_code == 1
    assert "was refused at" in refused.stdout


def test_the_list_of_passes() -> None:
    rows = [line.split() for line in run("passes").stdout.splitlines()]
    assert [name for _, name in rows] == list(pc.passes.ALL_PASSES)
    count = len(pc.passes.PIPELINE)
    assert [int(number) for number, _ in rows[:count]] == list(range(1, count + 1))
    assert {mark for mark, _ in rows[count:]} == {"-"}


def test_passes_of_a_kernel(folder: Path) -> None:
    result = run("passes", "good.py")
    rows = [line.split() for line in result.stdout.splitlines()]
    assert [row[1] for row in rows] == list(pc.passes.PIPELINE)
    assert {row[1] for row in rows if row[2] == "changed"} >= {"ConvertToSSA", "ConvertTensorToTileOps"}
    refused = run("passes", "bad.py")
    assert refused.exit_code == 1
    assert "the kernel was refused" in refused.stdout


# -------------------------------------------------------------------------------------------------------------- explain
@pytest.mark.parametrize("code", sorted(pc.rules()))
def test_every_code_has_a_page(code: str) -> None:
    rule = pc.rules()[code]
    text = run("explain", code).stdout
    assert text.startswith(f"{code} ({rule.severity.text})\n\n{rule.title}\n")
    assert text.rstrip().endswith(f"/rules/{code}/")
    assert ("Reported here:" in text) == bool(rule.failing)


def test_codes_are_found_in_capitals() -> None:
    assert run("explain", "AIV-CUBE-IN-REGION").stdout == run("explain", "aiv-cube-in-region").stdout


def test_the_page_of_memory_says_which_command_reports_it(folder: Path) -> None:
    assert "reported by `pypto-lsp memory` only" in " ".join(run("explain", "memory-capacity").stdout.split())
    Path("large.py").write_text(GOOD.replace("512", "4096"))
    assert run("memory", "large.py").exit_code == 1
    assert CliRunner().invoke(main, ["check", "large.py"]).exit_code == 0


def test_all_codes_are_listed() -> None:
    lines = run("explain").stdout.splitlines()
    assert [line.split()[0] for line in lines] == sorted(pc.rules())


# ---------------------------------------------------------------------------------------------------------------- others
def test_version_and_help() -> None:
    assert re.fullmatch(r"pypto-lsp, version \d+\.\d+\.\d+\n", run("--version").stdout)
    for command in ("serve", "check", "lower", "lanes", "passes", "explain"):
        assert run(command, "--help").exit_code == 0
        assert command in run("--help").stdout


def test_it_starts_without_the_protocol_libraries() -> None:
    program = (
        "import sys; from click.testing import CliRunner; from pypto_lsp.cli import main;"
        "CliRunner().invoke(main, ['passes']); print('pygls' in sys.modules, 'lsprotocol' in sys.modules)"
    )
    made = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert made.stdout == "False False\n"


def test_the_server_starts_without_what_the_terminal_needs() -> None:
    """Nor does it load what makes repairs, lowers or explains before somebody asks: an editor waits for the start."""
    program = (
        "import sys; from pypto_lsp.server import create_server; create_server();"
        "print([m for m in sys.argv[1:] if any(name == m or name.startswith(m + '.') for name in sys.modules)])"
    )
    unwanted = (
        "multiprocessing", "yaml", "zipapp", "pypto_lsp.commands", "pypto_lsp.archive", "pypto_core.diagnostic_rules",
        "pypto_core.fixes.families", "pypto_core.passes.allocation", "pypto_core.passes.convert_to_ssa", "sqlite3", "xml.dom",
    )  # fmt: skip
    made = subprocess.run(
        [sys.executable, "-c", program, *unwanted], capture_output=True, text=True, timeout=120
    )
    assert made.stdout == "[]\n"


def test_all_forms_in_one_archive(folder: Path) -> None:
    result = run("lower", "good.py", "--archive", "forms.zip")
    assert result.exit_code == 0, result.output
    with zipfile.ZipFile("forms.zip") as archive:
        names = archive.namelist()
        forms = {name: archive.read(name).decode() for name in names}
    assert result.stdout == f"forms.zip: {len(names)} files\n"
    assert forms["good.py"] == Path("good.py").read_text()
    assert forms["00-source.pypto-ir"] == run("lower", "good.py", "--pass", "source").stdout
    changed = [line.split() for line in run("passes", "good.py").stdout.splitlines() if " changed " in line]
    assert len(changed) > 2
    for number, name, *_ in changed:
        assert forms[f"{int(number):02}-{name}.pypto-ir"] == run("lower", "good.py", "--pass", name).stdout
    assert len(names) == 3 + len(changed)
    first = Path("forms.zip").read_bytes()
    run("lower", "good.py", "--archive", "forms.zip")
    assert Path("forms.zip").read_bytes() == first
    bad = run("lower", "bad.py", "--archive", "bad.zip")
    assert bad.exit_code == 1
    with zipfile.ZipFile("bad.zip") as archive:
        report = archive.read("report.txt").decode()
    assert "refused at " in report
    assert "error[" in report
