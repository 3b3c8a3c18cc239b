"""Commands: requests to change the review. They come from clients and are unchecked until `decide` accepts them.

The commands that vote are defined with their steps, in `steps/`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vdebench.core.box import Box
from vdebench.review.json_form import from_plain, plain
from vdebench.review.options import Options
from vdebench.review.refusals import Reason, Refusal
from vdebench.review.step import VoteCommand, kind_name
from vdebench.review.workflow import WORKFLOW


@dataclass(frozen=True, slots=True)
class Open:
    """Open the review; the sender becomes its first admin."""

    options: Options = Options()  # noqa: RUF009 - frozen


@dataclass(frozen=True, slots=True)
class Join:
    """Add a member."""

    name: str
    role: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class Leave:
    """Remove a member."""

    name: str


@dataclass(frozen=True, slots=True)
class PoolSample:
    """A sample to add to the pool."""

    sample: str
    edit: str
    """SHA-256 of the edited image."""
    width: int
    height: int
    """Size of the page in pixels."""


@dataclass(frozen=True, slots=True)
class Add:
    """Add samples to the pool."""

    samples: tuple[PoolSample, ...]


@dataclass(frozen=True, slots=True)
class StartPilot:
    """Start a pilot: all annotators score these samples; other votes are refused until it ends."""

    samples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EndPilot:
    """End the pilot and open the pool."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Mark evidence on the image before or after the edit; the client chooses the id `mark`."""

    sample: str
    mark: str
    side: str
    boxes: tuple[Box, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Unmark:
    """Remove a mark of one's own."""

    sample: str
    mark: str


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Withdraw a sample from the review."""

    sample: str
    reason: str


StudyCommand = Open | Join | Leave | Add | StartPilot | EndPilot
SampleCommand = VoteCommand | Mark | Unmark | Withdraw
Command = StudyCommand | SampleCommand

_KINDS: dict[str, type[Any]] = {
    kind_name(kind): kind for kind in (Open, Join, Leave, Add, StartPilot, EndPilot, Mark, Unmark, Withdraw)
}


def command_kinds() -> dict[str, type[Any]]:
    """Return all command classes by the name that clients send as `kind`."""
    return {**_KINDS, **WORKFLOW.commands}


def command_to_json(command: Command) -> dict[str, Any]:
    """Return a command as JSON, with its `kind`."""
    return {"kind": kind_name(type(command)), **plain(command)}


def command_from_json(data: object) -> Command | Refusal:
    """Read a command as a client sends it.

    >>> command_from_json({"kind": "screen", "sample": "a", "round": 1, "group": "2", "yes": True})
    Screen(sample='a', round=1, group='2', yes=True, note='')
    >>> command_from_json({"kind": "screen", "sample": "a"}).words
    "screen: 'round' is missing"
    """
    if not isinstance(data, Mapping):
        return Refusal(Reason.MALFORMED, f"found {type(data).__name__}, expected an object")
    values, kinds = dict(data), command_kinds()
    kind = values.pop("kind", None)
    if not isinstance(kind, str) or kind not in kinds:
        return Refusal(Reason.MALFORMED, f"kind {kind!r}"[:200] + f", expected one of {', '.join(kinds)}")
    try:
        if kind == "add" and isinstance(values.get("samples"), list):
            values["samples"] = [from_plain(PoolSample, each) for each in values["samples"]]
        command: Command = from_plain(kinds[kind], values)
    except (TypeError, ValueError, AttributeError) as error:
        return Refusal(Reason.MALFORMED, f"{kind}: {error}"[:300])
    return command
