"""Correlation of two series: Spearman, Kendall (tau-b) and Pearson, with intervals; Kendall's W of raters.

Three implementations, each vectorised over resamples: of series that differ between resamples (`coefficients`), of
pairs with weights (`weighted`), and of outputs that are compared only within their sample (`sums_within`, `from_sums`).
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
MIN_PAIRS = 3
"""Smallest number of pairs for a coefficient: two always lie on a line."""
_DIGITS = 9  # means of the same ranks, summed in another order, are ties
_MAX_MISSING = 0.05  # largest share of resamples without a value


def coefficients(first: ArrayLike, second: ArrayLike) -> Array:
    """Spearman, Kendall and Pearson in the last axis, for every row of two arrays; NaN for a constant row.

    >>> coefficients([1, 2, 3, 4], [2, 1, 4, 3]).round(3).tolist()
    [0.6, 0.333, 0.6]
    """
    series = [_rounded(values) for values in (first, second)]
    ranks = [np.asarray(rankdata(values, axis=-1), dtype=np.float64) for values in series]
    signs = [np.sign(ranked[..., :, None] - ranked[..., None, :]) for ranked in ranks]
    products = [np.sum(a * b, axis=(-2, -1)) for a, b in ((signs[0], signs[1]), (signs[0],) * 2, (signs[1],) * 2)]
    return np.stack([_pearson(*ranks), _ratio(*products), _pearson(*series)], axis=-1)


def _rounded(values: ArrayLike) -> Array:
    return np.asarray(np.round(np.asarray(values, dtype=np.float64), _DIGITS), dtype=np.float64)


def _pearson(first: Array, second: Array) -> Array:
    with np.errstate(invalid="ignore"):  # an infinite PSNR has no distance to others
        a, b = (_deviations(values, values.mean(axis=-1, keepdims=True)) for values in (first, second))
        return _ratio(np.sum(a * b, axis=-1), np.sum(a * a, axis=-1), np.sum(b * b, axis=-1))


def _deviations(values: Array, mean: Array) -> Array:
    """Deviations from a mean; 0 if they are only rounding error."""
    away = values - mean
    return np.where(np.abs(away) <= 1e-12 * np.abs(values).max(axis=-1, keepdims=True, initial=0), 0.0, away)


def _ratio(product: Array, first_squares: Array, second_squares: Array) -> Array:
    """A sum of products by the root of both sums of squares, NaN for a zero denominator."""
    denominator = np.sqrt(np.maximum(first_squares, 0.0) * np.maximum(second_squares, 0.0))
    quotient = np.divide(product, denominator, out=np.full(np.shape(product), np.nan), where=denominator > 0)
    return np.asarray(np.clip(quotient, -1, 1), dtype=np.float64)


def weighted(first: ArrayLike, second: ArrayLike, counts: ArrayLike) -> Array:
    """The coefficients of weighted pairs, a row of `counts` for every resample.

    >>> weighted([1, 2, 3, 4], [2, 1, 4, 3], [[1, 1, 1, 1], [1, 0, 2, 1]]).round(3).tolist()
    [[0.6, 0.333, 0.6], [0.333, 0.2, 0.623]]
    """
    weights = np.asarray(counts, dtype=np.float64)
    series = [_rounded(values) for values in (first, second)]
    total = weights.sum(axis=1)
    ranks, untied = [], []
    for values in series:
        codes = np.unique(values, return_inverse=True)[1]
        sizes = weights @ np.eye(codes.max() + 1)[codes]
        above = np.cumsum(sizes, axis=1)
        ranks.append((above - sizes / 2)[:, codes] - total[:, None] / 2)
        untied.append(total**2 - np.sum(sizes**2, axis=1))
    signs = [np.sign(values[:, None] - values[None, :]) for values in series]
    kendall = _ratio(np.sum(weights @ (signs[0] * signs[1]) * weights, axis=1), *untied)
    spearman = _ratio(*(np.sum(weights * a * b, axis=1) for a, b in _pair_products(*ranks)))
    centred = [_deviations(values, (weights @ values / total)[:, None]) for values in series]
    pearson = _ratio(*(np.sum(weights * a * b, axis=1) for a, b in _pair_products(*centred)))
    return np.stack([spearman, kendall, pearson], axis=1)


def _pair_products(first: Array, second: Array) -> tuple[tuple[Array, Array], ...]:
    return (first, second), (first, first), (second, second)


def sums_within(first: Array, second: Array) -> Array:
    """Terms of every sample, samples × 9, whose sums `from_sums` turns into coefficients.

    Both arguments are samples × models, NaN for a missing value. Only outputs of the same sample are compared: pairs of
    them (Kendall), ranks within the sample (Spearman), deviations from the sample's mean (Pearson).
    """
    sums = np.zeros((len(first), 3 * len(COEFFICIENTS)))
    for index, (left, right) in enumerate(zip(first, second, strict=True)):
        valid = ~np.isnan(left) & ~np.isnan(right)
        if valid.sum() < 2:
            continue
        values = [_rounded(side[valid]) for side in (left, right)]
        ranks = [rankdata(side) for side in values]
        signs = [np.sign(side[:, None] - side[None, :]).ravel() for side in ranks]
        with np.errstate(invalid="ignore"):  # an infinite PSNR has no distance to others
            centred = [_deviations(side, side.mean()) for side in values]
            series = [[side - side.mean() for side in ranks], signs, centred]
            sums[index] = [np.sum(a * b) for pair in series for a, b in _pair_products(*pair)]
    return sums


def from_sums(sums: Array) -> Array:
    """Coefficients from the sums, or means, of `sums_within`."""
    return np.stack([_ratio(*(sums[..., 3 * at + part] for part in range(3))) for at in range(3)], axis=-1)


def coefficient_record(values: Array, low: Array, high: Array, n: int, reason: str = "") -> dict[str, Any]:
    """JSON data of coefficients: each with value and interval or None, and the reason if they are absent."""
    record: dict[str, Any] = {"n": n}
    for name, value, *interval in zip(COEFFICIENTS, values, low, high, strict=True):
        has_value = bool(np.isfinite(value)) and not reason
        has_interval = has_value and bool(np.isfinite(interval).all())
        record[name] = {
            "value": float(value) if has_value else None,
            "interval": [float(bound) for bound in interval] if has_interval else None,
        }
    return {**record, "reason": reason} if reason else record


def absent_coefficients(n: int, reason: str) -> dict[str, Any]:
    """JSON data of absent coefficients, with the reason."""
    nothing = np.full(len(COEFFICIENTS), np.nan)
    return coefficient_record(nothing, nothing, nothing, n, reason)


def absence_reason(first: ArrayLike, second: ArrayLike, names: tuple[str, str], unit: str = "pairs") -> str:
    """Reason why two series have no coefficients, or ""."""
    series = [_rounded(values) for values in (first, second)]
    if len(series[0]) < MIN_PAIRS:
        return f"{len(series[0])} {unit}, at least {MIN_PAIRS} are needed"
    # Counted, not subtracted: all may be infinite, as the PSNR of identical images.
    same = (name for name, values in zip(names, series, strict=True) if len(np.unique(values)) == 1)
    return next((f"all {name} are the same" for name in same), "")


def correlate_pairs(
    first: Sequence[float],
    second: Sequence[float],
    clusters: Sequence[str] | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    level: float = 0.95,
    names: tuple[str, str] = ("values", "others"),
) -> dict[str, Any]:
    """Coefficients of pairs with percentile bootstrap intervals; pairs of one cluster are drawn together.

    >>> record = correlate_pairs([1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 6, 5], seed=1)
    >>> round(record["spearman"]["value"], 3), record["n"]
    (0.829, 6)
    """
    if reason := absence_reason(first, second, names):
        return absent_coefficients(len(first), reason)
    values = weighted(first, second, np.ones((1, len(first))))[0]
    codes = np.arange(len(first)) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    count = int(codes.max()) + 1
    random = np.random.default_rng(seed)
    resampled = [
        weighted(first, second, random.multinomial(count, np.full(count, 1 / count), size)[:, codes])
        for size in pieces(resamples, len(first))
    ]
    nothing = np.full(len(COEFFICIENTS), np.nan)
    low, high = _quantiles(np.concatenate(resampled), level) if count > 1 else (nothing, nothing)
    return coefficient_record(values, low, high, len(first))


def _quantiles(values: Array, level: float) -> tuple[Array, Array]:
    """Bounds of every column, NaN if more than 5 % of its resamples have no value."""
    bounds = np.full((2, values.shape[1]), np.nan)
    for index, column in enumerate(values.T):
        finite = column[np.isfinite(column)]
        if len(finite) >= (1 - _MAX_MISSING) * len(column):
            bounds[:, index] = np.quantile(finite, ((1 - level) / 2, (1 + level) / 2))
    return bounds[0], bounds[1]


def concordance(ranks: ArrayLike) -> float:
    """Kendall's W of several raters' ranks, a row each, corrected for ties: 1 for agreement, 0 for none.

    NaN for one rater, one item, or all items tied.

    >>> concordance([[1, 2, 3], [1, 2, 3], [1, 3, 2]]).__round__(3)
    0.778
    """
    ranked = np.asarray(rankdata(_rounded(ranks), axis=1), dtype=np.float64)
    people, items = ranked.shape
    ties = sum(
        float(np.sum(counts**3 - counts)) for counts in (np.unique(row, return_counts=True)[1] for row in ranked)
    )
    under = people**2 * (items**3 - items) - people * ties
    if people < 2 or under <= 0:
        return float("nan")
    sums = ranked.sum(axis=0)
    return float(12 * np.sum((sums - sums.mean()) ** 2) / under)


def pairwise(ranks: ArrayLike) -> float:
    """The mean of Spearman over all pairs of raters, NaN if no pair has one.

    >>> pairwise([[1, 2, 3], [1, 2, 3], [1, 3, 2]]).__round__(3)
    0.667
    """
    rows: NDArray[np.float64] = np.asarray(ranks, dtype=np.float64)
    values = [float(coefficients(a, b)[0]) for a, b in combinations(rows, 2)]
    finite = [value for value in values if np.isfinite(value)]
    return sum(finite) / len(finite) if finite else float("nan")
