"""`vde compare`: is the difference between editors real?"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import typer
from rich.console import Console

from vdebench.analysis.bootstrap import Method
from vdebench.analysis.compared import compare_runs
from vdebench.analysis.pages import pages_beside, pages_for
from vdebench.analysis.stored import read_run
from vdebench.cli.suites import SUITE_HELP
from vdebench.errors import RunFolderError
from vdebench.report.compare import compare_table, warning
from vdebench.report.table import Format, render


def compare_command(
    runs: list[Path] = typer.Argument(
        ...,
        metavar="RUN_A RUN_B...",
        help="Run folders: `vde score --out` makes them, and `vde run` RUNS/EDITOR/PROTOCOL.",
    ),
    metrics: str = typer.Option("", "--metrics", help="Metrics, with commas; the main ones where none is named."),
    setting: str = typer.Option("", "--setting", help="global or local; both where none is named."),
    by: str = typer.Option("", "--by", help="Compare within every operation, operation4, language, source or group."),
    suite: Path | None = typer.Option(
        None,
        "--suite",
        metavar="SUITE",
        help=f"The suite that was scored: says which samples share a page. {SUITE_HELP}",
    ),
    method: Method = typer.Option("percentile", "--interval", help="percentile or bca."),
    seed: int = typer.Option(0, "--seed", min=0, help="Of the resampling."),
    force: bool = typer.Option(False, "--force", help="Compare runs that were scored differently, under a warning."),
    form: Format = typer.Option("terminal", "--format", help="terminal, markdown, csv or latex."),
    as_json: bool = typer.Option(False, "--json", help="Print everything as JSON."),
) -> None:
    """Compare editors on the samples that all have: intervals, paired tests against the first, wins, samples needed.

    Examples:

    `vde compare runs/copy/exact runs/mine/exact`

    `vde compare runs/a runs/b runs/c --metrics cdm,iou --setting local --by operation --format markdown`
    """
    stored = [read_run(run) for run in runs]
    pages = pages_for(suite, stored) if suite else pages_beside(stored[0])
    names = [name.strip() for name in metrics.split(",") if name.strip()] or None
    try:
        found = compare_runs(
            stored, metrics=names, setting=setting, by=by, pages=pages, force=force, seed=seed, method=method
        )
        table = compare_table(found, [run.summary for run in stored])
    except (AttributeError, KeyError, TypeError) as error:  # somebody has edited a summary
        where = ", ".join(map(str, runs))
        raise RunFolderError(f"{where}: a run is not as `vde score` wrote it ({error!r}); score again") from None
    if found.differing:
        Console(stderr=True, highlight=False, soft_wrap=True).print(f"vde: {warning(found)}", markup=False)
    if as_json:
        typer.echo(json.dumps(found.to_json(), ensure_ascii=False, indent=2, allow_nan=False))
    else:
        typer.echo(render(table, form, bold=sys.stdout.isatty()), nl=False)
