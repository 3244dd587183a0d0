"""What the page about continuous integration shows is what tools read: the hooks, and the workflow."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from pypto_lsp.cli import main
from tests.cli.kernels import BAD, GOOD

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
HOOKS = {
    hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
}
SNIPPETS = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]


def run(command: str, *files: str) -> int:
    """Exit code of ``pypto-lsp ...`` with some files behind it, as pre-commit calls an entry."""
    name, *arguments = shlex.split(command)
    assert name == "pypto-lsp"
    return CliRunner().invoke(main, [*arguments, *files]).exit_code


@pytest.mark.parametrize("hook", HOOKS.values(), ids=HOOKS)
def test_the_entries_of_the_hooks(
    hook: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert hook["language"] == "python" and hook["types"] == ["python"]
    monkeypatch.chdir(tmp_path)
    Path("good.py").write_text(GOOD)
    Path("bad.py").write_text(BAD)
    Path("other.py").write_text("print(1)\n")
    assert run(str(hook["entry"]), "good.py", "other.py") == 0
    assert run(str(hook["entry"]), "good.py", "bad.py") == 1


def test_the_hooks_of_the_page_exist() -> None:
    shown = [hook["id"] for s in SNIPPETS if "repos" in s for repo in s["repos"] for hook in repo["hooks"]]
    assert shown and set(shown) <= set(HOOKS)
    assert set(HOOKS) <= set(re.findall(r"`(pypto-[a-z]+)`", PAGE)) | set(shown)


def test_the_workflow_calls_what_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("kernels").mkdir()
    Path("kernels/good.py").write_text(GOOD)
    steps = [step for s in SNIPPETS if "jobs" in s for job in s["jobs"].values() for step in job["steps"]]
    steps += [step for s in SNIPPETS if isinstance(s, list) for step in s]
    commands = [step["run"].partition(" > ")[0] for step in steps if "pypto-lsp check" in step.get("run", "")]
    assert len(commands) == 2
    assert [run(command) for command in commands] == [0, 0]
