"""Intervals of means by the bootstrap: samples, or whole pages of samples, are drawn again and again.

Every mean is a sum by a sum: over blocks, what they scored by how many there are; over samples, values by 1, or 0 by
0 where a sample has none. So a resample is a vector of how often each page was drawn, and all resamples of all metrics
are one product of matrices, taken in pieces that fit in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Derive = Callable[[Array], Array]
"""From means in the last axis to the numbers that are asked for, such as differences of them."""
Method = Literal["percentile", "bca"]

RESAMPLES = 10_000
_AT_ONCE = 1 << 21  # counts in memory at once, 16 MB
_LOST = 0.05  # share of resamples that may be without a value
_NORMAL = NormalDist()


def bootstrap(
    numerators: ArrayLike,
    denominators: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    method: Method = "percentile",
    level: float = 0.95,
    derive: Derive | None = None,
) -> tuple[Array, Array]:
    """Lower and upper bounds of every column's mean, the sum of its numerators by that of its denominators.

    Rows are samples; those of one cluster (a page) are drawn together. NaN where there is no interval: fewer than two
    clusters have a value, or more than one resample in twenty has none.

    >>> low, high = bootstrap([[0.0], [1.0], [1.0], [0.0]] * 25, np.ones((100, 1)))
    >>> print(low.round(2), high.round(2))
    [0.4] [0.6]
    """
    if not 0 < level < 1:
        raise ValueError(f"a level of {level}, expected one between 0 and 1, such as 0.95")
    over, under = summed(numerators, denominators, clusters)
    values = resampled(over, under, resamples=resamples, seed=seed, derive=derive)
    estimate = means(over.sum(axis=0), under.sum(axis=0), derive)
    left_out = jackknife(over, under, derive)
    low, high = np.full_like(estimate, np.nan), np.full_like(estimate, np.nan)
    tail = (1 - level) / 2
    for column in range(len(estimate)):
        found = values[np.isfinite(values[:, column]), column]
        if len(found) < (1 - _LOST) * resamples or not np.isfinite(estimate[column]):
            continue
        if len(over) < 2 or not np.isfinite(left_out[:, column]).all():  # all hangs on one cluster
            continue
        tails = (tail, 1 - tail)
        if method == "bca":
            tails = _bca_tails(found, estimate[column], left_out[:, column], tail)
        if tails[0] < tails[1]:
            low[column], high[column] = np.quantile(found, tails)
    return low, high


def resampled(
    over: Array, under: Array, *, resamples: int = RESAMPLES, seed: int = 0, derive: Derive | None = None
) -> Array:
    """The means of every resample, a row each; of what is drawn as a whole, a row each."""
    both = np.hstack([over, under])
    totals = np.concatenate([counts @ both for counts in _drawn(len(both), resamples, seed)])
    width = over.shape[1]
    return means(totals[:, :width], totals[:, width:], derive)


def _drawn(count: int, resamples: int, seed: int) -> Iterator[Array]:
    """How often each of `count` was drawn, some resamples at a time: multinomial, by counting what was drawn."""
    random = np.random.default_rng(seed)
    for size in pieces(resamples, count):
        drawn = random.integers(0, count, (size, count))
        drawn += np.arange(size)[:, None] * count
        yield np.bincount(drawn.ravel(), minlength=size * count).reshape(size, count).astype(np.float64)


def pieces(rows: int, width: int) -> Iterator[int]:
    """Rows in pieces that fit in memory.

    >>> list(pieces(10_000, 500))
    [4194, 4194, 1612]
    """
    most = max(1, _AT_ONCE // max(width, 1))
    for start in range(0, rows, most):
        yield min(most, rows - start)


def means(over: Array, under: Array, derive: Derive | None = None) -> Array:
    """Sums by sums, NaN where nothing counts, and what is derived from them."""
    found = np.divide(over, under, out=np.full(np.shape(over), np.nan), where=under > 0)
    return found if derive is None else derive(found)


def summed(numerators: ArrayLike, denominators: ArrayLike, clusters: ArrayLike | None) -> tuple[Array, Array]:
    """Numerators and denominators added up by cluster, in the order of the clusters' first samples.

    >>> summed([[1.0], [2.0], [5.0]], [[1.0], [1.0], [0.0]], ["page 1", "page 1", "page 2"])
    (array([[3.], [0.]]), array([[2.], [0.]]))
    """
    under = np.asarray(denominators, dtype=np.float64)
    over = np.asarray(numerators, dtype=np.float64)
    if over.ndim != 2 or over.shape != under.shape:
        raise ValueError(f"numerators {over.shape} and denominators {under.shape}: expected samples × metrics of both")
    over = np.where(under > 0, over, 0.0)  # a value that does not count may be anything
    if clusters is None:
        return over, under
    names = np.asarray(clusters)
    if names.shape != over.shape[:1]:
        raise ValueError(f"{names.shape} clusters for {over.shape[0]} samples: expected one for each")
    _, first, codes = np.unique(names, return_index=True, return_inverse=True)
    place = np.argsort(np.argsort(first))[codes]
    sums = np.zeros((2, len(first), over.shape[1]))
    np.add.at(sums[0], place, over)
    np.add.at(sums[1], place, under)
    return sums[0], sums[1]


def jackknife(over: Array, under: Array, derive: Derive | None = None) -> Array:
    """The means without the first, without the second, and so on."""
    rest = under.sum(axis=0) - under
    # What is left of a difference of sums where nothing is left is noise.
    rest[rest <= 1e-9 * under.sum(axis=0)] = 0
    return means(over.sum(axis=0) - over, rest, derive)


def _bca_tails(found: Array, estimate: float, left_out: Array, tail: float) -> tuple[float, float]:
    """Efron's bias-corrected and accelerated tails; (1, 0) where the estimate lies outside all resamples."""
    close = 1e-12 * max(1.0, abs(estimate))  # equal but for the order of adding
    below = float(np.mean(found < estimate - close) + np.mean(found <= estimate + close)) / 2
    if not 0 < below < 1:
        return 1.0, 0.0
    bias = _NORMAL.inv_cdf(below)
    away = left_out.mean() - left_out
    spread = float(np.sum(away**2))
    acceleration = float(np.sum(away**3)) / (6 * spread**1.5) if spread > close**2 else 0.0

    def corrected(share: float) -> float:
        shifted = bias + _NORMAL.inv_cdf(share)
        return _NORMAL.cdf(bias + shifted / (1 - acceleration * shifted))

    return corrected(tail), corrected(1 - tail)
