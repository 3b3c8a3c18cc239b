"""What a member may see of a sample. Votes of others in an open step are hidden from everybody.

Annotators see their own votes, and those of others once the sample is final: seeing the boxes of an earlier round would
influence the next one. Adjudicators and admins see the votes of every step that has ended.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from vdebench.core.box import Box
from vdebench.review.assignment import voter_for
from vdebench.review.event_types import Closed, Marked, Unmarked
from vdebench.review.events import Event
from vdebench.review.refusals import Reason, Refusal
from vdebench.review.state import Item, Member, ReviewState, State
from vdebench.review.step import Vote
from vdebench.review.workflow import CONFLICT, PILOT


@dataclass(frozen=True, slots=True)
class View:
    """A sample as one member sees it."""

    sample: str
    width: int
    height: int
    step: str
    """The step whose votes it waits for, or its final state."""
    round: int
    rounds: int
    """Disagreement in this round goes to an adjudicator."""
    asked: bool
    """Whether this member can vote on it now."""
    boxes: tuple[Box, ...]
    """The ground truth; empty until it is determined."""
    agreements: tuple[float, ...]
    """Agreement on the boxes, for each round that has ended."""
    votes: tuple[Event, ...]
    marks: tuple[Event, ...]
    outcomes: tuple[Closed, ...]
    """Outcomes of steps; for annotators only once the sample is final."""

    def to_json(self) -> dict[str, Any]:
        """Return the view as the page receives it."""
        values = {name: getattr(self, name) for name in self.__slots__}
        lists = {"votes": [vote.to_json() for vote in self.votes], "marks": [mark.to_json() for mark in self.marks]}
        outcomes = [Event("", "", closed).to_json() for closed in self.outcomes]
        return {**values, **lists, "outcomes": outcomes, "boxes": [list(box) for box in self.boxes]}


def view(state: State, who: str, sample: str) -> View | Refusal:
    """Return what a member may see of a sample now."""
    member, item = state.study.member(who), state.items.get(sample)
    if member is None or not member.active:
        return Refusal(Reason.UNKNOWN_MEMBER, f"{who!r}"[:200] + " is not a member of this review")
    if item is None:
        return Refusal(Reason.UNKNOWN_SAMPLE, f"no sample {sample!r}"[:250])
    return _view(state.study, member, item)


def _view(study: ReviewState, member: Member, item: Item) -> View:
    in_pilot = study.in_pilot(item.id, item.step)
    outcomes = item.closings() if member.role != "annotator" or item.is_final else []
    removed = {event.what.mark for event in item.history if isinstance(event.what, Unmarked)}
    return View(
        sample=item.id,
        width=item.width,
        height=item.height,
        step=PILOT if in_pilot else item.step,
        round=study.pilot if in_pilot else item.round,
        rounds=item.limit,
        asked=voter_for(study, item, member.name) is not None,
        boxes=item.boxes,
        agreements=tuple(each.agreement for each in item.closings() if each.agreement is not None),
        votes=tuple(e for e in item.history if e.step and _may_see(study, member, item, e, e.step)),
        marks=tuple(
            e
            for e in item.history
            if isinstance(e.what, Marked)
            and e.what.mark not in removed
            and _may_see(study, member, item, e, e.what.step)
        ),
        outcomes=tuple(outcomes),
    )


def _may_see(study: ReviewState, member: Member, item: Item, event: Event, step: str) -> bool:
    if event.who == member.name:
        return True
    assert isinstance(event.what, Vote | Marked)
    round = event.what.round
    if step == PILOT:  # hidden until the pilot has ended
        ended = round < study.pilot or not study.pilot_open
        return ended and (member.role != "annotator" or item.is_final)
    if member.role == "annotator":
        return item.is_final
    return item.is_final or item.is_closed(step, round)


def conflicts(state: State) -> list[Item]:
    """Return the samples that wait for an adjudicator, longest waiting first."""
    return sorted(
        (item for item in state.items.values() if item.step == CONFLICT), key=lambda item: (item.since, item.position)
    )


def progress(state: State) -> dict[str, Counter[str]]:
    """Count the votes of each voter by step."""
    counts: dict[str, Counter[str]] = {}
    for item in state.items.values():
        for event in item.history:
            if event.step:
                counts.setdefault(event.voter, Counter())[event.step] += 1
    return counts
