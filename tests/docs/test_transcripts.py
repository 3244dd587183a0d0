"""What the documentation says that commands print is what they print."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.transcripts import PAGES, renewed


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_transcripts_are_current(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert renewed(text) == text, "run python -m tools.transcripts"


def test_an_old_transcript_is_renewed() -> None:
    page = '```python title="k.py"\nx = 1\n```\n\n```console\n$ pypto-lsp check k.py\nold words\n```\n'
    new = renewed(page)
    assert "old words" not in new
    assert new.startswith('```python title="k.py"\nx = 1\n```\n\n```console\n$ pypto-lsp check k.py\n')
    assert new.endswith("\n```\n")
    assert renewed(new) == new


def test_other_commands_are_not_run() -> None:
    with pytest.raises(ValueError, match="pypto-lsp only"):
        renewed("```console\n$ rm -rf build\n```\n")
