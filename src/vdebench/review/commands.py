"""Commands: what somebody wants. They come from outside, so nothing in them is believed before `decide` has looked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vdebench.core.box import Box
from vdebench.review.json_form import from_plain, plain
from vdebench.review.options import Options
from vdebench.review.ratings import Ratings
from vdebench.review.refusals import Reason, Refusal


@dataclass(frozen=True, slots=True)
class Open:
    """Begin the review; whoever does is its first admin."""

    options: Options = Options()  # noqa: RUF009 - frozen


@dataclass(frozen=True, slots=True)
class Join:
    """Have somebody take part."""

    name: str
    role: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class Leave:
    """Have somebody take part no more."""

    name: str


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample for the pool."""

    sample: str
    edit: str
    """SHA-256 of the edited image."""
    width: int
    height: int
    """Of the page."""


@dataclass(frozen=True, slots=True)
class Add:
    """Put samples into the pool."""

    samples: tuple[Sample, ...]


@dataclass(frozen=True, slots=True)
class StartPilot:
    """Have all annotators score these samples, and nothing else meanwhile."""

    samples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EndPilot:
    """Go on to the pool."""


@dataclass(frozen=True, slots=True)
class RatePilot:
    """Score a sample of the pilot; `round` is the pilot's number."""

    sample: str
    round: int
    ratings: Ratings


@dataclass(frozen=True, slots=True)
class Rate:
    """Score a sample for one's group."""

    sample: str
    round: int
    group: str
    ratings: Ratings


@dataclass(frozen=True, slots=True)
class Draw:
    """Hand in one's group's boxes."""

    sample: str
    round: int
    group: str
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class Screen:
    """Say yes or no to the finished sample for one's group."""

    sample: str
    round: int
    group: str
    yes: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """Say whether the readings of the regions are correct, and what they should be."""

    sample: str
    round: int
    verdict: str
    texts: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Adjudicate:
    """Decide a conflict: by boxes, by another try of the groups, or by rejection."""

    sample: str
    round: int
    verdict: str
    boxes: tuple[Box, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """Mark evidence on the image before or after the edit; `mark` is an id of one's own."""

    sample: str
    mark: str
    side: str
    boxes: tuple[Box, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Unmark:
    """Take a mark of one's own away."""

    sample: str
    mark: str


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Take a sample out of the review."""

    sample: str
    reason: str


StudyCommand = Open | Join | Leave | Add | StartPilot | EndPilot
VoteCommand = RatePilot | Rate | Draw | Screen | Check | Adjudicate
SampleCommand = VoteCommand | Mark | Unmark | Withdraw
Command = StudyCommand | SampleCommand

_STUDY = (Open, Join, Leave, Add, StartPilot, EndPilot)
_SAMPLE = (RatePilot, Rate, Draw, Screen, Check, Adjudicate, Mark, Unmark, Withdraw)
KINDS: dict[str, type[Any]] = {
    "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in kind.__name__)[1:]: kind
    for kind in (*_STUDY, *_SAMPLE)
}
_NAMES = {kind: name for name, kind in KINDS.items()}


def command_to_json(command: Command) -> dict[str, Any]:
    """For files and programs."""
    return {"kind": _NAMES[type(command)], **plain(command)}


def command_from_json(data: object) -> Command | Refusal:
    """A command as a client sent it.

    >>> command_from_json({"kind": "screen", "sample": "a", "round": 1, "group": "2", "yes": True})
    Screen(sample='a', round=1, group='2', yes=True, note='')
    >>> command_from_json({"kind": "screen", "sample": "a"}).words
    "screen: 'round' is missing"
    """
    if not isinstance(data, Mapping):
        return Refusal(Reason.MALFORMED, f"found {type(data).__name__}, expected an object")
    told = dict(data)
    kind = told.pop("kind", None)
    if not isinstance(kind, str) or kind not in KINDS:
        return Refusal(Reason.MALFORMED, f"kind {kind!r}"[:200] + f", expected one of {', '.join(KINDS)}")
    try:
        if kind == "add" and isinstance(told.get("samples"), list):
            told["samples"] = [from_plain(Sample, each) for each in told["samples"]]
        command: Command = from_plain(KINDS[kind], told)
    except (TypeError, ValueError, AttributeError) as error:
        return Refusal(Reason.MALFORMED, f"{kind}: {error}"[:300])
    return command
