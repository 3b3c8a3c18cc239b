"""`vde suite stats`: statistics of a suite."""

from __future__ import annotations

from pathlib import Path

import typer

from vdebench.cli.printing import echo_json, table_text
from vdebench.cli.suites import SUITE_HELP, open_suite


def stats_command(
    folder: Path = typer.Argument(..., metavar="SUITE", help=SUITE_HELP),
    out: Path | None = typer.Option(
        None, "--out", "-o", metavar="FOLDER", help="Write figures (SVG, PNG), tables and an HTML page."
    ),
    reader: str = typer.Option("", "--reader", help="OCR reader for a suite without OCR output; none if empty."),
    as_json: bool = typer.Option(False, "--json", help="Print everything as JSON."),
) -> None:
    """Show counts of samples and statistics of instructions and layouts; with -o, write figures.

    Examples:

    `vde suite stats examples/tiny`

    `vde suite stats typeset:n=60,seed=1 -o statistics`
    """
    from vdebench.build.statistics import require_place, write_statistics
    from vdebench.readers.cached import CachedReader
    from vdebench.report.figures.tables import statistics_tables
    from vdebench.studies.suite_statistics import suite_statistics

    if out is not None:
        require_place(out)
    suite = open_suite(folder, quiet=as_json)
    statistics = suite_statistics(suite, CachedReader.named(reader).read_page if reader else None)
    files = write_statistics(statistics, out) if out is not None else []
    if as_json:
        echo_json(statistics)
        return
    typer.echo("\n".join(table_text(table, more="--json") for table in statistics_tables(statistics)), nl=False)
    if files:
        typer.echo(f"\n{out / 'index.html' if out else ''}: {len(files)} files")
