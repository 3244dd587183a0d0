"""Pages that are generated from tables of the product say what the tables say now."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pypto_core import Severity, parse, rules
from pypto_core.passes.pipeline import ALL_PASSES
from pypto_lsp.links import RULE_PAGES, SITE, rule_page
from tools import pass_pages, rule_pages
from tools.pages import ROOT, changed_lines, in_table, markdown, stale
from tools.pass_texts import TEXTS

GENERATED = [
    ("tools.rule_pages", rule_pages.FOLDER, rule_pages.pages),
    ("tools.pass_pages", pass_pages.FOLDER, pass_pages.pages),
]


@pytest.mark.parametrize(("module", "folder", "pages"), GENERATED, ids=[g[0] for g in GENERATED])
def test_pages_are_current(module: str, folder: Path, pages: Callable[[], Mapping[str, str]]) -> None:
    assert stale(folder, pages()) == [], f"run python -m {module}"


def test_a_link_in_the_editor_leads_to_a_page() -> None:
    for code in rules():
        page = rule_page(code).removeprefix(SITE).rstrip("/")
        assert (ROOT / "docs" / f"{page}.md").is_file(), page


def test_the_site_is_where_the_links_lead() -> None:
    assert f"site_url: {SITE}\n" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert RULE_PAGES == SITE + "rules/"


def test_every_code_is_in_the_index_once() -> None:
    index = rule_pages.pages()["index.md"]
    for code in rules():
        assert index.count(f"({code}.md)") == 1, code


def test_a_page_that_is_missing_left_over_or_old_is_stale(tmp_path: Path) -> None:
    (tmp_path / "same.md").write_text("a\n", encoding="utf-8")
    (tmp_path / "old.md").write_text("a\n", encoding="utf-8")
    (tmp_path / "left.md").write_text("a\n", encoding="utf-8")
    assert stale(tmp_path, {"same.md": "a\n", "old.md": "b\n", "new.md": "c\n"}) == [
        "left.md",
        "new.md",
        "old.md",
    ]


@pytest.mark.parametrize(
    ("prose", "page"),
    [
        ("plain words, no marks", "plain words, no marks"),
        ("a pl.split_aiv region", "a `pl.split_aiv` region"),
        ("convert with pl.cast. Then", "convert with `pl.cast`. Then"),
        ("write `split=` twice", "write `split=` twice"),
        ("self.<name> calls", "self.\\<name\\> calls"),
        ("needs stage=<positive integer>.", "needs `stage=<positive integer>`."),
        ("&, |, ^, ** and @", "&, \\|, ^, \\*\\* and @"),
    ],
)
def test_prose_becomes_markdown(prose: str, page: str) -> None:
    assert markdown(prose) == page


def test_bars_in_code_are_escaped_in_tables() -> None:
    assert in_table("`a | b`, a | b") == "`a \\| b`, a \\| b"


def test_lines_that_differ_stand_out() -> None:
    assert changed_lines("a\nb\nc\n", "a\nx\ny\nc\nd\n") == ([2], [2, 3, 5])


def test_every_pass_is_described_and_the_codes_are_real() -> None:
    assert tuple(TEXTS) == ALL_PASSES
    for name, text in TEXTS.items():
        assert set(text.codes) <= rules().keys(), name


@pytest.mark.parametrize("name", ALL_PASSES)
def test_the_example_of_a_pass_shows_a_change(name: str) -> None:
    source, before, after = pass_pages.before_and_after(name)
    assert not [d for d in parse(source).diagnostics if d.severity is Severity.ERROR]
    assert after is not before
    page = (pass_pages.FOLDER / f"{pass_pages.factory_of(name)}.md").read_text(encoding="utf-8")
    assert "hl_lines" in page.partition(f"\nAfter {name}:\n")[2]
