"""`vde review status`: where all samples are, and who is waited for."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from vdebench.cli.review_options import DATABASE, WORKSPACE


def status_command(
    workspace: Path = WORKSPACE,
    database: str = DATABASE,
    as_json: bool = typer.Option(False, "--json", help="For programs."),
) -> None:
    """The funnel, what every group has done and what waits for it, rounds, conflicts. Exit code 2 if it is not whole.

    Example: `vde review status mine`
    """
    if not show(workspace, database, as_json=as_json):
        raise typer.Exit(2)


def show(workspace: Path, database: str, *, as_json: bool = False) -> bool:
    """Print how far a review is; whether it adds up."""
    from vdebench.build.workspace import Workspace
    from vdebench.cli.printing import table_text
    from vdebench.review.connection import opened_review
    from vdebench.review.overview import overview, status_tables

    found = Workspace(workspace)
    with opened_review(workspace, database) as store:
        told = overview(found, store.state())
    if as_json:
        typer.echo(json.dumps(told, ensure_ascii=False, indent=2))
    else:
        tables = status_tables(workspace, told, database)
        typer.echo("\n".join(table_text(table, more="--json", width=80) for table in tables), nl=False)
    return bool(told["funnel"]["adds_up"])
