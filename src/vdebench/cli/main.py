"""`vde`: all commands, and the handling of errors."""

from __future__ import annotations

import io
import os
import sys

import typer

from vdebench._version import __version__
from vdebench.cli import (
    ambiguity,
    build,
    cache,
    compare,
    diff,
    doctor,
    edit,
    editors_list,
    editors_setup,
    human,
    judge,
    leaderboard,
    protocols,
    read,
    report,
    review,
    score,
    show,
    submit,
    suite,
    table,
    typeset,
    usable,
    validate,
    verify,
)
from vdebench.cli import run as run_module
from vdebench.cli.names import printed_warnings
from vdebench.cli.printing import warn
from vdebench.errors import VdeError

INTERRUPTED = 130  # typer's exit code for Ctrl-C

app = typer.Typer(
    name="vde",
    help="Evaluate image-editing models on pages full of text.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)
app.command("run")(run_module.run_command)
app.command("report")(report.report_command)
app.command("leaderboard")(leaderboard.leaderboard_command)
app.command("edit")(edit.edit_command)
app.command("diff")(diff.diff_command)
app.command("score")(score.score_command)
app.command("judge")(judge.judge_command)
app.command("ambiguity")(judge.ambiguity_command)
app.command("ambiguity-drop")(ambiguity.drop_command)
app.command("table")(table.table_command)
app.command("compare")(compare.compare_command)
app.command("usable")(usable.usable_command)
app.command("validate-metrics")(validate.validate_command)
app.command("show")(show.show_command)
app.command("submit")(submit.submit_command)
app.command("verify")(verify.verify_command)
app.command("read")(read.read_command)
app.command("doctor")(doctor.doctor_command)
editors_list.app.command("setup")(editors_setup.setup_command)
app.add_typer(editors_list.app, name="editors")
app.add_typer(human.app, name="human")
app.add_typer(review.app, name="review")
app.add_typer(suite.app, name="suite")
app.add_typer(build.app, name="build")
app.add_typer(protocols.app, name="protocols")
app.add_typer(typeset.app, name="typeset")
app.add_typer(cache.app, name="cache")


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
