"""Statistics of a ladder: whether a metric falls with the level of a corruption."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vdebench.stats.correlation import coefficients

Verdict = Literal["falls", "late", "uneven", "blind", "rises", "unknown"]
FALLS = 0.99
"""Smallest Spearman correlation of a metric that falls; with four levels, it falls at every step."""
BLIND = 0.001
"""Smaller changes of a mean do not count."""
NEAR_ZERO = 0.1
"""If the mean after the first level is below this, it need not fall further."""
_EQUAL = 1e-9
_MIN_LEVELS = 3


@dataclass(frozen=True)
class CorruptionResult:
    """Result of one metric of one protocol for one corruption."""

    protocol: str
    corruption: str
    setting: str
    metric: str
    n: int
    """Samples with a value."""
    values: tuple[float | None, ...]
    """The mean at each level, from the reference; infinite for identical images."""
    spearman: float | None
    """Correlation of level and loss: 1 if every level is worse than the one before."""
    drop: float | None
    """The loss from the reference to the last level, in the unit of the metric; None if infinite."""
    never_rises: float | None
    """Share of samples for which no level is better than the one before."""
    verdict: Verdict
    business: bool = False
    """Whether the metric must fall."""

    @property
    def holds(self) -> bool:
        """Whether the metric falls, or need not."""
        return not self.business or self.verdict == "falls"

    def to_json(self) -> dict[str, Any]:
        """Return JSON data; infinite numbers as text."""
        values = ["inf" if value is not None and math.isinf(value) else value for value in self.values]
        return {**asdict(self), "values": values}


def find(
    key: tuple[str, str, str, str],
    means: Sequence[float | None],
    samples: ArrayLike,
    *,
    lower: bool = False,
    business: bool = False,
) -> CorruptionResult:
    """Compute the result from the mean of every level and the values of samples (rows) by level (columns)."""
    table = np.asarray(samples, np.float64).reshape(-1, len(means))
    signed = [None if value is None else -value if lower else value for value in means]
    rho = spearman_of_loss(signed)
    first, last = signed[0], signed[-1]
    finite = first is not None and last is not None and math.isfinite(first) and math.isfinite(last)
    return CorruptionResult(
        *key,
        n=int((~np.isnan(table)).any(axis=1).sum()),
        values=tuple(means),
        spearman=rho,
        drop=first - last if finite and first is not None and last is not None else None,
        never_rises=never_rises(-table if lower else table),
        verdict=verdict(signed, rho),
        business=business,
    )


def verdict(values: Sequence[float | None], rho: float | None) -> Verdict:
    """The verdict on the means of all levels, from the reference; higher is better.

    >>> verdict([1.0, 0.9, 0.7], 1.0), verdict([1.0, 1.0, 1.0], None), verdict([0.8, 0.85, 0.9], -1.0)
    ('falls', 'blind', 'rises')
    >>> verdict([1.0, 1.0, 0.7], 0.87), verdict([1.0, 0.7, 0.8], 0.5)
    ('late', 'uneven')
    >>> verdict([1.0, 0.9, None], 1.0)  # no value at the last level
    'unknown'
    >>> verdict([1.0, 0.05, 0.05], 0.87)  # nothing is left after the first level
    'falls'
    """
    present = [value for value in values if value is not None]
    if len(present) < 2 or None in values[1:]:  # only the reference may lack a value: PSNR of identical images
        return "unknown"
    if all(value == present[0] or abs(value - present[0]) < BLIND for value in present):
        return "blind"
    if rho is not None and rho >= FALLS:
        return "falls"
    if all(later <= value + _EQUAL for value, later in pairwise(present)):
        # It never rises: either little is left after the first level, or some steps have no effect.
        return "falls" if present[-1] >= 0 and present[1] <= NEAR_ZERO else "late"
    return "rises" if present[-1] > present[0] + BLIND else "uneven"


def spearman_of_loss(values: Sequence[float | None]) -> float | None:
    """Spearman correlation of levels 0, 1, … with the loss; None if nothing changes.

    >>> spearman_of_loss([1.0, 0.9, 0.95, 0.5])
    0.8
    """
    losses = [(level, -value) for level, value in enumerate(values) if value is not None]
    if len(losses) < _MIN_LEVELS:
        return None
    return spearman([level for level, _ in losses], [loss for _, loss in losses])


def spearman(one: ArrayLike, other: ArrayLike) -> float | None:
    """Spearman's rank correlation with ties averaged; None if one side is constant.

    >>> spearman([1, 2, 3], [10, 20, 15])
    0.5
    """
    value = float(coefficients(one, other)[0])
    return None if math.isnan(value) else round(value, 12)


def never_rises(table: NDArray[np.float64]) -> float | None:
    """Share of rows in which no value exceeds the one before, of the complete rows.

    >>> never_rises(np.array([[1.0, 0.9, 0.9], [1.0, 0.8, 0.9], [1.0, np.nan, 0.1]]))
    0.5
    """
    complete = table[~np.isnan(table).any(axis=1)]
    if not len(complete):
        return None
    return float((complete[:, 1:] <= complete[:, :-1] + _EQUAL).all(axis=1).mean())
