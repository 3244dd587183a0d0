"""One version everywhere, and what a release needs."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_changelog_starts_with_the_version() -> None:
    versions = re.findall(
        r"^## (\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert versions[0] == PROJECT["version"]


def test_the_extension_has_the_version() -> None:
    manifest = json.loads((ROOT / "vscode-extension/package.json").read_text(encoding="utf-8"))
    assert manifest["version"] == PROJECT["version"]


def test_typed_packages() -> None:
    for package in ("pypto_core", "server/pypto_lsp"):
        assert (ROOT / package / "py.typed").is_file()


def test_the_command_is_there() -> None:
    assert PROJECT["scripts"] == {"pypto-lsp": "pypto_lsp.cli:main"}
    assert {"Homepage", "Documentation", "Repository", "Issues", "Changelog"} <= set(PROJECT["urls"])
