"""Options of a review: its groups and thresholds. They are fixed when the review is opened."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from vdebench.review.text_check import wrong_name


@dataclass(frozen=True, slots=True)
class Options:
    """Groups and thresholds; the defaults are the paper's."""

    groups: tuple[str, ...] = ("1", "2", "3")
    """Each group has one vote per step and round."""
    needed_total: int = 9
    """Total of the three scales that every group must give."""
    agreement: float = 0.95
    """The boxes of a region agree if their mean pairwise IoU is above this."""
    rounds: int = 3
    """Rounds without agreement on the boxes before an adjudicator decides."""
    rescore: bool = False
    """Whether a new round starts with scoring; by default, it starts with the boxes."""
    lease_minutes: int = 30
    """Length of a lease."""

    @property
    def wrong(self) -> str:
        """Describe the first invalid option; empty if all are valid.

        >>> Options(agreement=95).wrong
        'agreement is 95, expected a number from 0 to below 1'
        """
        if len(self.groups) < 2 or len(set(self.groups)) < len(self.groups):
            return f"groups are {list(self.groups)!r}, expected at least two different names"
        for name in self.groups:
            if problem := wrong_name(name):
                return f"group {name!r}: {problem}"
        whole = {"needed_total": (3, 9), "rounds": (1, 100), "lease_minutes": (1, 7 * 24 * 60)}
        for key, (least, most) in whole.items():
            value = getattr(self, key)
            if type(value) is not int or not least <= value <= most:
                return f"{key} is {value!r}, expected a whole number from {least} to {most}"
        if type(self.agreement) not in (int, float) or not isfinite(self.agreement) or not 0 <= self.agreement < 1:
            return f"agreement is {self.agreement!r}, expected a number from 0 to below 1"
        return "" if isinstance(self.rescore, bool) else f"rescore is {self.rescore!r}, expected true or false"
