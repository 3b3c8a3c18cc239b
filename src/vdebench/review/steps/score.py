"""Score: each group scores the edit on three scales; every total must reach `Options.needed_total`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vdebench.review.ratings import Ratings, check_ratings
from vdebench.review.step import Form, Outcome, Step, StepContext, Vote, VoteCommand


@dataclass(frozen=True, slots=True)
class Rate(VoteCommand):
    """Score a sample for one's group."""

    group: str
    ratings: Ratings


@dataclass(frozen=True, slots=True)
class Rated(Vote):
    """A group scored a sample."""

    group: str
    ratings: Ratings


def decide_score(context: StepContext, votes: Sequence[Rated]) -> Outcome:
    """Return `on` if every total is high enough, else a rejection."""
    totals = {vote.group: vote.ratings.total for vote in votes}
    if min(totals.values()) >= context.options.needed_total:
        return Outcome("on")
    words = ", ".join(f"{group}: {total}" for group, total in sorted(totals.items()))
    return Outcome("rejected", "low_score", f"totals {words}")


STEP = Step(
    name="score",
    title="Score",
    order=10,
    voters="group",
    hint="Score the edit on three scales, 1 to 3. A sample goes on only if every group gives the total required.",
    command=Rate,
    event=Rated,
    check=lambda context, command: check_ratings(command.ratings),
    decide=decide_score,
    form=Form(("ratings",)),
    widget="step_score.js",
    done="scored 9",
)
