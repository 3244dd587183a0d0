"""The commands of the terminal: all but ``serve`` (:mod:`pypto_lsp.cli`)."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import click

from pypto_core import Diagnostic, Entry, Severity, lane_rows, memory_use, passes, rules
from pypto_core import lower as lowered_anew
from pypto_lsp.archive import write_archive
from pypto_lsp.check import Checked, Checker, Report, absolute, check_files, decoded, gathered
from pypto_lsp.config import BACKENDS, ConfigError, codes_near, codes_of
from pypto_lsp.discover import STDIN, NoSuchPath, excludes, expand
from pypto_lsp.lowered import SOURCE_STAGE, UnknownName, entry_named, lowering_to, pass_name, render
from pypto_lsp.render.explain import page
from pypto_lsp.render.lanes import lane_table
from pypto_lsp.render.machine import as_github, as_json, as_sarif
from pypto_lsp.render.memory import memory_table
from pypto_lsp.render.report import console, report, summary

FAULT = 2
#: What standard input is taken for.
STDIN_NAME = "stdin.py"
SEVERITIES = {severity.text: severity for severity in Severity}
backend_option = click.option(
    "--backend", type=click.Choice(BACKENDS), help="Chip to lower for (default: a2a3)."
)
search_option = click.option(
    "--search-path",
    multiple=True,
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    help="Folder in which imported modules are looked for; may be repeated.",
)
entry_option = click.option("--entry", help="The kernel; needed when the file has several.")


class _Fault(click.ClickException):
    """A wrong call: one line, exit code 2."""

    exit_code = FAULT


def _overrides(
    backend: str | None, search_path: tuple[str, ...], **more: tuple[str, ...]
) -> dict[str, object]:
    given: dict[str, object] = {k: v for k, v in more.items() if v}
    if backend:
        given["backend"] = backend
    if search_path:
        given["search_path"] = tuple(absolute(folder) for folder in search_path)
    return given


# ---------------------------------------------------------------------------------------------------------------- check
@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--format",
    "form",
    default="text",
    type=click.Choice(["text", "json", "sarif", "github"]),
    help="Form of the findings.",
)
@click.option(
    "--select", multiple=True, metavar="CODE", help="Report only this code (or 'aiv-*'); may be repeated."
)
@click.option(
    "--ignore", multiple=True, metavar="CODE", help="Do not report this code (or 'aiv-*'); may be repeated."
)
@click.option(
    "--exclude", multiple=True, metavar="PATTERN", help="Leave out files found in folders; may be repeated."
)
@click.option(
    "--severity",
    type=click.Choice(list(SEVERITIES)),
    help="Report findings of at least this severity (default: all but hints, unless --select names some).",
)
@click.option("--hints", is_flag=True, help="Report hints as well, e.g. about speed (as --severity hint).")
@click.option("--fix", is_flag=True, help="Apply the fixes that are safe, then report what is left.")
@click.option("--statistics", is_flag=True, help="Count the findings by code.")
@click.option("--stdin-filename", default=STDIN_NAME, metavar="FILE", help="What '-' is to be taken for.")
@click.option(
    "--jobs", "-j", type=click.IntRange(1), help="Processes for many files (default: one a processor)."
)
@backend_option
@search_option
def check(
    paths: tuple[str, ...],
    form: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    exclude: tuple[str, ...],
    severity: str | None,
    hints: bool,
    fix: bool,
    statistics: bool,
    stdin_filename: str,
    jobs: int | None,
    backend: str | None,
    search_path: tuple[str, ...],
) -> None:
    """Check files, folders or patterns; '-' reads standard input.

    Exit code: 0 without errors, 1 with errors, 2 when the call was wrong. A finding is silenced by a comment on its line:
    '# pypto: ignore[CODE]'. Settings come from [tool.pypto-lsp] of the nearest pyproject.toml.
    """
    for pattern in (*select, *ignore):
        if not codes_of((pattern,)):
            raise _Fault(f"there is no code {pattern!r}; {codes_near(pattern)}")
    patterns = tuple(absolute(pattern) for pattern in exclude)
    overrides = _overrides(backend, search_path, select=select, ignore=ignore, exclude=patterns)
    checker = Checker(overrides)
    try:
        files = list(expand(paths, lambda file: excludes(absolute(file), checker.config(file).exclude)))
        if fix:
            fixed = sum(checker.fix(file) for file in files if file != STDIN)
            click.echo(f"applied {fixed} fix{'es' if fixed != 1 else ''}", err=True)
        stdin = sys.stdin.buffer.read() if STDIN in files else b""
        made = check_files(files, overrides, stdin, stdin_filename, jobs, repairs=form in ("json", "sarif"))
        results = gathered(_with_progress(made, len(files)))
    except (NoSuchPath, ConfigError) as fault:
        raise _Fault(str(fault)) from fault
    most = Severity.HINT if hints or select else Severity.INFORMATION
    wanted = most if severity is None else max(SEVERITIES[severity], Severity.HINT if hints else 0)
    found = [finding for finding in results.findings if finding.severity <= wanted]
    if form == "text":
        _print_text(results, found, len(results.findings) - len(found) if severity is None else 0)
    else:
        click.echo({"json": as_json, "sarif": as_sarif, "github": as_github}[form](found, results.shown))
    if statistics:
        for code, count in Counter(f.code for f in found).most_common():
            click.echo(f"{count:6} {code}", err=form != "text")
    for details in results.faults:
        click.echo(f"internal error: {details}", err=True)
    sys.exit(1 if any(f.severity is Severity.ERROR for f in found) else 0)


def _with_progress(made: Iterable[Checked], total: int) -> Iterable[Checked]:
    if total < 2 or not sys.stderr.isatty():
        return made
    from rich.progress import track

    return track(made, "checking", total=total, console=console(stderr=True), transient=True)


def _print_text(results: Report, found: list[Diagnostic], hidden: int) -> None:
    out = console()
    for finding in found:
        out.print(report(finding, results.sources, results.shown))
    out.print(summary(found, results.analysed, len(results.files) - results.analysed, hidden))


# ----------------------------------------------------------------------------------------------------------- one kernel
def _opened(file: str, backend: str | None, search_path: tuple[str, ...]) -> tuple[Checker, str]:
    """A workspace with the file open, and the name it has there; ``-`` is standard input."""
    checker = Checker(_overrides(backend, search_path))
    try:
        if file == STDIN:
            file = STDIN_NAME
            text, fault = decoded(file, sys.stdin.buffer.read())
        else:
            text, fault = checker.read(file)
        if fault is not None:
            raise _Fault(f"{file}: {fault.message}")
        return checker, checker.open(file, text)
    except ConfigError as error:
        raise _Fault(str(error)) from error


def _chosen(checker: Checker, name: str, file: str, entry: str | None) -> Entry:
    """The kernel that is meant; when there is none, what is wrong in the file is printed."""
    try:
        return entry_named(checker.core.entries(name), entry, file)
    except UnknownName as fault:
        _print_errors(checker, name, file)
        raise _Fault(str(fault)) from fault


def _all_chosen(checker: Checker, name: str, file: str, entry: str | None) -> list[Entry]:
    """The kernel that is meant, or all of the file when none is named."""
    entries = checker.core.entries(name)
    return list(entries) if entries and entry is None else [_chosen(checker, name, file, entry)]


def _unread(checker: Checker, name: str, kernel: str) -> bool:
    """Whether a part of a kernel could not be read: what is worked out from the rest is not the whole kernel."""
    return any(kernel == unread for unread, _ in checker.core.parsed(name).incomplete)


def _print_errors(checker: Checker, name: str, file: str) -> None:
    document = checker.core.document(name)
    results = gathered([Checked(file, document.text if document else "", checker.core.diagnostics(name))])
    out = console(stderr=True)
    for finding in results.findings:
        if finding.severity is Severity.ERROR:
            out.print(report(finding, results.sources, results.shown))


@click.command()
@click.argument("file")
@entry_option
@click.option(
    "--pass",
    "stage",
    default="SkewCrossCorePipeline",
    show_default=True,
    help=f"Show the IR after this pass, a memory pass too; '{SOURCE_STAGE}' for before the first.",
)
@click.option("--output", "-o", type=click.Path(dir_okay=False), help="Write to this file.")
@click.option(
    "--archive",
    type=click.Path(dir_okay=False),
    metavar="FILE.zip",
    help="Write source, findings and the IR after every pass that changed the kernel, for a report of a problem.",
)
@backend_option
@search_option
def lower(
    file: str,
    entry: str | None,
    stage: str,
    output: str | None,
    archive: str | None,
    backend: str | None,
    search_path: tuple[str, ...],
) -> None:
    """Print the IR of a kernel after a pass. Exit code 1 when the kernel could not be read completely, or was refused before the pass."""
    try:
        wanted = pass_name(stage)
    except UnknownName as fault:
        raise _Fault(str(fault)) from fault
    checker, name = _opened(file, backend, search_path)
    chosen = _chosen(checker, name, file, entry)
    lowering = lowering_to(checker.core, name, chosen.name, wanted)
    assert lowering is not None
    text = render(lowering, wanted, name)
    try:
        if archive:
            document = checker.core.document(name)
            chip = checker.core.settings(name).backend or ""
            source = document.text if document is not None else ""
            found = checker.core.diagnostics(name)
            members = write_archive(Path(archive), name, source, lowering, chip, found)
            click.echo(f"{archive}: {len(members)} files")
        elif output:
            Path(output).write_text(text.text.rstrip("\n") + "\n", encoding="utf-8")
    except OSError as fault:
        raise _Fault(f"{archive or output}: cannot write the file: {fault.strerror or fault}") from fault
    if not archive and not output:
        click.echo(text.text.rstrip("\n"))
    unread = _unread(checker, name, chosen.name)
    if unread:
        _print_errors(checker, name, file)
    sys.exit(0 if text.reached == wanted and not text.refused and not unread else 1)


@click.command()
@click.argument("file")
@click.option("--entry", help="Only this kernel.")
@backend_option
@search_option
def lanes(file: str, entry: str | None, backend: str | None, search_path: tuple[str, ...]) -> None:
    """Print what each vector lane holds of every value of a kernel. Exit code 1 when it could not be read completely, or was refused."""
    checker, name = _opened(file, backend, search_path)
    chosen = _all_chosen(checker, name, file, entry)
    out = console()
    chip = checker.core.settings(name).backend or ""
    whole = True
    for one in chosen:
        histories = checker.core.histories(name, one.name)
        assert histories is not None
        out.print(lane_table(f"{one.name} ({chip})", lane_rows(histories), chip))
        why = _why_partial(checker, name, one.name, histories.lowering.stopped_at)
        if why:
            out.print(f"the kernel {why}; run: pypto-lsp check {file}", markup=False, highlight=False)
            whole = False
    sys.exit(0 if whole else 1)


def _why_partial(checker: Checker, name: str, kernel: str, stopped_at: str) -> str:
    """What keeps a kernel from being known as a whole; empty when nothing does."""
    if _unread(checker, name, kernel):
        return "could not be read completely"
    return f"was refused at {stopped_at}" if stopped_at else ""


@click.command()
@click.argument("file")
@click.option("--entry", help="Only this kernel.")
@backend_option
@search_option
def memory(file: str, entry: str | None, backend: str | None, search_path: tuple[str, ...]) -> None:
    """Print how much on-chip memory a kernel needs. Exit code 1 when it does not fit, or could not be read completely, or was refused before that is known."""
    checker, name = _opened(file, backend, search_path)
    chosen = _all_chosen(checker, name, file, entry)
    out = console()
    chip = checker.core.settings(name).backend or ""
    fits = True
    for one in chosen:
        lowering = checker.core.lowering(name, one.name)
        assert lowering is not None
        why = _why_partial(checker, name, one.name, lowering.stopped_at)
        if why:
            out.print(
                f"the kernel {one.name} {why}; run: pypto-lsp check {file}", markup=False, highlight=False
            )
            fits = False
            continue
        kernels = memory_use(lowering.stages[-1].program, chip)
        fits = fits and not any(k.refused or not all(use.fits for use in k.spaces) for k in kernels)
        if kernels:
            out.print(memory_table(f"{one.name} ({chip})", kernels))
        else:
            out.print(f"{one.name} has no part that runs on a core")
    sys.exit(0 if fits else 1)


@click.command("passes")
@click.argument("file", required=False)
@entry_option
@backend_option
@search_option
def passes_command(
    file: str | None, entry: str | None, backend: str | None, search_path: tuple[str, ...]
) -> None:
    """List the passes; with FILE which of them changed a kernel and how long each took.

    Those without a number plan the on-chip memory: they run on request, in this order, after the others.
    """
    if file is None:
        for number, name in enumerate(passes.PIPELINE, 1):
            click.echo(f"{number:3} {name}")
        for name in passes.MEMORY_PASSES:
            click.echo(f"  - {name}")
        return
    checker, opened = _opened(file, backend, search_path)
    chosen = _chosen(checker, opened, file, entry)
    chip = checker.core.settings(opened).backend
    lowered_anew(chosen.program, chip)  # loads what the passes need, so that the times below are theirs
    lowering = lowered_anew(chosen.program, chip)
    for number, stage in enumerate(lowering.stages, 1):
        click.echo(
            f"{number:3} {stage.name:24} {'changed' if stage.changed else '-':8} {stage.seconds * 1000:8.2f} ms"
        )
    if lowering.stopped_at:
        where = (
            "before the first pass"
            if lowering.stopped_at == "pipeline_input"
            else f"at {lowering.stopped_at}"
        )
        click.echo(f"the kernel was refused {where}; run: pypto-lsp check {file}")
        sys.exit(1)


# -------------------------------------------------------------------------------------------------------------- explain
@click.command()
@click.argument("code", required=False)
def explain(code: str | None) -> None:
    """Print the page of a code; without CODE list all codes."""
    table = rules()
    if code is None:
        for name in sorted(table):
            click.echo(f"{name:32} {table[name].title}")
        return
    rule = table.get(code.lower())
    if rule is None:
        from difflib import get_close_matches

        near = get_close_matches(code.lower(), table, 3)
        raise _Fault(f"there is no code {code!r}" + (f"; did you mean {' or '.join(near)}?" if near else ""))
    click.echo(page(rule))


COMMANDS: dict[str, click.Command] = {
    "check": check,
    "lower": lower,
    "lanes": lanes,
    "memory": memory,
    "passes": passes_command,
    "explain": explain,
}
