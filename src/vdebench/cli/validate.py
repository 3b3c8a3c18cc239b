"""`vde validate-metrics`: response of the metrics to graded corruptions, of usable edits to realistic outputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from vdebench.cli.printing import echo_json, split_names, table_text
from vdebench.cli.progress import progress_bar
from vdebench.errors import VdeError
from vdebench.report.rendering import Format


def validate_command(
    protocol: list[str] = typer.Option(
        [], "--protocol", help="strict, vde-v3, vde-v1 or vde-release; repeatable; all four by default."
    ),
    samples: int | None = typer.Option(
        None,
        "--sample-count",
        min=1,
        help="Number of edited pages, half English, half Chinese; by default 200, with --outputs 12.",
    ),
    reader: str = typer.Option(
        "",
        "--reader",
        help="exact-layout (no OCR: tests the metric alone; the default), or an OCR reader such as rapidocr (the "
        "default with --outputs).",
    ),
    corruption: list[str] = typer.Option([], "--corruption", help="Only this corruption; repeatable."),
    metrics: str = typer.Option("psnr,ssim", "--metrics", help="Comma-separated image metrics, or none."),
    usable: bool = typer.Option(
        False,
        "--usable",
        help="Also measure usable edits: by tile rules with exact-layout, which takes three times as long; by change "
        "detection with rapidocr, ten seconds per page.",
    ),
    outputs: bool = typer.Option(
        False,
        "--outputs",
        help="Realistic outputs, harmless and faulty, instead of graded corruptions: the verdict on usable edits "
        "beside what a person says.",
    ),
    after: str = typer.Option(
        "",
        "--after",
        help="With --outputs, what happens to every output last: none, resize (to 1 megapixel and back), "
        "resize:MEGAPIXELS, or autoencoder:WEIGHTS (diffusers; an id of the hub or a folder).",
    ),
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

    `vde validate-metrics --outputs --after resize --out outputs`
    """
    # the typesetter and OpenCV take a while to load
    from vdebench.report.output_validity import output_json, output_text
    from vdebench.report.validity import ladder_json, ladder_text
    from vdebench.report.validity_page import require_ladder_folder, write_ladder, write_output_study
    from vdebench.studies.validity.ladder_run import run_ladder
    from vdebench.studies.validity.outputs.study import run_outputs

    if after and not outputs:
        raise VdeError("--after is a last step of realistic outputs; add --outputs")
    if usable and outputs:
        raise VdeError("--usable is for graded corruptions; --outputs always measures usable edits")
    if out:
        require_ladder_folder(out)
    options: dict[str, Any] = {
        "seed": seed,
        "protocols": protocol,
        "corruptions": corruption,
        "metrics": [name for name in split_names(metrics) if name != "none"],
        "workers": workers,
        "cache": out.parent / f".{out.name}.parts" if out else None,
        **({"samples": samples} if samples else {}),
        **({"reader": reader} if reader else {}),
    }
    with progress_bar("corrupting and scoring", quiet=as_json) as progress:
        if outputs:
            study = run_outputs(**options, after=after, progress=progress)
            data, text = output_json(study), output_text(study, form, table_text)
            if out:
                write_output_study(study, out)
        else:
            ladder = run_ladder(**options, usable=usable, progress=progress)
            data, text = ladder_json(ladder), ladder_text(ladder, form, table_text)
            if out:
                write_ladder(ladder, out)
    if as_json:
        echo_json(data)
    else:
        typer.echo(text, nl=False)
