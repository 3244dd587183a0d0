"""The operator pages of the documentation are current, and every operator and callable stands on one."""

from __future__ import annotations

from pypto_core.ops import all_ops
from pypto_core.ops.dsl import callables
from tools.operator_docs import PAGES, pages


def test_pages_are_current() -> None:
    wanted = pages()
    written = {path.name: path.read_text(encoding="utf-8") for path in PAGES.glob("*.md")}
    assert sorted(wanted) == sorted(written)
    stale = [name for name, text in wanted.items() if written[name] != text]
    assert not stale, "run python -m tools.operator_docs"


def test_everything_has_a_place() -> None:
    text = "\n".join(pages().values())
    assert [op.name for op in all_ops() if op.namespace != "test" and f"\n## {op.name}\n" not in text] == []
    named = [c for c in callables().values() if c.operators]
    assert [c.path for c in named if f"- `{c.signature()}`" not in text] == []
