"""The three scales on which people score an edit, each from 1 to 3."""

from __future__ import annotations

from dataclasses import dataclass

from vdebench.review.refusals import Reason, Refusal

SCALES = {
    "compliance": "instruction compliance",
    "authenticity": "modification authenticity",
    "satisfaction": "subjective satisfaction",
}
"""The paper's names."""


@dataclass(frozen=True, slots=True)
class Ratings:
    """One score on each scale."""

    compliance: int
    authenticity: int
    satisfaction: int

    @property
    def total(self) -> int:
        """Sum of the three scores, 3 to 9.

        >>> Ratings(3, 3, 2).total
        8
        """
        return self.compliance + self.authenticity + self.satisfaction

    @property
    def wrong(self) -> str:
        """Describe the first invalid score; empty if all are valid.

        >>> Ratings(3, 3, 4).wrong
        'subjective satisfaction is 4, expected 1, 2 or 3'
        """
        for scale, name in SCALES.items():
            value = getattr(self, scale)
            if type(value) is not int or value not in (1, 2, 3):
                return f"{name} is {value!r}"[:200] + ", expected 1, 2 or 3"
        return ""


def check_ratings(ratings: object) -> Refusal | None:
    """Return a refusal unless the argument is a valid score on each scale."""
    wrong = ratings.wrong if isinstance(ratings, Ratings) else "expected a score on each of three scales"
    return Refusal(Reason.BAD_RATING, wrong) if wrong else None
