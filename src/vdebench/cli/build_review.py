"""`vde build review`: what was edited into the pool of people's review, or before a filter that stands in for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from vdebench.cli.build_messages import tell
from vdebench.cli.progress import progress_bar
from vdebench.cli.review_options import DATABASE
from vdebench.errors import InputError


def review_command(
    workspace: Path = typer.Argument(..., metavar="WORKSPACE", help="A folder that `vde build init` made."),
    automatic: bool = typer.Option(
        False, "--automatic", help="Let a filter stand in for people, and say so everywhere."
    ),
    database: str = DATABASE,
    admin: str = typer.Option("", "--admin", help="Who runs the review; your login name by default."),
    groups: str | None = typer.Option(None, "--groups", help="Of people; each has one vote. 1,2,3 by default."),
    needed_total: int | None = typer.Option(None, "--needed-total", help="Of three scales, by every group. 9."),
    rounds: int | None = typer.Option(None, "--rounds", help="Without agreement, then an adjudicator decides. 3."),
    agreement: float | None = typer.Option(None, "--agreement", help="Mean IoU of boxes must be above it. 0.95."),
    rescore: bool | None = typer.Option(None, "--rescore", help="Score samples again that return to the pool."),
    lease_minutes: int | None = typer.Option(
        None, "--lease-minutes", help="So long a sample is kept for whoever has opened it. 30."
    ),
    workers: int = typer.Option(0, "--workers", help="Processes that read; 0 for one per processor."),
) -> None:
    """Have people decide on every edit, or with `--automatic` a filter that stands in for them.

    For people: opens their review where there is none, puts edits into its pool that are not in it, makes and reads
    what they have agreed on, and brings their decisions into the workspace. Run it as often as you like. What a review
    is run by (groups, total, rounds, agreement, rescore, lease) is set when it is opened.

    Examples:

    `vde build review mine --admin anna --groups 1,2,3`

    `vde build review mine --automatic`
    """
    told: dict[str, Any] = {
        "groups": tuple(name.strip() for name in groups.split(",")) if groups is not None else None,
        "needed_total": needed_total,
        "rounds": rounds,
        "agreement": agreement,
        "rescore": rescore,
        "lease_minutes": lease_minutes,
    }
    options = {name: value for name, value in told.items() if value is not None}
    if automatic:
        if options or admin:
            raise InputError("--automatic is a filter's review: it knows no admin, groups or other options of people's")
        _automatic(workspace, workers)
    else:
        _people(workspace, database, admin, options, workers)


def _automatic(workspace: Path, workers: int) -> None:
    from vdebench.build.review import review_automatically
    from vdebench.build.workspace import Workspace

    with progress_bar("review") as progress:
        counts = review_automatically(Workspace(workspace), workers=workers, progress=progress)
    tell(workspace, counts, "passed", f"vde build package {workspace}")


def _people(workspace: Path, database: str, admin: str, options: dict[str, Any], workers: int) -> None:
    from vdebench.cli.review_status import show
    from vdebench.review.pool_import import fill_pool
    from vdebench.review.preparation import prepare

    with progress_bar("edits looked at") as progress:
        filled = fill_pool(workspace, database, admin=admin, options=options, progress=progress)
    if filled.opened:
        typer.echo(f"{workspace}: review opened; its admin is {filled.admin}")
    typer.echo(f"{workspace}: {len(filled.added)} samples into the pool, {filled.known} were there")
    for words in filled.warnings():
        typer.echo(f"warning: {words}")
    with progress_bar("finished images") as progress:
        prepared = prepare(workspace, database, workers=workers, progress=progress)
    show(workspace, database)
    prepared.require_all()
