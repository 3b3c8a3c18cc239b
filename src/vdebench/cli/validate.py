"""`vde validate-metrics`: do the metrics fall when pages get worse?"""

from __future__ import annotations

import json
from pathlib import Path

import typer

from vdebench.cli.printing import table_text
from vdebench.cli.progress import progress_bar
from vdebench.report.rendering import Format


def validate_command(
    protocol: list[str] = typer.Option(
        [], "--protocol", help="strict, vde-v3, vde-v1, vde-release; all four where none is named."
    ),
    samples: int = typer.Option(200, "--sample-count", min=1, help="Edited pages, half English, half Chinese."),
    reader: str = typer.Option(
        "exact-layout",
        "--reader",
        help="exact-layout (no OCR: the metric alone is on trial), or rapidocr, …",
    ),
    corruption: list[str] = typer.Option([], "--corruption", help="Only these; may be given several times."),
    metrics: str = typer.Option("psnr,ssim", "--metrics", help="Image metrics, with commas; none for no images."),
    usable: bool = typer.Option(False, "--usable", help="Judge usable edits too: three times the time."),
    seed: int = typer.Option(1, "--seed", min=0, help="Of the pages and of what is done to them."),
    out: Path | None = typer.Option(None, "--out", help="Folder for index.html, validity.json and .csv, rows."),
    workers: int = typer.Option(0, "--workers", min=0, help="Processes; as many as there are processors where 0."),
    form: Format = typer.Option("terminal", "--format", help="terminal, markdown, csv or latex."),
    as_json: bool = typer.Option(False, "--json", help="Print everything as JSON."),
) -> None:
    """Make right answers worse step by step, score them by every protocol, and say which metrics follow.

    Examples:

    `vde validate-metrics --out validity`

    `vde validate-metrics --sample-count 24 --reader rapidocr --corruption blur --corruption wrong-characters`
    """
    from vdebench.report.validity import ladder_json, ladder_text  # the typesetter and OpenCV take a while to load
    from vdebench.report.validity_page import require_ladder_folder, write_ladder
    from vdebench.studies.validity.ladder_run import run_ladder

    names = [name.strip() for name in metrics.split(",") if name.strip() not in ("", "none")]
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
        typer.echo(json.dumps(ladder_json(ladder), ensure_ascii=False, indent=2, allow_nan=False))
    else:
        typer.echo(ladder_text(ladder, form, table_text), nl=False)
