"""How well two series go together: Spearman, Kendall (tau-b) and Pearson, with intervals; Kendall's W of people.

Three ways to the same coefficients, each for all resamples at once: of series that differ from resample to resample
(`coefficients`), of pairs that are drawn more or less often (`weighted`), and of outputs that are only compared within
their sample (`sums_within`, `from_sums`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vdebench.stats.bootstrap import RESAMPLES, Array, pieces
from vdebench.stats.ranks import rankdata

COEFFICIENTS = ("spearman", "kendall", "pearson")
LEAST = 3
"""Pairs below which no coefficient is told: two always lie on a line."""
_DIGITS = 9  # means of the same ranks, added up in another order, are ties
_LOST = 0.05  # share of resamples that may be without a value


def coefficients(one: ArrayLike, other: ArrayLike) -> Array:
    """Spearman, Kendall and Pearson in the last axis, for every row of two arrays; NaN where a row does not vary.

    >>> coefficients([1, 2, 3, 4], [2, 1, 4, 3]).round(3).tolist()
    [0.6, 0.333, 0.6]
    """
    both = [_rounded(values) for values in (one, other)]
    ranks = [np.asarray(rankdata(values, axis=-1), dtype=np.float64) for values in both]
    signs = [np.sign(each[..., :, None] - each[..., None, :]) for each in ranks]
    products = [np.sum(a * b, axis=(-2, -1)) for a, b in ((signs[0], signs[1]), (signs[0],) * 2, (signs[1],) * 2)]
    return np.stack([_pearson(*ranks), _ratio(*products), _pearson(*both)], axis=-1)


def _rounded(values: ArrayLike) -> Array:
    return np.asarray(np.round(np.asarray(values, dtype=np.float64), _DIGITS), dtype=np.float64)


def _pearson(one: Array, other: Array) -> Array:
    with np.errstate(invalid="ignore"):  # an infinite PSNR has no distance to others
        a, b = (_from(values, values.mean(axis=-1, keepdims=True)) for values in (one, other))
        return _ratio(np.sum(a * b, axis=-1), np.sum(a * a, axis=-1), np.sum(b * b, axis=-1))


def _from(values: Array, mean: Array) -> Array:
    """Distances from a mean, none where they are but the noise of adding up."""
    away = values - mean
    return np.where(np.abs(away) <= 1e-12 * np.abs(values).max(axis=-1, keepdims=True, initial=0), 0.0, away)


def _ratio(product: Array, one: Array, other: Array) -> Array:
    """A sum of products by the root of both sums of squares, NaN where there is nothing to divide by."""
    under = np.sqrt(np.maximum(one, 0.0) * np.maximum(other, 0.0))
    found = np.divide(product, under, out=np.full(np.shape(product), np.nan), where=under > 0)
    return np.asarray(np.clip(found, -1, 1), dtype=np.float64)


def weighted(one: ArrayLike, other: ArrayLike, counts: ArrayLike) -> Array:
    """The same of pairs that were drawn as often as `counts` says, a row for every resample.

    >>> weighted([1, 2, 3, 4], [2, 1, 4, 3], [[1, 1, 1, 1], [1, 0, 2, 1]]).round(3).tolist()
    [[0.6, 0.333, 0.6], [0.333, 0.2, 0.623]]
    """
    drawn = np.asarray(counts, dtype=np.float64)
    series = [_rounded(values) for values in (one, other)]
    total = drawn.sum(axis=1)
    ranks, untied = [], []
    for values in series:
        codes = np.unique(values, return_inverse=True)[1]
        sizes = drawn @ np.eye(codes.max() + 1)[codes]
        above = np.cumsum(sizes, axis=1)
        ranks.append((above - sizes / 2)[:, codes] - total[:, None] / 2)  # from the middle
        untied.append(total**2 - np.sum(sizes**2, axis=1))
    signs = [np.sign(values[:, None] - values[None, :]) for values in series]
    kendall = _ratio(np.sum(drawn @ (signs[0] * signs[1]) * drawn, axis=1), *untied)
    spearman = _ratio(*(np.sum(drawn * a * b, axis=1) for a, b in _squares(*ranks)))
    centred = [_from(values, (drawn @ values / total)[:, None]) for values in series]
    pearson = _ratio(*(np.sum(drawn * a * b, axis=1) for a, b in _squares(*centred)))
    return np.stack([spearman, kendall, pearson], axis=1)


def _squares(one: Array, other: Array) -> tuple[tuple[Array, Array], ...]:
    return (one, other), (one, one), (other, other)


def sums_within(one: Array, other: Array) -> Array:
    """For every sample what its outputs add to the coefficients: samples × 9, to be added up and given to `from_sums`.

    Both are samples × models, NaN where there is no value. Only outputs of the same sample are compared: for Kendall
    pairs of them; for Spearman ranks in the sample, for Pearson values less the sample's mean.
    """
    found = np.zeros((len(one), 3 * len(COEFFICIENTS)))
    for at, (left, right) in enumerate(zip(one, other, strict=True)):
        both = ~np.isnan(left) & ~np.isnan(right)
        if both.sum() < 2:
            continue
        values = [_rounded(side[both]) for side in (left, right)]
        ranks = [rankdata(side) for side in values]
        signs = [np.sign(side[:, None] - side[None, :]).ravel() for side in ranks]
        with np.errstate(invalid="ignore"):  # an infinite PSNR has no distance to others
            centred = [_from(side, side.mean()) for side in values]
            series = [[side - side.mean() for side in ranks], signs, centred]
            found[at] = [np.sum(a * b) for pair in series for a, b in _squares(*pair)]
    return found


def from_sums(sums: Array) -> Array:
    """Coefficients from the sums, or means, of `sums_within`."""
    return np.stack([_ratio(*(sums[..., 3 * at + part] for part in range(3))) for at in range(3)], axis=-1)


def told(values: Array, low: Array, high: Array, n: int, reason: str = "") -> dict[str, Any]:
    """Coefficients for JSON: each with its value and its interval, None where there is none, and why."""
    found: dict[str, Any] = {"n": n}
    for name, value, *interval in zip(COEFFICIENTS, values, low, high, strict=True):
        there = bool(np.isfinite(value)) and not reason
        bounded = there and bool(np.isfinite(interval).all())
        found[name] = {
            "value": float(value) if there else None,
            "interval": [float(bound) for bound in interval] if bounded else None,
        }
    return {**found, "reason": reason} if reason else found


def untold(n: int, reason: str) -> dict[str, Any]:
    """No coefficients, and why."""
    nothing = np.full(len(COEFFICIENTS), np.nan)
    return told(nothing, nothing, nothing, n, reason)


def why_not(one: ArrayLike, other: ArrayLike, names: tuple[str, str], what: str = "pairs") -> str:
    """Why two series have no coefficients, nothing where they have."""
    series = [_rounded(values) for values in (one, other)]
    if len(series[0]) < LEAST:
        return f"{len(series[0])} {what}, at least {LEAST} are needed"
    # Counted, not subtracted: all may be infinite, as the PSNR of pages without an error is.
    same = (name for name, found in zip(names, series, strict=True) if len(np.unique(found)) == 1)
    return next((f"all {name} are the same" for name in same), "")


def of_pairs(
    one: Sequence[float],
    other: Sequence[float],
    clusters: Sequence[str] | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    level: float = 0.95,
    names: tuple[str, str] = ("values", "others"),
) -> dict[str, Any]:
    """Coefficients of pairs with percentile bootstrap intervals; pairs of one cluster are drawn together.

    >>> found = of_pairs([1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 6, 5], seed=1)
    >>> round(found["spearman"]["value"], 3), found["n"]
    (0.829, 6)
    """
    if reason := why_not(one, other, names):
        return untold(len(one), reason)
    values = weighted(one, other, np.ones((1, len(one))))[0]
    codes = np.arange(len(one)) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    drawn = int(codes.max()) + 1
    random = np.random.default_rng(seed)
    found = [
        weighted(one, other, random.multinomial(drawn, np.full(drawn, 1 / drawn), size)[:, codes])
        for size in pieces(resamples, len(one))
    ]
    nothing = np.full(len(COEFFICIENTS), np.nan)
    low, high = _quantiles(np.concatenate(found), level) if drawn > 1 else (nothing, nothing)
    return told(values, low, high, len(one))


def _quantiles(found: Array, level: float) -> tuple[Array, Array]:
    """Bounds of every column, NaN where more than one resample in twenty has no value."""
    bounds = np.full((2, found.shape[1]), np.nan)
    for at, column in enumerate(found.T):
        there = column[np.isfinite(column)]
        if len(there) >= (1 - _LOST) * len(column):
            bounds[:, at] = np.quantile(there, ((1 - level) / 2, (1 + level) / 2))
    return bounds[0], bounds[1]


def concordance(ranks: ArrayLike) -> float:
    """Kendall's W of several people's ranks, a row each, corrected for ties: 1 where all agree, 0 where none do.

    NaN where nothing can be said: one person, one thing, or all of them tied.

    >>> concordance([[1, 2, 3], [1, 2, 3], [1, 3, 2]]).__round__(3)
    0.778
    """
    each = np.asarray(rankdata(_rounded(ranks), axis=1), dtype=np.float64)
    people, things = each.shape
    ties = sum(float(np.sum(counts**3 - counts)) for counts in (np.unique(row, return_counts=True)[1] for row in each))
    under = people**2 * (things**3 - things) - people * ties
    if people < 2 or under <= 0:
        return float("nan")
    sums = each.sum(axis=0)
    return float(12 * np.sum((sums - sums.mean()) ** 2) / under)


def pairwise(ranks: ArrayLike) -> float:
    """The mean of Spearman over all pairs of people, NaN where no pair has one.

    >>> pairwise([[1, 2, 3], [1, 2, 3], [1, 3, 2]]).__round__(3)
    0.667
    """
    rows: NDArray[np.float64] = np.asarray(ranks, dtype=np.float64)
    found = [float(coefficients(a, b)[0]) for a, b in combinations(rows, 2)]
    known = [value for value in found if np.isfinite(value)]
    return sum(known) / len(known) if known else float("nan")
