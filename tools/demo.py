"""The main job on the sample kernels: findings, what each lane holds, the lowered IR."""

from __future__ import annotations

import sys
from pathlib import Path

from click.testing import CliRunner

from pypto_core import Workspace
from pypto_lsp.cli import main
from pypto_lsp.lowered import SOURCE_STAGE

SAMPLES = Path("docs/samples")
STAGE = "LowerAutoVectorSplit"


def run(*arguments: str) -> str:
    """Output of ``pypto-lsp`` with these arguments; ends the demo when the call itself was wrong."""
    result = CliRunner().invoke(main, list(arguments))
    if result.exit_code == 2 or (result.exception and not isinstance(result.exception, SystemExit)):
        sys.exit(f"pypto-lsp {' '.join(arguments)} failed:\n{result.output}{result.exception or ''}")
    return result.output


def show(title: str, text: str) -> None:
    print(f"\n$ pypto-lsp {title}\n{text.rstrip()}")


def demo() -> None:
    """Print everything for every sample."""
    for file in sorted(SAMPLES.glob("*.py")):
        print(f"\n{'=' * 100}\n{file}\n{'=' * 100}")
        path = str(file)
        show(f"check {path}", run("check", path))
        show(f"lanes {path}", run("lanes", path))
        core = Workspace()
        core.open(path, file.read_text(encoding="utf-8"))
        for entry in core.entries(path):
            lowering = core.lowering(path, entry.name)
            assert lowering is not None
            reached = lowering.program_after(STAGE) is not None
            stage = STAGE if reached else (lowering.stages[-1].name if lowering.stages else SOURCE_STAGE)
            arguments = ("lower", path, "--entry", entry.name, "--pass", stage)
            show(" ".join(arguments), run(*arguments))


if __name__ == "__main__":
    demo()
