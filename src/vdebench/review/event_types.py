"""The kinds of events of a review, one class each. Votes are defined with their steps, in `steps/`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vdebench.core.box import Box
from vdebench.review.options import Options
from vdebench.review.step import Vote, kind_name
from vdebench.review.workflow import WORKFLOW


@dataclass(frozen=True, slots=True)
class Opened:
    """The review was opened."""

    options: Options


@dataclass(frozen=True, slots=True)
class Joined:
    """A member joined: as annotator of a group, as adjudicator or as admin."""

    name: str
    role: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class Left:
    """A member left; their votes still count."""

    name: str


@dataclass(frozen=True, slots=True)
class PilotStarted:
    """A pilot started: all annotators score these samples."""

    pilot: int
    samples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PilotEnded:
    """A pilot ended; its samples are in the pool like all others."""

    pilot: int


@dataclass(frozen=True, slots=True)
class Added:
    """A sample was added to the pool."""

    sample: str
    edit: str
    """SHA-256 of the edited image."""
    width: int
    height: int
    """Size of the page in pixels; boxes are in these coordinates."""
    position: int
    """Index in the pool, from 0."""


@dataclass(frozen=True, slots=True)
class Closed:
    """A step of a round ended. The outcome is stored, so later rules do not change it."""

    sample: str
    step: str
    round: int
    outcome: str
    """on (to the next step), again (a new round), conflict (to an adjudicator) or rejected."""
    reason: str = ""
    """One word; only for rejections."""
    words: str = ""
    boxes: tuple[Box, ...] = ()
    """The ground truth, if this step determined it."""
    agreement: float | None = None
    """Mean pairwise IoU of the worst region, where boxes were compared."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A member marked evidence on an image."""

    sample: str
    mark: str
    step: str
    round: int
    side: str
    """before or after."""
    boxes: tuple[Box, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Unmarked:
    """A member removed one of their marks."""

    sample: str
    mark: str


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """An admin withdrew a sample from the review."""

    sample: str
    reason: str


Fact = Opened | Joined | Left | PilotStarted | PilotEnded | Added | Vote | Closed | Marked | Unmarked | Withdrawn
_KINDS: dict[str, type[Any]] = {
    kind_name(kind): kind
    for kind in (Opened, Joined, Left, PilotStarted, PilotEnded, Added, Closed, Marked, Unmarked, Withdrawn)
}


def event_kinds() -> dict[str, type[Any]]:
    """Return all event classes by the name that is stored as `kind`."""
    return {**_KINDS, **WORKFLOW.events}
