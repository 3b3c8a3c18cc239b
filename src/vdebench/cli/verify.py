"""`vde verify`: is a submission what it says?"""

from __future__ import annotations

import json
from pathlib import Path

import typer

from vdebench.cli.progress import progress_bar
from vdebench.cli.read import reader_options
from vdebench.cli.suites import SUITE_HELP


def verify_command(
    file: Path = typer.Argument(..., metavar="FILE", help="A file made by `vde submit`."),
    predictions: Path | None = typer.Option(
        None, "--predictions", metavar="DIR", help="Folder of the predictions, where they are not in the file."
    ),
    suite: Path | None = typer.Option(
        None, "--suite", metavar="SUITE", help=f"The suite; typeset ones are made by their name. {SUITE_HELP}"
    ),
    part: float = typer.Option(0.1, "--part", help="Which part of the samples is scored again; 1 for all."),
    samples: int | None = typer.Option(None, "--sample-count", metavar="N", help="How many, in place of a part."),
    seed: int | None = typer.Option(None, "--seed", help="Draws the samples; by default another one each time."),
    reader: str = typer.Option("", "--reader", help="Who reads, in place of the submission's reader."),
    option: list[str] = typer.Option([], "--reader-option", metavar="NAME=VALUE", help="An option of the reader."),
    workers: int = typer.Option(0, "--workers", help="Processes that read; 0 for one per processor, up to 8."),
    as_json: bool = typer.Option(False, "--json", help="Print all of it as JSON."),
) -> None:
    """Check a submission: files, sums, predictions, and a part of it scored again.

    Exit code 0: confirmed, or consistent where not all could be checked; 1: not confirmed; 2: no whole submission.

    Examples:

    `vde verify run.zip`

    `vde verify run.zip --predictions runs/overlay/images --suite SUITE --sample-count 20 --seed 7`
    """
    from vdebench.report.submission_verdict import verdict_text
    from vdebench.submission.verify import VerificationRequest, verify

    wish = VerificationRequest(predictions, suite, part, samples, seed, reader, reader_options(option), workers)
    with progress_bar("reading", quiet=as_json) as reading:
        verdict = verify(file, wish, reading)
    if as_json:
        typer.echo(json.dumps(verdict.to_json(), ensure_ascii=False, indent=2, allow_nan=False))
    else:
        typer.echo(verdict_text(verdict), nl=False)
    raise typer.Exit(verdict.exit_code)
