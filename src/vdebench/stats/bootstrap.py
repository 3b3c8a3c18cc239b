"""Bootstrap intervals of means: samples, or pages with all their samples, are drawn with replacement.

Every mean is a quotient of sums: the scores of blocks by their number, or the values of samples by 1 (0 by 0 for a
sample without a value). A resample is a vector of how often each page was drawn, so all resamples of all metrics are
one matrix product, computed in pieces that fit in memory.
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
"""A function from means, in the last axis, to statistics of them, such as differences."""
Method = Literal["percentile", "bca"]

RESAMPLES = 10_000
_AT_ONCE = 1 << 21  # counts in memory at once, 16 MB
_FEW_CLUSTERS = 8  # up to this number of clusters, many resamples are equal
_MAX_MISSING = 0.05  # largest share of resamples without a value
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
    """Lower and upper bounds of every column's mean: the sum of its numerators by the sum of its denominators.

    Rows are samples; samples of one cluster (a page) are drawn together. A bound is NaN if fewer than two clusters have
    a value, or more than 5 % of the resamples have none.

    >>> low, high = bootstrap([[0.0], [1.0], [1.0], [0.0]] * 25, np.ones((100, 1)))
    >>> print(low.round(2), high.round(2))
    [0.4] [0.6]
    """
    if not 0 < level < 1:
        raise ValueError(f"level is {level}, expected a number between 0 and 1, such as 0.95")
    over, under = sum_by_cluster(numerators, denominators, clusters)
    values = resample_means(over, under, resamples=resamples, seed=seed, derive=derive)
    return _bounds(values.T, None, over, under, derive, method, level)


def bootstrap_parts(
    parts: Sequence[tuple[Array, Array]],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    level: float = 0.95,
    derive: Derive | None = None,
) -> list[tuple[Array, Array]]:
    """Bounds of several parts, such as the slices of a run, each given as sums by cluster (`sum_by_cluster`).

    The same seed gives the same draws for the same number of clusters, so parts of one size share the matrix product.

    >>> one, other = np.arange(20.0)[:, None], np.arange(20.0, 40)[:, None]
    >>> [low.round(1).tolist() for low, _ in bootstrap_parts([(one, np.ones((20, 1))), (other, np.ones((20, 1)))])]
    [[7.0], [27.0]]
    """
    bounds = [(np.empty(0), np.empty(0))] * len(parts)
    sizes: dict[tuple[int, int], list[int]] = {}
    for index, (over, _) in enumerate(parts):
        sizes.setdefault(over.shape, []).append(index)
    for (count, width), indices in sizes.items():
        limit = max(1, _AT_ONCE // max(1, resamples * width))
        for group in (indices[start : start + limit] for start in range(0, len(indices), limit)):
            columns = np.hstack([sums for index in group for sums in parts[index]])
            times = None
            if count <= _FEW_CLUSTERS:
                kinds, times = _kinds(count, resamples, seed)
                totals = kinds @ columns
            else:
                totals = np.concatenate([counts @ columns for counts in _draw_counts(count, resamples, seed)])
            split = totals.reshape(len(totals), len(group), 2, width).transpose(1, 2, 0, 3)
            for index, (over, under) in zip(group, split, strict=True):
                values = means(over, under, derive).T
                bounds[index] = _bounds(values, times, *parts[index], derive, "percentile", level)
    return bounds


def _bounds(
    values: Array,
    times: Times | None,
    over: Array,
    under: Array,
    derive: Derive | None,
    method: Method,
    level: float,
) -> tuple[Array, Array]:
    """Bounds from the values of all resamples, a row for every statistic; NaN if there is no interval.

    `times` is the number of resamples behind each column, if equal resamples share one.
    """
    estimate = means(over.sum(axis=0), under.sum(axis=0), derive)
    left_out = jackknife(over, under, derive)
    low, high = np.full_like(estimate, np.nan), np.full_like(estimate, np.nan)
    tail = (1 - level) / 2
    if len(over) < 2:
        return low, high
    finite = np.isfinite(values)
    frequent = (finite.mean(axis=1) if times is None else finite @ times / times.sum()) >= 1 - _MAX_MISSING
    valid = np.isfinite(estimate) & np.isfinite(left_out).all(axis=0) & frequent  # not where all hangs on one cluster
    complete = valid & finite.all(axis=1) if method == "percentile" else np.zeros_like(valid)
    if complete.any():
        low[complete], high[complete] = _quantiles(values[complete], times, (tail, 1 - tail))
    for column in np.flatnonzero(valid & ~complete):
        sample = values[column, finite[column]] if times is None else np.repeat(values[column], times * finite[column])
        tails = (tail, 1 - tail)
        if method == "bca":
            tails = _bca_tails(sample, estimate[column], left_out[:, column], tail)
        if tails[0] < tails[1]:
            low[column], high[column] = np.quantile(sample, tails)
    return low, high


def _quantiles(values: Array, times: Times | None, shares: tuple[float, float]) -> list[Array]:
    """Quantiles of every row as NumPy defines them, with each value repeated `times`."""
    if times is None:
        return list(np.quantile(values, shares, axis=1))
    order = np.argsort(values, axis=1)
    ranked, upto = np.take_along_axis(values, order, axis=1), np.cumsum(times[order], axis=1)

    def ranking(rank: int) -> Array:
        index = np.argmax(upto > rank, axis=1)
        return np.take_along_axis(ranked, index[:, None], axis=1)[:, 0]

    ranks = [share * (float(times.sum()) - 1) for share in shares]
    neighbours = [(ranking(math.floor(rank)), ranking(math.ceil(rank)), rank % 1) for rank in ranks]
    return [lower + (upper - lower) * fraction for lower, upper, fraction in neighbours]


def resample_means(
    over: Array, under: Array, *, resamples: int = RESAMPLES, seed: int = 0, derive: Derive | None = None
) -> Array:
    """The means of every resample, a row each; rows of `over` and `under` are clusters."""
    columns = np.hstack([over, under])
    totals = np.concatenate([counts @ columns for counts in _draw_counts(len(columns), resamples, seed)])
    width = over.shape[1]
    return means(totals[:, :width], totals[:, width:], derive)


def _draw_counts(count: int, resamples: int, seed: int) -> Iterator[Array]:
    """Yield how often each of `count` clusters was drawn (multinomial), some resamples at a time."""
    random = np.random.default_rng(seed)
    for size in pieces(resamples, count):
        draws = random.integers(0, count, (size, count))
        draws += np.arange(size)[:, None] * count
        yield np.bincount(draws.ravel(), minlength=size * count).reshape(size, count).astype(np.float64)


@lru_cache(maxsize=_FEW_CLUSTERS)
def _kinds(clusters: int, resamples: int, seed: int) -> tuple[Array, Times]:
    """Distinct draws of few clusters, and how often each occurs."""
    counts = np.concatenate(list(_draw_counts(clusters, resamples, seed)))
    codes = counts @ (clusters + 1.0) ** np.arange(clusters)
    _, first, times = np.unique(codes, return_index=True, return_counts=True)
    return counts[first], times


def pieces(rows: int, width: int) -> Iterator[int]:
    """Sizes of pieces of rows that fit in memory.

    >>> list(pieces(10_000, 500))
    [4194, 4194, 1612]
    """
    limit = max(1, _AT_ONCE // max(width, 1))
    for start in range(0, rows, limit):
        yield min(limit, rows - start)


def means(over: Array, under: Array, derive: Derive | None = None) -> Array:
    """Sums divided by sums, NaN for 0 by 0, then `derive`."""
    quotients = np.divide(over, under, out=np.full(np.shape(over), np.nan), where=under > 0)
    return quotients if derive is None else derive(quotients)


def sum_by_cluster(numerators: ArrayLike, denominators: ArrayLike, clusters: ArrayLike | None) -> tuple[Array, Array]:
    """Sum numerators and denominators by cluster, in the order of the clusters' first samples.

    >>> sum_by_cluster([[1.0], [2.0], [5.0]], [[1.0], [1.0], [0.0]], ["page 1", "page 1", "page 2"])
    (array([[3.], [0.]]), array([[2.], [0.]]))
    """
    under = np.asarray(denominators, dtype=np.float64)
    over = np.asarray(numerators, dtype=np.float64)
    if over.ndim != 2 or over.shape != under.shape:
        raise ValueError(f"numerators {over.shape} and denominators {under.shape}: expected samples × metrics of both")
    over = np.where(under > 0, over, 0.0)  # values without weight may be NaN
    if clusters is None:
        return over, under
    names = np.asarray(clusters)
    if names.shape != over.shape[:1]:
        raise ValueError(f"{names.shape} clusters for {over.shape[0]} samples: expected one for each")
    _, first, codes = np.unique(names, return_index=True, return_inverse=True)
    row = np.argsort(np.argsort(first))[codes]
    sums = np.zeros((2, len(first), over.shape[1]))
    np.add.at(sums[0], row, over)
    np.add.at(sums[1], row, under)
    return sums[0], sums[1]


def jackknife(over: Array, under: Array, derive: Derive | None = None) -> Array:
    """The means without the first cluster, without the second, and so on."""
    rest = under.sum(axis=0) - under
    rest[rest <= 1e-9 * under.sum(axis=0)] = 0  # rounding error
    return means(over.sum(axis=0) - over, rest, derive)


def _bca_tails(values: Array, estimate: float, left_out: Array, tail: float) -> tuple[float, float]:
    """Efron's bias-corrected and accelerated tails; (1, 0) if the estimate lies outside all resamples."""
    close = 1e-12 * max(1.0, abs(estimate))  # equal up to the order of summation
    below = float(np.mean(values < estimate - close) + np.mean(values <= estimate + close)) / 2
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
