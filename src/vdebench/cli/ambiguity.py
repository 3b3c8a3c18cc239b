"""`vde suite ambiguous` and `vde ambiguity-drop`: the effect of ambiguous instructions on editors.

`vde ambiguity`, which grades instructions with a model, is in `judge.py`.
"""

from __future__ import annotations

from pathlib import Path

import typer

from vdebench.cli.printing import echo_json, echo_table, split_names
from vdebench.cli.progress import progress_bar
from vdebench.cli.suites import RUNS_HELP, SUITE_HELP, open_suite
from vdebench.errors import VdeError
from vdebench.report.rendering import Format


def ambiguous_command(
    folder: Path = typer.Argument(..., metavar="SUITE", help=SUITE_HELP),
    out: Path = typer.Option(..., "--out", "-o", metavar="FOLDER", help="Output folder, must be new."),
    kind: str = typer.Option(
        "",
        "--kind",
        help="Kind of ambiguity: target, operation, spatial, scope, conditional or linguistic; any if empty.",
    ),
    seed: int = typer.Option(0, "--seed", min=0, help="Random seed for the choice of wording."),
) -> None:
    """Write a copy of a suite with ambiguous instructions.

    Samples that have an ambiguous variant get it; the other instructions are rewritten by rules. Instructions that the
    rules cannot rewrite are listed and left out.

    Example: `vde suite ambiguous typeset:n=60,seed=1 -o ambiguous60`
    """
    from vdebench.build.ambiguous import rewriter, write_ambiguous
    from vdebench.suites.export import require_exportable

    require_exportable("vde-release", out)
    rewrite = rewriter(kind, seed)
    suite = open_suite(folder)
    with progress_bar(f"ambiguous copy of {suite.name}") as progress:
        skipped = write_ambiguous(suite, out, rewrite, progress)
    for key, reason in skipped.items():
        typer.echo(f"left out: {key}: {reason}")
    typer.echo(f"{out}: {len(suite) - len(skipped)} samples with ambiguous instructions")


def drop_command(
    runs: Path = typer.Argument(..., metavar="RUNS", help=f"Runs on the suite. {RUNS_HELP}"),
    ambiguous: Path = typer.Argument(
        ..., metavar="RUNS_AMBIGUOUS", help="Runs of the same editors on the suite's ambiguous copy."
    ),
    grades: list[Path] = typer.Option(
        [], "--grades", metavar="FOLDER", help="Output folder of `vde ambiguity` for the suite; repeatable."
    ),
    grades_ambiguous: list[Path] = typer.Option(
        [], "--grades-ambiguous", metavar="FOLDER", help="The same for the ambiguous suite."
    ),
    protocol: str = typer.Option("strict", "--protocol", help="Protocol of the scores."),
    metrics: str = typer.Option(
        "",
        "--metrics",
        help="Comma-separated metrics; by default iou,cdm, or score,done with masks. Usable edits are added.",
    ),
    seed: int = typer.Option(0, "--seed", min=0, help="Random seed of the resampling."),
    force: bool = typer.Option(False, "--force", help="Accept runs with different scoring settings."),
    out: Path | None = typer.Option(None, "--out", "-o", metavar="FILE", help="Write the figure: .svg or .png."),
    form: Format = typer.Option("terminal", "--format", help="terminal, markdown, csv or latex."),
    as_json: bool = typer.Option(False, "--json", help="Print everything as JSON."),
) -> None:
    """Measure how much scores drop on ambiguous instructions, in total and per unit of graded ambiguity.

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
    both_runs = [
        [read_run(run.folder) for run in find_runs([root]).runs if run.summary.get("protocol") == protocol]
        for root in (runs, ambiguous)
    ]
    for root, found in zip((runs, ambiguous), both_runs, strict=True):
        if not found:
            protocols = ", ".join(sorted({str(run.summary["protocol"]) for run in find_runs([root]).runs}))
            raise VdeError(f"{root}: no run of protocol {protocol}, only of {protocols}; choose one with --protocol")
    names = split_names(metrics) or list(both_runs[0][0].protocol.compared[:2])
    study = ambiguity_drop(paired_runs(*both_runs, force=force), grades, grades_ambiguous, metrics=names, seed=seed)
    if out is not None:
        write_figure(drop_figure(study), out)
    if as_json:
        echo_json(study.to_json())
    else:
        echo_table(drop_table(study), form)
