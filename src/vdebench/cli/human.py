"""`vde human`: blind ranking of outputs by people, and its correlation with the metrics."""

from __future__ import annotations

from pathlib import Path

import typer

from vdebench.cli.printing import echo_json, split_names, table_text
from vdebench.cli.progress import progress_bar
from vdebench.cli.suites import RUNS_HELP
from vdebench.report.rendering import Format

app = typer.Typer(help="Blind ranking of outputs by people, and correlation with the metrics.", no_args_is_help=True)


@app.command()
def sheet(
    runs: list[Path] = typer.Argument(..., metavar="RUNS...", help=RUNS_HELP),
    out: Path = typer.Option(..., "--out", "-o", help="New folder: give DIR/sheet to annotators, keep DIR/key.json."),
    samples: int = typer.Option(
        20, "--sample-count", min=1, help="Number of samples, balanced over operations and languages."
    ),
    seed: int = typer.Option(0, "--seed", min=0, help="Random seed of the samples and of the order of candidates."),
    editors: list[str] = typer.Option([], "--editor", metavar="NAME", help="Only this editor; repeatable."),
    criteria: str = typer.Option(
        "box alignment,text correctness", "--criteria", help="Comma-separated ranking criteria."
    ),
    annotators: int = typer.Option(
        3, "--annotators", min=1, max=999, help="Number of annotators; each gets another order."
    ),
) -> None:
    """Write a blind ranking sheet: an HTML page to rank the editors' outputs, and the key with the editors' names.

    Examples:

    `vde human sheet runs --out study`

    `vde human sheet runs --sample-count 40 --editor one --editor two --criteria legibility --annotators 5 --out study`
    """
    from vdebench.report.human.sheet import write_sheet

    with progress_bar("sheet") as progress:
        blind_sheet = write_sheet(
            runs,
            out,
            samples=samples,
            seed=seed,
            editors=editors,
            criteria=split_names(criteria),
            annotators=annotators,
            progress=progress,
        )
    count = len(blind_sheet.key.samples)
    shortage = f" ({samples} requested: no more have scores and images)" if count < samples else ""
    typer.echo(f"{blind_sheet.page.parent}: {count} samples{shortage} of {len(blind_sheet.key.editors)} editors")
    typer.echo(f"{blind_sheet.key_file}: the editors' names; keep it secret, `vde human correlate` needs it")


@app.command()
def correlate(
    answers: list[Path] = typer.Argument(..., metavar="ANSWERS.csv...", help="Answer files of the annotators."),
    key: Path = typer.Option(..., "--key", help="The key.json of the sheet."),
    runs: list[Path] = typer.Option(..., "--runs", help="Runs of the sheet; repeatable."),
    protocol: str = typer.Option("strict", "--protocol", "-p", help="Protocol of the scores."),
    setting: str = typer.Option("", "--setting", help="global or local; by default the first available."),
    metric: list[str] = typer.Option(
        [], "--metric", metavar="CRITERION=METRIC", help="Metric of a criterion; repeatable."
    ),
    scores: bool = typer.Option(False, "--scores", help="The column `rank` contains scores: higher is better."),
    seed: int = typer.Option(0, "--seed", min=0, help="Random seed of the resampling."),
    out: Path | None = typer.Option(None, "--out", "-o", help="Folder for an HTML page, the figure, tables and JSON."),
    form: Format = typer.Option("terminal", "--format", help="terminal, markdown, csv or latex."),
    as_json: bool = typer.Option(False, "--json", help="Print everything as JSON."),
) -> None:
    """Compute Spearman, Kendall and Pearson correlations of human ranks with the metrics, and annotator agreement.

    Examples:

    `vde human correlate answers-1.csv answers-2.csv --key study/key.json --runs runs --out agreement`

    `vde human correlate answers-*.csv --key study/key.json --runs runs --setting local --metric "text correctness=cdm"`
    """
    from vdebench.report.human.study import correlate_answers

    study = correlate_answers(
        answers, key, runs, protocol=protocol, setting=setting, metrics=metric, scores=scores, seed=seed
    )
    page = None
    if out:
        from vdebench.report.human.page import write_agreement

        page = write_agreement(study, out)
    if as_json:
        echo_json(study)
        return
    from vdebench.report.human.tables import study_tables

    for table in study_tables(study):
        typer.echo(table_text(table, form))
    if page and form == "terminal":
        typer.echo(f"{page}: open it in a browser")
