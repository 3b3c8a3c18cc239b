"""Conflict: after the last round without agreement on the boxes, an adjudicator decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vdebench.core.box import Box
from vdebench.review.boxes import wrong_boxes
from vdebench.review.refusals import Reason, Refusal
from vdebench.review.step import Form, Outcome, Step, StepContext, Vote, VoteCommand

VERDICTS = ("boxes", "again", "reject")


@dataclass(frozen=True, slots=True)
class Adjudicate(VoteCommand):
    """Settle a conflict: by boxes, by more rounds of the groups, or by rejection."""

    verdict: str
    boxes: tuple[Box, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Adjudicated(Vote):
    """An adjudicator settled a conflict."""

    verdict: str
    """boxes, again or reject."""
    boxes: tuple[Box, ...] = ()
    note: str = ""


def check_ruling(context: StepContext, command: Adjudicate) -> Refusal | None:
    """Refuse unknown verdicts, and boxes that are invalid or do not belong to the verdict."""
    if command.verdict not in VERDICTS:
        return Refusal(Reason.BAD_VERDICT, f"verdict {command.verdict!r}"[:200] + f", expected one of {VERDICTS}")
    if command.verdict == "boxes":
        return wrong_boxes(command.boxes, context.width, context.height)
    return Refusal(Reason.BAD_VERDICT, f"{command.verdict} takes no boxes") if command.boxes else None


def decide_conflict(context: StepContext, votes: Sequence[Adjudicated]) -> Outcome:
    """Return what the adjudicator chose."""
    (vote,) = votes
    if vote.verdict == "reject":
        return Outcome("rejected", "adjudicated", vote.note)
    return Outcome({"boxes": "on", "again": "again"}[vote.verdict], words=vote.note, boxes=vote.boxes)


STEP = Step(
    name="conflict",
    title="Conflict",
    order=100,
    voters="adjudicator",
    hint="The groups did not agree. Choose the boxes, send the sample back to the groups, or reject it.",
    command=Adjudicate,
    event=Adjudicated,
    check=check_ruling,
    decide=decide_conflict,
    form=Form(("verdict", "boxes", "note"), VERDICTS),
    widget="step_conflict.js",
    resolves="boxes",
    label_studio=False,
)
