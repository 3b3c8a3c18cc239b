"""`vde human`: people rank outputs without knowing whose they are, and their ranks are held beside the metrics."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from vdebench.cli.printing import table_text
from vdebench.cli.progress import progress_bar
from vdebench.cli.suites import RUNS_HELP
from vdebench.report.rendering import Format

app = typer.Typer(help="Have people rank outputs, and see how well the metrics agree.", no_args_is_help=True)


@app.command()
def sheet(
    runs: list[Path] = typer.Argument(..., metavar="RUNS...", help=RUNS_HELP),
    out: Path = typer.Option(..., "--out", "-o", help="A new folder: DIR/sheet is handed out, DIR/key.json is not."),
    samples: int = typer.Option(20, "--sample-count", min=1, help="Samples, spread over operations and languages."),
    seed: int = typer.Option(0, "--seed", min=0, help="Of the samples and of the candidates' order."),
    editors: list[str] = typer.Option([], "--editor", metavar="NAME", help="Only these; repeat for several."),
    criteria: str = typer.Option("box alignment,text correctness", "--criteria", help="What to rank by, with commas."),
    annotators: int = typer.Option(3, "--annotators", min=1, max=999, help="People; each sees an order of their own."),
) -> None:
    """Write a blind sheet: a page on which people rank the editors' outputs, and the key that says whose they are.

    Examples:

    `vde human sheet runs --out study`

    `vde human sheet runs --sample-count 40 --editor one --editor two --criteria legibility --annotators 5 --out study`
    """
    from vdebench.report.human.sheet import write_sheet

    named = [name.strip() for name in criteria.split(",") if name.strip()]
    with progress_bar("sheet") as progress:
        made = write_sheet(
            runs,
            out,
            samples=samples,
            seed=seed,
            editors=editors,
            criteria=named,
            annotators=annotators,
            progress=progress,
        )
    count = len(made.key.samples)
    less = f" (of {samples} asked for: no more have scores and images)" if count < samples else ""
    typer.echo(f"{made.page.parent}: {count} samples{less} of {len(made.key.editors)} editors; hand out this folder")
    typer.echo(f"{made.key_file}: says whose outputs they are; keep it to yourself, `vde human correlate` needs it")


@app.command()
def correlate(
    answers: list[Path] = typer.Argument(..., metavar="ANSWERS.csv...", help="What people sent back."),
    key: Path = typer.Option(..., "--key", help="The key.json of the sheet."),
    runs: list[Path] = typer.Option(..., "--runs", help="The runs that the sheet was made of; repeat for several."),
    protocol: str = typer.Option("strict", "--protocol", "-p", help="Whose scores are held beside people's ranks."),
    setting: str = typer.Option("", "--setting", help="global or local; the first that there is."),
    metric: list[str] = typer.Option([], "--metric", metavar="CRITERION=METRIC", help="Another metric; repeatable."),
    scores: bool = typer.Option(False, "--scores", help="The column `rank` holds scores: the highest is best."),
    seed: int = typer.Option(0, "--seed", min=0, help="Of the resampling."),
    out: Path | None = typer.Option(None, "--out", "-o", help="Folder for the figure, a page, tables and JSON."),
    form: Format = typer.Option("terminal", "--format", help="terminal, markdown, csv or latex."),
    as_json: bool = typer.Option(False, "--json", help="Print everything as JSON."),
) -> None:
    """Spearman, Kendall and Pearson of people's ranks with the metrics, with intervals; how far people agree.

    Examples:

    `vde human correlate answers-1.csv answers-2.csv --key study/key.json --runs runs --out agreement`

    `vde human correlate answers-*.csv --key study/key.json --runs runs --setting local --metric "text correctness=cdm"`
    """
    from vdebench.report.human.study import correlate_answers

    found = correlate_answers(
        answers, key, runs, protocol=protocol, setting=setting, metrics=metric, scores=scores, seed=seed
    )
    page = None
    if out:
        from vdebench.report.human.page import write_agreement

        page = write_agreement(found, out)
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False, indent=2, allow_nan=False))
        return
    from vdebench.report.human.tables import study_tables

    for table in study_tables(found):
        typer.echo(table_text(table, form))
    if page and form == "terminal":
        typer.echo(f"{page}: open it in a browser")
