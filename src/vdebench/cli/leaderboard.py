"""`vde leaderboard`: many runs as a site to publish."""

from __future__ import annotations

from pathlib import Path

import typer

from vdebench.cli.suites import RUNS_HELP

REPORT_HELP = "A report of `vde report` to link samples to; repeat for several. RUNS/report and one beside are found."


def leaderboard_command(
    runs: list[Path] = typer.Argument(..., metavar="RUNS...", help=RUNS_HELP),
    out: Path = typer.Option(..., "--out", "-o", help="Folder for the site."),
    published: bool = typer.Option(False, "--published", help="Also show the figures that the papers print."),
    reports: list[Path] = typer.Option([], "--report", metavar="DIR", help=REPORT_HELP),
    title: str = typer.Option("Leaderboard", "--title", help="What stands above it."),
) -> None:
    """A static site of many runs: tables that hold only what is comparable, plots, and files for papers.

    Examples:

    `vde leaderboard runs -o board`

    `vde leaderboard nightly/*/ --published --report report -o board`
    """
    from vdebench.report.leaderboard import write_leaderboard

    page = write_leaderboard(runs, out, published=published, reports=reports, title=title)
    typer.echo(f"{page}: open it in a browser")
