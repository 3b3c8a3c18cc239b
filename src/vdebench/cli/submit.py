"""`vde submit`: a run in one file."""

from __future__ import annotations

from pathlib import Path

import typer
from rich.console import Console


def submit_command(
    run: Path = typer.Argument(
        ...,
        metavar="RUN",
        help="A run folder, or a folder that holds one: of `vde score --out`, or RUNS/EDITOR/PROTOCOL.",
    ),
    out: Path = typer.Option(..., "--out", "-o", metavar="FILE", help="The file, such as run.zip."),
    images: bool = typer.Option(
        False, "--include-images", help="Put the predictions themselves into the file, not only their hashes."
    ),
    predictions: Path | None = typer.Option(
        None, "--predictions", metavar="DIR", help="Where the predictions lie, if not where they were scored."
    ),
) -> None:
    """Put a run into one file that anybody can check with `vde verify`.

    Examples:

    `vde submit runs/overlay/strict --out overlay.zip`

    `vde submit runs/mine --include-images --out mine.zip`
    """
    from vdebench.submission.pack import write_submission

    packed = write_submission(run, out, predictions=predictions, with_predictions=images)
    for note in packed.notes:
        Console(stderr=True, highlight=False, soft_wrap=True).print(f"vde: {note}", markup=False)
    count = len(packed.manifest.predictions)
    held = "in it" if images else "by their hashes (--include-images adds the files)"
    typer.echo(f"{out}: {packed.size:,} bytes, {count} predictions {held}; check it with `vde verify {out}`")
