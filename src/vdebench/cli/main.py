"""`vde`: all commands, and the handling of errors."""

from __future__ import annotations

import io
import os
import sys

import typer

from vdebench._version import __version__
from vdebench.cli.commands import STYLE, CommandGroup
from vdebench.cli.names import printed_warnings
from vdebench.cli.printing import warn
from vdebench.errors import VdeError

INTERRUPTED = 130  # typer's exit code for Ctrl-C

app = typer.Typer(
    name="vde",
    cls=CommandGroup,
    help="Evaluate image-editing models on pages full of text.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["--help", "-h"]},
    **STYLE,
)


def _print_version(requested: bool) -> None:
    if requested:
        typer.echo(f"vdebench {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", callback=_print_version, is_eager=True, help="Show the version."),
) -> None:
    """Evaluate image-editing models on pages full of text."""


def run() -> None:
    """Run the command line; print a `VdeError` as a message and exit with code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # file names may be undecodable, terminals may not support UTF-8
            stream.reconfigure(errors="backslashreplace")
    try:
        with printed_warnings():
            app()
    except VdeError as error:
        warn(str(error))
        sys.exit(2)
    except BrokenPipeError:  # `vde … | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except SystemExit as stop:
        if stop.code == INTERRUPTED:
            warn("interrupted; run the same command again to continue")
        raise
