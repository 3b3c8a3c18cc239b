"""`vde suite`: look at a suite, check it, export it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import typer

from vdebench.cli.progress import progress_bar
from vdebench.cli.suites import SUITE_HELP, open_suite
from vdebench.report.table import Column, Row, Table, render
from vdebench.suites.export import FORMS, export_suite, require_exportable

app = typer.Typer(help="Look at a suite, check it, export it.", no_args_is_help=True)


@app.command()
def check(
    folder: Path = typer.Argument(..., metavar="SUITE", help=SUITE_HELP),
    as_json: bool = typer.Option(False, "--json", help="Print the faults as JSON."),
) -> None:
    """Report every fault by sample and file. Exit code 2 where there are errors, 0 where there are only warnings.

    Example: `vde suite check examples/tiny`
    """
    suite = open_suite(folder)
    faults = list(suite.faults())
    errors = sum(fault.severity == "error" for fault in faults)
    if as_json:
        typer.echo(json.dumps([fault._asdict() for fault in faults], ensure_ascii=False, indent=2))
    else:
        for fault in faults:
            where = " ".join(part for part in (fault.sample, fault.file) if part and part not in fault.what)
            typer.echo(f"{fault.severity}: {where + ': ' if where else ''}{fault.what}")
        typer.echo(f"{suite.name}: {len(suite)} samples, {errors} errors, {len(faults) - errors} warnings")
    if errors:
        raise typer.Exit(2)


@app.command()
def show(
    folder: Path = typer.Argument(..., metavar="SUITE", help=SUITE_HELP),
    as_json: bool = typer.Option(False, "--json", help="Print the counts as JSON."),
) -> None:
    """Count samples by operation, language and source.

    Example: `vde suite show examples/tiny`
    """
    suite = open_suite(folder)
    groups = [group.name for group in suite.groups]
    counts = {
        title: Counter((getattr(sample, title), sample.group) for sample in suite)
        for title in ("operation", "language", "source")
    }
    if as_json:
        flat = {title: dict(Counter(str(getattr(sample, title)) for sample in suite)) for title in counts}
        typer.echo(json.dumps({"name": suite.name, "samples": len(suite), **flat}, ensure_ascii=False, indent=2))
        return
    rows = []
    for title, found in counts.items():
        for value in sorted({value for value, _ in found}):
            each = [found[value, group] for group in groups]
            rows.append(Row(str(value), [*each, sum(each)], title))
    rows.append(
        Row("all", [*(sum(sample.group == group for sample in suite) for group in groups), len(suite)], "samples")
    )
    columns = [Column(name, "", 0) for name in [*groups, "all"]]
    typer.echo(render(Table(f"{suite.name} ({suite.root})", columns, rows, ""), "terminal"), nl=False)


@app.command()
def export(
    folder: Path = typer.Argument(..., metavar="SUITE", help=SUITE_HELP),
    to: str = typer.Option(..., "--to", help=f"Form: {', '.join(FORMS)}."),
    out: Path = typer.Option(..., "--out", help="New folder."),
) -> None:
    """Write a suite with its images and readings for Hugging Face `datasets`, for `webdataset`, or in the VDE layout.

    Example: `vde suite export typeset:n=60,seed=1 --to parquet --out typeset60`
    """
    require_exportable(to, out)
    suite = open_suite(folder)
    with progress_bar(f"{to} of {suite.name}") as progress:
        export_suite(suite, to, out, progress)
    typer.echo(f"{out}: {len(suite)} samples as {to}")
