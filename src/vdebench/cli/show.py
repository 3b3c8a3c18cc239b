"""`vde show`: description of a run."""

from __future__ import annotations

from pathlib import Path

import typer

from vdebench.cli.printing import echo_json


def show_command(
    run: Path = typer.Argument(..., metavar="RUN", help="Folder of `vde score --out` or `vde run`, or one run in it."),
    short: bool = typer.Option(False, "--short-signature", help="Print only the short signature of each run."),
    as_json: bool = typer.Option(False, "--json", help="Print everything as JSON."),
) -> None:
    """Show what a run scored and how, its results, machine, duration and cost.

    Examples:

    `vde show runs/mine`

    `vde show runs/overlay/strict --json`

    `vde show runs/mine --short-signature`
    """
    from vdebench.report.run_contents import look
    from vdebench.report.show import short_signatures, show_text

    contents = look(run)
    if short:
        for line in short_signatures(contents):
            typer.echo(line)
    elif as_json:
        echo_json(contents)
    else:
        typer.echo(show_text(contents), nl=False)
