"""Wilson's interval of a rate, with an effective sample size for samples of the same page.

Unlike a bootstrap interval it has a width if all samples pass.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from statistics import NormalDist


def rate_interval(
    passed: Sequence[bool], pages: Sequence[Hashable] | None = None, level: float = 0.95
) -> tuple[float, float] | None:
    """Interval of a rate; None without samples.

    >>> [round(bound, 3) for bound in rate_interval([True] * 12)]
    [0.758, 1.0]
    """
    if not passed:
        return None
    rate = sum(passed) / len(passed)
    n = _effective_size(passed, list(range(len(passed))) if pages is None else pages)
    z = NormalDist().inv_cdf((1 + level) / 2)
    centre = (rate + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    return max(0.0, centre - reach), min(1.0, centre + reach)


def _effective_size(passed: Sequence[bool], pages: Sequence[Hashable]) -> float:
    """Effective sample size: number of independent samples with the same variance, from the variance between pages.

    At most the number of samples. If all pass or all fail, the variance is unknown and each page counts once.
    """
    n, rate = len(passed), sum(passed) / len(passed)
    if len(set(pages)) == n:
        return float(n)
    sums: dict[Hashable, float] = {}
    for value, page in zip(passed, pages, strict=True):
        sums[page] = sums.get(page, 0.0) + value - rate
    if rate in (0, 1) or len(sums) < 2:
        return float(len(sums))
    variance = sum(total * total for total in sums.values()) / n**2 * len(sums) / (len(sums) - 1)
    return max(1.0, min(float(n), rate * (1 - rate) / variance)) if variance else float(n)
