"""`vde review prepare`: make and read what people wait for, and bring their decisions into the workspace."""

from __future__ import annotations

from pathlib import Path

import typer

from vdebench.cli.progress import progress_bar
from vdebench.cli.review_options import DATABASE, WORKSPACE


def prepare_command(
    workspace: Path = WORKSPACE,
    database: str = DATABASE,
    workers: int = typer.Option(0, "--workers", help="Processes that read; 0 for one per processor."),
) -> None:
    """Paste back and read what the groups have agreed on; write decisions into WORKSPACE/review.jsonl.

    A server does this by itself; run it where none does. It may be stopped at any moment and run again.

    Example: `vde review prepare mine`
    """
    from vdebench.review.preparation import prepare

    with progress_bar("finished images") as progress:
        done = prepare(workspace, database, workers=workers, progress=progress)
    typer.echo(f"{workspace}: {len(done.made)} finished images made and read, {done.written.total()} decisions written")
    typer.echo(f"  next: vde review status {workspace}")
    done.require_all()
