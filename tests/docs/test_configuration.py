"""Every setting is documented, with the default that it has."""

from __future__ import annotations

import json
import re
from dataclasses import fields

import pytest

from pypto_lsp.config import _FILE_NAMES, Config
from tools.pages import ROOT

_ROW = re.compile(r"^\| `(?P<name>[\w.-]+)` \| `(?P<default>[^`]*)` \|", re.MULTILINE)
PAGE = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
DOCUMENTED = {row["name"]: json.loads(row["default"]) for row in _ROW.finditer(PAGE)}
EXTENSION = json.loads((ROOT / "vscode-extension" / "package.json").read_text(encoding="utf-8"))
SETTINGS = EXTENSION["contributes"]["configuration"]["properties"]


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_of_the_editor(name: str) -> None:
    assert DOCUMENTED[name] == SETTINGS[name]["default"]


@pytest.mark.parametrize("name", _FILE_NAMES)
def test_settings_of_the_project(name: str) -> None:
    default = next(f.default for f in fields(Config) if f.name == _FILE_NAMES[name])
    assert DOCUMENTED[name] == (list(default) if isinstance(default, tuple) else default)


def test_nothing_else_is_documented() -> None:
    assert DOCUMENTED.keys() == SETTINGS.keys() | _FILE_NAMES.keys()
