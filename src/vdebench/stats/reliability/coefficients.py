"""How far raters agree: Krippendorff's alpha with bootstrap intervals, Fleiss' kappa, percent agreement.

Ratings are raters × units, with gaps. Alpha compares only ratings of the same unit, so a unit with fewer than two says
nothing and is left out. For the intervals units are drawn again; all resamples are computed at once
(`reliability_alpha`).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from vdebench.stats.bootstrap import RESAMPLES, Array, pieces
from vdebench.stats.reliability.alpha import Level, RatingKinds, alphas, rated, same_pairs

FEWER, MANY = 1_000, 5_000
"""So many resamples are enough where so many ratings are of units no two of which were rated alike."""
MOST_VALUES = 100
"""So many different values are counted one by one."""


@dataclass(frozen=True)
class Reliability:
    """Agreement on one scale; what cannot be told is None, with its reason."""

    level: Level
    raters: int
    units: int
    """With two ratings or more: those that are compared."""
    alone: int
    """Units with a single rating: left out."""
    ratings: int
    """Of the units that are compared."""
    alpha: float | None
    low: float | None
    high: float | None
    resamples: int
    dropped: int
    """Resamples without an alpha, since all ratings in them are the same."""
    kappa: float | None
    pairwise: float | None
    """Of all pairs of ratings of the same unit, the share that is equal."""
    unanimous: float | None
    """The share of units on which all ratings are equal."""
    values: dict[str, int]
    """How often each value was given, of the units that are compared; empty for more than 100."""
    reason: str = ""
    """Why there is no alpha, or no interval."""
    kappa_reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """As a dictionary."""
        return asdict(self)


def reliability(
    ratings: ArrayLike,
    level: Level = "ordinal",
    *,
    resamples: int = 0,
    seed: int = 0,
    confidence: float = 0.95,
) -> Reliability:
    """All that is told of raters × units; None, NaN and empty text are gaps. 0 resamples: as many as is usual.

    >>> found = reliability([[1, 2, 3, 3, 1], [1, 2, 3, 2, None], [1, 2, 3, 3, 1]])
    >>> round(found.alpha, 3), round(found.pairwise, 3), found.unanimous
    (0.907, 0.846, 0.8)
    >>> found.kappa, found.kappa_reason
    (None, 'units have 2 to 3 ratings: not defined for unequal numbers')
    """
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence of {confidence}, expected one between 0 and 1, such as 0.95")
    given = rated(ratings, level)
    reason = _why_no_alpha(given)
    alpha = low = high = None
    dropped = 0
    if not reason:
        alpha = _alpha(given, level)
        resamples = resamples or (FEWER if len(given.codes) > MANY else RESAMPLES)
        drawn = resampled_alphas(given, level, resamples=resamples, seed=seed)
        there = drawn[np.isfinite(drawn)]
        dropped = len(drawn) - len(there)
        if given.units < 2:
            reason = "no interval: one unit, at least 2 are needed"
        elif not len(there):
            reason = f"no interval: in all of {len(drawn):,} resamples all ratings are the same"
        else:
            tail = (1 - confidence) / 2
            low, high = (float(bound) for bound in np.quantile(there, (tail, 1 - tail)))
    kappa_reason = _why_no_kappa(given) or (reason if alpha is None else "")
    return Reliability(
        level,
        given.raters,
        given.units,
        given.alone,
        int(given.often @ given.sizes),
        alpha,
        low,
        high,
        resamples if alpha is not None else 0,
        dropped,
        None if kappa_reason else _kappa(given),
        *_percent(given),
        _counted(given),
        reason,
        kappa_reason,
    )


def krippendorff_alpha(ratings: ArrayLike, level: Level = "ordinal") -> float:
    """Krippendorff's alpha of raters × units: 1 where all agree, about 0 where ratings are drawn from a hat.

    NaN where nothing can be said: no unit has two ratings, or all ratings are the same.

    >>> round(krippendorff_alpha([[1, 2, 3, None], [1, 2, 2, 3], [1, 2, 3, 3]], "nominal"), 3)
    0.75
    """
    given = rated(ratings, level)
    return float("nan") if _why_no_alpha(given) else _alpha(given, level)


def fleiss_kappa(counts: ArrayLike) -> float:
    """Fleiss' kappa of units × values, each cell how many raters gave a unit that value.

    NaN where nothing can be said: units with unequal numbers of ratings, or with one, or all ratings the same.

    >>> round(fleiss_kappa([[3, 0], [3, 0], [0, 3], [1, 2]]), 3)
    0.657
    """
    table: Array = np.asarray(counts, dtype=np.float64)
    if table.ndim != 2 or not np.isfinite(table).all() or (table < 0).any():
        raise ValueError(f"counts of shape {table.shape}: expected units × values, none of them negative")
    each = table.sum(axis=1)
    if not len(each) or each[0] < 2 or (each != each[0]).any():
        return float("nan")
    by_chance = float(np.sum((table.sum(axis=0) / table.sum()) ** 2))
    observed = float(np.mean((np.sum(table**2, axis=1) - each) / (each * (each - 1))))
    return (observed - by_chance) / (1 - by_chance) if by_chance < 1 else float("nan")


def resampled_alphas(given: RatingKinds, level: Level, *, resamples: int, seed: int = 0) -> Array:
    """Alpha of every resample of the units, NaN where all its ratings are the same."""
    random = np.random.default_rng(seed)
    shares = given.often / given.units
    found = [
        alphas(given, random.multinomial(given.units, shares, size).astype(np.float64), level)
        for size in pieces(resamples, len(given.codes))
    ]
    return np.concatenate([np.empty(0), *found])


def _alpha(given: RatingKinds, level: Level) -> float:
    return float(alphas(given, given.often[None], level)[0])


def _why_no_alpha(given: RatingKinds) -> str:
    if not given.units:
        return "no unit has two ratings: nothing to compare"
    if len(given.labels) < 2:
        return f"all ratings are {given.labels[0][:40]!r}: alpha is not defined"
    return ""


def _why_no_kappa(given: RatingKinds) -> str:
    sizes = np.append(given.sizes, [1] * bool(given.alone))
    if len(sizes) and sizes.min() != sizes.max():
        return f"units have {sizes.min():.0f} to {sizes.max():.0f} ratings: not defined for unequal numbers"
    return ""


def _kappa(given: RatingKinds) -> float:
    width = len(given.labels)
    cells = np.bincount(given.kind * width + given.codes, minlength=len(given.often) * width)
    return fleiss_kappa(np.repeat(cells.reshape(-1, width), given.often.astype(int), axis=0))


def _percent(given: RatingKinds) -> tuple[float | None, float | None]:
    """Pairs that are equal, and units on which all are, as shares of all."""
    if not given.units:
        return None, None
    same, pairs = same_pairs(given), given.sizes * (given.sizes - 1)
    return float(given.often @ same / (given.often @ pairs)), float(given.often @ (same == pairs) / given.units)


def _counted(given: RatingKinds) -> dict[str, int]:
    if len(given.labels) > MOST_VALUES:
        return {}
    times = np.bincount(given.codes, given.often[given.kind], minlength=len(given.labels))
    return {label: int(count) for label, count in zip(given.labels, times, strict=True)}
