"""`vde submit`: pack a run into one file."""

from __future__ import annotations

from pathlib import Path

import typer

from vdebench.cli.printing import warn


def submit_command(
    run: Path = typer.Argument(
        ...,
        metavar="RUN",
        help="A run folder: of `vde score --out`, or RUNS/EDITOR/PROTOCOL.",
    ),
    out: Path = typer.Option(..., "--out", "-o", metavar="FILE", help="Output file, such as run.zip."),
    images: bool = typer.Option(False, "--include-images", help="Include the predictions, not only their hashes."),
    predictions: Path | None = typer.Option(
        None, "--predictions", metavar="DIR", help="Folder of the predictions, if it was moved since scoring."
    ),
) -> None:
    """Pack a run into one file that anybody can check with `vde verify`.

    Examples:

    `vde submit runs/overlay/strict --out overlay.zip`

    `vde submit runs/mine --include-images --out mine.zip`
    """
    from vdebench.submission.pack import write_submission

    packed = write_submission(run, out, predictions=predictions, with_predictions=images)
    for note in packed.notes:
        warn(note)
    count = len(packed.manifest.predictions)
    contents = "included" if images else "by their hashes (--include-images adds the files)"
    typer.echo(f"{out}: {packed.size:,} bytes, {count} predictions {contents}; check it with `vde verify {out}`")
