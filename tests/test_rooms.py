"""The rooms of the code base and their import direction (docs/architecture.md)."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

#: room -> rooms it may import besides itself. Everything may import ``diagnostics``.
ALLOWED: dict[str, set[str]] = {
    "ir": set(),
    "diagnostics": {"ir", "diagnostic_rules"},
    "diagnostic_rules": set(),
    "arith": {"ir"},
    "backend": {"ir"},
    "ops": {"ir", "arith", "backend"},
    "frontend": {"ir", "arith", "backend", "ops"},
    "analysis": {"ir", "arith", "backend", "ops"},
    "verify": {"ir", "arith", "backend", "ops", "analysis"},
    "passes": {"ir", "arith", "backend", "ops", "analysis", "verify"},
    "fixes": {"ir", "arith", "backend", "ops", "frontend", "analysis", "verify"},
    "engine": {"ir", "arith", "backend", "ops", "frontend", "analysis", "verify", "passes", "fixes"},
}
FILES = sorted((ROOT / "pypto_core").rglob("*.py"))
SERVER = sorted((ROOT / "server" / "pypto_lsp").rglob("*.py"))


def imported_modules(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module is not None
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


def room_of(path: Path) -> str:
    return path.relative_to(ROOT / "pypto_core").parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_core_imports_point_down(path: Path) -> None:
    room = room_of(path)
    if room == "__init__":
        return
    allowed = ALLOWED[room] | {room, "diagnostics"}
    modules = imported_modules(path)
    for module in modules:
        parts = module.split(".")
        assert parts[0] not in ("pypto_lsp", "pygls", "lsprotocol"), f"{path} imports {module}"
        if parts[0] == "pypto_core" and len(parts) > 1 and (ROOT / "pypto_core" / parts[1]).is_dir():
            assert parts[1] in allowed, f"{path} imports {module}"


@pytest.mark.parametrize("path", SERVER, ids=lambda p: str(p.relative_to(ROOT)))
def test_server_uses_the_public_api(path: Path) -> None:
    for module in imported_modules(path):
        parts = module.split(".")
        if parts[0] == "pypto_core":
            assert len(parts) <= 2, f"{path} reaches into {module}"


def test_user_code_is_never_run() -> None:
    assert FILES and SERVER
    for path in (*FILES, *SERVER):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("exec", "eval", "compile", "__import__"), path
