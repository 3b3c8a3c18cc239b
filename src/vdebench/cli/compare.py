"""`vde compare`: is the difference between editors real?"""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import typer
from rich.console import Console

from vdebench.cli.printing import echo_table
from vdebench.cli.suites import RUNS_HELP, SUITE_HELP
from vdebench.cli.table import SIGNATURE
from vdebench.errors import RunFolderError
from vdebench.report.compare import compare_table, warning
from vdebench.report.rendering import Format
from vdebench.runs.search import all_runs
from vdebench.stats.bootstrap import Method
from vdebench.stats.comparison import compare_runs
from vdebench.stats.pages import pages_beside, pages_for
from vdebench.stats.stored import StoredRun, read_run


def compare_command(
    runs: list[Path] = typer.Argument(..., metavar="RUNS...", help=f"{RUNS_HELP} Two runs or more."),
    metrics: str = typer.Option("", "--metrics", help="Metrics, with commas; the main ones where none is named."),
    setting: str = typer.Option("", "--setting", help="global or local; both where none is named."),
    by: str = typer.Option("", "--by", help="Compare within every operation, edit_class, language, source or group."),
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
    short: bool = SIGNATURE,
    as_json: bool = typer.Option(False, "--json", help="Print everything as JSON."),
) -> None:
    """Compare editors on the samples that all have: intervals, paired tests against the first, wins, samples needed.

    Usable edits come first where all runs were judged. A folder of runs stands for all runs in it.

    Examples:

    `vde compare runs/copy/strict runs/mine/strict`

    `vde compare runs/a runs/b runs/c --metrics cdm,iou --setting local --by operation --format markdown`
    """
    stored = [read_run(run) for run in all_runs(runs)]
    _require_one_protocol(runs, stored, force)
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
        echo_table(table, form, full_signature=not short)


def _require_one_protocol(folders: list[Path], runs: list[StoredRun], force: bool) -> None:
    """Refuse folders that hold runs by several protocols: which are meant nobody can tell."""
    protocols = sorted({str(run.summary["protocol"]) for run in runs})
    if len(protocols) > 1 and len(runs) > len(folders) and not force:
        one = protocols[0]
        alike = [str(run.root) for run in runs if run.summary["protocol"] == one]
        raise RunFolderError(
            f"{', '.join(map(str, folders))}: runs by {', '.join(protocols)}; give those by one of them, such as\n"
            f"  vde compare {shlex.join(alike)}"
        )
