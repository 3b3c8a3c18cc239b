"""Screening: each group says yes or no to the reference image; one no rejects the sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from vdebench.review.refusals import Reason, Refusal
from vdebench.review.step import Form, Outcome, Step, StepContext, Vote, VoteCommand


@dataclass(frozen=True, slots=True)
class Screen(VoteCommand):
    """Say yes or no to the reference image for one's group."""

    group: str
    yes: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class Screened(Vote):
    """A group said yes or no to the reference image."""

    group: str
    yes: bool
    note: str = ""


def check_yes(context: StepContext, command: Any) -> Refusal | None:
    """Refuse anything but true and false."""
    if isinstance(command.yes, bool):
        return None
    return Refusal(Reason.BAD_VERDICT, f"{command.yes!r}"[:200] + ", expected yes or no")


def decide_unanimous(context: StepContext, votes: Sequence[Any]) -> Outcome:
    """Return `on` if every group says yes, else a rejection with the notes."""
    against = [vote for vote in votes if not vote.yes]
    if not against:
        return Outcome("on")
    words = "; ".join(f"{vote.group}: no {vote.note}".rstrip() for vote in sorted(against, key=lambda no: no.group))
    return Outcome("rejected", "screened_out", words)


STEP = Step(
    name="screen",
    title="Screening",
    order=30,
    voters="group",
    hint="This is the finished page: the changed regions pasted on the original. Is it right as ground truth?",
    command=Screen,
    event=Screened,
    check=check_yes,
    decide=decide_unanimous,
    form=Form(("yes", "note")),
    widget="step_screen.js",
    done="screened",
    image="reference",
    scale="final screening",
)
