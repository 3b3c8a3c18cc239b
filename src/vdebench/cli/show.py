"""`vde show`: what a run is, and what it was made with."""

from __future__ import annotations

import json
from pathlib import Path

import typer


def show_command(
    run: Path = typer.Argument(
        ..., metavar="RUN", help="A folder of `vde score --out` or `vde run`, or one run in it."
    ),
    short: bool = typer.Option(False, "--short-signature", help="Print only the short signature of each run."),
    as_json: bool = typer.Option(False, "--json", help="Print all of it as JSON."),
) -> None:
    """Say what was scored, how, with what result, on which machine, in what time and at what cost.

    Examples:

    `vde show runs/mine`

    `vde show runs/overlay/strict --json`

    `vde show runs/mine --short-signature`
    """
    from vdebench.report.run_contents import look
    from vdebench.report.show import short_signatures, show_text

    found = look(run)
    if short:
        for line in short_signatures(found):
            typer.echo(line)
    elif as_json:
        typer.echo(json.dumps(found, ensure_ascii=False, indent=2))
    else:
        typer.echo(show_text(found), nl=False)
