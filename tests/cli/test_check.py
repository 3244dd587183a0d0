"""``pypto-lsp check``: which files, which findings, which form, which exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import indent

import jsonschema
import pytest
from click.testing import CliRunner, Result

from pypto_core import rules
from pypto_lsp.cli import main
from tests.cli.kernels import BAD, BAD_CODE, BAD_LINE, CALLEE, CALLER, GOOD, OTHER

SCHEMA = json.loads((Path(__file__).parent / "sarif.schema.json").read_text(encoding="utf-8"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check(*arguments: str, stdin: str | bytes | None = None) -> Result:
    result = CliRunner().invoke(main, ["check", *arguments], input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def findings(*arguments: str, stdin: str | bytes | None = None) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(check(*arguments, "--format", "json", stdin=stdin).stdout)
    return found


def places(*arguments: str, stdin: str | bytes | None = None) -> list[tuple[object, object, object]]:
    return [(f["file"], f["line"], f["code"]) for f in findings(*arguments, stdin=stdin)]


# -------------------------------------------------------------------------------------------------- exit codes and text
def test_a_clean_file(folder: Path) -> None:
    Path("good.py").write_text(GOOD)
    result = check("good.py")
    assert (result.exit_code, result.stdout) == (0, "no findings in 1 file\n")


def test_an_error_is_shown_under_the_characters_it_is_about(folder: Path) -> None:
    Path("bad.py").write_text(BAD)
    result = check("bad.py")
    assert result.exit_code == 1
    assert f"error[{BAD_CODE}]" in result.stdout
    assert "--> bad.py:12:36" in result.stdout
    lines = result.stdout.splitlines()
    marked = next(i for i, line in enumerate(lines) if "pl.col_max(share)" in line)
    start = lines[marked + 1].index("^")
    assert lines[marked][start : start + lines[marked + 1].count("^")] == "pl.col_max(share)"
    assert lines[-1] == "1 error in 1 file"


def test_hints_alone_are_no_failure(folder: Path) -> None:
    Path("narrow.py").write_text(GOOD.replace("512", "32"))
    result = check("narrow.py")
    assert result.exit_code == 0
    assert result.stdout == "no findings in 1 file; 2 hints not shown (--hints)\n"
    for asked in (
        ("--hints",),
        ("--severity", "hint"),
        ("--select", "tile-*"),
        ("--hints", "--severity", "error"),
    ):
        result = check("narrow.py", *asked)
        assert result.exit_code == 0
        assert result.stdout.count("hint[tile-innermost-dim]") == 2
        assert result.stdout.splitlines()[-1] == "2 hints in 1 file"
    assert check("narrow.py", "--severity", "warning").stdout == "no findings in 1 file\n"


@pytest.mark.parametrize(
    "arguments",
    [("missing.py",), ("nothing/*.py",), ("--select", "no-such-code", "."), ("--format", "xml", "."), ()],
    ids=["path", "pattern", "code", "format", "no path"],
)
def test_wrong_calls(folder: Path, arguments: tuple[str, ...]) -> None:
    result = check(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""


def test_a_call_from_a_shell(folder: Path) -> None:
    Path("bad.py").write_text(BAD)
    made = subprocess.run(
        [sys.executable, "-m", "pypto_lsp", "check", "bad.py"], capture_output=True, text=True, timeout=120
    )
    assert (made.returncode, made.stderr) == (1, "")
    assert "\x1b" not in made.stdout


def test_control_characters_of_a_file_do_not_reach_the_terminal(folder: Path) -> None:
    Path("bad.py").write_text(BAD.replace(BAD_LINE, BAD_LINE.replace("\n", "  # \x1b[31m\x07\n")))
    output = check("bad.py").stdout
    assert "\x1b" not in output and "\x07" not in output


# ---------------------------------------------------------------------------------------------------------- which files
def test_folders_patterns_and_names_mean_the_same_files(folder: Path) -> None:
    for name in ("bad.py", "a/bad.py", "a/b/bad.py", ".hidden/bad.py", "build/bad.py", "env/bad.py"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(BAD)
    Path("env/pyvenv.cfg").write_text("")
    expected = ["a/b/bad.py", "a/bad.py", "bad.py"]
    assert sorted(str(f["file"]) for f in findings(".")) == expected
    assert sorted(str(f["file"]) for f in findings("**/*.py")) == expected
    assert [f["file"] for f in findings("a/*.py")] == ["a/bad.py"]
    assert [f["file"] for f in findings("a/**/b?d.py")] == ["a/bad.py", "a/b/bad.py"]
    assert [f["file"] for f in findings("bad.py", "bad.py", "*.py")] == ["bad.py"]


def test_files_that_do_not_name_the_language_are_not_analysed(folder: Path) -> None:
    Path("other.py").write_text(OTHER + "def broken(:\n")
    Path("good.py").write_text(GOOD)
    assert check(".").stdout == "no findings in 1 file (1 other without kernels)\n"


def test_absolute_names_stay_absolute(folder: Path) -> None:
    (folder / "bad.py").write_text(BAD)
    assert [f["file"] for f in findings(str(folder / "bad.py"))] == [str(folder / "bad.py")]


def test_standard_input(folder: Path) -> None:
    assert places("-", stdin=BAD) == [("stdin.py", 12, BAD_CODE)]
    assert places("-", "--stdin-filename", "k/now.py", stdin=BAD) == [("k/now.py", 12, BAD_CODE)]
    assert [p[2] for p in places("-", stdin=b"import pypto\n\xff")] == ["file-unreadable"]


def test_both_processors_find_what_one_finds(folder: Path) -> None:
    for number in range(14):
        Path(f"k{number:02}.py").write_text(BAD if number % 3 == 0 else GOOD)
    Path("blocks.py").write_text(CALLEE)
    Path("caller.py").write_text(CALLER)
    one, two = check(".", "--jobs", "1"), check(".", "--jobs", "2")
    assert one.stdout == two.stdout
    assert one.exit_code == two.exit_code == 1


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"import pypto\0", "file-unreadable"),
        (b"# pypto \xff\xfe", "file-unreadable"),
        ("\ufeffimport pypto".encode("utf-16"), "file-unreadable"),
        (b"# pypto\n" * 300_000, "file-too-large"),
    ],
    ids=["zero bytes", "latin", "utf-16", "too large"],
)
def test_files_that_cannot_be_analysed(folder: Path, data: bytes, code: str) -> None:
    Path("odd.py").write_bytes(data)
    assert places("odd.py") == [("odd.py", 1, code)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_byte_order_marks_and_line_ends_move_nothing(folder: Path, end: str, mark: str) -> None:
    Path("bad.py").write_bytes((mark + BAD.replace("\n", end)).encode())
    [finding] = findings("bad.py")
    assert (finding["line"], finding["column"], finding["endColumn"]) == (12, 36, 53)


def test_form_feeds_and_line_separators_are_no_line_ends(folder: Path) -> None:
    Path("bad.py").write_bytes(("# a\x0cb\u2028c\x85d\n\x0c\r\n" + BAD).encode())
    assert places("bad.py") == [("bad.py", 14, BAD_CODE)]
    assert "pl.col_max(share)" in check("bad.py").stdout


# ------------------------------------------------------------------------------------------------------ imported files
def test_a_finding_in_an_imported_file_is_shown_there(folder: Path) -> None:
    Path("blocks.py").write_text(CALLEE)
    Path("caller.py").write_text(CALLER)
    [alone] = findings("caller.py")
    assert (alone["file"], alone["line"], alone["code"]) == ("blocks.py", 6, "op-shape")
    related = alone["related"]
    assert isinstance(related, list) and related[0]["file"] == "caller.py"
    text = check("caller.py").stdout
    assert "pl.add(x, y[0:3, :])" in text and "y = doubled_sum(x, y)" in text


def test_it_is_shown_once_when_both_files_are_checked(folder: Path) -> None:
    Path("blocks.py").write_text(CALLEE)
    Path("caller.py").write_text(CALLER)
    Path("again.py").write_text(CALLER.replace("caller", "again"))
    assert [p for p in places(".") if p[2] == "op-shape"] == [("blocks.py", 6, "op-shape")]


def test_a_comment_in_the_imported_file_silences_it(folder: Path) -> None:
    Path("blocks.py").write_text(CALLEE.replace("y[0:3, :])", "y[0:3, :])  # pypto: ignore[op-shape]"))
    Path("caller.py").write_text(CALLER)
    assert findings("caller.py") == []


# --------------------------------------------------------------------------------------------------- silencing, settings
@pytest.mark.parametrize(
    ("comment", "left"),
    [
        (f"  # pypto: ignore[{BAD_CODE}]", 0),
        (f"  # pypto: ignore[op-shape, {BAD_CODE}]", 0),
        ("  # pypto: ignore", 0),
        ("  # pypto: ignore[op-shape]", 1),
        ("  # ignore", 1),
    ],
)
def test_comments(folder: Path, comment: str, left: int) -> None:
    Path("bad.py").write_text(BAD.replace(BAD_LINE, BAD_LINE.replace("\n", comment + "\n")))
    assert len(findings("bad.py")) == left
    assert check("bad.py").exit_code == (1 if left else 0)


@pytest.mark.parametrize(
    ("arguments", "left"),
    [
        (("--select", BAD_CODE), 1),
        (("--select", "aiv-*"), 1),
        (("--select", "op-*"), 0),
        (("--ignore", BAD_CODE), 0),
        (("--ignore", "aiv-*"), 0),
        (("--ignore", "op-*"), 1),
        (("--select", "aiv-*", "--ignore", BAD_CODE), 0),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_select_and_ignore(folder: Path, arguments: tuple[str, ...], left: int) -> None:
    Path("bad.py").write_text(BAD)
    assert len(findings("bad.py", *arguments)) == left


def test_a_near_code_is_suggested(folder: Path) -> None:
    Path("good.py").write_text(GOOD)
    for option in ("--select", "--ignore"):
        assert (
            check("good.py", option, "op-shap").stderr
            == "Error: there is no code 'op-shap'; did you mean op-shape?\n"
        )
    Path("pyproject.toml").write_text('[tool.pypto-lsp]\nignore = ["OP-SHAPE"]\n')
    assert check("good.py").stderr.endswith(
        "ignore names 'OP-SHAPE', which is no code; did you mean op-shape?\n"
    )


def test_settings_of_the_nearest_project_file(folder: Path) -> None:
    Path("bad.py").write_text(BAD)
    Path("pyproject.toml").write_text('[tool.pypto-lsp]\nignore = ["aiv-*"]\n')
    Path("inner").mkdir()
    Path("inner/bad.py").write_text(BAD)
    Path("inner/pyproject.toml").write_text("[tool.other]\nx = 1\n")
    assert findings(".") == []
    Path("inner/pyproject.toml").write_text('[tool.pypto-lsp]\nbackend = "a5"\n')
    assert places(".") == [("inner/bad.py", 12, BAD_CODE)]


def test_excluded_files_are_checked_only_when_named(folder: Path) -> None:
    for name in ("bad.py", "vendor/bad.py", "vendor/deep/bad.py"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(BAD)
    assert [f["file"] for f in findings(".", "--exclude", "vendor")] == ["bad.py"]
    Path("pyproject.toml").write_text('[tool.pypto-lsp]\nexclude = ["vendor/**"]\n')
    assert [f["file"] for f in findings(".")] == ["bad.py"]
    assert [f["file"] for f in findings("vendor/bad.py")] == ["vendor/bad.py"]


@pytest.mark.parametrize(
    "table",
    [
        'backend = "a7"',
        "backend = 3",
        'ignore = "aiv-*"',
        'ignore = ["no-such-code"]',
        "max-file-size = -1",
        "max-file-size = true",
        'serch-path = ["x"]',
        "search-path = [1]",
        "ignore = [",
    ],
)
def test_settings_that_cannot_be_are_a_wrong_call(folder: Path, table: str) -> None:
    Path("good.py").write_text(GOOD)
    Path("pyproject.toml").write_text(f"[tool.pypto-lsp]\n{table}\n")
    result = check("good.py")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Error: {Path.cwd() / 'pyproject.toml'}: ")
    assert len(result.stderr.splitlines()) == 1


def test_search_path(folder: Path) -> None:
    Path("lib").mkdir()
    Path("app").mkdir()
    Path("lib/blocks.py").write_text(CALLEE)
    Path("app/caller.py").write_text(CALLER)
    assert places("app/caller.py", "--search-path", "lib") == [("lib/blocks.py", 6, "op-shape")]
    Path("pyproject.toml").write_text('[tool.pypto-lsp]\nsearch-path = ["lib"]\n')
    assert places("app/caller.py") == [("lib/blocks.py", 6, "op-shape")]


def test_statistics(folder: Path) -> None:
    Path("a.py").write_text(BAD)
    Path("b.py").write_text(BAD)
    assert check(".", "--statistics").stdout.endswith(f"2 errors in 2 files\n     2 {BAD_CODE}\n")


# ----------------------------------------------------------------------------------------------------------------- forms
def test_sarif(folder: Path) -> None:
    (folder / "a b.py").write_text(BAD)
    (folder / "good.py").write_text(GOOD.replace("512", "32"))
    result = check(".", "--format", "sarif", "--hints")
    log = json.loads(result.stdout)
    jsonschema.validate(log, SCHEMA)
    [run] = log["runs"]
    declared = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    for found in run["results"]:
        assert declared[found["ruleIndex"]] == found["ruleId"]
    [bad] = [r for r in run["results"] if r["ruleId"] == BAD_CODE]
    place = bad["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "a%20b.py", "uriBaseId": "SRCROOT"}
    assert place["region"] == {"startLine": 12, "startColumn": 36, "endLine": 12, "endColumn": 53}
    assert bad["level"] == "error"
    assert run["originalUriBaseIds"]["SRCROOT"]["uri"] == folder.as_uri() + "/"
    assert {r["level"] for r in run["results"]} == {"error", "note"}


def test_sarif_without_findings(folder: Path) -> None:
    Path("good.py").write_text(GOOD)
    log = json.loads(check("good.py", "--format", "sarif").stdout)
    jsonschema.validate(log, SCHEMA)
    assert log["runs"][0]["results"] == []


def test_github(folder: Path) -> None:
    Path("bad.py").write_text(BAD)
    [line] = check("bad.py", "--format", "github").stdout.splitlines()
    assert line.startswith(f"::error file=bad.py,line=12,col=36,endLine=12,endColumn=53,title={BAD_CODE}::")


def test_json(folder: Path) -> None:
    Path("bad.py").write_text(BAD)
    [found] = findings("bad.py")
    assert found["code"] == BAD_CODE
    assert found["severity"] == "error"
    assert str(found["url"]).endswith(f"/rules/{BAD_CODE}/")
    assert [r["line"] for r in found["related"]] == [10]  # type: ignore[attr-defined]


def test_json_says_which_repairs_this_finding_has(folder: Path) -> None:
    """The edits are enough to repair the file; a finding of the same code without a repair says so."""
    rule = rules()["attrs-on-decorator"]
    Path("old.py").write_text(rule.failing)
    for number in range(14):
        Path(f"k{number:02}.py").write_text(GOOD)
    for jobs in ("1", "2"):  # facts for repairs do not leave their process, the repairs do
        [found] = findings(".", "--select", rule.code, "--jobs", jobs)
        assert found["fix"] == "safe"
        fixes = found["fixes"]
        assert isinstance(fixes, list) and fixes[0]["safe"] is True and fixes[0]["title"]
        lines = [line + "\n" for line in rule.failing.split("\n")]
        for edit in sorted(fixes[0]["edits"], key=lambda e: (-e["line"], -e["column"])):
            assert edit["file"] == "old.py"
            first, last = edit["line"] - 1, edit["endLine"] - 1
            start, rest = lines[first][: edit["column"] - 1], lines[last][edit["endColumn"] - 1 :]
            lines[first : last + 1] = [start + edit["text"] + rest]
        assert findings("-", "--select", rule.code, stdin="".join(lines)) == []
    Path("old.py").write_text(BAD)
    [found] = findings("old.py")
    assert found["fix"] in ("none", "review")
    assert bool(found["fixes"]) is (found["fix"] == "review")


def test_sarif_has_the_repairs(folder: Path) -> None:
    rule = rules()["attrs-on-decorator"]
    Path("old file.py").write_text(rule.failing)
    log = json.loads(check(".", "--select", rule.code, "--format", "sarif").stdout)
    jsonschema.validate(log, SCHEMA)
    [result] = log["runs"][0]["results"]
    [change] = result["fixes"][0]["artifactChanges"]
    assert change["artifactLocation"] == {"uri": "old%20file.py", "uriBaseId": "SRCROOT"}
    assert change["replacements"][0]["deletedRegion"]["startLine"] > 0


def test_statistics_do_not_disturb_other_forms(folder: Path) -> None:
    Path("bad.py").write_text(BAD)
    result = check("bad.py", "--format", "json", "--statistics")
    assert json.loads(result.stdout)
    assert BAD_CODE in result.stderr


# ------------------------------------------------------------------------------------------------------ texts of all kinds
def test_a_declared_encoding_is_read_and_kept(folder: Path) -> None:
    rule = rules()["attrs-on-decorator"]
    text = f"# -*- coding: latin-1 -*-\n# größer\n{rule.failing}"
    Path("old.py").write_bytes(text.encode("latin-1"))
    assert [f["code"] for f in findings("old.py", "--select", rule.code)] == [rule.code]
    assert "applied 1 fix\n" in check("old.py", "--fix").stderr
    assert "# größer\n" in Path("old.py").read_bytes().decode("latin-1")
    for wrong in ("# no word of it\n", "# -*- coding: no-such -*-\n", "# -*- coding: hex -*-\n"):
        Path("old.py").write_bytes((wrong + text.partition("\n")[2]).encode("latin-1"))
        assert [f["code"] for f in findings("old.py")] == ["file-unreadable"]


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        ("# -*- coding: latin-1 -*-\n# größer\n", "latin-1"),
        ("# größer\n", "utf-8-sig"),
        ("# größer\n", "utf-8"),
    ],
)
def test_modules_are_read_in_their_encoding(folder: Path, head: str, encoding: str) -> None:
    Path("blocks.py").write_bytes((head + CALLEE).encode(encoding))
    Path("caller.py").write_text(CALLER)
    assert [(p[0], p[2]) for p in places("caller.py")] == [("blocks.py", "op-shape")]


@pytest.mark.parametrize("data", [b"\xff\xfe" + CALLEE.encode(), CALLEE.encode() + b"#" * 5000 + b"\0"])
def test_a_module_that_cannot_be_read_is_unknown(folder: Path, data: bytes) -> None:
    Path("blocks.py").write_bytes(data)
    Path("caller.py").write_text(CALLER)
    assert {f["severity"] for f in findings("caller.py")} <= {"information"}


def test_a_file_that_is_no_python_is_told_so_once(folder: Path) -> None:
    Path("README.md").write_text("# Kernels\n\nThey are written in pypto, with `pl`.\n\n- one (of\n- them\n")
    assert [f["code"] for f in findings("README.md")] == ["file-unreadable"]
    assert "this is no Python file" in check("README.md").stdout
    Path("kernel.txt").write_text(BAD)
    assert [f["code"] for f in findings("kernel.txt")] == [BAD_CODE]


# ------------------------------------------------------------------------------------------------------- ignore comments
@pytest.mark.parametrize(
    ("comment", "silenced"),
    [
        (f"# pypto: ignore[{BAD_CODE}]", True),
        (f"# pypto: ignore[op-shape, {BAD_CODE}]", True),
        (f"# pypto: ignore [{BAD_CODE}]", True),
        (f"# pypto: ignore: {BAD_CODE}", True),
        (f"# pypto: ignore: op-shape, {BAD_CODE}", True),
        ("# pypto: ignore[aiv-*]", True),
        ("# pypto: ignore", True),
        ("# pypto: ignore  # known", True),
        ("# pypto: ignore since the lanes add up", True),
        (f"# noqa  # pypto: ignore[{BAD_CODE}]", True),
        ("# pypto: ignore[op-shape]", False),
        ("# pypto: ignore [op-shape]", False),
        ("# pypto: ignore: op-shape", False),
        ("# pypto: ignore[op-*]", False),
        (f"# pypto: ignore[{BAD_CODE}", False),
        (f"# pypto: ignore [{BAD_CODE}", False),
        ("# pypto: ignores nothing", False),
        ("; '# pypto: ignore'", False),
        ('; """\n# pypto: ignore\n"""', False),
    ],
)
def test_ignore_comments(folder: Path, comment: str, silenced: bool) -> None:
    Path("bad.py").write_text(BAD.replace(BAD_LINE, BAD_LINE.rstrip("\n") + "  " + comment + "\n"))
    assert (BAD_CODE not in [f["code"] for f in findings("bad.py")]) is silenced


# ----------------------------------------------------------------------------------------------------------------- fixes
def test_safe_fixes_are_applied_and_nothing_else_changes(folder: Path) -> None:
    rule = rules()["attrs-on-decorator"]
    assert rule.fix == "safe"
    text = "# héllo\r\n" + rule.failing.replace("\n", "\r\n")
    Path("old.py").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert [f["code"] for f in findings("old.py", "--select", rule.code)] == [rule.code]
    result = check("old.py", "--fix")
    assert "applied 1 fix\n" in result.stderr
    after = Path("old.py").read_bytes()
    assert after.startswith("\ufeff# héllo\r\n".encode())
    assert after.count(b"\n") == after.count(b"\r\n")
    assert findings("old.py", "--select", rule.code) == []


_OUTSIDE = """\
t = pl.exp(s)
for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
    u = pl.aiv_shard(t)
    y[lane * 32 : lane * 32 + 32, :] = pl.exp(u)
"""


def _product(body: str) -> str:
    return """\
import pypto.language as pl


@pl.jit
def k(a: pl.Tensor[[64, 128], pl.BF16], b: pl.Tensor[[128, 64], pl.BF16], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        s = pl.matmul(a, b, out_dtype=pl.FP32)
{body}    return y
""".format(body=indent(body, " " * 8))


@pytest.mark.parametrize("body", [_OUTSIDE, "if a > 0:\n    y[:, :] = s\n"], ids=["boundary", "condition"])
def test_a_repair_that_leaves_or_brings_an_error_is_not_applied(folder: Path, body: str) -> None:
    Path("k.py").write_text(_product(body))
    before = [f["code"] for f in findings("k.py")]
    assert before
    assert "applied 0 fixes" in check("k.py", "--fix").stderr
    assert Path("k.py").read_text() == _product(body)
    assert [f["code"] for f in findings("k.py")] == before


def test_a_repair_that_holds_is_applied_beside_one_that_does_not(folder: Path) -> None:
    rule = rules()["attrs-on-decorator"]
    other = _product(_OUTSIDE).partition("\n\n\n")[2]
    Path("both.py").write_text(f"{rule.failing.rstrip()}\n\n\n{other}")
    assert "applied 1 fix\n" in check("both.py", "--fix").stderr
    assert Path("both.py").read_text().endswith(other)
    assert findings("both.py", "--select", rule.code) == []


def test_what_a_repair_brings_is_judged_by_all_codes(folder: Path) -> None:
    Path("k.py").write_text(_product(_OUTSIDE))
    assert "applied 0 fixes" in check("k.py", "--fix", "--select", "aiv-vector-outside-region").stderr


def test_a_file_without_safe_fixes_is_not_written(folder: Path) -> None:
    Path("bad.py").write_text(BAD)
    os.utime("bad.py", (1, 1))
    check("bad.py", "--fix")
    assert Path("bad.py").read_text() == BAD
    assert Path("bad.py").stat().st_mtime == 1
