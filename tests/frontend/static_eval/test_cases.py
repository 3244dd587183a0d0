"""Evaluation cases: ``cases/*.txt`` hold files (``=== name.py``, the first is the root) whose lines say what they bind.

``NAME = ...  #= text`` expects the name bound on that line to be shown as ``text`` at the end of the evaluation. A file may
also hold lines ``#! gap: text`` (the environment is incomplete for that reason), ``#! complete``, ``#! unresolved: module``
and ``#! kernel: name form``.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pypto_core.frontend.modules import FileResolver, ModuleFile
from pypto_core.frontend.static_eval.display import show
from pypto_core.frontend.static_eval.graph import ModuleGraph
from pypto_core.frontend.static_eval.values import KernelFunction

CASES = Path(__file__).parent / "cases"
_EXPECTED = re.compile(r"^\s*(?:def |class )?(?P<name>\w+)\b.*#= (?P<text>.*)$")
_DIRECTIVE = re.compile(r"^\s*#! (?P<kind>\w+)(?:: (?P<text>.*))?$")


class MemoryFiles:
    def __init__(self, files: dict[str, str]) -> None:
        self.files = files

    def read(self, path: str) -> str | None:
        return self.files.get(path)

    def is_directory(self, path: str) -> bool:
        return any(name.startswith(path + "/") for name in self.files)


def load(path: Path) -> dict[str, str]:
    files: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in path.read_text().splitlines(keepends=True):
        if line.startswith("=== "):
            lines = files.setdefault("/w/" + line[4:].strip(), [])
        else:
            lines.append(line)
    return {name: "".join(text) for name, text in files.items()}


def evaluate(files: dict[str, str]) -> ModuleGraph:
    resolver = FileResolver(MemoryFiles(files))
    root = next(iter(files))
    return ModuleGraph(ModuleFile(resolver.root_name(root), root, files[root]), resolver)


@pytest.mark.parametrize("path", sorted(CASES.glob("*.txt")), ids=lambda p: p.stem)
def test_case(path: Path) -> None:
    files = load(path)
    graph = evaluate(files)
    wrong: list[str] = []
    checked = 0
    for filename, text in files.items():
        module = graph.modules.get(filename)
        for number, line in enumerate(text.splitlines(), 1):
            directive = _DIRECTIVE.match(line)
            expected = _EXPECTED.match(line)
            if directive is None and expected is None:
                continue
            checked += 1
            assert module is not None, f"{filename} was not imported"
            if directive is not None:
                kind, wanted = directive["kind"], (directive["text"] or "").strip()
                found = {
                    "gap": lambda: module.gaps,  # noqa: B023
                    "complete": lambda: [""] if module.is_complete else module.gaps,  # noqa: B023
                    "unresolved": lambda: [u.module for u in module.unresolved],  # noqa: B023
                    "kernel": lambda: [
                        f"{k.name} {k.form}" for k in graph.kernels if isinstance(k, KernelFunction)
                    ],
                }[kind]()
                if wanted not in found:
                    wrong.append(f"{filename}:{number}: {kind} {wanted!r} not in {found}")
            elif expected is not None:
                binding = module.binding(expected["name"])
                shown = show(binding.value) if binding is not None else "not bound"
                if shown != expected["text"].strip():
                    wrong.append(
                        f"{filename}:{number}: {expected['name']} is {shown}, expected {expected['text']}"
                    )
    assert checked, "the case says nothing"
    assert not wrong, "\n".join(wrong)
