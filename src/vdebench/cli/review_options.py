"""Options shared by the commands of `vde review`."""

from __future__ import annotations

import typer

WORKSPACE = typer.Argument(..., metavar="WORKSPACE", help="A workspace of `vde build` with a review.")
DATABASE = typer.Option(
    "",
    "--database",
    envvar="VDE_REVIEW_DATABASE",
    metavar="URL",
    help="Database: postgresql://USER@HOST/NAME or a file; by default WORKSPACE/review.sqlite.",
)
URL = typer.Option("", "--url", metavar="URL", help="Public address of the server, such as https://review.example.")
