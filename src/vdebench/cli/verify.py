"""`vde verify`: check a submission."""

from __future__ import annotations

from pathlib import Path

import typer

from vdebench.cli.printing import echo_json
from vdebench.cli.progress import progress_bar
from vdebench.cli.read import WORKERS_HELP, reader_options
from vdebench.cli.suites import SUITE_HELP


def verify_command(
    file: Path = typer.Argument(..., metavar="FILE", help="A file made by `vde submit`."),
    predictions: Path | None = typer.Option(
        None, "--predictions", metavar="DIR", help="Folder of the predictions, if they are not in the file."
    ),
    suite: Path | None = typer.Option(
        None, "--suite", metavar="SUITE", help=f"The suite; generated suites need none. {SUITE_HELP}"
    ),
    part: float = typer.Option(0.1, "--part", help="Fraction of the samples that is scored again; 1 for all."),
    samples: int | None = typer.Option(
        None, "--sample-count", metavar="N", help="Number of samples that are scored again, instead of --part."
    ),
    seed: int | None = typer.Option(
        None, "--seed", help="Random seed for the choice of samples; by default a new one each time."
    ),
    reader: str = typer.Option("", "--reader", help="OCR reader, instead of the submission's."),
    option: list[str] = typer.Option([], "--reader-option", metavar="NAME=VALUE", help="An option of the reader."),
    workers: int = typer.Option(0, "--workers", help=WORKERS_HELP),
    as_json: bool = typer.Option(False, "--json", help="Print the result as JSON."),
) -> None:
    """Check a submission: files, checksums and predictions; score a part of the samples again.

    Exit code 0: confirmed, or consistent if not everything could be checked; 1: not confirmed; 2: incomplete file.

    Examples:

    `vde verify run.zip`

    `vde verify run.zip --predictions runs/overlay/images --suite SUITE --sample-count 20 --seed 7`
    """
    from vdebench.report.submission_verdict import verdict_text
    from vdebench.submission.verify import VerificationRequest, verify

    request = VerificationRequest(predictions, suite, part, samples, seed, reader, reader_options(option), workers)
    with progress_bar("reading", quiet=as_json) as reading:
        verdict = verify(file, request, reading)
    if as_json:
        echo_json(verdict.to_json())
    else:
        typer.echo(verdict_text(verdict), nl=False)
    raise typer.Exit(verdict.exit_code)
