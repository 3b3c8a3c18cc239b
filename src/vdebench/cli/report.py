"""`vde report`: a page to look at."""

from __future__ import annotations

from pathlib import Path

import typer

from vdebench.cli.progress import progress_bar


def report_command(
    runs: Path = typer.Argument(..., metavar="RUNS", help="A folder made by `vde run`."),
    out: Path = typer.Option(..., "--out", "-o", help="Folder for the page and its pictures."),
) -> None:
    """A page to look at: leaderboard, breakdowns, and every sample side by side with its reference.

    Example: `vde report runs -o report`
    """
    from vdebench.report.site import write_report

    with progress_bar("report") as progress:
        page = write_report(runs, out, progress=progress)
    typer.echo(f"{page}: open it in a browser")
