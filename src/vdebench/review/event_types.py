"""What can happen in a review: one small class for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vdebench.core.box import Box
from vdebench.review.options import Options
from vdebench.review.ratings import Ratings


@dataclass(frozen=True, slots=True)
class Opened:
    """The review began."""

    options: Options


@dataclass(frozen=True, slots=True)
class Joined:
    """Somebody takes part: as annotator of a group, adjudicator or admin."""

    name: str
    role: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class Left:
    """Somebody takes part no more; their votes stand."""

    name: str


@dataclass(frozen=True, slots=True)
class PilotStarted:
    """All annotators are to score the same samples."""

    pilot: int
    samples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PilotEnded:
    """Its samples are in the pool like all others."""

    pilot: int


@dataclass(frozen=True, slots=True)
class Added:
    """A sample came into the pool."""

    sample: str
    edit: str
    """SHA-256 of the edited image."""
    width: int
    height: int
    """Of the page, in whose pixels boxes are drawn."""
    position: int
    """Which one it is, from 0."""


@dataclass(frozen=True, slots=True)
class PilotRated:
    """A person scored a sample of the pilot; `round` is the pilot's number."""

    sample: str
    round: int
    ratings: Ratings


@dataclass(frozen=True, slots=True)
class Rated:
    """A group scored a sample."""

    sample: str
    round: int
    group: str
    ratings: Ratings


@dataclass(frozen=True, slots=True)
class Drawn:
    """A group drew boxes around what was modified."""

    sample: str
    round: int
    group: str
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class Screened:
    """A group said yes or no to the finished sample."""

    sample: str
    round: int
    group: str
    yes: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class Checked:
    """A person checked what was read in the regions."""

    sample: str
    round: int
    verdict: str
    """correct, corrected or wrong."""
    texts: tuple[str, ...] = ()
    """Of corrected: what stands in each region."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Adjudicated:
    """An adjudicator decided a conflict."""

    sample: str
    round: int
    verdict: str
    """boxes, again or reject."""
    boxes: tuple[Box, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Closed:
    """A step of a round came to its end, and what follows from its votes by the rules of that day."""

    sample: str
    step: str
    round: int
    outcome: str
    """on (to the next step), again (back to the pool), conflict (to an adjudicator) or rejected."""
    reason: str = ""
    """Of a rejection: one word."""
    words: str = ""
    boxes: tuple[Box, ...] = ()
    """Where they were agreed on: the ground truth."""
    agreement: float | None = None
    """Of boxes: the mean pairwise IoU of the worst region."""


@dataclass(frozen=True, slots=True)
class Marked:
    """Somebody marked evidence on an image."""

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
    """Somebody took a mark of theirs away."""

    sample: str
    mark: str


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """An admin took a sample out of the review."""

    sample: str
    reason: str


Vote = PilotRated | Rated | Drawn | Screened | Checked | Adjudicated
Fact = (
    Opened | Joined | Left | PilotStarted | PilotEnded | Added | Vote | Closed | Marked | Unmarked | Withdrawn
)  # fmt: skip
_STUDY = (Opened, Joined, Left, PilotStarted, PilotEnded)
_SAMPLE = (
    Added,
    PilotRated,
    Rated,
    Drawn,
    Screened,
    Checked,
    Adjudicated,
    Closed,
    Marked,
    Unmarked,
    Withdrawn,
)
KINDS: dict[str, type[Any]] = {
    "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in kind.__name__)[1:]: kind
    for kind in (*_STUDY, *_SAMPLE)
}
NAMES = {kind: name for name, kind in KINDS.items()}
"""`rated` for `Rated`, and so on."""
STEP_OF: dict[type[Any], str] = {
    PilotRated: "pilot",
    Rated: "score",
    Drawn: "boxes",
    Screened: "screen",
    Checked: "ocr",
    Adjudicated: "conflict",
}
"""The step in which each vote is given."""
