"""`vde leaderboard`: a static website of many runs."""

from __future__ import annotations

from pathlib import Path

import typer

from vdebench.cli.suites import RUNS_HELP

REPORT_HELP = "Report of `vde report` to link samples to; repeatable. RUNS/report and a report next to RUNS are found."


def leaderboard_command(
    runs: list[Path] = typer.Argument(..., metavar="RUNS...", help=RUNS_HELP),
    out: Path = typer.Option(..., "--out", "-o", help="Output folder."),
    published: bool = typer.Option(False, "--published", help="Add the numbers published in the papers."),
    reports: list[Path] = typer.Option([], "--report", metavar="DIR", help=REPORT_HELP),
    title: str = typer.Option("Leaderboard", "--title", help="Title of the site."),
) -> None:
    """Write a static website of many runs: one table per comparable group, plots, and files for papers.

    Examples:

    `vde leaderboard runs -o board`

    `vde leaderboard nightly/*/ --published --report report -o board`
    """
    from vdebench.report.leaderboard import write_leaderboard

    page = write_leaderboard(runs, out, published=published, reports=reports, title=title)
    typer.echo(f"{page}: open it in a browser")
