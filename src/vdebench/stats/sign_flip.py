"""An exact paired test of counts, and how many pages would show a difference of rates.

Two editors pass or fail the same samples. If they were equally good, what they did on a page could be swapped: the
page's difference (samples that only the second passes minus samples that only the first passes) would change its sign.
The test compares the sum of the differences with its distribution under all sign changes. Counts are whole numbers, so
the distribution is computed exactly, page by page, for any number of pages.
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
    steps = [abs(int(each)) for each in differences if each]
    reach = sum(steps)
    chances = np.zeros(2 * reach + 1)  # of a sum of -reach … reach
    chances[reach] = 1.0
    for step in steps:
        moved = np.zeros_like(chances)
        moved[step:] += chances[: len(chances) - step]
        moved[: len(chances) - step] += chances[step:]
        chances = moved / 2
    found = abs(sum(map(int, differences)))
    sums = np.abs(np.arange(-reach, reach + 1))
    return min(float(chances[sums >= found].sum()), 1.0)


def pages_needed(difference: float, differences: Array, samples: Array) -> float:
    """Pages that would show a difference of rates at .05 with a power of .8, by a normal approximation.

    `differences` and `samples` are sums over each page that is there; they say how much pages vary. Infinite for no
    difference, NaN where fewer than two pages are there, or where all differ alike: nothing says how much they vary.
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
