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
    return _wilson(rate, n, level)


def share_interval(
    counts: Sequence[tuple[int, int]], pages: Sequence[Hashable], level: float = 0.95
) -> tuple[float, float] | None:
    """Interval of a share of words, from the number that pass and the number of all words of each sample.

    It is that of `rate_interval` with every word of a sample as a sample of its page.

    >>> pages = ["a"] * 40 + ["b"] * 10
    >>> one, other = share_interval([(30, 40), (9, 10)], ["a", "b"]), rate_interval([*[True] * 30, *[False] * 10,
    ...     *[True] * 9, False], pages)
    >>> [round(bound, 6) for bound in one] == [round(bound, 6) for bound in other]
    True
    """
    total = sum(words for _, words in counts)
    if not total:
        return None
    rate = sum(passed for passed, _ in counts) / total
    sums: dict[Hashable, float] = {}
    for (passed, words), page in zip(counts, pages, strict=True):
        if words:
            sums[page] = sums.get(page, 0.0) + passed - rate * words
    return _wilson(rate, _size_by_page(total, rate, list(sums.values())), level)


def _wilson(rate: float, n: float, level: float) -> tuple[float, float]:
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
    return _size_by_page(n, rate, list(sums.values()))


def _size_by_page(n: int, rate: float, sums: Sequence[float]) -> float:
    """Effective size from the sum of the deviations from the rate on each page."""
    if rate in (0, 1) or len(sums) < 2:
        return float(len(sums))
    variance = sum(total * total for total in sums) / n**2 * len(sums) / (len(sums) - 1)
    return max(1.0, min(float(n), rate * (1 - rate) / variance)) if variance else float(n)
