"""The first tables."""

from __future__ import annotations

from typing import Any

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_KEPT_SQLITE = """
CREATE TRIGGER events_never_{name} BEFORE {what} ON events
BEGIN SELECT RAISE(ABORT, 'events are never changed or deleted'); END
"""
_KEPT_POSTGRESQL = """
CREATE FUNCTION events_are_kept() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'events are never changed or deleted'; END $$
"""


def upgrade() -> None:
    """Make all tables, and see to it that events only grow in number."""
    import sqlalchemy as sa
    from alembic import op

    def text(name: str, nullable: bool = False) -> Any:
        return sa.Column(name, sa.Text, nullable=nullable)

    def number(name: str) -> Any:
        return sa.Column(name, sa.Integer, nullable=False)

    op.create_table(
        "events",
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
        *(text("stream"), number("version"), text("kind"), text("who"), text("moment")),
        *(text("step"), number("round"), text("voter", nullable=True), text("body")),
        sa.UniqueConstraint("stream", "version", name="one_event_per_version"),
        sa.UniqueConstraint("stream", "step", "round", "voter", name="one_vote_per_round"),
    )
    op.create_index("events_by_who", "events", ["who", "voter", "step"])
    study = op.create_table(
        "study", sa.Column("id", sa.Integer, primary_key=True, autoincrement=False), number("version")
    )
    op.bulk_insert(study, [{"id": 1, "version": 0}])
    op.create_table(
        "items",
        *(text("sample"), number("position"), text("edit"), number("width"), number("height")),
        *(text("step"), number("round"), text("reason"), text("since"), number("version")),
        sa.PrimaryKeyConstraint("sample"),
        sa.UniqueConstraint("position"),
    )
    op.create_index("items_by_step", "items", ["step", "reason"])
    op.create_table(
        "queue",
        *(text("sample"), text("voter"), text("step"), number("round"), text("since"), number("position")),
        *(text("holder", nullable=True), text("until", nullable=True)),
        sa.PrimaryKeyConstraint("sample", "voter"),
    )
    op.create_index("queue_by_voter", "queue", ["voter", "since", "position"])
    op.create_index("queue_by_holder", "queue", ["holder"])
    op.create_table(
        "answers",
        *(text("who"), text("key"), text("digest"), text("stream"), number("first"), number("last"), text("moment")),
        sa.PrimaryKeyConstraint("who", "key"),
    )
    op.create_table(
        "accounts",
        *(text("name"), text("folded"), text("password"), text("created")),
        sa.PrimaryKeyConstraint("name"),
        sa.UniqueConstraint("folded"),
    )
    op.create_table(
        "sessions", text("token"), text("name"), text("created"), text("until"), sa.PrimaryKeyConstraint("token")
    )
    op.create_index("sessions_by_name", "sessions", ["name"])
    op.create_table(
        "invitations",
        *(text("token"), text("id"), text("role"), text("group"), text("name"), text("inviter")),
        *(text("created"), text("until"), text("used_by", nullable=True)),
        sa.PrimaryKeyConstraint("token"),
        sa.UniqueConstraint("id"),
    )
    if op.get_bind().dialect.name == "sqlite":
        for what in ("update", "delete"):
            op.execute(_KEPT_SQLITE.format(name=what, what=what.upper()))
    else:
        op.execute(_KEPT_POSTGRESQL)
        op.execute(
            "CREATE TRIGGER events_never_change BEFORE UPDATE OR DELETE OR TRUNCATE ON events"
            " FOR EACH STATEMENT EXECUTE FUNCTION events_are_kept()"
        )
