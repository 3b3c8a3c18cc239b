"""Krippendorff's alpha, vectorised over resamples.

Alpha is 1 − observed / expected disagreement: 1 − (n − 1) · Σ_u w_u d_u / Σ_ck n_c n_k δ_ck, where d_u is the
disagreement of a unit's pairs divided by its number of ratings − 1, n_c the number of ratings with value c, and w_u how
often the unit was drawn. Units with the same ratings form one kind.

The distance δ of two values is 1 (nominal), the squared difference (interval), that divided by the squared sum (ratio),
or the squared number of ratings between them (ordinal). The last is the squared difference of mid-ranks, so ordinal
alpha is interval alpha of the ranks within each resample.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vdebench.errors import InputError, TooLargeError
from vdebench.stats.bootstrap import Array

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = get_args(Level)
MAX_NUMBER = 1e300
"""Differences of larger numbers may overflow."""
MAX_RATIO_VALUES = 2_000
"""Largest number of distinct values: all pairs are in memory."""
Places = NDArray[np.int64]


@dataclass(frozen=True)
class RatingKinds:
    """Ratings of units with two or more; units with the same ratings form one kind."""

    kind: Places
    """Kind of every rating, ascending from 0."""
    codes: Places
    """Value of every rating, as an index of `labels`."""
    often: Array
    """Number of units of every kind."""
    sizes: Array
    """Ratings per unit of every kind."""
    labels: list[str]
    """The values that occur, ascending."""
    numbers: Array
    """The values as numbers, or their indices if they are text."""
    raters: int
    alone: int
    """Units with a single rating."""

    @property
    def units(self) -> int:
        """Number of units."""
        return int(self.often.sum())

    @property
    def firsts(self) -> Places:
        """Index of the first rating of every kind."""
        return np.searchsorted(self.kind, np.arange(len(self.often)))


def encode_ratings(ratings: ArrayLike, level: Level) -> RatingKinds:
    """Encode ratings (raters × units). They must be numbers unless the level is nominal."""
    if level not in LEVELS:
        raise ValueError(f"level {level!r}, expected one of {', '.join(LEVELS)}")
    table = np.array(ratings, dtype=object)
    if table.ndim != 2:
        raise ValueError(f"ratings of shape {table.shape}, expected raters × units")
    present = np.array([[not is_missing(value) for value in row] for row in table], dtype=bool).reshape(table.shape)
    raters, sizes = int(present.any(axis=1).sum()), present.sum(axis=0)
    present &= sizes > 1
    labels, numbers, codes = _encode_values(table.T[present.T].tolist(), level)
    by_unit = np.split(codes, np.cumsum(sizes[sizes > 1])[:-1]) if len(codes) else []
    # Sorted, so that draws do not depend on the order of units or raters.
    kinds = sorted(Counter(tuple(sorted(unit_codes.tolist())) for unit_codes in by_unit).items())
    lengths = np.array([len(kind) for kind, _ in kinds], dtype=np.int64)
    return RatingKinds(
        np.repeat(np.arange(len(kinds)), lengths),
        np.array([code for kind, _ in kinds for code in kind], dtype=np.int64),
        np.array([count for _, count in kinds], dtype=np.float64),
        lengths.astype(np.float64),
        labels,
        numbers,
        raters,
        int((sizes == 1).sum()),
    )


def is_missing(value: Any) -> bool:
    """Whether a rating is missing: None, NaN or blank text.

    >>> [is_missing(value) for value in (None, " ", float("nan"), 0, "nan")]
    [True, True, True, False, False]
    """
    if isinstance(value, str):
        return not value.strip()
    return value is None or bool(value != value)  # only NaN differs from itself


def to_number(value: Any) -> float | None:
    """Convert a value to a finite number, or None.

    >>> to_number("2.5"), to_number(True), to_number("inf"), to_number("good")
    (2.5, 1.0, None, None)
    """
    try:
        converted = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return converted if abs(converted) <= MAX_NUMBER else None


def _encode_values(ratings: list[Any], level: Level) -> tuple[list[str], Array, Places]:
    numbers = [to_number(value) for value in ratings]
    if None not in numbers:
        values, codes = np.unique(np.array(numbers, dtype=np.float64), return_inverse=True)
        if level == "ratio" and len(values) and values[0] < 0:
            raise InputError(f"ratio: a rating of {values[0]:g}, expected none below 0; use interval")
        if level == "ratio" and len(values) > MAX_RATIO_VALUES:
            raise TooLargeError(f"ratio: {len(values):,} different values, at most {MAX_RATIO_VALUES:,}; round them")
        return [repr(value).removesuffix(".0") for value in values.tolist()], values, codes.astype(np.int64).ravel()
    if level != "nominal":
        text = ratings[numbers.index(None)]
        raise InputError(f"{level}: a rating of {str(text)!r}, expected numbers; use nominal for text")
    names, codes = np.unique(np.array([str(value).strip() for value in ratings], dtype=object), return_inverse=True)
    return [str(name) for name in names], np.arange(len(names), dtype=np.float64), codes.astype(np.int64).ravel()


def same_pairs(kinds: RatingKinds) -> Array:
    """Number of ordered pairs of equal ratings per unit, for every kind."""
    width = len(kinds.labels)
    cells, counts = np.unique(kinds.kind * width + kinds.codes, return_counts=True)
    return np.asarray(np.bincount(cells // width, counts * (counts - 1.0), len(kinds.often)), dtype=np.float64)


def alphas(kinds: RatingKinds, weights: Array, level: Level) -> Array:
    """Alpha for every row of weights (how often each kind counts); NaN if all values are equal."""
    ratings = weights @ kinds.sizes
    if level == "interval":
        observed, expected = _by_squares(kinds, weights)
    elif level == "ordinal":
        observed, expected = _by_ranks(kinds, weights)
    else:
        counts = _value_counts(kinds, weights)
        if level == "nominal":
            disagreement = kinds.sizes * (kinds.sizes - 1) - same_pairs(kinds)
            expected = ratings**2 - np.sum(counts**2, axis=1)
        else:
            costs = _ratios(kinds.numbers)
            disagreement = np.array(
                [costs[np.ix_(group, group)].sum() for group in np.split(kinds.codes, kinds.firsts[1:])]
            )
            expected = np.sum((counts @ costs) * counts, axis=1)
        observed = weights @ (disagreement / (kinds.sizes - 1))
    varied = _has_variance(kinds, weights)
    denominator = np.where(varied, expected, 1.0)
    return np.where(varied, 1 - (ratings - 1) * observed / denominator, math.nan)


def _has_variance(kinds: RatingKinds, weights: Array) -> NDArray[np.bool_]:
    """Whether any two ratings of a resample differ, by comparing codes, which has no rounding error."""
    lows, highs = (extreme.reduceat(kinds.codes, kinds.firsts) for extreme in (np.minimum, np.maximum))
    counts = weights > 0
    lowest = np.where(counts, lows, len(kinds.labels)).min(axis=1)
    return np.asarray(np.where(counts, highs, -1).max(axis=1) > lowest)


def _value_counts(kinds: RatingKinds, weights: Array) -> Array:
    """How often every value occurs, in every resample."""
    order = np.argsort(kinds.codes, kind="stable")
    firsts = np.searchsorted(kinds.codes[order], np.arange(len(kinds.labels)))
    return np.asarray(np.add.reduceat(weights[:, kinds.kind[order]], firsts, axis=1))


def _ratios(values: Array) -> Array:
    sums = values[:, None] + values[None, :]
    return np.divide(values[:, None] - values[None, :], sums, out=np.zeros_like(sums), where=sums > 0) ** 2


def _by_squares(kinds: RatingKinds, weights: Array) -> tuple[Array, Array]:
    """Observed and expected disagreement of numbers, from sums and sums of squares."""
    # Alpha is invariant to shift and scale; values near 0 keep the sums of squares accurate.
    span = kinds.numbers[-1] - kinds.numbers[0]
    values = ((kinds.numbers - kinds.numbers[0]) / (span or 1.0) - 0.5)[kinds.codes]
    sums, squares = (np.bincount(kinds.kind, terms, minlength=len(kinds.often)) for terms in (values, values**2))
    disagreement = 2 * (kinds.sizes * squares - sums**2) / (kinds.sizes - 1)
    ratings, total, total_squares = (weights @ terms for terms in (kinds.sizes, sums, squares))
    return weights @ disagreement, 2 * (ratings * total_squares - total**2)


def _by_ranks(kinds: RatingKinds, weights: Array) -> tuple[Array, Array]:
    """Observed and expected disagreement of ranks, which differ between resamples."""
    counts = _value_counts(kinds, weights)
    ratings = counts.sum(axis=1)
    ranks = np.cumsum(counts, axis=1) - counts / 2 - ratings[:, None] / 2  # centred
    rating_ranks = ranks[:, kinds.codes]
    sums, squares = (np.add.reduceat(terms, kinds.firsts, axis=1) for terms in (rating_ranks, rating_ranks**2))
    disagreement = 2 * (kinds.sizes * squares - sums**2) / (kinds.sizes - 1)
    return np.sum(weights * disagreement, axis=1), 2 * ratings * np.sum(counts * ranks**2, axis=1)
