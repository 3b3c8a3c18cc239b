"""`vde suite ambiguous` and `vde ambiguity-drop`: what instructions that leave something open cost editors."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from vdebench.cli.printing import echo_table
from vdebench.cli.progress import progress_bar
from vdebench.cli.suites import RUNS_HELP, SUITE_HELP, open_suite
from vdebench.errors import VdeError
from vdebench.report.rendering import Format


def ambiguous_command(
    folder: Path = typer.Argument(..., metavar="SUITE", help=SUITE_HELP),
    out: Path = typer.Option(..., "--out", "-o", metavar="FOLDER", help="New folder."),
    kind: str = typer.Option(
        "",
        "--kind",
        help="What is left open: target, operation, spatial, scope, conditional, linguistic; any if empty.",
    ),
    seed: int = typer.Option(0, "--seed", min=0, help="Of the choice among wordings."),
) -> None:
    """Write the same suite with instructions that leave something open: as its samples bring them, else by our rules.

    Example: `vde suite ambiguous typeset:n=60,seed=1 -o ambiguous60`
    """
    from vdebench.build.ambiguous import rewriter, write_ambiguous
    from vdebench.suites.export import require_exportable

    require_exportable("vde-release", out)
    rewrite = rewriter(kind, seed)
    suite = open_suite(folder)
    with progress_bar(f"ambiguous form of {suite.name}") as progress:
        left_out = write_ambiguous(suite, out, rewrite, progress)
    for key, reason in left_out.items():
        typer.echo(f"left out: {key}: {reason}")
    typer.echo(f"{out}: {len(suite) - len(left_out)} samples with ambiguous instructions")


def drop_command(
    runs: Path = typer.Argument(..., metavar="RUNS", help=f"Runs on the suite. {RUNS_HELP}"),
    ambiguous: Path = typer.Argument(
        ..., metavar="RUNS_AMBIGUOUS", help="Runs of the same editors on its ambiguous form."
    ),
    grades: list[Path] = typer.Option(
        [], "--grades", metavar="FOLDER", help="Of `vde ambiguity` on the suite. Repeat for several judges."
    ),
    grades_ambiguous: list[Path] = typer.Option(
        [], "--grades-ambiguous", metavar="FOLDER", help="The same of the ambiguous suite."
    ),
    protocol: str = typer.Option("strict", "--protocol", help="Whose scores."),
    metrics: str = typer.Option(
        "",
        "--metrics",
        help="Metrics, with commas: iou,cdm by default, around masks score,done; the usable rate is there where it is"
        " known.",
    ),
    seed: int = typer.Option(0, "--seed", min=0, help="Of the resampling."),
    force: bool = typer.Option(False, "--force", help="Also of runs that were scored differently."),
    out: Path | None = typer.Option(None, "--out", "-o", metavar="FILE", help="Write the figure: .svg or .png."),
    form: Format = typer.Option("terminal", "--format", help="terminal, markdown, csv or latex."),
    as_json: bool = typer.Option(False, "--json", help="Print everything as JSON."),
) -> None:
    """Say how much worse editors are on ambiguous instructions, and how much that is per unit of ambiguity.

    Example: `vde ambiguity-drop runs runs-ambiguous --grades graded --grades-ambiguous graded-ambiguous -o drop.svg`
    """
    from vdebench.report.figures.drop import drop_figure, drop_table
    from vdebench.report.figures.png import check_figure, write_figure
    from vdebench.report.leaderboard.gather import find_runs
    from vdebench.stats.stored import read_run
    from vdebench.studies.ambiguity_drop import ambiguity_drop
    from vdebench.studies.ambiguity_runs import paired_runs

    if out is not None:
        check_figure(out)
    sides = [
        [read_run(run.folder) for run in find_runs([root]).runs if run.summary.get("protocol") == protocol]
        for root in (runs, ambiguous)
    ]
    for root, found in zip((runs, ambiguous), sides, strict=True):
        if not found:
            known = ", ".join(sorted({str(run.summary["protocol"]) for run in find_runs([root]).runs}))
            raise VdeError(f"{root}: no run was scored by {protocol}, but by {known}; name one with --protocol")
    named = [name.strip() for name in metrics.split(",") if name.strip()]
    names = named or list(sides[0][0].protocol.compared[:2])
    study = ambiguity_drop(paired_runs(*sides, force=force), grades, grades_ambiguous, metrics=names, seed=seed)
    if out is not None:
        write_figure(drop_figure(study), out)
    if as_json:
        typer.echo(json.dumps(study.to_json(), ensure_ascii=False, indent=2, allow_nan=False))
    else:
        echo_table(drop_table(study), form)
