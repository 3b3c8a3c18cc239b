"""Idempotency: a command sent again with the same key gets the same answer and is executed once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from vdebench.review.commands import Command, command_to_json
from vdebench.review.events import Event, event_from_json
from vdebench.review.refusals import Reason, Refusal
from vdebench.review.statements import add_to, answer
from vdebench.review.tables import sqlalchemy, tables


@dataclass(frozen=True, slots=True)
class AcceptedCommand:
    """A command that was executed."""

    events: tuple[Event, ...]
    """Its events; empty for a repeated `Add` of many samples."""
    repeated: bool = False
    """Whether the command had been executed before under the same key."""


def digest_of_command(command: Command) -> str:
    """Return a digest of a command."""
    told = json.dumps(command_to_json(command), sort_keys=True, default=repr)
    return hashlib.sha256(told.encode("utf-8", "backslashreplace")).hexdigest()


def answered(connection: Any, command: Command, who: str, key: str) -> AcceptedCommand | Refusal | None:
    """Return the earlier answer to a command with this key; None if there is none."""
    sa, events = sqlalchemy(), tables().events
    row = connection.execute(answer(), {"who": who, "key": key}).first()
    if row is None:
        return None
    if row.digest != digest_of_command(command):
        return Refusal(Reason.KEY_REUSED, f"the key {key!r} belongs to another command; choose a new one for each")
    numbers = events.c.version.between(row.first, row.last)
    bodies = sa.select(events.c.body).where(events.c.stream == row.stream, numbers).order_by(events.c.version)
    told = tuple(event_from_json(json.loads(body)) for body in connection.scalars(bodies))
    return AcceptedCommand(told, repeated=True)


def remember(connection: Any, command: Command, who: str, key: str, rows: Sequence[dict[str, Any]], now: str) -> None:
    """Store that a command was accepted, and the position of its events."""
    streams = {row["stream"] for row in rows}
    place = {"stream": "", "first": 1, "last": 0}
    if len(streams) == 1:
        place = {"stream": streams.pop(), "first": rows[0]["version"], "last": rows[-1]["version"]}
    told = {"who": who, "key": key, "digest": digest_of_command(command), "moment": now}
    connection.execute(add_to("answers"), {**told, **place})
