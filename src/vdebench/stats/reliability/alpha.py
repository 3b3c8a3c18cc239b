"""Krippendorff's alpha of many resamples at once.

Alpha is 1 less the observed by the expected disagreement: (n − 1) · Σ_u w_u d_u / Σ_ck n_c n_k δ_ck, with d_u the
disagreement of a unit's pairs by its ratings less one, and n_c how often a value was given. All of it can be weighted
by how often units were drawn; units that were rated alike are one kind, drawn with its share.

What a difference of values costs, δ, is 1 (nominal), its square (interval), its square by the sum's (ratio), or the
square of how many ratings lie between (ordinal). The last is the difference of middle ranks, so ordinal alpha is
interval alpha of ranks, with ranks of their own in every resample.
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
LARGEST = 1e300
"""Differences of larger numbers may be infinite."""
MOST_RATIOS = 2_000
"""Different values of which all pairs are held in memory."""
Places = NDArray[np.int64]


@dataclass(frozen=True)
class RatingKinds:
    """The ratings of units that have two or more; units that were rated alike are told once, as a kind."""

    kind: Places
    """Of every rating, ascending: no number is left out."""
    codes: Places
    """Which value it is."""
    often: Array
    """How many units every kind has."""
    sizes: Array
    """How many ratings a unit of every kind has."""
    labels: list[str]
    """The values, from the least; only those that were given."""
    numbers: Array
    """The same as numbers, or their places where they are words."""
    raters: int
    alone: int
    """Units with a single rating."""

    @property
    def units(self) -> int:
        """How many units are compared."""
        return int(self.often.sum())

    @property
    def firsts(self) -> Places:
        """Where every kind's ratings begin."""
        return np.searchsorted(self.kind, np.arange(len(self.often)))


def rated(ratings: ArrayLike, level: Level) -> RatingKinds:
    """Ratings, raters × units, as codes. Numbers are asked for unless the level is nominal."""
    if level not in LEVELS:
        raise ValueError(f"level {level!r}, expected one of {', '.join(LEVELS)}")
    table = np.array(ratings, dtype=object)
    if table.ndim != 2:
        raise ValueError(f"ratings of shape {table.shape}, expected raters × units")
    there = np.array([[not is_gap(value) for value in row] for row in table], dtype=bool).reshape(table.shape)
    raters, sizes = int(there.any(axis=1).sum()), there.sum(axis=0)
    there &= sizes > 1
    labels, numbers, codes = _coded(table.T[there.T].tolist(), level)
    each = np.split(codes, np.cumsum(sizes[sizes > 1])[:-1]) if len(codes) else []
    # In an order of their own: neither that of units nor that of raters changes a draw.
    kinds = sorted(Counter(tuple(sorted(some.tolist())) for some in each).items())
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


def is_gap(value: Any) -> bool:
    """Whether nothing was said.

    >>> [is_gap(value) for value in (None, " ", float("nan"), 0, "nan")]
    [True, True, True, False, False]
    """
    if isinstance(value, str):
        return not value.strip()
    return value is None or bool(value != value)  # only NaN differs from itself


def number(value: Any) -> float | None:
    """A value as a number, None where it is none that can be reckoned with.

    >>> number("2.5"), number(True), number("inf"), number("good")
    (2.5, 1.0, None, None)
    """
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return found if abs(found) <= LARGEST else None


def _coded(given: list[Any], level: Level) -> tuple[list[str], Array, Places]:
    numbers = [number(value) for value in given]
    if None not in numbers:
        values, codes = np.unique(np.array(numbers, dtype=np.float64), return_inverse=True)
        if level == "ratio" and len(values) and values[0] < 0:
            raise InputError(f"ratio: a rating of {values[0]:g}, expected none below 0; take interval")
        if level == "ratio" and len(values) > MOST_RATIOS:
            raise TooLargeError(f"ratio: {len(values):,} different values, at most {MOST_RATIOS:,}; round them")
        return [repr(value).removesuffix(".0") for value in values.tolist()], values, codes.astype(np.int64).ravel()
    if level != "nominal":
        word = given[numbers.index(None)]
        raise InputError(f"{level}: a rating of {str(word)!r}, expected numbers; words are compared by nominal")
    names, codes = np.unique(np.array([str(value).strip() for value in given], dtype=object), return_inverse=True)
    return [str(name) for name in names], np.arange(len(names), dtype=np.float64), codes.astype(np.int64).ravel()


def same_pairs(given: RatingKinds) -> Array:
    """How many ordered pairs of a unit's ratings are equal, for every kind of unit."""
    width = len(given.labels)
    cells, counts = np.unique(given.kind * width + given.codes, return_counts=True)
    return np.asarray(np.bincount(cells // width, counts * (counts - 1.0), len(given.often)), dtype=np.float64)


def alphas(given: RatingKinds, weights: Array, level: Level) -> Array:
    """Alpha of every row of weights, which says how often each kind of unit counts; NaN where no two values differ."""
    ratings = weights @ given.sizes
    if level == "interval":
        observed, expected = _by_squares(given, weights)
    elif level == "ordinal":
        observed, expected = _by_ranks(given, weights)
    else:
        times = _times(given, weights)
        if level == "nominal":
            apart = given.sizes * (given.sizes - 1) - same_pairs(given)
            expected = ratings**2 - np.sum(times**2, axis=1)
        else:
            costs = _ratios(given.numbers)
            apart = np.array([costs[np.ix_(some, some)].sum() for some in np.split(given.codes, given.firsts[1:])])
            expected = np.sum((times @ costs) * times, axis=1)
        observed = weights @ (apart / (given.sizes - 1))
    varied = _varied(given, weights)
    under = np.where(varied, expected, 1.0)
    return np.where(varied, 1 - (ratings - 1) * observed / under, math.nan)


def _varied(given: RatingKinds, weights: Array) -> NDArray[np.bool_]:
    """Whether any two ratings of a resample differ: told by counting, not by sums that may be off by a little."""
    least, most = (extreme.reduceat(given.codes, given.firsts) for extreme in (np.minimum, np.maximum))
    drawn = weights > 0
    lowest = np.where(drawn, least, len(given.labels)).min(axis=1)
    return np.asarray(np.where(drawn, most, -1).max(axis=1) > lowest)


def _times(given: RatingKinds, weights: Array) -> Array:
    """How often every value was given, in every resample."""
    order = np.argsort(given.codes, kind="stable")
    firsts = np.searchsorted(given.codes[order], np.arange(len(given.labels)))
    return np.asarray(np.add.reduceat(weights[:, given.kind[order]], firsts, axis=1))


def _ratios(values: Array) -> Array:
    sums = values[:, None] + values[None, :]
    return np.divide(values[:, None] - values[None, :], sums, out=np.zeros_like(sums), where=sums > 0) ** 2


def _by_squares(given: RatingKinds, weights: Array) -> tuple[Array, Array]:
    """Observed and expected disagreement of numbers, from sums and sums of squares."""
    # Alpha does not depend on where the scale begins nor on its unit; sums of squares of numbers near 0 lose nothing.
    span = given.numbers[-1] - given.numbers[0]
    values = ((given.numbers - given.numbers[0]) / (span or 1.0) - 0.5)[given.codes]
    sums, squares = (np.bincount(given.kind, some, minlength=len(given.often)) for some in (values, values**2))
    apart = 2 * (given.sizes * squares - sums**2) / (given.sizes - 1)
    ratings, total, total_squares = (weights @ some for some in (given.sizes, sums, squares))
    return weights @ apart, 2 * (ratings * total_squares - total**2)


def _by_ranks(given: RatingKinds, weights: Array) -> tuple[Array, Array]:
    """The same of ranks, which are others in every resample."""
    times = _times(given, weights)
    ratings = times.sum(axis=1)
    ranks = np.cumsum(times, axis=1) - times / 2 - ratings[:, None] / 2  # from the middle: their sum is 0
    each = ranks[:, given.codes]
    sums, squares = (np.add.reduceat(some, given.firsts, axis=1) for some in (each, each**2))
    apart = 2 * (given.sizes * squares - sums**2) / (given.sizes - 1)
    return np.sum(weights * apart, axis=1), 2 * ratings * np.sum(times * ranks**2, axis=1)
