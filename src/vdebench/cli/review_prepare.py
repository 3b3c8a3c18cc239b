"""`vde review prepare`: create and read reference images, and write decisions to the workspace."""

from __future__ import annotations

from pathlib import Path

import typer

from vdebench.cli.progress import progress_bar
from vdebench.cli.review_options import DATABASE, WORKSPACE


def prepare_command(
    workspace: Path = WORKSPACE,
    database: str = DATABASE,
    workers: int = typer.Option(0, "--workers", help="OCR processes; 0 for one per processor."),
) -> None:
    """Create and read the reference images of agreed boxes; write decisions to WORKSPACE/review.jsonl.

    The server does this by itself; run the command if there is none. It can be interrupted and run again.

    Example: `vde review prepare mine`
    """
    from vdebench.review.preparation import prepare

    with progress_bar("reference images") as progress:
        done = prepare(workspace, database, workers=workers, progress=progress)
    typer.echo(
        f"{workspace}: {len(done.made)} reference images created and read, {done.written.total()} decisions written"
    )
    typer.echo(f"  next: vde review status {workspace}")
    done.require_all()
