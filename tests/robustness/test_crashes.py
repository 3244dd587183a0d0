"""Texts that once ended the analysis with a fault, or never ended it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.fuzz.analysis import crash_of

FILES = sorted((Path(__file__).parent / "data").glob("*.py"))


@pytest.mark.parametrize("backend", ["a2a3", "a5", None])
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_it_is_analysed(file: Path, backend: str | None) -> None:
    assert crash_of(file.read_bytes().decode(errors="surrogatepass"), backend) is None
