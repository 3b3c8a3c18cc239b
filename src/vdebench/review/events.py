"""Events: what happened, who did it and when. Events are never changed; the state is their replay.

{"version": 1, "kind": "rated", "who": "anna", "when": "2026-11-16T14:50:00.000Z", "sample": "page_12-0",
 "round": 1, "group": "2", "ratings": {"compliance": 3, "authenticity": 3, "satisfaction": 3}}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from vdebench.errors import InputError
from vdebench.review.event_types import Fact, event_kinds
from vdebench.review.json_form import from_plain, plain
from vdebench.review.step import kind_name
from vdebench.review.workflow import WORKFLOW

VERSION = 1
"""Version of the stored form."""
PROTOCOL = "protocol"
"""Author of the events that close a step after its last vote."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event of the review."""

    who: str
    when: str
    what: Fact

    @property
    def kind(self) -> str:
        """Name of the event class, such as `pilot_rated`."""
        return kind_name(type(self.what))

    @property
    def sample(self) -> str:
        """Id of the sample; empty for events of the review itself."""
        return str(getattr(self.what, "sample", ""))

    @property
    def step(self) -> str:
        """Step of a vote; empty for other events."""
        step = WORKFLOW.of_vote(self.what)
        return step.name if step else ""

    @property
    def voter(self) -> str:
        """Voter of a vote: `group:NAME`, `member:NAME`, `person` or `adjudicator`; empty for other events."""
        step = WORKFLOW.of_vote(self.what)
        return step.voter(self.who, getattr(self.what, "group", "")) if step else ""

    def to_json(self) -> dict[str, Any]:
        """Return the event as it is stored."""
        return {"version": VERSION, "kind": self.kind, "who": self.who, "when": self.when, **plain(self.what)}


def event_from_json(data: Mapping[str, Any], where: str = "event") -> Event:
    """Read a stored event; raise `InputError` with `where` if it is invalid.

    >>> data = {"version": 1, "kind": "left", "who": "a", "when": "2026-11-16T14:50:00.000Z", "name": "b"}
    >>> event_from_json(data).what
    Left(name='b')
    """
    values, kinds = dict(data), event_kinds()
    version, kind = values.pop("version", None), values.pop("kind", None)
    if version != VERSION:
        raise InputError(f"{where}: version {version!r}, expected {VERSION}; a newer vdebench may have written it")
    if kind not in kinds:
        raise InputError(f"{where}: kind {kind!r}, expected one of {', '.join(kinds)}")
    try:
        return Event(str(values.pop("who")), str(values.pop("when")), from_plain(kinds[kind], values))
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{where}: {kind}: {error}; expected all fields of this kind and no others") from None


def stamp(now: datetime) -> str:
    """Format a time as events store it: UTC, in milliseconds, so that text order is time order.

    >>> stamp(datetime(2026, 11, 16, 14, 50, 0, 1999, tzinfo=UTC))
    '2026-11-16T14:50:00.001Z'
    """
    return now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
