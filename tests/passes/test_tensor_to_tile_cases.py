"""Rules of docs/spec/passes_tensor_to_tile.md, one small program each (``tensor_to_tile/*.txt``).

A case is ``==== title``, optionally ``---- backend=...``, the printed functions ``---- before`` the pass, and what must
come out: ``---- after``, ``---- unchanged``, or ``---- error CODE`` with the source line that the error points at and words that
its message must hold. Kernels stand without their decorator. ``orch_tensors.txt`` runs OptimizeOrchTensors, the others
ConvertTensorToTileOps. "(example N)" in a title is the number in Appendix A.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from pypto_core.diagnostics import PassError, rules
from pypto_core.ir import Program
from tests.support.golden import assert_mentions, make_pass, read_program, same_text, text_of

FOLDER = Path(__file__).parent / "tensor_to_tile"
_KERNEL = "    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)"
_SYMBOL = re.compile(r'pl\.dynamic\("(\w+)"\)')


@dataclass(frozen=True, slots=True)
class Case:
    topic: str
    title: str
    sections: dict[str, str]

    @property
    def pass_name(self) -> str:
        return "optimize_orch_tensors" if self.topic == "orch_tensors" else "convert_tensor_to_tile_ops"

    @property
    def backend(self) -> str | None:
        found = [key.removeprefix("backend=") for key in self.sections if key.startswith("backend=")]
        return found[0] if found else None

    @property
    def error(self) -> tuple[str, str, str] | None:
        """Code, source line and words of the expected error."""
        for key, text in self.sections.items():
            if key.startswith("error "):
                line, words = text.split("\n", 1)
                return key.removeprefix("error "), line, words
        return None

    def __str__(self) -> str:
        return f"{self.topic}: {self.title}"


def _cases() -> list[Case]:
    found = []
    for path in sorted(FOLDER.glob("*.txt")):
        for block in re.split(r"^==== ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            title, _, rest = block.partition("\n")
            parts = re.split(r"^---- (.*)\n?", rest, flags=re.MULTILINE)
            sections = {key: text.rstrip("\n") for key, text in zip(parts[1::2], parts[2::2])}
            found.append(Case(path.stem, title, sections))
    return found


def program_text(functions: str) -> str:
    """Printed program around functions that are written flush left, kernels without decorator."""
    symbols, body, decorated = [], [], False
    for line in functions.split("\n"):
        symbol = _SYMBOL.fullmatch(line)
        if symbol:
            symbols.append(f'{symbol[1]} = pl.dynamic("{symbol[1]}")\n')
            continue
        if line.startswith("def ") and not decorated:
            body.append(_KERNEL)
        decorated = line.startswith("@")
        body.append("    " + line)
    header = "".join(symbols) + ("\n" if symbols else "")
    return f"# pypto.program: Q\nimport pypto.language as pl\n\n{header}@pl.program\nclass Q:\n" + "\n".join(
        body
    )


def _run(case: Case) -> tuple[Program, Program]:
    program = read_program(program_text(case.sections["before"]))
    return program, make_pass(case.pass_name, case.backend)(program)


CASES = _cases()


@pytest.mark.parametrize("case", [c for c in CASES if c.error is None], ids=str)
def test_rule(case: Case) -> None:
    before, after = _run(case)
    if "unchanged" in case.sections:
        assert after is before
        return
    same_text(text_of(after), program_text(case.sections["after"]))
    again = read_program(text_of(after))
    same_text(text_of(again), text_of(after))


@pytest.mark.parametrize("case", [c for c in CASES if c.error is not None], ids=str)
def test_refusal(case: Case) -> None:
    assert case.error is not None
    code, line, words = case.error
    with pytest.raises(PassError) as raised:
        _run(case)
    diagnostic = raised.value.diagnostic
    assert diagnostic.code == code
    assert_mentions(diagnostic, words)
    text = program_text(case.sections["before"]).split("\n")
    assert text[diagnostic.span.line - 1].strip() == line


def test_own_codes_are_explained() -> None:
    row = rules()["store-channel-mixed"]
    assert row.explanation and row.failing and row.repaired


def test_titles_are_unique() -> None:
    titles = [str(case) for case in CASES]
    assert len(set(titles)) == len(titles)
