"""All forms of a kernel in one archive, for a report of a problem: its source, the IR after every pass that changed it, what was found."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from pathlib import Path

from pypto_core import Diagnostic, Lowering
from pypto_lsp import __version__
from pypto_lsp.lowered import render

#: The same kernel gives the same archive.
_DATE = (1980, 1, 1, 0, 0, 0)


def write_archive(
    file: Path, path: str, source: str, lowering: Lowering, backend: str, findings: Iterable[Diagnostic]
) -> list[str]:
    """Write the archive ``file`` for a kernel of the file ``path``; the names of its members."""
    members = {Path(path).name: source, "00-source.pypto-ir": render(lowering, "", path).text}
    passes = []
    for number, stage in enumerate(lowering.stages, 1):
        passes.append(f"{number:2} {stage.name:24} {'changed' if stage.changed else '-'}")
        if stage.changed:
            members[f"{number:02}-{stage.name}.pypto-ir"] = render(lowering, stage.name, path).text
    lines = [f"pypto-lsp {__version__}, backend {backend}", "", *passes]
    if lowering.stopped_at:
        lines += ["", f"refused at {lowering.stopped_at}"]
    lines += ["", *(f"{d.severity.text}[{d.code}] line {d.span.line}: {d.message}" for d in findings)]
    members["report.txt"] = "\n".join(lines)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(zipfile.ZipInfo(name, _DATE), text.rstrip("\n") + "\n", zipfile.ZIP_DEFLATED)
    return list(members)
