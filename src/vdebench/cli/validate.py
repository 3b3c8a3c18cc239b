"""`vde validate-metrics`: response of the metrics to controlled corruptions."""

from __future__ import annotations

from pathlib import Path

import typer

from vdebench.cli.printing import echo_json, split_names, table_text
from vdebench.cli.progress import progress_bar
from vdebench.report.rendering import Format


def validate_command(
    protocol: list[str] = typer.Option(
        [], "--protocol", help="strict, vde-v3, vde-v1 or vde-release; repeatable; all four by default."
    ),
    samples: int = typer.Option(
        200, "--sample-count", min=1, help="Number of edited pages, half English, half Chinese."
    ),
    reader: str = typer.Option(
        "exact-layout",
        "--reader",
        help="exact-layout (no OCR: tests the metric alone), or an OCR reader such as rapidocr.",
    ),
    corruption: list[str] = typer.Option([], "--corruption", help="Only this corruption; repeatable."),
    metrics: str = typer.Option("psnr,ssim", "--metrics", help="Comma-separated image metrics, or none."),
    usable: bool = typer.Option(False, "--usable", help="Also measure usable edits; takes three times as long."),
    seed: int = typer.Option(1, "--seed", min=0, help="Random seed of pages and corruptions."),
    out: Path | None = typer.Option(None, "--out", help="Folder for index.html, validity.json, validity.csv and rows."),
    workers: int = typer.Option(0, "--workers", min=0, help="Processes; 0 for one per processor."),
    form: Format = typer.Option("terminal", "--format", help="terminal, markdown, csv or latex."),
    as_json: bool = typer.Option(False, "--json", help="Print everything as JSON."),
) -> None:
    """Corrupt reference images step by step, score them, and report which metrics decrease.

    Examples:

    `vde validate-metrics --out validity`

    `vde validate-metrics --sample-count 24 --reader rapidocr --corruption blur --corruption wrong-characters`
    """
    from vdebench.report.validity import ladder_json, ladder_text  # the typesetter and OpenCV take a while to load
    from vdebench.report.validity_page import require_ladder_folder, write_ladder
    from vdebench.studies.validity.ladder_run import run_ladder

    names = [name for name in split_names(metrics) if name != "none"]
    if out:
        require_ladder_folder(out)
    with progress_bar("corrupting and scoring", quiet=as_json) as progress:
        ladder = run_ladder(
            samples=samples,
            seed=seed,
            protocols=protocol,
            corruptions=corruption,
            reader=reader,
            metrics=names,
            usable=usable,
            workers=workers,
            cache=out.parent / f".{out.name}.parts" if out else None,
            progress=progress,
        )
    if out:
        write_ladder(ladder, out)
    if as_json:
        echo_json(ladder_json(ladder))
    else:
        typer.echo(ladder_text(ladder, form, table_text), nl=False)
