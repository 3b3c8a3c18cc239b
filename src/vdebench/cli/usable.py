"""`vde usable`: the rate of usable edits, and why the others fail."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import typer

from vdebench.cli.printing import echo_json, echo_table
from vdebench.cli.suites import RUNS_HELP
from vdebench.cli.table import SIGNATURE
from vdebench.report.rendering import Format
from vdebench.report.type_heights import heights_table
from vdebench.report.usable import changes_table, usable_table, verdict_lines
from vdebench.stats.type_heights import HEIGHT_SLICES, is_height_slice
from vdebench.stats.usable import SLICES, Thresholds
from vdebench.stats.usable_runs import judge_runs

_NAMES = ", ".join(asdict(Thresholds()))
_SLICES, _HEIGHTS = ", ".join(SLICES), " or ".join(HEIGHT_SLICES)


def usable_command(
    runs: list[Path] = typer.Argument(
        ..., metavar="RUNS...", help=f"{RUNS_HELP} Of a folder's runs, only those of `strict`."
    ),
    by: str = typer.Option("", "--by", help=f"Rates per {_SLICES}; words per {_HEIGHTS}."),
    threshold: list[str] = typer.Option(
        [], "--threshold", "-t", metavar="NAME=VALUE", help=f"Another threshold: {_NAMES}."
    ),
    samples: bool = typer.Option(False, "--samples", help="List every sample with its evidence."),
    force: bool = typer.Option(False, "--force", help="Show runs with different scoring settings in one table."),
    form: Format = typer.Option("terminal", "--format", help="terminal, markdown, csv or latex."),
    short: bool = SIGNATURE,
    as_json: bool = typer.Option(False, "--json", help="Print everything as JSON."),
) -> None:
    """Show the rate of usable edits, and the property at which the others fail first.

    Examples:

    `vde usable runs/mine/strict runs/other/strict`

    `vde usable runs/mine/strict --by operation --threshold textual_correctness=1 --format markdown`

    `vde usable runs/mine/strict --samples`

    `vde usable runs/mine/strict runs/resize/strict --by height`
    """
    judged = judge_runs(runs, by=by, thresholds=threshold, force=force)
    if as_json or samples:
        for note in judged.notes:
            typer.echo(note, err=True)
    if as_json:
        echo_json([run.to_json() for run in judged.runs])
    elif samples:
        for run in judged.runs:
            for line in verdict_lines(run.editor, run.verdicts):
                typer.echo(line)
    elif is_height_slice(by):
        heights = [(run.editor, run.heights) for run in judged.runs if run.heights]
        echo_table(heights_table(heights, judged.notes), form, full_signature=not short)
    else:
        summaries = [(run.editor, run.summary) for run in judged.runs]
        changes = changes_table(summaries) if form == "terminal" and not by else None
        table = usable_table(summaries, by, judged.notes, with_changes=form != "terminal")
        echo_table(table, form, full_signature=not short)
        if changes:
            typer.echo()
            echo_table(changes)
