"""The extension and the server agree: settings, their defaults, commands, token types."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pypto_lsp import __version__
from pypto_lsp.config import _EDITOR_NAMES, BACKENDS, Config
from pypto_lsp.features.semantic_tokens import TYPES
from pypto_lsp.server import create_server

EXTENSION = Path(__file__).parents[2] / "vscode-extension"
MANIFEST: dict[str, Any] = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
SETTINGS: dict[str, dict[str, Any]] = MANIFEST["contributes"]["configuration"]["properties"]
SOURCES = "\n".join(p.read_text(encoding="utf-8") for p in sorted((EXTENSION / "src").glob("*.ts")))


@pytest.mark.parametrize("name", sorted(_EDITOR_NAMES))
def test_settings_of_the_server_are_declared_with_their_defaults(name: str) -> None:
    default = getattr(Config(), _EDITOR_NAMES[name])
    assert SETTINGS[f"pypto.{name}"]["default"] == (list(default) if isinstance(default, tuple) else default)
    assert f'"{name}"' in SOURCES, "src/settings.ts sends it"


def test_backends_are_the_servers() -> None:
    assert tuple(SETTINGS["pypto.backend"]["enum"]) == BACKENDS


def test_the_extension_calls_commands_that_exist() -> None:
    known = set(create_server().protocol.fm.commands)
    used = {word for word in SOURCES.replace('"', " ").split() if word.startswith("pypto.server.")}
    used.discard("pypto.server.")
    assert used, "the sources name commands of the server"
    assert {u for u in used if u != "pypto.server"} <= known


def test_token_types_of_ours_are_declared() -> None:
    declared = {t["id"] for t in MANIFEST["contributes"]["semanticTokenTypes"]}
    assert declared == {name for name in TYPES if name.endswith("Op")}


def test_versions_are_the_same() -> None:
    text = (EXTENSION.parent / "pyproject.toml").read_text(encoding="utf-8")
    assert f'version = "{MANIFEST["version"]}"' in text


def test_the_extension_tries_modules_that_there_are() -> None:
    """What it runs under an interpreter to see whether the server, or its bundled copy, works there."""
    source = (EXTENSION / "src" / "interpreter.ts").read_text(encoding="utf-8")
    programs = dict(re.findall(r"^const (\w*VERSION) = [\"`](.*)[\"`];$", source, re.MULTILINE))
    assert set(programs) == {"VERSION", "BUNDLED_VERSION"}
    for program in programs.values():
        text = program.replace("${VERSION}", programs["VERSION"])
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
        assert done.stdout == f"{__version__}\n"
