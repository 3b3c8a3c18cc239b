"""`vde review ratings` and `vde review events`: export of votes and events."""

from __future__ import annotations

from pathlib import Path

import typer

from vdebench.cli.review_options import DATABASE, WORKSPACE


def ratings_command(
    workspace: Path = WORKSPACE,
    out: Path = typer.Option(..., "--out", "-o", metavar="FILE.csv", help="Output file."),
    pilot: bool = typer.Option(
        False, "--pilot", help="Ratings of single people in the pilot instead of the groups' votes."
    ),
    database: str = DATABASE,
) -> None:
    """Export the ratings of ended steps as a table for `vde review agreement`.

    Example: `vde review ratings mine -o pilot.csv --pilot && vde review agreement pilot.csv`
    """
    from vdebench.review.connection import opened_review
    from vdebench.review.ratings_table import group_ratings, pilot_ratings, write_ratings

    with opened_review(workspace, database) as store:
        count = write_ratings(out, (pilot_ratings if pilot else group_ratings)(store.state()))
    typer.echo(f"{out}: {count} ratings" + (f"\n  next: vde review agreement {out}" if count else ""))


def events_command(
    workspace: Path = WORKSPACE,
    out: Path = typer.Option(..., "--out", "-o", metavar="FILE.jsonl", help="Output file."),
    database: str = DATABASE,
) -> None:
    """Export all events (what, who, when): one JSON object per line, oldest first.

    Example: `vde review events mine -o events.jsonl`
    """
    from vdebench.review.connection import opened_review
    from vdebench.review.event_file import write_events

    with opened_review(workspace, database) as store:
        count = write_events(out, store.events())
    typer.echo(f"{out}: {count} events")
