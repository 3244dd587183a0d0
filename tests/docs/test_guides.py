"""The guides name files, targets and rooms that there are."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from pypto_lsp import commands
from pypto_lsp.cli import main
from tests.test_rooms import ALLOWED
from tools.pages import ROOT

COMMANDS = {**main.commands, **commands.COMMANDS}

GUIDES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
_PATH = re.compile(r"`((?:pypto_core|server|tests|tools|docs|vscode-extension)/[\w./-]+)`")
_BUILT = frozenset({"vscode-extension/pypto-lsp.vsix"})


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


TARGETS = set(text("Makefile").partition("\n.PHONY: ")[2].partition("\n")[0].split())


@pytest.mark.parametrize("path", GUIDES, ids=lambda p: p.name)
def test_files_exist(path) -> None:
    missing = [name for name in _PATH.findall(path.read_text(encoding="utf-8")) if not (ROOT / name).exists()]
    assert set(missing) <= _BUILT


@pytest.mark.parametrize("path", GUIDES, ids=lambda p: p.name)
def test_targets_and_tools_exist(path) -> None:
    page = path.read_text(encoding="utf-8")
    assert set(re.findall(r"`make (\w+)`", page)) <= TARGETS
    for tool in re.findall(r"python -m tools\.(\w+)", page):
        assert (ROOT / "tools" / f"{tool}.py").exists(), tool


@pytest.mark.parametrize("path", GUIDES, ids=lambda p: p.name)
def test_commands_and_options_exist(path) -> None:
    for name, rest in re.findall(
        r"pypto-lsp (check|lower|lanes|memory|passes|explain|serve)\b([^`\n]*)", path.read_text("utf-8")
    ):
        options = {o for p in COMMANDS[name].params for o in (*p.opts, *p.secondary_opts)}
        assert set(re.findall(r"(?<!\S)--[a-z-]+", rest)) <= options, (name, rest)


def test_the_table_of_rooms_is_the_one_that_is_tested() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([^|]*)\|", text("docs/architecture.md"), re.MULTILINE)
    assert {room: set(re.findall(r"`(\w+)`", allowed)) for room, allowed in rows} == ALLOWED


def test_every_target_is_explained() -> None:
    explained = set(re.findall(r"^\| `make ([\w-]+)`", text("docs/contributing.md"), re.MULTILINE))
    assert explained == TARGETS


def test_links_of_the_readme_lead_somewhere() -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", text("README.md"))
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_site_has_every_page_of_the_navigation() -> None:
    pages = re.findall(r": ([\w./-]+\.md)$", text("mkdocs.yml"), re.MULTILINE)
    assert pages
    assert [page for page in pages if not (ROOT / "docs" / page).exists()] == []


def test_hooks_call_commands_that_exist() -> None:
    entries = re.findall(r"^  entry: pypto-lsp (\w+)(.*)$", text(".pre-commit-hooks.yaml"), re.MULTILINE)
    assert {name for name, _ in entries} <= COMMANDS.keys()
    assert ("check", " --fix") in entries


@pytest.mark.parametrize(
    "sample",
    [p.name for p in sorted((ROOT / "docs/samples").glob("*.py")) if not p.name.startswith("wrong_")],
)
def test_samples_that_are_right_fit_the_chip(sample: str) -> None:
    assert CliRunner().invoke(main, ["memory", str(ROOT / "docs/samples" / sample)]).exit_code == 0
