"""The interval of a rate: Wilson's, of as many samples as the pages they come from are worth.

A bootstrap of twelve passes out of twelve says that the rate is 1 for certain; this does not.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from statistics import NormalDist


def rate_interval(
    passed: Sequence[bool], pages: Sequence[Hashable] | None = None, level: float = 0.95
) -> tuple[float, float] | None:
    """Where the true rate lies; nothing for no samples.

    >>> [round(bound, 3) for bound in rate_interval([True] * 12)]
    [0.758, 1.0]
    """
    if not passed:
        return None
    rate = sum(passed) / len(passed)
    n = _worth(passed, list(range(len(passed))) if pages is None else pages)
    z = NormalDist().inv_cdf((1 + level) / 2)
    centre = (rate + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    return max(0.0, centre - reach), min(1.0, centre + reach)


def _worth(passed: Sequence[bool], pages: Sequence[Hashable]) -> float:
    """How many independent samples would be as uncertain: the variance between pages tells.

    Never more than there are samples. Where all pass or all fail, nothing tells how alike a page's samples are: then
    each page counts once.
    """
    n, rate = len(passed), sum(passed) / len(passed)
    if len(set(pages)) == n:
        return float(n)
    sums: dict[Hashable, float] = {}
    for each, page in zip(passed, pages, strict=True):
        sums[page] = sums.get(page, 0.0) + each - rate
    if rate in (0, 1) or len(sums) < 2:
        return float(len(sums))
    variance = sum(total * total for total in sums.values()) / n**2 * len(sums) / (len(sums) - 1)
    return max(1.0, min(float(n), rate * (1 - rate) / variance)) if variance else float(n)
