"""What clients can do: a current VS Code, one that pulls nothing, and the recorded ones of other editors."""

from __future__ import annotations

import json
from pathlib import Path

from lsprotocol import types
from lsprotocol.converters import get_converter
from pytest_lsp import client_capabilities

FOLDER = Path(__file__).parent / "capabilities"


def recorded(name: str) -> types.ClientCapabilities:
    """Capabilities of ``capabilities/<name>.json``."""
    text = (FOLDER / f"{name}.json").read_text(encoding="utf-8")
    return get_converter().structure(json.loads(text), types.ClientCapabilities)


def capabilities(name: str) -> types.ClientCapabilities:
    """``vscode`` and ``vscode-push`` are ours, ``bare`` can do nothing, others come recorded with the test library."""
    if name == "bare":
        return types.ClientCapabilities()
    found = recorded("vscode") if name.startswith("vscode") else client_capabilities(name)
    if name == "vscode-push":
        assert found.text_document is not None
        found.text_document.diagnostic = None
    return found


#: Sets that the whole round of requests is made with.
CLIENTS = ("vscode", "vscode-push", "neovim", "emacs", "bare")
