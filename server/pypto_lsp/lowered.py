"""Lowered text of a kernel with its map back to source lines; shared by the editor's documents and the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pypto_core import Entry, Lowering, Stmt, Workspace, passes, print_ir

SOURCE_STAGE = "source"


@dataclass(frozen=True, slots=True)
class MappedLine:
    """A lowered line (0-based) and the source lines its statement stands for."""

    source: int
    source_end: int
    lowered: int


@dataclass(frozen=True, slots=True)
class LoweredText:
    """The printed program after a pass. ``reached`` names the stage shown, which is an earlier one when the kernel was refused before.
    ``refused`` names the functions that were refused before, ``stmts`` holds the statement that begins on each lowered line."""

    text: str
    map: tuple[MappedLine, ...]
    reached: str
    stmts: Mapping[int, Stmt] = field(default_factory=dict)
    refused: tuple[str, ...] = ()


class UnknownName(LookupError):
    """There is no kernel or no pass of that name; the message lists those there are."""


def pass_name(name: str) -> str:
    """The document name of a pass given in any spelling (``LowerAutoVectorSplit``, ``lower_auto_vector_split``, ``lowerautovectorsplit``); empty for ``source``."""
    wanted = name.replace("_", "").replace("-", "").lower()
    if wanted in ("", SOURCE_STAGE):
        return ""
    for known in passes.ALL_PASSES:
        if known.lower() == wanted:
            return str(known)
    near = [p for p in passes.ALL_PASSES if wanted in p.lower()]
    raise UnknownName(
        f"there is no pass {name!r}; "
        + ("did you mean " + " or ".join(near) if near else "the passes are " + ", ".join(passes.ALL_PASSES))
    )


def entry_named(entries: Sequence[Entry], name: str | None, path: str) -> Entry:
    """The kernel called ``name``, or the only one."""
    if not entries:
        raise UnknownName(f"{path} has no kernels")
    if name is None:
        if len(entries) == 1:
            return entries[0]
        raise UnknownName(
            f"{path} has several kernels, choose one with --entry: {', '.join(e.name for e in entries)}"
        )
    for entry in entries:
        if entry.name == name:
            return entry
    raise UnknownName(f"{path} has no kernel {name!r}; it has {', '.join(e.name for e in entries)}")


def lowering_to(core: Workspace, path: str, entry: str, name: str) -> Lowering | None:
    """The stages of a kernel among which is the pass called ``name``: the memory passes run on request."""
    return core.planned(path, entry) if name in passes.MEMORY_PASSES else core.lowering(path, entry)


def lowered_text(core: Workspace, path: str, entry: str, name: str) -> LoweredText:
    """The program after the pass called ``name`` (empty: before any)."""
    lowering = lowering_to(core, path, entry, name)
    if lowering is None:
        known = ", ".join(e.name for e in core.entries(path)) or "none"
        return LoweredText(f"# {entry}: no such kernel in this file (kernels: {known})\n", (), "")
    return render(lowering, name, path)


def _where(stage: str) -> str:
    return "before the first pass" if stage == "pipeline_input" else f"at {stage}"


def _told(reasons: Iterable[str]) -> list[str]:
    """Comment lines with the reasons, each once: one statement of the author's may be refused in several lowered ones."""
    return [f"#   {line}" for reason in dict.fromkeys(reasons) for line in reason.split("\n") if line]


def render(lowering: Lowering, name: str, path: str) -> LoweredText:
    """Print the stage called ``name``; when it was not reached, the last one before it under a comment that says why."""
    program = lowering.program_after(name)
    reached, header = name, []
    if program is None:
        last = lowering.stages[-1] if lowering.stages else None
        program, reached = (last.program, last.name) if last is not None else (lowering.source, "")
        reason = next((d.message for d in lowering.diagnostics if d.severity.text == "error"), "")
        header = [f"# {name} was not reached: the kernel was refused {_where(lowering.stopped_at)}."]
        header += _told([reason])
        header += [f"# Shown: {reached or 'the source form'}.", ""]
    else:
        for function, stop in lowering.stops_before(name).items():
            header.append(f"# {function} was refused {_where(stop.stage)} and is shown as it was then.")
            header += _told(finding.message for finding in stop.findings)
        if header:
            header.append("")
    lines: list[MappedLine] = []
    stmts: dict[int, Stmt] = {}
    offset = len(header)

    def hook(line: int, stmt: Stmt) -> None:
        span = stmt.span
        stmts[line + offset] = stmt
        if span.is_valid and span.filename == path:
            lines.append(MappedLine(span.line - 1, span.end_line - 1, line + offset))

    body = print_ir(program, line_hook=hook)
    return LoweredText(
        "\n".join([*header, body]), tuple(lines), reached, stmts, tuple(lowering.stops_before(name))
    )
