"""`vde table`: runs as a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from vdebench.cli.printing import table_text
from vdebench.cli.suites import RUNS_HELP
from vdebench.errors import RunFolderError
from vdebench.io.files import is_file, read_json, write_text
from vdebench.report.grades import GRADED, grades_table
from vdebench.report.paper_tables import SHAPES, default_shape, paper_table
from vdebench.report.rendering import Format, render
from vdebench.runs.search import run_folders
from vdebench.runs.summary import read_summary

INTERVALS_HELP = "Show 95 % bootstrap intervals."
SIGNATURE = typer.Option(
    True,
    "--short-signature/--full-signature",
    help="Signatures below tables: one line each, or with all settings. `vde show RUN` prints the full one too.",
)
USABLE_HELP = "Add the column of usable edits to a paper's table."
SHAPE_HELP = f"Layout of a paper's table: {', '.join([*SHAPES, *GRADED])}."


def table_command(
    runs: list[Path] = typer.Argument(..., metavar="RUNS...", help=f"{RUNS_HELP} Or folders of `vde judge --out`."),
    layout: str = typer.Option(
        "", "--paper-table", help=SHAPE_HELP + " By default the main table, with added metrics."
    ),
    form: Format = typer.Option("terminal", "--format", help="terminal, markdown, csv or latex."),
    published: bool = typer.Option(False, "--published", help="Add the rows published in the paper."),
    with_usable: bool = typer.Option(False, "--with-usable", help=USABLE_HELP),
    intervals: bool = typer.Option(False, "--intervals", help=INTERVALS_HELP),
    short: bool = SIGNATURE,
    out: Path | None = typer.Option(None, "--out", "-o", help="Write to a file instead of the terminal."),
) -> None:
    """Show runs as a table, by default with metrics of other packages, or in the layout of a paper's table.

    Examples:

    `vde table runs/mine runs/other`

    `vde table runs/mine --paper-table vde-v3:4 --published --format latex -o table4.tex`
    """
    summaries = [summary for run in runs for summary in _summaries(run)]
    try:
        shape = layout or default_shape(summaries[0])
        if shape:
            table = paper_table(shape, summaries, published=published, with_usable=with_usable, with_added=not layout)
        else:
            table = grades_table(summaries)
        as_text = render if out else table_text
        text = as_text(table, form, intervals=intervals, full_signature=not short)
    except (AttributeError, KeyError, TypeError, ValueError) as error:  # a summary was edited by hand
        names = ", ".join(str(run) for run in runs)
        raise RunFolderError(f"{names}: a summary is not as `vde score` wrote it ({error!r}); score again") from None
    if out:
        write_text(out, text)
    else:
        typer.echo(text, nl=False)


def _summaries(run: Path) -> list[dict[str, Any]]:
    """Return the summaries of the runs in a folder, or of its grades if it contains nothing else."""
    graded = [file.parent for file in sorted(run.rglob("judge.json")) if is_file(file.parent / "summary.json")]
    try:
        folders = run_folders(run)
    except RunFolderError:
        if not graded:
            raise
        return [_grades(folder / "summary.json") for folder in graded]
    return [read_summary(folder / "summary.json") for folder in folders]


def _grades(file: Path) -> dict[str, Any]:
    summary = read_json(file)
    expected = {"signature", "suite", "editor", "coverage", "overall", "by", "notes"}
    whole = isinstance(summary, dict) and expected <= summary.keys()
    if not whole or not all(isinstance(summary[key], dict) for key in ("coverage", "overall", "by")):
        raise RunFolderError(f"{file}: not a summary written by `vde judge`; run it again with --out {file.parent}")
    return dict(summary)
