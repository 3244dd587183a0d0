"""The command line: ``pypto-lsp serve | check | lower | lanes | passes | explain``.

Exit codes: 0 nothing found, 1 errors found, 2 the call itself was wrong.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import click

from pypto_core import Diagnostic, Severity, lane_rows, passes, rules
from pypto_lsp import __version__
from pypto_lsp.check import Checked, Checker, NoSuchPath, python_files
from pypto_lsp.config import BACKENDS, ConfigError
from pypto_lsp.lowered import UnknownName, entry_named, pass_name, render
from pypto_lsp.render.lanes import lane_table
from pypto_lsp.render.machine import as_github, as_json, as_sarif
from pypto_lsp.render.report import console, report, summary

FAULT = 2
backend_option = click.option(
    "--backend", type=click.Choice(BACKENDS), help="Chip to lower for (default: a2a3)."
)
search_option = click.option(
    "--search-path",
    multiple=True,
    metavar="DIR",
    help="Folder in which imported modules are looked for; may be repeated.",
)


class _Fault(click.ClickException):
    """A wrong call: one line, exit code 2."""

    exit_code = FAULT


def _overrides(backend: str | None, search_path: tuple[str, ...], **more: Any) -> dict[str, object]:
    given: dict[str, object] = {k: v for k, v in more.items() if v}
    if backend:
        given["backend"] = backend
    if search_path:
        given["search_path"] = search_path
    return given


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pypto-lsp")
def main() -> None:
    """Language server and checker for PyPTO kernels. Kernels are read, never imported or executed."""


@main.command()
@click.option("--tcp", is_flag=True, help="Listen on a TCP port instead of standard input and output.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to bind with --tcp.")
@click.option(
    "--port",
    default=2087,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Port with --tcp; 0 picks a free one.",
)
@click.option(
    "--log-level",
    default="warning",
    type=click.Choice(["debug", "info", "warning", "error"]),
    help="What is written to standard error.",
)
def serve(tcp: bool, host: str, port: int, log_level: str) -> None:
    """Start the language server (on standard input and output)."""
    import logging

    from pypto_lsp.server import create_server

    logging.basicConfig(
        level=log_level.upper(), stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s"
    )
    logging.getLogger("pygls").setLevel(max(logging.WARNING, logging.getLogger().level))
    sys.setswitchinterval(0.001)  # the event loop gets its turn quickly while an analysis runs
    server = create_server()
    if tcp:
        server.start_tcp(host, port)
    else:
        server.start_io()


@main.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--format",
    "form",
    default="text",
    type=click.Choice(["text", "json", "sarif", "github"]),
    help="Form of the findings.",
)
@click.option("--select", multiple=True, metavar="CODE", help="Report only this code; may be repeated.")
@click.option("--ignore", multiple=True, metavar="CODE", help="Do not report this code; may be repeated.")
@click.option("--fix", is_flag=True, help="Apply the fixes that are safe, then report what is left.")
@click.option("--statistics", is_flag=True, help="Count the findings by code.")
@backend_option
@search_option
def check(
    paths: tuple[str, ...], form: str, select: tuple[str, ...], ignore: tuple[str, ...],
    fix: bool, statistics: bool, backend: str | None, search_path: tuple[str, ...],
) -> None:  # fmt: skip
    """Check files, folders or patterns."""
    unknown = [code for code in (*select, *ignore) if code not in rules()]
    if unknown:
        raise _Fault(f"there is no code {unknown[0]!r}; see the pages of the rules or pypto-lsp explain")
    checker = Checker(_overrides(backend, search_path, select=select, ignore=ignore))
    try:
        files = list(python_files(paths))
        if fix:
            fixed = sum(checker.fix(file) for file in files)
            click.echo(f"applied {fixed} fix{'es' if fixed != 1 else ''}", err=True)
        results = _check_all(checker, files)
    except (NoSuchPath, ConfigError) as fault:
        raise _Fault(str(fault)) from fault
    found = [finding for result in results for finding in result.findings]
    if form == "text":
        _print_text(results, found)
    else:
        click.echo({"json": as_json, "sarif": as_sarif, "github": as_github}[form](found))
    if statistics:
        for code, count in Counter(f.code for f in found).most_common():
            click.echo(f"{count:6} {code}", err=form != "text")
    sys.exit(1 if any(f.severity is Severity.ERROR for f in found) else 0)


def _check_all(checker: Checker, files: list[str]) -> list[Checked]:
    if len(files) < 2 or not sys.stderr.isatty():
        return [checker.check(file) for file in files]
    from rich.progress import track

    return [checker.check(f) for f in track(files, "checking", console=console(stderr=True), transient=True)]


def _print_text(results: list[Checked], found: list[Diagnostic]) -> None:
    out = console()
    sources = {result.path: result.text for result in results}
    for result in results:
        for finding in result.findings:
            out.print(report(finding, sources, result.path if not finding.span.is_valid else ""))
    out.print(summary(found, len(results)))


def _opened(file: str, backend: str | None, search_path: tuple[str, ...]) -> Checker:
    checker = Checker(_overrides(backend, search_path))
    if not Path(file).is_file():
        raise _Fault(f"{file}: no such file")
    try:
        _, fault = checker.open(file)
    except ConfigError as error:
        raise _Fault(str(error)) from error
    if fault is not None:
        raise _Fault(f"{file}: {fault.message}")
    return checker


@main.command()
@click.argument("file")
@click.option("--entry", help="Kernel to lower; needed when the file has several.")
@click.option(
    "--pass",
    "name",
    default="SkewCrossCorePipeline",
    show_default=True,
    help="Show the IR after this pass; 'source' for before the first.",
)
@click.option("--output", "-o", type=click.Path(dir_okay=False), help="Write to this file.")
@backend_option
@search_option
def lower(
    file: str,
    entry: str | None,
    name: str,
    output: str | None,
    backend: str | None,
    search_path: tuple[str, ...],
) -> None:
    """Print the IR of a kernel after a pass."""
    checker = _opened(file, backend, search_path)
    try:
        wanted = pass_name(name)
        chosen = entry_named(checker.core.entries(file), entry, file)
    except UnknownName as fault:
        _print_findings(checker, file)
        raise _Fault(str(fault)) from fault
    lowering = checker.core.lowering(file, chosen.name)
    assert lowering is not None
    text = render(lowering, wanted, file)
    if output:
        Path(output).write_text(text.text + "\n", encoding="utf-8")
    else:
        click.echo(text.text)
    sys.exit(0 if text.reached == wanted else 1)


def _print_findings(checker: Checker, file: str) -> None:
    document = checker.core.document(file)
    sources = {file: document.text} if document is not None else {}
    out = console(stderr=True)
    for finding in checker.core.diagnostics(file):
        if finding.severity is Severity.ERROR:
            out.print(report(finding, sources, file))


@main.command()
@click.argument("file")
@click.option("--entry", help="Only this kernel.")
@backend_option
@search_option
def lanes(file: str, entry: str | None, backend: str | None, search_path: tuple[str, ...]) -> None:
    """Print what each vector lane holds of every value of a kernel."""
    checker = _opened(file, backend, search_path)
    entries = checker.core.entries(file)
    try:
        chosen = [entry_named(entries, entry, file)] if entry or not entries else list(entries)
    except UnknownName as fault:
        _print_findings(checker, file)
        raise _Fault(str(fault)) from fault
    out = console()
    chip = checker.core.settings(file).backend or ""
    for one in chosen:
        histories = checker.core.histories(file, one.name)
        assert histories is not None
        out.print(lane_table(f"{one.name} ({chip})", lane_rows(histories), chip))
        stopped = histories.lowering.stopped_at
        if stopped:
            out.print(f"the kernel was refused at {stopped}; run: pypto-lsp check {file}")
    sys.exit(0)


@main.command("passes")
@click.argument("file", required=False)
@click.option("--entry", help="Kernel whose passes are timed; needed when the file has several.")
@backend_option
@search_option
def passes_command(
    file: str | None, entry: str | None, backend: str | None, search_path: tuple[str, ...]
) -> None:
    """List the passes; with FILE which of them changed a kernel and how long each took."""
    if file is None:
        for number, name in enumerate(passes.PIPELINE, 1):
            click.echo(f"{number:3} {name}")
        return
    checker = _opened(file, backend, search_path)
    try:
        chosen = entry_named(checker.core.entries(file), entry, file)
    except UnknownName as fault:
        raise _Fault(str(fault)) from fault
    lowering = checker.core.lowering(file, chosen.name)
    assert lowering is not None
    for number, stage in enumerate(lowering.stages, 1):
        click.echo(
            f"{number:3} {stage.name:24} {'changed' if stage.changed else '-':8} {stage.seconds * 1000:8.2f} ms"
        )
    if lowering.stopped_at:
        click.echo(f"stopped at {lowering.stopped_at}")
        sys.exit(1)


@main.command()
@click.argument("code", required=False)
def explain(code: str | None) -> None:
    """Print the page of a code; without CODE list all codes."""
    table = rules()
    if code is None:
        for name in sorted(table):
            click.echo(f"{name:32} {table[name].title}")
        return
    rule = table.get(code)
    if rule is None:
        from difflib import get_close_matches

        near = get_close_matches(code, table, 3)
        raise _Fault(f"there is no code {code!r}" + (f"; did you mean {' or '.join(near)}?" if near else ""))
    click.echo(f"{rule.code} ({rule.severity.text})\n\n{rule.title}\n\n{rule.explanation}\n")
    if rule.failing:
        click.echo(f"Fails:\n\n{_indented(rule.failing)}\n")
    if rule.repaired:
        click.echo(f"Repaired:\n\n{_indented(rule.repaired)}\n")
    fixes = {
        "none": "There is no quick fix.",
        "safe": "There is a quick fix; it is safe to apply.",
        "review": "There is a quick fix; look at what it does.",
    }
    click.echo(fixes[rule.fix])


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.strip("\n").split("\n"))
