"""What the verbs of `vde review` share."""

from __future__ import annotations

import typer

WORKSPACE = typer.Argument(..., metavar="WORKSPACE", help="A folder of `vde build`, with a review.")
DATABASE = typer.Option(
    "",
    "--database",
    envvar="VDE_REVIEW_DATABASE",
    metavar="URL",
    help="Of the review: postgresql://USER@HOST/NAME or a file; WORKSPACE/review.sqlite by default.",
)
URL = typer.Option("", "--url", metavar="URL", help="Under which people reach the server: https://review.example.")
