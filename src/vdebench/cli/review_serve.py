"""`vde review serve`: the page on which people review."""

from __future__ import annotations

from pathlib import Path

import typer

from vdebench.cli.review_options import DATABASE, URL, WORKSPACE


def serve_command(
    workspace: Path = WORKSPACE,
    database: str = DATABASE,
    host: str = typer.Option("127.0.0.1", "--host", help="Address to listen at; this machine alone by default."),
    port: int = typer.Option(8765, "--port", min=0, max=65535),
    url: str = URL,
    https: bool = typer.Option(False, "--https", help="A proxy before it speaks https: cookies for https alone."),
    forwarded: bool = typer.Option(
        False, "--forwarded", help="Believe X-Forwarded-For: only behind a proxy of your own, which sets it."
    ),
    prepare: bool = typer.Option(True, help="Paste back and read what is agreed on, beside the server."),
) -> None:
    """Let people sign in and review; Ctrl-C ends it, and nothing that was accepted is lost.

    Prints the address and, as long as the admin has no password, a link to set one.

    Examples:

    `vde review serve mine`

    `vde review serve mine --url https://review.example --https --database postgresql://vde@db/review`
    """
    from vdebench.build.workspace import Workspace
    from vdebench.review.connection import database_of, opened_review
    from vdebench.review.server.serve import serve

    Workspace(workspace)
    with opened_review(workspace, database):  # what is wrong with it is told before anything listens
        pass
    place = database_of(workspace, database)
    serve(
        workspace, place, host=host, port=port, url=url, https=https, preparing=prepare, forwarded=forwarded
    )  # fmt: skip
