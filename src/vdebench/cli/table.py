"""`vde table`: kept runs in the shapes of the papers' tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from vdebench.errors import RunFolderError
from vdebench.files import read_json, write_text
from vdebench.report.grades import GRADED
from vdebench.report.shapes import SHAPES, paper_table
from vdebench.report.table import Format, render

INTERVALS_HELP = "Show the 95 % bootstrap interval of every mean that has one."
SHAPE_HELP = f"Shape of a paper's table: {', '.join([*SHAPES, *GRADED])}."


def table_command(
    runs: list[Path] = typer.Argument(..., metavar="RUN...", help="Run folders, as `vde score --out` makes them."),
    like: str = typer.Option("vde-v3:2", "--like", help=SHAPE_HELP),
    form: Format = typer.Option("terminal", "--format", help="terminal, markdown, csv or latex."),
    published: bool = typer.Option(False, "--published", help="Add the paper's rows, marked as published."),
    intervals: bool = typer.Option(False, "--intervals", help=INTERVALS_HELP),
    out: Path | None = typer.Option(None, "--out", "-o", help="Write to a file instead of the terminal."),
) -> None:
    """Show runs in the shape of a paper's table.

    Example: `vde table runs/mine --like vde-v3:4 --published --format latex -o table4.tex`
    """
    summaries = [summary for run in runs for summary in _summaries(run)]
    try:
        text = render(paper_table(like, summaries, published=published), form, intervals=intervals)
    except (AttributeError, KeyError, TypeError, ValueError) as error:  # somebody has edited a summary
        names = ", ".join(str(run) for run in runs)
        raise RunFolderError(f"{names}: a summary is not as `vde score` wrote it ({error!r}); score again") from None
    if out:
        write_text(out, text)
    else:
        typer.echo(text, nl=False)


def _summaries(run: Path) -> list[dict[str, Any]]:
    """Summaries in a run folder, or in the run folders below it."""
    files = [run / "summary.json"] if (run / "summary.json").exists() else sorted(run.rglob("summary.json"))
    if not files:
        raise RunFolderError(f"{run}: no summary.json here; expected a folder made by `vde score … --out {run}`")
    return [_checked(read_json(file), file) for file in files]


def _checked(summary: Any, file: Path) -> dict[str, Any]:
    expected = {"signature", "suite", "editor", "coverage", "overall", "by", "notes"}
    whole = isinstance(summary, dict) and expected <= summary.keys()
    if not whole or not all(isinstance(summary[key], dict) for key in ("coverage", "overall", "by")):
        raise RunFolderError(f"{file}: not a summary that `vde score` wrote; run it again with --out {file.parent}")
    return dict(summary)
