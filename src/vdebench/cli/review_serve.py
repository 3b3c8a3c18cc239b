"""`vde review serve`: the review page."""

from __future__ import annotations

from pathlib import Path

import typer

from vdebench.cli.review_options import DATABASE, URL, WORKSPACE


def serve_command(
    workspace: Path = WORKSPACE,
    database: str = DATABASE,
    host: str = typer.Option("127.0.0.1", "--host", help="Address to listen on; by default only this machine."),
    port: int = typer.Option(8765, "--port", min=0, max=65535, help="Port to listen on; 0 for a free one."),
    url: str = URL,
    https: bool = typer.Option(
        False, "--https", help="The server is behind an https proxy: send cookies only over https."
    ),
    forwarded: bool = typer.Option(
        False, "--forwarded", help="Trust X-Forwarded-For; only behind a proxy that sets it."
    ),
    prepare: bool = typer.Option(True, help="Prepare reference images in a child process."),
) -> None:
    """Serve the review page until Ctrl-C; accepted votes are never lost.

    Prints the address and, if the admin has no password yet, a link to set one.

    Examples:

    `vde review serve mine`

    `vde review serve mine --url https://review.example --https --database postgresql://vde@db/review`
    """
    from vdebench.build.workspace import Workspace
    from vdebench.review.connection import database_of, opened_review
    from vdebench.review.server.serve import serve

    Workspace(workspace)
    with opened_review(workspace, database):  # report errors before the server starts to listen
        pass
    location = database_of(workspace, database)
    serve(workspace, location, host=host, port=port, url=url, https=https, preparing=prepare, forwarded=forwarded)
