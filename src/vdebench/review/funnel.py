"""The funnel of a review: where every sample is. Each is in one place, so the numbers add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from vdebench.review.state import CONFLICT, STEPS, Item, ReviewState, State

PLACES = {
    "score": "pool",
    "boxes": "scored 9",
    "screen": "boxes agreed",
    "ocr": "screened",
    "passed": "OCR checked",
    CONFLICT: "in adjudication",
    "rejected": "rejected",
    "withdrawn": "withdrawn",
}
"""What the funnel calls a sample by the step in which it is: by what it has behind it."""


class FunnelPlace(NamedTuple):
    """What the funnel counts of one sample."""

    step: str
    """The step in which it is, or `pilot`."""
    reason: str = ""


class Funnel(NamedTuple):
    """How many samples are where."""

    total: int
    places: Mapping[str, int]
    """By name: pilot, pool, scored 9 …"""
    rejected: Mapping[str, int]
    """By reason, the commonest first."""

    @property
    def adds_up(self) -> bool:
        """Whether every sample is in one place, and every rejection has its reason."""
        return self.total == sum(self.places.values()) and self.places["rejected"] == sum(self.rejected.values())

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {**self._asdict(), "adds_up": self.adds_up}


def place_of(study: ReviewState, item: Item) -> FunnelPlace:
    """Where a sample is."""
    if study.pilot_open and item.step == "score" and item.id in study.pilot_samples:
        return FunnelPlace("pilot")
    return FunnelPlace(item.step, item.reason if item.step == "rejected" else "")


def funnel(state: State) -> Funnel:
    """Where all samples are."""
    return count(Counter(place_of(state.study, item) for item in state.items.values()), len(state.items))


def count(places: Mapping[FunnelPlace, int], total: int) -> Funnel:
    """A funnel from how many samples are in each place.

    >>> count({FunnelPlace("score"): 2, FunnelPlace("rejected", "misread"): 1}, 3).adds_up
    True
    """
    named = dict.fromkeys(("pilot", *PLACES.values()), 0)
    reasons: Counter[str] = Counter()
    for place, number in places.items():
        named["pilot" if place.step == "pilot" else PLACES[place.step]] += number
        if place.step == "rejected":
            reasons[place.reason] += number
    ordered = dict(sorted(reasons.items(), key=lambda each: (-each[1], each[0])))
    return Funnel(total, named, ordered)


def passed_through(items: Iterable[Item]) -> dict[str, int]:
    """How many samples have ever come through each step; a conflict that was decided by boxes counts for them."""
    counts = dict.fromkeys(STEPS, 0)
    for item in items:
        done = {"boxes" if each.step == CONFLICT else each.step for each in item.closings() if each.outcome == "on"}
        for step in done:
            counts[step] += 1
    return counts
