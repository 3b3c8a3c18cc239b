"""Events: what has happened, who did it and when. They are never changed; all state is their replay.

{"version": 1, "kind": "rated", "who": "anna", "when": "2026-11-16T14:50:00.000Z", "sample": "page_12-0",
 "round": 1, "group": "2", "ratings": {"compliance": 3, "authenticity": 3, "satisfaction": 3}}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from vdebench.errors import InputError
from vdebench.review.event_types import (
    KINDS,
    NAMES,
    STEP_OF,
    Adjudicated,
    Checked,
    Drawn,
    Fact,
    PilotRated,
    Rated,
    Screened,
)
from vdebench.review.json_form import from_plain, plain

VERSION = 1
"""Of the events' form; a later one reads all before it."""
PROTOCOL = "protocol"
"""Who closes a step: the rules, once the last vote is in."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that has happened."""

    who: str
    when: str
    what: Fact

    @property
    def kind(self) -> str:
        """Name of what happened, such as `pilot_rated`."""
        return NAMES[type(self.what)]

    @property
    def sample(self) -> str:
        """The sample's id; nothing where it concerns the review."""
        return str(getattr(self.what, "sample", ""))

    @property
    def step(self) -> str:
        """The step of a vote; nothing where it is none."""
        return STEP_OF.get(type(self.what), "")

    @property
    def voter(self) -> str:
        """Whose vote it is: a group's, in the pilot a member's, else that of the one person asked; else nothing."""
        match self.what:
            case Rated() | Drawn() | Screened():
                return f"group:{self.what.group}"
            case PilotRated():
                return f"member:{self.who}"
            case Checked():
                return "person"
            case Adjudicated():
                return "adjudicator"
        return ""

    def to_json(self) -> dict[str, Any]:
        """For files and programs."""
        return {"version": VERSION, "kind": self.kind, "who": self.who, "when": self.when, **plain(self.what)}


def event_from_json(data: Mapping[str, Any], where: str = "event") -> Event:
    """An event as it was written, or an error that says where and what.

    >>> told = {"version": 1, "kind": "left", "who": "a", "when": "2026-11-16T14:50:00.000Z", "name": "b"}
    >>> event_from_json(told).what
    Left(name='b')
    """
    told = dict(data)
    version, kind = told.pop("version", None), told.pop("kind", None)
    if version != VERSION:
        raise InputError(f"{where}: version {version!r}, expected {VERSION}; a newer vdebench may have written it")
    if kind not in KINDS:
        raise InputError(f"{where}: kind {kind!r}, expected one of {', '.join(KINDS)}")
    try:
        return Event(str(told.pop("who")), str(told.pop("when")), from_plain(KINDS[kind], told))
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{where}: {kind}: {error}; expected all its fields and no other") from None


def stamp(now: datetime) -> str:
    """A moment as events keep it: UTC, to the millisecond, so that text sorts as time does.

    >>> stamp(datetime(2026, 11, 16, 14, 50, 0, 1999, tzinfo=UTC))
    '2026-11-16T14:50:00.001Z'
    """
    return now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
