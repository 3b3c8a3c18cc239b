"""Paired comparison of two editors on the same samples: difference, interval, p, effect size, wins and losses.

Computed from numerators and denominators per sample (see `bootstrap`); samples of one page are drawn and swapped
together.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vdebench.stats.bootstrap import (
    RESAMPLES,
    Array,
    Derive,
    Method,
    bootstrap,
    jackknife,
    means,
    pieces,
    sum_by_cluster,
)

EXACT_UP_TO = 12
"""Up to this number of clusters all permutations are used; above, random ones."""
TIE = 1e-9
"""Largest difference that is a tie."""
Counts = NDArray[np.int64]


class Side(NamedTuple):
    """One editor: samples × metrics."""

    numerators: ArrayLike
    denominators: ArrayLike


class Paired(NamedTuple):
    """The second editor compared with the first, an entry for each metric; NaN for an undefined number."""

    difference: Array
    """The second's mean minus the first's."""
    low: Array
    high: Array
    p: Array
    """Two-sided paired permutation test, not corrected for multiple tests."""
    d_z: Array
    """Cohen's d_z: the mean of the samples' differences by their standard deviation."""
    superiority: Array
    """Share of samples on which the second is better; ties count half."""
    wins: Counts
    ties: Counts
    losses: Counts
    needed: Array
    """Samples to show the difference at .05 with a power of .8; infinite for no difference."""


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
    """Compare two editors on the same samples, metric by metric.

    >>> ones = np.ones((3, 1))
    >>> paired = compare_pair(Side([[0.1], [0.2], [0.3]], ones), Side([[0.2], [0.4], [0.3]], ones))
    >>> print(paired.difference.round(3), paired.p, paired.wins, paired.ties)
    [0.1] [0.5] [2] [1]
    """
    over, under = (np.hstack([np.asarray(left), np.asarray(right)]) for left, right in zip(first, second, strict=True))
    difference_of = _difference_of(derive)
    sums = sum_by_cluster(over, under, clusters)
    difference = means(sums[0].sum(axis=0), sums[1].sum(axis=0), difference_of)
    low, high = bootstrap(
        over, under, clusters, resamples=resamples, seed=seed, method=method, level=level, derive=difference_of
    )
    values = [means(*sum_by_cluster(side.numerators, side.denominators, None), derive) for side in (first, second)]
    d_z = _effect(_subtract(values[1], values[0]))
    signs = np.where(np.asarray(lower_is_better or [False] * len(difference)), -1.0, 1.0)
    wins, ties, losses = _outcomes(values[0] * signs, values[1] * signs, tolerance)
    games = wins + ties + losses
    superiority = np.divide(wins + ties / 2, games, out=np.full(len(games), np.nan), where=games > 0)
    p = permutation_p(first, second, clusters, derive=derive, permutations=permutations, seed=seed)
    needed = _needed(sums, difference_of, difference, len(over) / max(len(sums[0]), 1))
    return Paired(difference, low, high, p, d_z, superiority, wins, ties, losses, needed)


def _difference_of(derive: Derive | None) -> Derive:
    """Return a function from both editors' means, concatenated, to the differences of their statistics."""

    def difference_of(both_means: Array) -> Array:
        first, second = np.split(both_means, 2, axis=-1)
        return _subtract(second, first) if derive is None else _subtract(derive(second), derive(first))

    return difference_of


def _subtract(second: Array, first: Array) -> Array:
    with np.errstate(invalid="ignore"):  # infinite minus infinite, for identical images
        return second - first


def permutation_p(
    first: Side,
    second: Side,
    clusters: ArrayLike | None = None,
    *,
    derive: Derive | None = None,
    permutations: int = RESAMPLES,
    seed: int = 0,
) -> Array:
    """P value of the two-sided permutation test that swaps the editors' outputs page by page.

    Exact for up to 12 pages; above, with `permutations` random ones and the observed one.
    """
    first_sums, second_sums = np.hstack(sum_by_cluster(*first, clusters)), np.hstack(sum_by_cluster(*second, clusters))
    difference_of = _difference_of(derive)

    def distance(first_total: Array, second_total: Array) -> Array:
        half = first_total.shape[1] // 2
        return difference_of(np.hstack([means(side[:, :half], side[:, half:]) for side in (first_total, second_total)]))

    first_total, second_total, swap = (
        first_sums.sum(axis=0)[None],
        second_sums.sum(axis=0)[None],
        second_sums - first_sums,
    )
    observed = np.abs(distance(first_total, second_total)[0])
    threshold = observed * (1 - 1e-9) - 1e-12  # equal up to the order of summation
    exact = len(swap) <= EXACT_UP_TO
    extreme = np.zeros(len(observed))
    for swapped in _all_swaps(len(swap)) if exact else _random_swaps(len(swap), permutations, seed):
        shift = swapped @ swap
        distances = np.abs(distance(first_total + shift, second_total - shift))
        extreme += np.sum(~(distances < threshold), axis=0)  # NaN counts as extreme
    p = extreme / 2 ** len(swap) if exact else (extreme + 1) / (permutations + 1)
    return np.where(np.isfinite(observed), p, np.nan)


def _all_swaps(count: int) -> Iterator[Array]:
    numbers = np.arange(2**count)[:, None]
    yield ((numbers >> np.arange(count)) & 1).astype(np.float64)


def _random_swaps(count: int, permutations: int, seed: int) -> Iterator[Array]:
    random = np.random.default_rng(seed)
    for size in pieces(permutations, count):
        yield random.integers(0, 2, (size, count), dtype=np.uint8).astype(np.float64)


def _effect(differences: Array) -> Array:
    """Mean by standard deviation of every column, or NaN."""
    return np.array([_standardised(column[~np.isnan(column)]) for column in differences.T])


def _standardised(values: Array) -> float:
    if len(values) < 2 or not np.isfinite(values).all():
        return math.nan
    deviation = float(values.std(ddof=1))
    return float(values.mean()) / deviation if deviation > 1e-12 else math.nan


def _outcomes(first: Array, second: Array, tolerance: float) -> tuple[Counts, Counts, Counts]:
    """Number of samples on which the second is higher, equal, lower, of those with both values."""
    valid = ~(np.isnan(first) | np.isnan(second))
    wins, losses = valid & (second > first + tolerance), valid & (second < first - tolerance)
    ties = valid & ~wins & ~losses
    return wins.sum(axis=0), ties.sum(axis=0), losses.sum(axis=0)


def _needed(sums: tuple[Array, Array], difference_of: Derive, difference: Array, per_cluster: float) -> Array:
    """Samples for a power of .8 at .05, two-sided, by a normal approximation of jackknife pseudo-values."""
    count = len(sums[0])
    if count < 2:
        return np.full(len(difference), np.nan)
    normal = NormalDist()
    z = normal.inv_cdf(1 - 0.05 / 2) + normal.inv_cdf(0.8)
    with np.errstate(invalid="ignore"):
        deviation = (count - 1) * jackknife(*sums, difference_of).std(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        clusters = (z * deviation / difference) ** 2
    needed = np.maximum(np.ceil(clusters * per_cluster), 2.0)
    return np.where(np.abs(difference) > 1e-12, needed, np.where(np.isnan(difference), np.nan, np.inf))


def holm(p: ArrayLike) -> Array:
    """P values corrected for multiple tests (Holm 1979), in the same order; NaN is no test.

    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    values = np.asarray(p, dtype=np.float64)
    tests = np.flatnonzero(~np.isnan(values))
    order = tests[np.argsort(values[tests], kind="stable")]
    raised = values[order] * np.arange(len(order), 0, -1)
    corrected = np.full(values.shape, np.nan)
    corrected[order] = np.minimum(np.maximum.accumulate(raised), 1.0)
    return corrected
