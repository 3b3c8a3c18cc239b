"""`vde review agreement`: agreement between annotators, from a file of ratings."""

from __future__ import annotations

from pathlib import Path

import typer

from vdebench.cli.printing import echo_json, echo_table
from vdebench.report.rendering import Format


def agreement_command(
    file: Path = typer.Argument(
        ..., metavar="FILE.csv", help="Ratings with columns rater, unit, value and optionally scale, when."
    ),
    scales: list[str] = typer.Option([], "--scale", metavar="NAME", help="Only this scale; repeat for several."),
    level: str = typer.Option(
        "", "--level", help="nominal, ordinal, interval or ratio. By default, numbers are ordinal and words nominal."
    ),
    over: str = typer.Option("", "--over", help="Agreement over time: per day, week or month, or per number of units."),
    resamples: int = typer.Option(
        0, "--resamples", min=0, help="Bootstrap resamples for the intervals; 0 for the default."
    ),
    seed: int = typer.Option(0, "--seed", min=0, help="Random seed of the resampling."),
    out: Path | None = typer.Option(None, "--out", "-o", metavar="FILE", help="Write the figure: .svg or .png."),
    form: Format = typer.Option("terminal", "--format", help="terminal, markdown, csv or latex."),
    as_json: bool = typer.Option(False, "--json", help="Print everything as JSON."),
) -> None:
    """Compute Krippendorff's alpha with intervals, Fleiss' kappa and percent agreement for each scale.

    Examples:

    `vde review agreement pilot.csv -o pilot.svg`

    `vde review agreement votes.csv --scale "instruction compliance" --over day`
    """
    from vdebench.report.figures.png import check_figure, write_figure
    from vdebench.report.reliability import reliability_figure, reliability_table
    from vdebench.stats.reliability.ratings import read_ratings
    from vdebench.stats.reliability.scales import parse_level, parse_window, reliability_by_scale

    if out:
        check_figure(out)
    reliability = reliability_by_scale(
        read_ratings(file),
        scales,
        level=parse_level(level),
        over=parse_window(over),
        resamples=resamples,
        seed=seed,
    )
    if out:
        write_figure(reliability_figure(reliability), out)
    if as_json:
        echo_json([scale.to_json() for scale in reliability])
    else:
        echo_table(reliability_table(reliability), form)
