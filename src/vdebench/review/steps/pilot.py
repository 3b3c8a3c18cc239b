"""Pilot: every annotator scores the same samples; only the agreement between people is computed from it."""

from __future__ import annotations

from dataclasses import dataclass

from vdebench.review.ratings import Ratings, check_ratings
from vdebench.review.step import Form, Step, Vote, VoteCommand


@dataclass(frozen=True, slots=True)
class RatePilot(VoteCommand):
    """Score a sample of the pilot; `round` is the number of the pilot."""

    ratings: Ratings


@dataclass(frozen=True, slots=True)
class PilotRated(Vote):
    """A person scored a sample of the pilot; `round` is the number of the pilot."""

    ratings: Ratings


STEP = Step(
    name="pilot",
    title="Pilot",
    order=0,
    voters="member",
    hint="Score the edit on three scales, 1 to 3. The pilot only measures how far people agree.",
    command=RatePilot,
    event=PilotRated,
    check=lambda context, command: check_ratings(command.ratings),
    decide=None,
    form=Form(("ratings",)),
    widget="step_score.js",
)
