"""Boxes: each group draws a box around every changed region; the boxes must agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vdebench.core.box import Box
from vdebench.review.boxes import agreement, wrong_boxes
from vdebench.review.step import Form, Outcome, Step, StepContext, Vote, VoteCommand


@dataclass(frozen=True, slots=True)
class Draw(VoteCommand):
    """Submit the boxes of one's group."""

    group: str
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class Drawn(Vote):
    """A group drew boxes around the changed regions."""

    group: str
    boxes: tuple[Box, ...]


def decide_boxes(context: StepContext, votes: Sequence[Drawn]) -> Outcome:
    """Return `on` with the largest boxes if the groups agree, else a new round, after the last round a conflict."""
    result = agreement([vote.boxes for vote in votes])
    value = float(result.value)
    if result.above(context.options.agreement):
        return Outcome("on", boxes=result.largest(), agreement=value)
    words = "" if result.regions else "the groups drew different numbers of boxes"
    return Outcome("again" if context.round < context.last_round else "conflict", words=words, agreement=value)


STEP = Step(
    name="boxes",
    title="Boxes",
    order=20,
    voters="group",
    hint="Draw a box around every region that was changed, tight to the pixel, on the image after the edit.",
    command=Draw,
    event=Drawn,
    check=lambda context, command: wrong_boxes(command.boxes, context.width, context.height),
    decide=decide_boxes,
    form=Form(("boxes",)),
    widget="step_boxes.js",
    done="boxes agreed",
)
