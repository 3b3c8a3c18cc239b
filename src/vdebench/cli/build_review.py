"""`vde build review`: human or automatic review of the edits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from vdebench.cli.build_messages import echo_counts
from vdebench.cli.progress import progress_bar
from vdebench.cli.review_options import DATABASE
from vdebench.errors import InputError


def review_command(
    workspace: Path = typer.Argument(..., metavar="WORKSPACE", help="Folder made by `vde build init`."),
    automatic: bool = typer.Option(
        False, "--automatic", help="Use an automatic filter instead of people; recorded as such."
    ),
    database: str = DATABASE,
    admin: str = typer.Option("", "--admin", help="Name of the admin; by default your login name."),
    groups: str | None = typer.Option(
        None, "--groups", help="Comma-separated groups, each with one vote; default 1,2,3."
    ),
    needed_total: int | None = typer.Option(
        None, "--needed-total", help="Required sum of the three scales, from every group; default 9."
    ),
    rounds: int | None = typer.Option(
        None, "--rounds", help="Rounds without agreement before an adjudicator decides; default 3."
    ),
    agreement: float | None = typer.Option(None, "--agreement", help="Minimum mean IoU of the boxes; default 0.95."),
    rescore: bool | None = typer.Option(None, "--rescore", help="Score samples again that return to the pool."),
    lease_minutes: int | None = typer.Option(
        None, "--lease-minutes", help="Minutes for which an opened sample is reserved; default 30."
    ),
    workers: int = typer.Option(0, "--workers", help="OCR processes; 0 for one per processor."),
) -> None:
    """Open or update the human review of the edits; with `--automatic`, let a filter decide.

    Adds new edits to the pool of the review, creates and reads the reference images that people agreed on, and copies
    their decisions into the workspace; run it as often as you like. The settings of a review (groups, total, rounds,
    agreement, rescore, lease) are fixed when it is opened.

    Examples:

    `vde build review mine --admin anna --groups 1,2,3`

    `vde build review mine --automatic`
    """
    settings: dict[str, Any] = {
        "groups": tuple(name.strip() for name in groups.split(",")) if groups is not None else None,
        "needed_total": needed_total,
        "rounds": rounds,
        "agreement": agreement,
        "rescore": rescore,
        "lease_minutes": lease_minutes,
    }
    options = {name: value for name, value in settings.items() if value is not None}
    if automatic:
        if options or admin:
            raise InputError("--automatic takes no admin, groups or other options of a human review")
        _automatic(workspace, workers)
    else:
        _people(workspace, database, admin, options, workers)


def _automatic(workspace: Path, workers: int) -> None:
    from vdebench.build.review import review_automatically
    from vdebench.build.workspace import Workspace

    with progress_bar("review") as progress:
        counts = review_automatically(Workspace(workspace), workers=workers, progress=progress)
    echo_counts(workspace, counts, "passed", f"vde build package {workspace}")


def _people(workspace: Path, database: str, admin: str, options: dict[str, Any], workers: int) -> None:
    from vdebench.cli.review_status import show
    from vdebench.review.pool_import import fill_pool
    from vdebench.review.preparation import prepare

    with progress_bar("edits checked") as progress:
        filled = fill_pool(workspace, database, admin=admin, options=options, progress=progress)
    if filled.opened:
        typer.echo(f"{workspace}: review opened; its admin is {filled.admin}")
    typer.echo(f"{workspace}: {len(filled.added)} samples added to the pool, {filled.known} were in it")
    for message in filled.warnings():
        typer.echo(f"warning: {message}")
    with progress_bar("reference images") as progress:
        prepared = prepare(workspace, database, workers=workers, progress=progress)
    show(workspace, database)
    prepared.require_all()
