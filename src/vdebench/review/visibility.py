"""What somebody may see of a sample. Nobody is shown another's vote of a step that is open.

Annotators see their own votes, and those of others when all is over: boxes of a round without agreement would lead the
hand in the next one. Adjudicators and admins see the votes of every step that has come to its end.
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
from vdebench.review.state import CONFLICT, FINAL, Item, Member, ReviewState, State


@dataclass(frozen=True, slots=True)
class View:
    """A sample as one member sees it."""

    sample: str
    width: int
    height: int
    step: str
    """What it waits for, `pilot`, `conflict`, or how it ended."""
    round: int
    rounds: int
    """At most so many."""
    asked: bool
    """Whether this member can vote now."""
    boxes: tuple[Box, ...]
    """The ground truth, once there is one."""
    agreements: tuple[float, ...]
    """Of the boxes in the rounds that have ended."""
    votes: tuple[Event, ...]
    marks: tuple[Event, ...]
    outcomes: tuple[Closed, ...]
    """How steps ended; for annotators once all is over."""

    def to_json(self) -> dict[str, Any]:
        """For the page."""
        told = {name: getattr(self, name) for name in self.__slots__}
        lists = {"votes": [vote.to_json() for vote in self.votes], "marks": [mark.to_json() for mark in self.marks]}
        ended = [Event("", "", closed).to_json() for closed in self.outcomes]
        return {**told, **lists, "outcomes": ended, "boxes": [list(box) for box in self.boxes]}


def view(state: State, who: str, sample: str) -> View | Refusal:
    """What a member may see of a sample now."""
    member, item = state.study.member(who), state.items.get(sample)
    if member is None or not member.active:
        return Refusal(Reason.UNKNOWN_MEMBER, f"{who!r}"[:200] + " does not take part in this review")
    if item is None:
        return Refusal(Reason.UNKNOWN_SAMPLE, f"no sample {sample!r}"[:250])
    return _seen(state.study, member, item)


def _seen(study: ReviewState, member: Member, item: Item) -> View:
    piloted = study.pilot_open and item.id in study.pilot_samples and item.step == "score"
    ended = item.closings() if member.role != "annotator" or item.step in FINAL else []
    gone = {event.what.mark for event in item.history if isinstance(event.what, Unmarked)}
    return View(
        sample=item.id,
        width=item.width,
        height=item.height,
        step="pilot" if piloted else item.step,
        round=study.pilot if piloted else item.round,
        rounds=item.limit,
        asked=voter_for(study, item, member.name) is not None,
        boxes=item.boxes,
        agreements=tuple(each.agreement for each in item.closings() if each.agreement is not None),
        votes=tuple(e for e in item.history if e.step and _may_see(study, member, item, e, e.step)),
        marks=tuple(
            e
            for e in item.history
            if isinstance(e.what, Marked) and e.what.mark not in gone and _may_see(study, member, item, e, e.what.step)
        ),
        outcomes=tuple(ended),
    )


def _may_see(study: ReviewState, member: Member, item: Item, event: Event, step: str) -> bool:
    if event.who == member.name:
        return True
    round: int = event.what.round  # type: ignore[union-attr]
    if step == "pilot":  # one person's scores of the pilot are nobody's business until all have scored
        over = round < study.pilot or not study.pilot_open
        return over and (member.role != "annotator" or item.step in FINAL)
    if member.role == "annotator":
        return item.step in FINAL
    return item.step in FINAL or item.is_closed(step, round)


def conflicts(state: State) -> list[Item]:
    """What waits for an adjudicator, longest first."""
    found = (item for item in state.items.values() if item.step == CONFLICT)
    return sorted(found, key=lambda item: (item.since, item.position))


def progress(state: State) -> dict[str, Counter[str]]:
    """How many votes each voter has given, by step: numbers, not what they say."""
    counts: dict[str, Counter[str]] = {}
    for item in state.items.values():
        for event in item.history:
            if event.step:
                counts.setdefault(event.voter, Counter())[event.step] += 1
    return counts
