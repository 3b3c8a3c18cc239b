"""The funnel of a review: the number of samples in each state. Every sample is in one, so the counts add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from vdebench.review.state import Item, ReviewState, State
from vdebench.review.workflow import PILOT, WORKFLOW


class FunnelPlace(NamedTuple):
    """The state of a sample that the funnel counts."""

    step: str
    """Its step, `pilot`, or its final state."""
    reason: str = ""
    """Reason of a rejection."""


class Funnel(NamedTuple):
    """The number of samples in each state."""

    total: int
    places: Mapping[str, int]
    """By name: pilot, pool, scored 9, …"""
    rejected: Mapping[str, int]
    """By reason, most frequent first."""

    @property
    def adds_up(self) -> bool:
        """Whether every sample is counted once, and every rejection has its reason."""
        return self.total == sum(self.places.values()) and self.places["rejected"] == sum(self.rejected.values())

    def to_json(self) -> dict[str, Any]:
        """Return the funnel as JSON."""
        return {**self._asdict(), "adds_up": self.adds_up}


def place_of(study: ReviewState, item: Item) -> FunnelPlace:
    """Return the state of a sample."""
    if study.in_pilot(item.id, item.step):
        return FunnelPlace(PILOT)
    return FunnelPlace(item.step, item.reason if item.step == "rejected" else "")


def funnel(state: State) -> Funnel:
    """Count all samples by state."""
    return count(Counter(place_of(state.study, item) for item in state.items.values()), len(state.items))


def count(places: Mapping[FunnelPlace, int], total: int) -> Funnel:
    """Build a funnel from the number of samples in each state.

    >>> count({FunnelPlace("score"): 2, FunnelPlace("rejected", "misread"): 1}, 3).adds_up
    True
    """
    names = {PILOT: PILOT, **WORKFLOW.places()}
    named = dict.fromkeys(names.values(), 0)
    reasons: Counter[str] = Counter()
    for place, number in places.items():
        named[names[place.step]] += number
        if place.step == "rejected":
            reasons[place.reason] += number
    ordered = dict(sorted(reasons.items(), key=lambda each: (-each[1], each[0])))
    return Funnel(total, named, ordered)


def passed_through(items: Iterable[Item]) -> dict[str, int]:
    """Count the samples that have passed each step; a conflict settled by boxes counts as `boxes`."""
    resolved = {step.name: step.resolves or step.name for step in WORKFLOW.steps}
    counts = {step.name: 0 for step in WORKFLOW.pool}
    for item in items:
        for step in {resolved[closed.step] for closed in item.closings() if closed.outcome == "on"}:
            counts[step] += 1
    return counts
