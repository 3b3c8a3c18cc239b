"""Intervals of means by the bootstrap: samples, or whole pages of samples, are drawn again and again.

Every mean is a sum by a sum: over blocks, what they scored by how many there are; over samples, values by 1, or 0 by
0 where a sample has none. So a resample is a vector of how often each page was drawn, and all resamples of all metrics
are one product of matrices, taken in pieces that fit in memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Times = NDArray[np.int64]
Derive = Callable[[Array], Array]
"""From means in the last axis to the numbers that are asked for, such as differences of them."""
Method = Literal["percentile", "bca"]

RESAMPLES = 10_000
_AT_ONCE = 1 << 21  # counts in memory at once, 16 MB
_FEW = 8  # so few clusters give the same resamples again and again
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
    return _bounds(values.T, None, over, under, derive, method, level)


def bootstrap_many(
    parts: Sequence[tuple[Array, Array]],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    level: float = 0.95,
    derive: Derive | None = None,
) -> list[tuple[Array, Array]]:
    """What `bootstrap` gives for every part, such as every slice of a run: sums by cluster as `summed` makes them.

    A seed draws the same from as many clusters, so parts of one size share the draws and the product of matrices.

    >>> one, other = np.arange(20.0)[:, None], np.arange(20.0, 40)[:, None]
    >>> [low.round(1).tolist() for low, _ in bootstrap_many([(one, np.ones((20, 1))), (other, np.ones((20, 1)))])]
    [[7.0], [27.0]]
    """
    found = [(np.empty(0), np.empty(0))] * len(parts)
    sizes: dict[tuple[int, int], list[int]] = {}
    for at, (over, _) in enumerate(parts):
        sizes.setdefault(over.shape, []).append(at)
    for (count, width), places in sizes.items():
        most = max(1, _AT_ONCE // max(1, resamples * width))
        for some in (places[start : start + most] for start in range(0, len(places), most)):
            both = np.hstack([sums for at in some for sums in parts[at]])
            times = None
            if count <= _FEW:
                kinds, times = _kinds(count, resamples, seed)
                totals = kinds @ both
            else:
                totals = np.concatenate([counts @ both for counts in _drawn(count, resamples, seed)])
            each = totals.reshape(len(totals), len(some), 2, width).transpose(1, 2, 0, 3)
            for at, (over, under) in zip(some, each, strict=True):
                values = means(over, under, derive).T
                found[at] = _bounds(values, times, *parts[at], derive, "percentile", level)
    return found


def _bounds(
    values: Array,
    times: Times | None,
    over: Array,
    under: Array,
    derive: Derive | None,
    method: Method,
    level: float,
) -> tuple[Array, Array]:
    """Bounds from what every resample gave, a row for every number; NaN where there is no interval.

    `times` says how many resamples gave each, where equal ones are told once.
    """
    estimate = means(over.sum(axis=0), under.sum(axis=0), derive)
    left_out = jackknife(over, under, derive)
    low, high = np.full_like(estimate, np.nan), np.full_like(estimate, np.nan)
    tail = (1 - level) / 2
    if len(over) < 2:
        return low, high
    there = np.isfinite(values)
    often = (there.mean(axis=1) if times is None else there @ times / times.sum()) >= 1 - _LOST
    known = np.isfinite(estimate) & np.isfinite(left_out).all(axis=0) & often  # not where all hangs on one cluster
    whole = known & there.all(axis=1) if method == "percentile" else np.zeros_like(known)
    if whole.any():
        low[whole], high[whole] = _quantiles(values[whole], times, (tail, 1 - tail))
    for at in np.flatnonzero(known & ~whole):
        found = values[at, there[at]] if times is None else np.repeat(values[at], times * there[at])
        tails = (tail, 1 - tail)
        if method == "bca":
            tails = _bca_tails(found, estimate[at], left_out[:, at], tail)
        if tails[0] < tails[1]:
            low[at], high[at] = np.quantile(found, tails)
    return low, high


def _quantiles(values: Array, times: Times | None, shares: tuple[float, float]) -> list[Array]:
    """Quantiles of every row as NumPy defines them, each value standing for as many as `times` says."""
    if times is None:
        return list(np.quantile(values, shares, axis=1))
    order = np.argsort(values, axis=1)
    ranked, upto = np.take_along_axis(values, order, axis=1), np.cumsum(times[order], axis=1)

    def ranking(rank: int) -> Array:
        at = np.argmax(upto > rank, axis=1)  # the first that reaches beyond
        return np.take_along_axis(ranked, at[:, None], axis=1)[:, 0]

    places = [share * (float(times.sum()) - 1) for share in shares]
    pairs = [(ranking(math.floor(place)), ranking(math.ceil(place)), place % 1) for place in places]
    return [one + (other - one) * between for one, other, between in pairs]


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


@lru_cache(maxsize=_FEW)
def _kinds(count: int, resamples: int, seed: int) -> tuple[Array, Times]:
    """The same where few are drawn from: every outcome once, and how often it was drawn."""
    drawn = np.concatenate(list(_drawn(count, resamples, seed)))
    codes = drawn @ (count + 1.0) ** np.arange(count)
    _, first, times = np.unique(codes, return_index=True, return_counts=True)
    return drawn[first], times


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
