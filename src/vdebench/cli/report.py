"""`vde report`: an HTML report."""

from __future__ import annotations

from pathlib import Path

import typer

from vdebench.cli.progress import progress_bar
from vdebench.cli.suites import RUNS_HELP

JUDGED_HELP = "Folder of `vde judge --out`; repeatable. RUNS/judged and RUNS/EDITOR/judged are found."


def report_command(
    runs: list[Path] = typer.Argument(..., metavar="RUNS...", help=RUNS_HELP),
    out: Path = typer.Option(..., "--out", "-o", help="Output folder."),
    judged: list[Path] = typer.Option([], "--judged", metavar="DIR", help=JUDGED_HELP),
) -> None:
    """Write an HTML report: leaderboard, breakdowns, and every sample side by side with its reference.

    Runs of precomputed OCR output without images are shown with their text and boxes.

    Examples:

    `vde report runs -o report --judged judged`

    `vde report scored/mine scored/other -o report`
    """
    from vdebench.report.site import write_report

    with progress_bar("report") as progress:
        page = write_report(runs, out, judged=judged, progress=progress)
    typer.echo(f"{page}: open it in a browser")
