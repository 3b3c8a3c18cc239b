"""`vde review status`: samples by state, and missing votes."""

from __future__ import annotations

from pathlib import Path

import typer

from vdebench.cli.review_options import DATABASE, WORKSPACE


def status_command(
    workspace: Path = WORKSPACE,
    database: str = DATABASE,
    as_json: bool = typer.Option(False, "--json", help="Print as JSON."),
) -> None:
    """Show the funnel, votes given and missing per group, rounds and conflicts. Exit code 2 if counts do not add up.

    Example: `vde review status mine`
    """
    if not show(workspace, database, as_json=as_json):
        raise typer.Exit(2)


def show(workspace: Path, database: str, *, as_json: bool = False) -> bool:
    """Print the status of a review; return whether its counts add up."""
    from vdebench.build.workspace import Workspace
    from vdebench.cli.printing import echo_json, table_text
    from vdebench.review.connection import opened_review
    from vdebench.review.overview import overview, status_tables

    folder = Workspace(workspace)
    with opened_review(workspace, database) as store:
        status = overview(folder, store.state())
    if as_json:
        echo_json(status)
    else:
        tables = status_tables(workspace, status, database)
        typer.echo("\n".join(table_text(table, more="--json", width=80) for table in tables), nl=False)
    return bool(status["funnel"]["adds_up"])
