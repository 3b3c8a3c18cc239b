"""Does a metric follow? Statistics of a ladder: what it says at each level of a corruption."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Verdict = Literal["falls", "late", "uneven", "blind", "rises", "unknown"]
FALLS = 0.99
"""Spearman correlation from which on a metric is said to fall; with four levels and the right answer: at every step."""
BLIND = 0.001
"""Change of a mean that is none: a thousandth of the scale."""
LITTLE_LEFT = 0.1
"""Mean of a metric from 0 to 1 after the first level, below which it need not fall further."""
_EQUAL = 1e-9
_LEAST_LEVELS = 3


@dataclass(frozen=True)
class CorruptionResult:
    """What one metric of one protocol says of one corruption."""

    protocol: str
    corruption: str
    setting: str
    metric: str
    n: int
    """Samples with a value."""
    values: tuple[float | None, ...]
    """The mean at each level, the right answer's first; infinite where images are identical."""
    spearman: float | None
    """Of the level against the loss: 1 where every level is worse than the one before."""
    drop: float | None
    """The loss from the right answer to the last level, in the metric's own unit; None where it is infinite."""
    never_rises: float | None
    """Share of samples for which no level is better than the one before."""
    verdict: Verdict
    business: bool = False
    """Whether the protocol must see this corruption with this metric."""

    @property
    def holds(self) -> bool:
        """Whether the metric does its business, or has none here."""
        return not self.business or self.verdict == "falls"

    def to_json(self) -> dict[str, Any]:
        """The finding as an object; infinite numbers as text, which JSON lacks."""
        values = ["inf" if value is not None and math.isinf(value) else value for value in self.values]
        return {**asdict(self), "values": values}


def find(
    where: tuple[str, str, str, str],
    means: Sequence[float | None],
    samples: ArrayLike,
    *,
    lower: bool = False,
    business: bool = False,
) -> CorruptionResult:
    """The finding from the means of every level and the values of every sample (a row) at every level (a column)."""
    table = np.asarray(samples, np.float64).reshape(-1, len(means))
    signed = [None if value is None else -value if lower else value for value in means]
    rho = spearman_of_loss(signed)
    first, last = signed[0], signed[-1]
    finite = first is not None and last is not None and math.isfinite(first) and math.isfinite(last)
    return CorruptionResult(
        *where,
        n=int((~np.isnan(table)).any(axis=1).sum()),
        values=tuple(means),
        spearman=rho,
        drop=first - last if finite and first is not None and last is not None else None,
        never_rises=never_rises(-table if lower else table),
        verdict=verdict(signed, rho),
        business=business,
    )


def verdict(values: Sequence[float | None], rho: float | None) -> Verdict:
    """What is to be said of means, higher better, from the right answer's to the last level's.

    >>> verdict([1.0, 0.9, 0.7], 1.0), verdict([1.0, 1.0, 1.0], None), verdict([0.8, 0.85, 0.9], -1.0)
    ('falls', 'blind', 'rises')
    >>> verdict([1.0, 1.0, 0.7], 0.87), verdict([1.0, 0.7, 0.8], 0.5)
    ('late', 'uneven')
    >>> verdict([1.0, 0.9, None], 1.0)  # who says nothing of the worst pages has not fallen
    'unknown'
    >>> verdict([1.0, 0.05, 0.05], 0.87)  # nothing is left after the first level
    'falls'
    """
    known = [value for value in values if value is not None]
    if len(known) < 2 or None in values[1:]:  # the right answer alone may be without: the PSNR of identical images
        return "unknown"
    if all(value == known[0] or abs(value - known[0]) < BLIND for value in known):
        return "blind"
    if rho is not None and rho >= FALLS:
        return "falls"
    if all(later <= value + _EQUAL for value, later in pairwise(known)):
        # It never rises. Either little is left after the first level, or there are steps that it does not see.
        return "falls" if known[-1] >= 0 and known[1] <= LITTLE_LEFT else "late"
    return "rises" if known[-1] > known[0] + BLIND else "uneven"


def spearman_of_loss(values: Sequence[float | None]) -> float | None:
    """Spearman correlation of levels 0, 1, … with how much worse the values get; None where nothing changes.

    >>> spearman_of_loss([1.0, 0.9, 0.95, 0.5])
    0.8
    """
    known = [(level, -value) for level, value in enumerate(values) if value is not None]
    if len(known) < _LEAST_LEVELS:
        return None
    return spearman([level for level, _ in known], [loss for _, loss in known])


def spearman(one: ArrayLike, other: ArrayLike) -> float | None:
    """Spearman's rank correlation, equal values sharing their mean rank; None where one side does not vary.

    >>> spearman([1, 2, 3], [10, 20, 15])
    0.5
    """
    ranks = [_ranks(np.asarray(side, np.float64)) for side in (one, other)]
    centred = [each - each.mean() for each in ranks]
    spread = math.sqrt(float((centred[0] ** 2).sum() * (centred[1] ** 2).sum()))
    return round(float((centred[0] * centred[1]).sum()) / spread, 12) if spread > 0 else None


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks from 1; values that differ by rounding alone are equal."""
    ranks = np.empty(len(values))
    order = np.argsort(values, kind="stable")
    start = 0
    for end in range(1, len(order) + 1):
        if end == len(order) or not _same(values[order[end]], values[order[start]]):
            ranks[order[start:end]] = (start + 1 + end) / 2
            start = end
    return ranks


def _same(one: float, other: float) -> bool:
    return one == other or abs(one - other) < _EQUAL


def never_rises(table: NDArray[np.float64]) -> float | None:
    """Share of rows in which no value is above the one before, of those that have a value everywhere.

    >>> never_rises(np.array([[1.0, 0.9, 0.9], [1.0, 0.8, 0.9], [1.0, np.nan, 0.1]]))
    0.5
    """
    known = table[~np.isnan(table).any(axis=1)]
    if not len(known):
        return None
    return float((known[:, 1:] <= known[:, :-1] + _EQUAL).all(axis=1).mean())
