"""`vde review invite`: invitation links."""

from __future__ import annotations

from pathlib import Path

import typer

from vdebench.cli.review_options import DATABASE, URL, WORKSPACE


def invite_command(
    workspace: Path = WORKSPACE,
    role: str = typer.Option("annotator", "--role", help="annotator, adjudicator or admin."),
    group: str = typer.Option("", "--group", help="Group of an annotator."),
    number: int = typer.Option(1, "--number", min=1, max=1000, help="Number of links; each can be used once."),
    days: float = typer.Option(7, "--days", help="Validity of the links, in days."),
    name: str = typer.Option("", "--name", help="An existing member: a link to set their password."),
    url: str = URL,
    database: str = DATABASE,
) -> None:
    """Print links with which people join the review, one per line.

    Examples:

    `vde review invite mine --group 1 --number 5`

    `vde review invite mine --role adjudicator --url https://review.example`
    """
    from vdebench.review.accounts import Accounts
    from vdebench.review.connection import opened_review

    address = url.rstrip("/") or "http://127.0.0.1:8765"
    with opened_review(workspace, database) as store:
        accounts = Accounts(store)
        for _ in range(1 if name else number):
            typer.echo(f"{address}/#join={accounts.invite(role, group, days=days, name=name)}")
    if not url:
        typer.echo(f"for a server at {address}; for another address give --url", err=True)
