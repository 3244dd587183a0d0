"""The command line: ``pypto-lsp serve | check | lower | lanes | memory | passes | explain``.

Only ``serve`` lives here: an editor waits for it, so it loads nothing that the other commands need.

Exit codes: 0 nothing found, 1 errors found, 2 the call itself was wrong, 130 interrupted.
"""

from __future__ import annotations

import errno
import io
import signal
import sys
from typing import Any

import click

from pypto_lsp import __version__

#: What shells report of a program that Ctrl-C has ended.
_INTERRUPTED = 130


class _CannotWrite(click.ClickException):
    exit_code = 2


class _Commands(click.Group):
    """Commands of which all but ``serve`` are loaded when one of them, or the list of them, is wanted."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command. Ctrl-C and a full disk end it with one line; a reader that has gone away ends it silently."""
        try:
            try:
                return super().invoke(ctx)
            finally:
                # None where the caller has closed it; the server closes it itself.
                if sys.stdout is not None and not sys.stdout.closed:
                    sys.stdout.flush()
        except KeyboardInterrupt:
            # A second Ctrl-C while Python ends would change the exit code.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            click.echo("interrupted", err=True)
            raise click.exceptions.Exit(_INTERRUPTED) from None
        except OSError as fault:
            if fault.errno == errno.EPIPE:
                raise
            raise _CannotWrite(f"cannot write the output: {fault.strerror or fault}") from fault

    def list_commands(self, ctx: click.Context) -> list[str]:
        from pypto_lsp.commands import COMMANDS

        return sorted({*super().list_commands(ctx), *COMMANDS})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        found = super().get_command(ctx, cmd_name)
        if found is not None:
            return found
        from pypto_lsp.commands import COMMANDS

        return COMMANDS.get(cmd_name)


@click.group(
    cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}
)
@click.version_option(__version__, prog_name="pypto-lsp")
def main() -> None:
    """Language server and checker for PyPTO kernels. Kernels are read, never imported or executed."""
    # Names of the author's may hold characters that the terminal cannot show: they are written as escapes.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


@main.command()
@click.option(
    "--stdio", is_flag=True, help="Use standard input and output: the default, which many clients ask for."
)
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
def serve(stdio: bool, tcp: bool, host: str, port: int, log_level: str) -> None:
    """Start the language server (on standard input and output)."""
    if stdio and tcp:
        raise click.UsageError("--stdio and --tcp exclude each other")
    import gc
    import logging

    gc.disable()  # what is loaded now stays; :func:`settle` turns it on

    from pypto_lsp.heap import settle
    from pypto_lsp.server import create_server

    logging.basicConfig(
        level=log_level.upper(), stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s"
    )
    logging.getLogger("pygls").setLevel(max(logging.WARNING, logging.getLogger().level))
    sys.setswitchinterval(0.001)  # the event loop gets its turn quickly while an analysis runs
    server = create_server()
    settle()
    if tcp:
        server.start_tcp(host, port)
    else:
        server.start_io()
