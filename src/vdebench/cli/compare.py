"""`vde compare`: paired comparison of editors."""

from __future__ import annotations

import shlex
from pathlib import Path

import typer

from vdebench.cli.printing import echo_json, echo_table, split_names, warn
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
    metrics: str = typer.Option("", "--metrics", help="Comma-separated metrics; by default the protocol's main ones."),
    setting: str = typer.Option("", "--setting", help="global or local; both by default."),
    by: str = typer.Option("", "--by", help="Compare within every operation, edit_class, language, source or group."),
    suite: Path | None = typer.Option(
        None,
        "--suite",
        metavar="SUITE",
        help=f"The scored suite, to tell which samples share a page. {SUITE_HELP}",
    ),
    method: Method = typer.Option("percentile", "--interval", help="Bootstrap interval: percentile or bca."),
    seed: int = typer.Option(0, "--seed", min=0, help="Random seed of the resampling."),
    force: bool = typer.Option(False, "--force", help="Compare runs with different scoring settings, with a warning."),
    form: Format = typer.Option("terminal", "--format", help="terminal, markdown, csv or latex."),
    short: bool = SIGNATURE,
    as_json: bool = typer.Option(False, "--json", help="Print everything as JSON."),
) -> None:
    """Compare editors on their common samples: intervals, paired tests against the first, wins, samples needed.

    Usable edits come first if all runs have them. A folder of runs stands for all runs in it.

    Examples:

    `vde compare runs/copy/strict runs/mine/strict`

    `vde compare runs/a runs/b runs/c --metrics cdm,iou --setting local --by operation --format markdown`
    """
    stored = [read_run(run) for run in all_runs(runs)]
    _require_one_protocol(runs, stored, force)
    pages = pages_for(suite, stored) if suite else pages_beside(stored[0])
    names = split_names(metrics) or None
    try:
        comparison = compare_runs(
            stored, metrics=names, setting=setting, by=by, pages=pages, force=force, seed=seed, method=method
        )
        table = compare_table(comparison, [run.summary for run in stored])
    except (AttributeError, KeyError, TypeError) as error:  # a summary was edited by hand
        folders = ", ".join(map(str, runs))
        raise RunFolderError(f"{folders}: a run is not as `vde score` wrote it ({error!r}); score again") from None
    if comparison.differing:
        warn(warning(comparison))
    if as_json:
        echo_json(comparison.to_json())
    else:
        echo_table(table, form, full_signature=not short)


def _require_one_protocol(folders: list[Path], runs: list[StoredRun], force: bool) -> None:
    """Raise an error if folders contain runs of several protocols: the choice would be ambiguous."""
    protocols = sorted({str(run.summary["protocol"]) for run in runs})
    if len(protocols) > 1 and len(runs) > len(folders) and not force:
        example = [str(run.root) for run in runs if run.summary["protocol"] == protocols[0]]
        raise RunFolderError(
            f"{', '.join(map(str, folders))}: runs of several protocols ({', '.join(protocols)}); name runs of one:\n"
            f"  vde compare {shlex.join(example)}"
        )
