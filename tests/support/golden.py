"""Reading the golden cases (tests/golden/README.md): one loader for every runner.

A case is a ``.py`` next to a ``.yaml``; sources are DSL text and are never imported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import yaml

from pypto_core.diagnostics import Diagnostic
from pypto_core.frontend import parse
from pypto_core.ir import Program, print_ir

GOLDEN = Path(__file__).parent.parent / "golden"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Case:
    """One golden case; `data` is its yaml."""

    name: str
    folder: str
    source_path: Path
    data: Mapping[str, Any]

    @property
    def source(self) -> str:
        return self.source_path.read_text(encoding="utf-8")

    @property
    def backend(self) -> str | None:
        return backend_of(self.data)

    def __str__(self) -> str:
        return self.name


def backend_of(data: Mapping[str, Any]) -> str | None:
    """Backend of a case; ``none`` means that none is configured."""
    name = data.get("backend")
    return None if name in (None, "none") else str(name)


@cache
def load_yaml(path: Path) -> Mapping[str, Any]:
    data = yaml.load(path.read_text(encoding="utf-8"), _LOADER)
    assert isinstance(data, dict)
    return data


@cache
def cases(folder: str) -> tuple[Case, ...]:
    """Every case of a folder, by name."""
    found = []
    for path in sorted((GOLDEN / folder).glob("*.yaml")):
        found.append(Case(path.stem, folder, path.with_suffix(".py"), load_yaml(path)))
    assert found, f"no golden cases in {folder}"
    return tuple(found)


def snake(name: str) -> str:
    """Factory name of a pass: ``FlattenTileNdTo2D`` -> ``flatten_tile_nd_to_2d``; snake_case stays."""
    if "_" in name or name.islower():
        return name
    text = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name.replace("2D", "2d"))
    return re.sub(r"(?<=[a-z])(?=2d)", "_", text).lower().replace("to2d", "to_2d").replace("__", "_")


_IRREGULAR = {
    "FlattenTileNdTo2D": "flatten_tile_nd_to_2d",
    "AutoTileMatmulL0": "auto_tile_matmul_l0",
    "ConvertToSSA": "convert_to_ssa",
    "InjectGMPipeBuffer": "inject_gm_pipe_buffer",
    "CanonicalizeIOOrder": "canonicalize_io_order",
    "InitMemRef": "init_mem_ref",
}


def make_pass(name: str, backend: str | None) -> Any:
    """The pass called `name` (document name or factory name), bound to `backend`."""
    factory = _IRREGULAR.get(name) or snake(name)
    module = import_module(f"pypto_core.passes.{factory}")
    return getattr(module, factory)(backend=backend)


def read_program(text: str, filename: str = "k.py") -> Program:
    """The program of a text that must read without a finding."""
    result = parse(text, filename)
    assert not result.diagnostics, [f"{d.span.line}: {d.code}: {d.message}" for d in result.diagnostics]
    assert result.program is not None
    return result.program


def text_of(program: Program) -> str:
    return print_ir(program)


def same_text(actual: str, expected: str) -> None:
    """Byte-exact comparison, one final newline apart."""
    if actual.rstrip("\n") != expected.rstrip("\n"):
        left, right = expected.rstrip("\n").split("\n"), actual.rstrip("\n").split("\n")
        for number, (want, got) in enumerate(zip(left, right), 1):
            assert got == want, f"line {number}"
        assert len(right) == len(left), f"{len(right)} lines, expected {len(left)}:\n" + "\n".join(
            right[len(left) :] or left[len(right) :]
        )


def assert_mentions(diagnostic: Diagnostic, tokens: list[str] | str) -> None:
    """Every token stands in the message."""
    wanted = [tokens] if isinstance(tokens, str) else tokens
    missing = [t for t in wanted if t not in diagnostic.message]
    assert not missing, f"{missing} not in: {diagnostic.message}"


@dataclass(frozen=True, slots=True)
class Stage:
    """One pass of one recorded entry of ``kernels/``: text before and after."""

    kernel: str
    entry: str
    pass_name: str
    backend: str | None
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.kernel}.{self.backend}-{self.entry}-{self.pass_name}"


_STAGE_LINE = re.compile(r"^==== (\w+)$", re.MULTILINE)


def recorded_stages(folder: Path, entry: Mapping[str, Any]) -> dict[str, str]:
    """Pass -> text after it, for the passes that changed the text."""
    if "stages_file" not in entry:
        return dict(entry.get("stages") or {})
    parts = _STAGE_LINE.split((folder / entry["stages_file"]).read_text(encoding="utf-8"))
    return {name: text.removeprefix("\n") for name, text in zip(parts[1::2], parts[2::2])}


def kernel_records() -> Iterator[tuple[str, str | None, str, Mapping[str, Any]]]:
    """(kernel, backend, entry name, entry) for every recorded entry of ``kernels/``, every backend."""
    for path in sorted((GOLDEN / "kernels").glob("*.yaml")):
        data = load_yaml(path)
        for name, entry in data.get("entries", {}).items():
            yield path.stem.removesuffix(".a5").removesuffix(".a2a3"), backend_of(data), name, entry


@cache
def kernel_stages(passes: tuple[str, ...], pipeline: tuple[str, ...]) -> tuple[Stage, ...]:
    """Every run of one of `passes`, with the text recorded before it; `pipeline` is the order of all passes."""
    found: list[Stage] = []
    order = {name: i for i, name in enumerate(pipeline)}
    for kernel, backend, entry_name, entry in kernel_records():
        changed = recorded_stages(GOLDEN / "kernels", entry)
        ran = sorted({*changed, *(entry.get("unchanged") or ())}, key=order.__getitem__)
        text = entry["program"]
        for name in ran:
            after = changed.get(name, text)
            if name in passes:
                found.append(Stage(kernel, entry_name, name, backend, text, after))
            text = after
    return tuple(found)
