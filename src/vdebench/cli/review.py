"""`vde review`: people who look at edits."""

from __future__ import annotations

import typer

from vdebench.cli import review_agreement

app = typer.Typer(no_args_is_help=True, help="People who look at edits: how far they agree.")


@app.callback()
def _review() -> None:
    """People who look at edits: how far they agree."""


app.command("agreement")(review_agreement.agreement_command)
