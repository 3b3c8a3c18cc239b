"""Two editors on the same samples: how far apart they are, how sure that is, and who wins how often.

All from numerators and denominators per sample (see `bootstrap`); samples of one page are drawn and swapped together.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vdebench.stats.bootstrap import RESAMPLES, Array, Derive, Method, bootstrap, jackknife, means, pieces, summed

EXACT_UP_TO = 12
"""Clusters of which all 4,096 ways to swap are tried; beyond, some are drawn."""
TIE = 1e-9
"""Values that differ by no more are a tie."""
Counts = NDArray[np.int64]


class Side(NamedTuple):
    """One editor: samples × metrics."""

    numerators: ArrayLike
    denominators: ArrayLike


class Paired(NamedTuple):
    """What there is to say of the second editor against the first, an entry for each metric; NaN where nothing is."""

    difference: Array
    """The second's mean minus the first's."""
    low: Array
    high: Array
    p: Array
    """Of the paired permutation test, two-sided, not corrected for how many are made."""
    d_z: Array
    """Cohen's: the mean of the samples' differences by their standard deviation."""
    superiority: Array
    """How often the second is better on a sample, ties half."""
    wins: Counts
    ties: Counts
    losses: Counts
    needed: Array
    """Samples that would show the difference at .05 with a power of .8; infinite where there is none."""


def compare_pair(
    first: Side,
    second: Side,
    clusters: ArrayLike | None = None,
    *,
    lower_is_better: Sequence[bool] | None = None,
    derive: Derive | None = None,
    resamples: int = RESAMPLES,
    permutations: int = RESAMPLES,
    seed: int = 0,
    method: Method = "percentile",
    level: float = 0.95,
    tolerance: float = TIE,
) -> Paired:
    """All comparisons of two editors on the same samples, metric by metric.

    >>> ones = np.ones((3, 1))
    >>> found = compare_pair(Side([[0.1], [0.2], [0.3]], ones), Side([[0.2], [0.4], [0.3]], ones))
    >>> print(found.difference.round(3), found.p, found.wins, found.ties)
    [0.1] [0.5] [2] [1]
    """
    over, under = (np.hstack([np.asarray(one), np.asarray(two)]) for one, two in zip(first, second, strict=True))
    apart = _apart(derive)
    sums = summed(over, under, clusters)
    difference = means(sums[0].sum(axis=0), sums[1].sum(axis=0), apart)
    low, high = bootstrap(
        over, under, clusters, resamples=resamples, seed=seed, method=method, level=level, derive=apart
    )
    values = [means(*summed(side.numerators, side.denominators, None), derive) for side in (first, second)]
    d_z = _effect(_subtracted(values[1], values[0]))
    signs = np.where(np.asarray(lower_is_better or [False] * len(difference)), -1.0, 1.0)
    wins, ties, losses = _outcomes(values[0] * signs, values[1] * signs, tolerance)
    games = wins + ties + losses
    superiority = np.divide(wins + ties / 2, games, out=np.full(len(games), np.nan), where=games > 0)
    p = permutation_p(first, second, clusters, derive=derive, permutations=permutations, seed=seed)
    needed = _needed(sums, apart, difference, len(over) / max(len(sums[0]), 1))
    return Paired(difference, low, high, p, d_z, superiority, wins, ties, losses, needed)


def _apart(derive: Derive | None) -> Derive:
    """From both editors' means, side by side, to the differences of what is derived from each."""

    def apart(found: Array) -> Array:
        one, two = np.split(found, 2, axis=-1)
        return _subtracted(two, one) if derive is None else _subtracted(derive(two), derive(one))

    return apart


def _subtracted(two: Array, one: Array) -> Array:
    with np.errstate(invalid="ignore"):  # infinite minus infinite, of identical images, is no number
        return two - one


def permutation_p(
    first: Side,
    second: Side,
    clusters: ArrayLike | None = None,
    *,
    derive: Derive | None = None,
    permutations: int = RESAMPLES,
    seed: int = 0,
) -> Array:
    """How often editors whose outputs are swapped at random, page by page, are at least as far apart as they are.

    Exact for up to 12 pages; beyond, of `permutations` drawn ones, the one that is there counted among them.
    """
    ones, twos = np.hstack(summed(*first, clusters)), np.hstack(summed(*second, clusters))
    apart = _apart(derive)

    def distance(one: Array, two: Array) -> Array:
        half = one.shape[1] // 2
        return apart(np.hstack([means(side[:, :half], side[:, half:]) for side in (one, two)]))

    one, two, swap = ones.sum(axis=0)[None], twos.sum(axis=0)[None], twos - ones
    found = np.abs(distance(one, two)[0])
    least = found * (1 - 1e-9) - 1e-12  # equal but for the order of adding
    exact = len(swap) <= EXACT_UP_TO
    beyond = np.zeros(len(found))
    for swapped in _all_swaps(len(swap)) if exact else _drawn_swaps(len(swap), permutations, seed):
        moved = swapped @ swap
        others = np.abs(distance(one + moved, two - moved))
        beyond += np.sum(~(others < least), axis=0)  # without a value counts against the finding
    p = beyond / 2 ** len(swap) if exact else (beyond + 1) / (permutations + 1)
    return np.where(np.isfinite(found), p, np.nan)


def _all_swaps(count: int) -> Iterator[Array]:
    numbers = np.arange(2**count)[:, None]
    yield ((numbers >> np.arange(count)) & 1).astype(np.float64)


def _drawn_swaps(count: int, permutations: int, seed: int) -> Iterator[Array]:
    random = np.random.default_rng(seed)
    for size in pieces(permutations, count):
        yield random.integers(0, 2, (size, count), dtype=np.uint8).astype(np.float64)


def _effect(differences: Array) -> Array:
    """Mean by standard deviation of every column; NaN where it has none."""
    return np.array([_standardised(column[~np.isnan(column)]) for column in differences.T])


def _standardised(values: Array) -> float:
    if len(values) < 2 or not np.isfinite(values).all():
        return math.nan
    deviation = float(values.std(ddof=1))
    return float(values.mean()) / deviation if deviation > 1e-12 else math.nan


def _outcomes(first: Array, second: Array, tolerance: float) -> tuple[Counts, Counts, Counts]:
    """How often the second is higher, equal, lower, where both have a value."""
    both = ~(np.isnan(first) | np.isnan(second))
    wins, losses = both & (second > first + tolerance), both & (second < first - tolerance)
    ties = both & ~wins & ~losses
    return wins.sum(axis=0), ties.sum(axis=0), losses.sum(axis=0)


def _needed(sums: tuple[Array, Array], apart: Derive, difference: Array, per_cluster: float) -> Array:
    """Samples for a power of .8 at .05, two-sided, as if the mean of the differences were normal.

    What each cluster adds to the difference is its jackknife pseudo-value: for plain means, its own difference.
    """
    count = len(sums[0])
    if count < 2:
        return np.full(len(difference), np.nan)
    normal = NormalDist()
    reach = normal.inv_cdf(1 - 0.05 / 2) + normal.inv_cdf(0.8)
    with np.errstate(invalid="ignore"):
        deviation = (count - 1) * jackknife(*sums, apart).std(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        clusters = (reach * deviation / difference) ** 2
    needed = np.maximum(np.ceil(clusters * per_cluster), 2.0)
    return np.where(np.abs(difference) > 1e-12, needed, np.where(np.isnan(difference), np.nan, np.inf))


def holm(p: ArrayLike) -> Array:
    """P values corrected for how many tests were made (Holm 1979), in the same order; NaN is no test.

    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    given = np.asarray(p, dtype=np.float64)
    tests = np.flatnonzero(~np.isnan(given))
    order = tests[np.argsort(given[tests], kind="stable")]
    raised = given[order] * np.arange(len(order), 0, -1)
    corrected = np.full(given.shape, np.nan)
    corrected[order] = np.minimum(np.maximum.accumulate(raised), 1.0)
    return corrected
