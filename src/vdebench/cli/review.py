"""`vde review`: human review of edits."""

from __future__ import annotations

import typer

from vdebench.cli import (
    review_agreement,
    review_export,
    review_invite,
    review_label_studio,
    review_prepare,
    review_serve,
    review_status,
)

app = typer.Typer(no_args_is_help=True, help="Human review of edits, and the agreement between people.")
app.command("serve")(review_serve.serve_command)
app.command("invite")(review_invite.invite_command)
app.command("status")(review_status.status_command)
app.command("prepare")(review_prepare.prepare_command)
app.command("ratings")(review_export.ratings_command)
app.command("events")(review_export.events_command)
app.command("agreement")(review_agreement.agreement_command)
app.add_typer(review_label_studio.app, name="label-studio")
