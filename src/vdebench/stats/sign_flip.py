"""An exact paired test of counts, and the number of pages needed to show a difference of rates.

Two editors pass or fail the same samples. Under the null hypothesis their results on a page are exchangeable, so that
the page's difference (samples passed only by the second minus samples passed only by the first) has a random sign. The
test compares the sum of the differences with its distribution under all sign changes, which is computed exactly, page
by page, because counts are integers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from vdebench.stats.bootstrap import Array

POWER, ALPHA = 0.8, 0.05


def sign_flip_p(differences: Sequence[int]) -> float:
    """Two-sided p of the sign-flip test; with one sample per page it is McNemar's exact test.

    Of five pages that differ, all in favour of one editor, 2 of 32 sign changes are as extreme.

    >>> sign_flip_p([1, 1, 0, 1, 1, 1])
    0.0625
    """
    steps = [abs(int(difference)) for difference in differences if difference]
    reach = sum(steps)
    chances = np.zeros(2 * reach + 1)  # of a sum of -reach … reach
    chances[reach] = 1.0
    for step in steps:
        moved = np.zeros_like(chances)
        moved[step:] += chances[: len(chances) - step]
        moved[: len(chances) - step] += chances[step:]
        chances = moved / 2
    observed = abs(sum(map(int, differences)))
    sums = np.abs(np.arange(-reach, reach + 1))
    return min(float(chances[sums >= observed].sum()), 1.0)


def pages_needed(difference: float, differences: Array, samples: Array) -> float:
    """Pages to show a difference of rates at .05 with a power of .8, by a normal approximation.

    `differences` and `samples` are sums by page, from which the variance between pages is estimated. Infinite for no
    difference, NaN for fewer than two pages or no variance.
    """
    pages = len(differences)
    if pages < 2:
        return math.nan
    mean = differences.sum() / samples.sum()
    spread = float((differences - mean * samples).std(ddof=1)) / float(samples.mean())
    if not spread:
        return math.nan
    if abs(difference) <= 1e-12:
        return math.inf
    normal = NormalDist()
    reach = normal.inv_cdf(1 - ALPHA / 2) + normal.inv_cdf(POWER)
    return max(math.ceil((reach * spread / difference) ** 2), 2.0)
