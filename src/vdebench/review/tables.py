"""The tables of a review's database. `migrations/` creates them; a test compares both."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from vdebench.errors import MissingPartError

INSTALL = 'pip install "vdebench[review]"'


class Tables(NamedTuple):
    """All tables."""

    metadata: Any
    events: Any
    """All events, append-only. A stream is a sample, or the review itself (empty name)."""
    study: Any
    """One row: the number of events in the review's own stream. Transactions lock it."""
    items: Any
    """The state of every sample, projected from the events."""
    queue: Any
    """One row per missing vote, projected from the events, with its lease."""
    answers: Any
    """Accepted commands by the key of their sender."""
    accounts: Any
    sessions: Any
    invitations: Any


def sqlalchemy() -> Any:
    """Import SQLAlchemy; raise `MissingPartError` with the install command if it is missing."""
    try:
        import sqlalchemy
    except ImportError:
        raise MissingPartError(f"the store of a review needs SQLAlchemy and Alembic: {INSTALL}") from None
    return sqlalchemy


@cache
def tables() -> Tables:
    """Return the tables as SQLAlchemy objects."""
    sa = sqlalchemy()
    metadata = sa.MetaData()

    def text(name: str, **options: Any) -> Any:
        return sa.Column(name, sa.Text, nullable=options.pop("nullable", False), **options)

    def number(name: str, **options: Any) -> Any:
        return sa.Column(name, sa.Integer, nullable=False, **options)

    events = sa.Table(
        "events",
        metadata,
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
        text("stream"),
        number("version"),
        text("kind"),
        text("who"),
        text("moment"),
        text("step"),
        number("round"),
        text("voter", nullable=True),  # null if not a vote, so the constraint does not apply
        text("body"),
        sa.UniqueConstraint("stream", "version", name="one_event_per_version"),
        sa.UniqueConstraint("stream", "step", "round", "voter", name="one_vote_per_round"),
        sa.Index("events_by_who", "who", "voter", "step"),
    )
    study = sa.Table("study", metadata, number("id", primary_key=True, autoincrement=False), number("version"))
    items = sa.Table(
        "items",
        metadata,
        text("sample", primary_key=True),
        number("position", unique=True),
        text("edit"),
        number("width"),
        number("height"),
        text("step"),
        number("round"),
        text("reason"),
        text("since"),
        number("version"),
        sa.Index("items_by_step", "step", "reason"),
    )
    queue = sa.Table(
        "queue",
        metadata,
        text("sample", primary_key=True),
        text("voter", primary_key=True),
        text("step"),
        number("round"),
        text("since"),
        number("position"),
        text("holder", nullable=True),
        text("until", nullable=True),
        sa.Index("queue_by_voter", "voter", "since", "position"),
        sa.Index("queue_by_holder", "holder"),
    )
    answers = sa.Table(
        "answers",
        metadata,
        text("who", primary_key=True),
        text("key", primary_key=True),
        text("digest"),
        text("stream"),
        number("first"),
        number("last"),
        text("moment"),
    )
    accounts = sa.Table(
        "accounts",
        metadata,
        text("name", primary_key=True),
        text("folded", unique=True),  # normalised: `Anna` and `anna` cannot both exist
        text("password"),  # its hash
        text("created"),
    )
    sessions = sa.Table(
        "sessions",
        metadata,
        text("token", primary_key=True),  # its hash
        text("name"),
        text("created"),
        text("until"),
        sa.Index("sessions_by_name", "name"),
    )
    invitations = sa.Table(
        "invitations",
        metadata,
        text("token", primary_key=True),  # its hash
        text("id", unique=True),  # public id, unrelated to the token
        text("role"),
        text("group"),
        text("name"),  # of an existing member, or empty
        text("inviter"),
        text("created"),
        text("until"),
        text("used_by", nullable=True),
    )
    return Tables(metadata, events, study, items, queue, answers, accounts, sessions, invitations)
