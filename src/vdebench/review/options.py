"""What a review is run by: its groups and the numbers of its rules. Set once, when the review is opened."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from vdebench.review.text_check import wrong_name


@dataclass(frozen=True, slots=True)
class Options:
    """The rules' numbers; without any, they are the paper's."""

    groups: tuple[str, ...] = ("1", "2", "3")
    """Each has one vote in every step of every round."""
    needed_total: int = 9
    """Of the three scales, 1 to 3 each; every group's total must reach it."""
    agreement: float = 0.95
    """The boxes of a region agree where their mean pairwise IoU is above this."""
    rounds: int = 3
    """So many rounds may end without agreement on the boxes; then an adjudicator decides."""
    rescore: bool = False
    """Whether a sample that returns to the pool is scored again too; without, only its boxes are drawn again."""
    lease_minutes: int = 30
    """How long a sample is kept for the member of a group who has opened it."""

    @property
    def wrong(self) -> str:
        """What cannot be used, in words; nothing where all can.

        >>> Options(agreement=95).wrong
        'agreement is 95, expected a number from 0 to below 1'
        """
        if len(self.groups) < 2 or len(set(self.groups)) < len(self.groups):
            return f"groups are {list(self.groups)!r}, expected at least two, each of its own name"
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
